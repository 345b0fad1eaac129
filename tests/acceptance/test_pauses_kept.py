"""Pauses that could get lost, hidden or crossed, and answers that must reach exactly the question they are for."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from pydantic import SecretStr

from server.adapters.models.scripted import Scripted, call
from server.runs.expire import expire
from server.settings import Settings
from tests.acceptance.conftest import OpenTwin
from tests.support.till import ORDER, Clock, Obedient, Till, ledger
from tests.support.twin import RunningTwin, Visitor, of_type, running_twin

NOTE = 'Not in May — "perhaps"\n\tin June… 🙂'


def opened(open_twin: OpenTwin, **more: Any) -> tuple[RunningTwin, Till, Visitor]:
    """A twin with a till, and somebody new."""
    till = Till()
    twin = open_twin(Obedient().model(), tools=till.tools(), **more)
    return twin, till, twin.visitor()


def test_a_pause_on_the_fifth_message_is_like_one_on_the_first(open_twin: OpenTwin) -> None:
    """Earlier turns change nothing: one card, one effect, and the thread goes on."""
    twin, till, visitor = opened(open_twin)
    for said in ("One", "Two", "Three", "Four"):
        visitor.say(said)

    events = visitor.say("owners")

    assert of_type(events, "meta")[0]["outcome"] == "pending_approval"
    assert len(twin.pending()) == 1
    assert twin.decide(str(visitor.thread_id), approved=True).json()["answer"] == "Done."
    assert till.paid == {visitor.thread_id: [("owners", ORDER)]}
    assert of_type(visitor.say("Six"), "meta")[0]["outcome"] == "answered"


def test_another_device_finds_the_card_and_another_thread_does_not(open_twin: OpenTwin) -> None:
    """The same visitor reads the thread anew and sees it; on their other thread, and to others, nothing waits."""
    twin, till, visitor = opened(open_twin)
    visitor.say("owners")
    device, other_thread, stranger = twin.visitor(), twin.visitor(), twin.visitor()
    device.token, device.thread_id = visitor.token, visitor.thread_id
    other_thread.token = visitor.token
    other_thread.say("Hello")
    stranger.say("Hello")

    cards = [v.get().json()["approvals"] for v in (visitor, device, other_thread, stranger)]

    assert cards[0] == cards[1]
    assert [card["interrupt_id"] for card in cards[0]] == [
        card["interrupt_id"] for card in twin.pending()
    ]
    assert cards[2] == cards[3] == []
    [card] = cards[0]
    crossed = other_thread.post(f"/approvals/{card['interrupt_id']}/withdraw")
    assert crossed.status_code == 404
    named = twin.decide(
        str(other_thread.thread_id), approved=True, interrupt_id=card["interrupt_id"]
    )
    assert named.status_code == 404
    assert till.paid == {}


def test_a_decision_in_the_moment_of_the_pause_is_applied_or_refused(open_twin: OpenTwin) -> None:
    """Sent again and again while the pause is being written: refused until it is there, applied once, never lost."""
    twin, till, _ = opened(open_twin)
    for number in range(5):
        visitor = twin.visitor()
        visitor.thread_id = f"thread-{number}"
        with ThreadPoolExecutor(1) as pool:
            said = pool.submit(visitor.say, "owners")
            refusals = set()
            while (answer := twin.decide(visitor.thread_id, approved=True)).status_code != 200:
                refusals.add((answer.status_code, answer.json()["code"]))
            paused = said.result()

        assert refusals <= {(404, "no_pending_approval")}
        assert of_type(paused, "approval") == [{"type": "approval", "status": "pending"}]
        assert answer.json()["answer"] == "Done."
        assert till.paid[visitor.thread_id] == [("owners", ORDER)]
        assert [e.status for e in ledger(twin, visitor.thread_id)] == ["done"]
        assert twin.decide(visitor.thread_id, approved=True).status_code == 404


def test_an_answer_to_one_leaves_the_other_as_it_was(open_twin: OpenTwin) -> None:
    """A is not asked again, B stays under its id; nothing is executed before both are answered, and the safe call ran once."""
    twin, till, visitor = opened(open_twin)
    events = visitor.say("look owners owners")
    first, second = (event["interrupt_id"] for event in of_type(events, "interrupt"))
    thread_id = str(visitor.thread_id)

    answer = twin.decide(thread_id, approved=True, interrupt_id=first)

    assert answer.json()["remaining"] == [second]
    assert [card["interrupt_id"] for card in twin.pending()] == [second]
    again = twin.decide(thread_id, approved=True, interrupt_id=first)
    assert again.json()["code"] == "already_decided"
    assert till.paid == {}
    assert twin.decide(thread_id, approved=False, interrupt_id=second).json()["remaining"] == []
    assert till.paid == {thread_id: [("owners", ORDER)]}
    assert till.looks == {thread_id: 1}
    assert len(ledger(twin, thread_id)) == 1


@pytest.mark.parametrize(
    "edit",
    [
        {"tool": "look"},
        {"name": "visitors"},
        {"arguments": ORDER | {"name": "visitors"}},
        {"arguments": {"name": "visitors", "arguments": ORDER}},
        {"tool_calls": [{"name": "visitors", "input": ORDER}]},
    ],
)
def test_an_edit_can_not_name_another_tool(open_twin: OpenTwin, edit: dict[str, Any]) -> None:
    """422 wherever the name stands; nothing runs, the question stays."""
    twin, till, visitor = opened(open_twin)
    visitor.say("owners")

    answer = twin.decide(str(visitor.thread_id), approved=True, **edit)

    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_answer")
    assert till.paid == {}
    assert len(twin.pending()) == 1


ODD = "A\u200b17 \u202eeuro\u202c" + " " * 50 + "<script>alert(1)</script> p\u0430y"


@pytest.mark.parametrize("edited", [False, True])
def test_what_text_hides_is_flagged_and_what_was_approved_is_what_runs(
    open_twin: OpenTwin, edited: bool
) -> None:
    """Hidden, reordering, padding and look-alike characters and HTML: in the warnings, and to the byte in what is carried out."""
    draft = {"subject": "s", "message": ODD, "sender_contact": "eve@example.org"}
    asked = draft | ({"message": "m"} if edited else {})
    twin = open_twin(Scripted(call("draft_contact_message", **asked), "Passed on."))
    visitor = twin.visitor()
    visitor.say("Please.")
    [card] = twin.pending()

    more = {"arguments": draft} if edited else {}
    assert twin.decide(str(visitor.thread_id), approved=True, **more).status_code == 200

    assert card["tool_calls"][0]["input"] == asked
    warned = ["bidirectional_characters", "hidden_characters", "mixed_scripts", "padding"]
    assert card["warnings"] == ([] if edited else warned)
    [row] = twin.owner("GET", "/contact-messages").json()["contact_messages"]
    assert row["message"] == ODD


def test_a_late_no_and_the_clock_do_not_both_win(open_twin: OpenTwin) -> None:
    """At once, several times: the question is settled by one of them, and the other one is told so."""
    clock = Clock()
    twin, till, _ = opened(open_twin, clock=clock, approval_ttl=timedelta(hours=1), lease_s=3600.0)
    for _ in range(6):
        visitor = twin.visitor()
        visitor.say("owners")
        [card] = twin.pending()
        clock.move(timedelta(hours=1))
        with ThreadPoolExecutor(2) as pool:
            swept = pool.submit(twin.call, expire, twin.services)
            no = pool.submit(twin.decide, str(visitor.thread_id), approved=False)

        answer, lapsed = no.result(), swept.result()

        # The clock lets a thread alone that somebody holds.
        assert (answer.status_code == 200) is (lapsed == 0)
        log = [event["status"] for event in of_type(visitor.log(), "approval")]
        assert log == ["pending", "rejected" if answer.status_code == 200 else "expired"]
        past = twin.decide(str(visitor.thread_id), approved=True, interrupt_id=card["interrupt_id"])
        assert past.status_code == 409
    assert till.paid == {}


@pytest.mark.parametrize("freed_by", ["visitor", "owner", "clock"])
def test_an_abandoned_request_blocks_nobody_for_good(open_twin: OpenTwin, freed_by: str) -> None:
    """The visitor withdraws, the owner clears it, or its time is up: the thread can ask again, even where it refuses meanwhile."""
    clock = Clock()
    twin, till, visitor = opened(
        open_twin,
        clock=clock,
        approval_ttl=timedelta(hours=1),
        lease_s=3600.0,
        when_paused="refuse",
    )
    visitor.say("owners")
    [card] = twin.pending()
    assert visitor.try_to_say("Hello?").status_code == 422

    match freed_by:
        case "visitor":
            visitor.post(f"/approvals/{card['interrupt_id']}/withdraw")
        case "owner":
            twin.decide(str(visitor.thread_id), resume=None)
        case _:
            clock.move(timedelta(hours=1))
            twin.call(expire, twin.services)
    visitor.log()

    assert of_type(visitor.say("owners"), "meta")[0]["outcome"] == "pending_approval"
    assert till.paid == {}
    assert twin.decide(str(visitor.thread_id), approved=True).status_code == 200
    assert till.paid == {visitor.thread_id: [("owners", ORDER)]}


@pytest.mark.postgres
def test_a_note_outlasts_a_restart_word_for_word(
    memory_settings: Settings, postgres_url: str
) -> None:
    """One of two questions is answered with a note, the process ends, the other is answered: the model reads the note."""
    settings = memory_settings.model_copy(update={"database_url": SecretStr(postgres_url)})
    till = Till()
    with running_twin(settings, Obedient().model(), till.tools()) as twin:
        visitor = twin.visitor()
        events = visitor.say("owners owners")
        first, second = (event["interrupt_id"] for event in of_type(events, "interrupt"))
        thread_id = str(visitor.thread_id)
        noted = twin.decide(thread_id, approved=False, note=NOTE, interrupt_id=first)
        assert noted.json()["remaining"] == [second]
    model = Obedient().model()

    with running_twin(settings, model, till.tools()) as twin:
        assert [card["interrupt_id"] for card in twin.pending()] == [second]
        assert twin.decide(thread_id, approved=True).status_code == 200

    results = [m["content"] for m in model.requests[0].messages if m["role"] == "tool"]
    assert [NOTE in result for result in results] == [True, False]
    assert till.paid == {thread_id: [("owners", ORDER)]}
