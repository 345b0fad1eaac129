"""What a visitor thinks of an answer."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from server.adapters.models.scripted import Gate, Scripted, call
from tests.acceptance.conftest import OpenTwin
from tests.support.twin import Event, RunningTwin, Visitor


def judge(twin: RunningTwin, visitor: Visitor, seq: int, verdict: str = "up", **more: Any) -> Any:
    body = {"thread_id": visitor.thread_id, "seq": seq, "verdict": verdict, **more}
    twin.client.cookies.clear()
    return twin.client.post("/api/feedback", json=body, headers=visitor.headers)


def last_text(events: list[Event]) -> int:
    seqs: list[int] = [event["seq"] for event in events if event["type"] == "text"]
    return seqs[-1]


def read(twin: RunningTwin, visitor: Visitor) -> Any:
    twin.client.cookies.clear()
    path = f"/api/threads/{visitor.thread_id}"
    return twin.client.get(path, headers=visitor.headers).json()


def given(twin: RunningTwin, visitor: Visitor) -> list[tuple[str, str | None]]:
    rows = twin.owner("GET", f"/threads/{visitor.thread_id}").json()["feedback"]
    return [(row["verdict"], row["comment"]) for row in rows]


@pytest.fixture
def twin(open_twin: OpenTwin) -> RunningTwin:
    return open_twin(Scripted("One answer.", "Another one."))


def test_each_answer_has_one_verdict_and_the_last_one_said_counts(twin: RunningTwin) -> None:
    """Whichever of its events it was given at; the owner reads it with the transcript."""
    visitor = twin.visitor()
    first, second = visitor.say("Hello?"), visitor.say("And?")

    for seq, verdict, more in [
        (last_text(first), "up", {}),
        (first[1]["seq"], "down", {"comment": "  Too short. "}),
        (last_text(second), "up", {}),
        (second[-1]["seq"], "up", {"comment": " "}),
    ]:
        answer = judge(twin, visitor, seq, verdict, **more)
        assert (answer.status_code, answer.content) == (204, b"")

    assert given(twin, visitor) == [("down", "Too short."), ("up", None)]


def test_the_visitor_finds_their_own_verdicts_again_by_the_run_they_were_given_on(
    twin: RunningTwin,
) -> None:
    """With the thread's history, as the owner does; of other threads nothing."""
    visitor, stranger = twin.visitor(), twin.visitor()
    first, second = visitor.say("Hello?"), visitor.say("And?")
    judge(twin, visitor, last_text(second), "down", comment="Too short.")
    stranger.say("Me too.")

    history = read(twin, visitor)

    assert [message["role"] for message in history["messages"]] == ["user", "assistant"] * 2
    [given] = history["feedback"]
    assert given == {
        "run_id": second[0]["run_id"],
        "seq": last_text(second),
        "verdict": "down",
        "comment": "Too short.",
        "said_at": given["said_at"],
    }
    assert first[0]["run_id"] != second[0]["run_id"]
    assert read(twin, stranger)["feedback"] == []


def test_a_number_in_a_comment_is_not_kept(twin: RunningTwin) -> None:
    """Comments are kept like messages."""
    visitor = twin.visitor()
    seq = last_text(visitor.say("Hello?"))
    judge(twin, visitor, seq, "down", comment="You did not take 4111 1111 1111 1111.")
    assert given(twin, visitor) == [("down", "You did not take [card •••• 1111].")]


def test_strangers_and_the_owner_get_the_same_403_whether_or_not_it_exists(
    twin: RunningTwin,
) -> None:
    visitor, stranger = twin.visitor(), twin.visitor()
    seq = last_text(visitor.say("Hello?"))
    stranger.say("Me too.")
    for thread_id in (visitor.thread_id, "no-such-thread"):
        stranger.thread_id = thread_id
        refused = judge(twin, stranger, seq)
        assert (refused.status_code, refused.json()["code"]) == (403, "forbidden")
    assert given(twin, visitor) == []


def test_where_no_finished_answer_is_there_is_nothing_to_judge(open_twin: OpenTwin) -> None:
    """Past the end of the log, and while the answer is being written."""
    gate = Gate()
    twin = open_twin(Scripted("One answer.", ["Wait", gate, "."]))
    visitor = twin.visitor()
    end = visitor.say("Hello?")[-1]["seq"]
    for seq in (end + 1, end + 900, 2**53):
        refused = judge(twin, visitor, seq)
        assert (refused.status_code, refused.json()["code"]) == (422, "no_answer_there")
        assert f"ends at {end}" in refused.json()["detail"]
    with ThreadPoolExecutor() as elsewhere:
        saying = elsewhere.submit(visitor.say, "And?")
        gate.wait_reached()
        unfinished = judge(twin, visitor, end + 1)
        gate.open()
        saying.result()
    assert (unfinished.status_code, unfinished.json()["code"]) == (422, "no_answer_there")
    assert judge(twin, visitor, end + 1).status_code == 204
    assert given(twin, visitor) == [("up", None)]


def test_the_closing_answer_after_a_decision_has_a_verdict_of_its_own(open_twin: OpenTwin) -> None:
    asks = call("draft_contact_message", subject="s", message="m", sender_contact="a@b.org")
    twin = open_twin(Scripted(["One moment. ", asks], "It has been passed on."))
    visitor = twin.visitor()
    paused = visitor.say("Pass it on.")
    assert twin.decide(str(visitor.thread_id), approved=True).status_code == 200

    assert judge(twin, visitor, last_text(paused), "down").status_code == 204
    assert judge(twin, visitor, last_text(visitor.log()), "up").status_code == 204

    assert given(twin, visitor) == [("down", None), ("up", None)]


@pytest.mark.parametrize(
    "wrong",
    [
        {"seq": 0}, {"seq": -1}, {"seq": "first"}, {"seq": None}, {"verdict": "sideways"}, {"verdict": True},
        {"comment": "x" * 1001}, {"comment": 7}, {"thread_id": "no such id"}, {"more": 1},
    ],
    ids=str,
)  # fmt: skip
def test_a_malformed_body_is_422(twin: RunningTwin, wrong: dict[str, Any]) -> None:
    visitor = twin.visitor()
    seq = last_text(visitor.say("Hello?"))
    body = {"thread_id": visitor.thread_id, "seq": seq, "verdict": "up", **wrong}
    refused = twin.client.post("/api/feedback", json=body, headers=visitor.headers)
    assert (refused.status_code, refused.json()["code"]) == (422, "invalid_request")
    assert given(twin, visitor) == []


def test_feedback_goes_with_the_conversation(twin: RunningTwin) -> None:
    visitor = twin.visitor()
    seq = last_text(visitor.say("Hello?"))
    judge(twin, visitor, seq)
    assert twin.owner("GET", "/stats?days=1").json()["total"]["feedback"] == {"up": 1, "down": 0}
    twin.client.delete(f"/api/threads/{visitor.thread_id}", headers=visitor.headers)
    assert judge(twin, visitor, seq).status_code == 403
    assert twin.owner("GET", "/stats?days=1").json()["total"]["feedback"] == {"up": 0, "down": 0}
