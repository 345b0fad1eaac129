"""Time: expiry, retention, versions."""

from datetime import UTC, datetime, timedelta

import pytest

from server.adapters.models.scripted import Scripted, call
from server.domain.tools import Tool
from server.runs.expire import expire
from server.runs.orphans import report_paused
from server.runs.recover import recover
from tests.acceptance.conftest import OpenTwin
from tests.support.twin import RunningTwin, Visitor, of_type, without_seq

DRAFT = {"subject": "s", "message": "m", "sender_contact": "a@b.org"}


class Clock:
    """A clock that is set by hand. Leases in memory go by it too."""

    def __init__(self) -> None:
        self.now = datetime(2026, 12, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def pause(
    open_twin: OpenTwin, clock: Clock, closing: str = "So be it."
) -> tuple[RunningTwin, Visitor]:
    # A long lease: the sweeper of the running application does not come by while the test looks.
    model = Scripted(call("draft_contact_message", **DRAFT), then=closing)
    twin = open_twin(model, clock=clock, approval_ttl=timedelta(days=1), lease_s=3600.0)
    visitor = twin.visitor()
    visitor.say("Pass it on.")
    return twin, visitor


def effects(twin: RunningTwin) -> list[object]:
    found: list[object] = twin.call(twin.services.store.effects.newest, None)
    return found


def test_a_yes_one_millisecond_late_is_refused(open_twin: OpenTwin, clock: Clock) -> None:
    """409 `expired` without any sweeper; nothing runs, and the question stays to be refused."""
    twin, visitor = pause(open_twin, clock)
    clock.now += timedelta(days=1, milliseconds=1)

    answer = twin.decide(str(visitor.thread_id), approved=True)

    assert answer.status_code == 409
    assert answer.json()["code"] == "expired"
    assert effects(twin) == []
    assert len(twin.pending()) == 1


def test_a_yes_at_the_last_moment_counts(open_twin: OpenTwin, clock: Clock) -> None:
    """One millisecond before the expiry is in time."""
    twin, visitor = pause(open_twin, clock)
    clock.now += timedelta(days=1, milliseconds=-1)

    assert twin.decide(str(visitor.thread_id), approved=True).status_code == 200
    assert len(effects(twin)) == 1


def test_a_late_no_is_recorded_as_a_no(open_twin: OpenTwin, clock: Clock) -> None:
    """After the expiry an explicit refusal still says what the owner wants."""
    twin, visitor = pause(open_twin, clock)
    clock.now += timedelta(days=2)

    answer = twin.decide(str(visitor.thread_id), approved=False, note="Too late anyway.")

    assert answer.json()["status"] == "rejected"


def test_time_settles_what_nobody_decided(open_twin: OpenTwin, clock: Clock) -> None:
    """Status expired, decided by nobody; the model is told there was no decision, not that there was a no."""
    twin, visitor = pause(open_twin, clock, "There was no decision in time.")
    clock.now += timedelta(days=1, seconds=1)

    assert twin.call(expire, twin.services) == 1

    log = visitor.log()
    assert {"type": "approval", "status": "expired"} in without_seq(log)
    [past] = twin.owner("GET", "/approvals?status=expired").json()["approvals"]
    assert past["decided_by"] is None
    told = twin.services.model.requests[-1].messages[-1]["content"]  # type: ignore[attr-defined]
    assert "no decision in time" in told
    assert "declined" not in told
    assert effects(twin) == []
    late = twin.decide(str(visitor.thread_id), approved=True, interrupt_id=past["interrupt_id"])
    assert (late.status_code, late.json()["code"]) == (409, "expired")
    assert twin.call(expire, twin.services) == 0


def test_a_question_may_never_expire(open_twin: OpenTwin, clock: Clock) -> None:
    """APPROVAL_TTL=never: it waits, and the visitor can still take it back."""
    model = Scripted(call("draft_contact_message", **DRAFT), "Withdrawn.")
    twin = open_twin(model, clock=clock, approval_ttl=None, lease_s=3600.0)
    visitor = twin.visitor()
    events = visitor.say("Pass it on.")
    clock.now += timedelta(days=10_000)

    assert "expires_at" not in of_type(events, "interrupt")[0]
    assert twin.call(expire, twin.services) == 0
    [card] = twin.pending()
    assert visitor.post(f"/approvals/{card['interrupt_id']}/withdraw").status_code == 200


def test_old_threads_are_forgotten_but_never_a_waiting_one(
    open_twin: OpenTwin, clock: Clock
) -> None:
    """RETENTION_DAYS removes what is idle for longer; a pending approval keeps its thread."""
    model = Scripted(call("draft_contact_message", **DRAFT), then="Hello.")
    twin = open_twin(model, clock=clock, approval_ttl=None, retention_days=30, lease_s=3600.0)
    waiting, idle = twin.visitor(), twin.visitor()
    waiting.say("Pass it on.")
    idle.say("Hi")
    # Postgres dates threads by its own clock, memory by ours: far enough for both.
    clock.now = max(clock.now, datetime.now(UTC)) + timedelta(days=31)

    twin.call(recover, twin.services)

    assert idle.get().status_code == 403
    assert twin.state(str(idle.thread_id)) == {}
    assert waiting.get().json()["status"] == "interrupted"


def test_a_yes_for_another_version_of_the_tool_is_refused(open_twin: OpenTwin) -> None:
    """Started again with a tool that takes other arguments, or without it: reported at boot, 409 `orphaned`."""

    def shop(*properties: str) -> Tool:
        schema = {
            "type": "object",
            "properties": {name: {"type": "string"} for name in properties},
            "required": [],
            "additionalProperties": False,
        }
        return Tool("order", "Order something.", schema, lambda **_: "ordered", high_risk=True)

    first = open_twin(Scripted(call("order", what="cake"), then="Hm."), tools=[shop("what")])
    if first.services.saver.__class__.__name__ == "MemorySaver":
        pytest.skip("memory does not outlive the application")
    visitor = first.visitor()
    visitor.say("Order a cake.")

    for tools, kind in (([shop("what", "when")], "ask_again"), ([], "orphaned")):
        later = open_twin(Scripted(then="Hm."), tools=tools)
        assert later.call(report_paused, later.services)[kind] == 1
        answer = later.decide(str(visitor.thread_id), approved=True)
        assert answer.status_code == 409
        assert answer.json()["code"] == "orphaned"
        assert effects(later) == []
    assert later.decide(str(visitor.thread_id), approved=False).json()["status"] == "rejected"
