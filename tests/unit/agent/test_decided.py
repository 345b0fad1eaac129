"""What became of requests, read from the state of the turn."""

from typing import Any

import pytest

from server.agent.decided import how_requests_ended
from server.domain.conversation import Message, ToolCall

YES = {"approved": True, "status": "approved"}


def state(*calls: tuple[str, Any, bool]) -> Any:
    """A turn whose last round had these calls: name, decision (None: not asked about) and whether it was carried out."""
    asked = [ToolCall(id=f"c{n}", name=name, arguments={}) for n, (name, _, _) in enumerate(calls)]
    messages: list[Message] = [{"role": "assistant", "content": "", "tool_calls": asked}]
    results = []
    for call, (name, _, ok) in zip(asked, calls, strict=True):
        text = f"result of {call['id']}"
        messages.append({"role": "tool", "tool_call_id": call["id"], "name": name, "content": text})
        results.append({"tool": name, "text": text, "ok": ok})
    decisions = {f"c{n}": answer for n, (_, answer, _) in enumerate(calls) if answer is not None}
    return {"messages": messages, "results": results, "decisions": decisions}


@pytest.mark.parametrize(
    ("answer", "ok", "ended"),
    [
        (YES, True, "carried_out"),
        (YES, False, "uncertain"),
        ({"approved": False, "status": "rejected"}, False, "rejected"),
        ({"approved": False, "status": "cancelled"}, False, "rejected"),
        ({"approved": False, "status": "withdrawn"}, False, "withdrawn"),
        ({"approved": False, "status": "expired"}, False, "expired"),
        ("yes", False, "rejected"),
    ],
)
def test_each_way_a_request_can_end(answer: Any, ok: bool, ended: str) -> None:
    """Nothing is said to be carried out that the tool did not say."""
    assert how_requests_ended(state(("pay", answer, ok))) == [ended]


def test_calls_nobody_was_asked_about_are_not_requests() -> None:
    """They are the twin's own business."""
    assert how_requests_ended(state(("look", None, True))) == []
    assert how_requests_ended(state(("look", None, True), ("pay", YES, True))) == ["carried_out"]


def test_an_earlier_pause_of_the_turn_was_told_already() -> None:
    """Only the last round counts."""
    turn = state(("pay", YES, True))
    later = state(("look", None, True))
    later["messages"] = [
        *turn["messages"],
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [ToolCall(id="z", name="look", arguments={})],
        },
        {"role": "tool", "tool_call_id": "z", "name": "look", "content": "x"},
    ]
    later["decisions"] = turn["decisions"]
    assert how_requests_ended(later) == []
