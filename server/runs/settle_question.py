"""Records how one question was settled, and goes on with the thread when it was the last one open."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from server.agent.questions import card_message
from server.domain.approvals import Approval, ApprovalStatus, Decision
from server.domain.conversation import Lease, Run
from server.domain.errors import AlreadyDecided, Expired, LeaseLost, SaysoError, ThreadBusy
from server.domain.events import ApprovalChanged, Event, ThreadOpened
from server.domain.principals import Principal
from server.domain.times import rfc3339
from server.runs.active import ActiveRun
from server.runs.assignment import Assignment
from server.runs.drive import start_driving
from server.runs.ending import interrupt_changed
from server.runs.ids import new_id
from server.runs.services import Services


@dataclass(frozen=True, slots=True)
class Settled:
    """What became of a question. `run` executes now if the thread goes on; `remaining` are still open."""

    approval: Approval
    remaining: tuple[str, ...]
    run: ActiveRun | None


async def settle_question(
    services: Services, lease: Lease, interrupt_id: str, decision: Decision
) -> Settled:
    """Compares and sets, from pending; the last open question of a pause starts the resume in the same transaction.

    The lease is used up in every case. Raises AlreadyDecided or Expired, or ThreadBusy when somebody else holds the
    thread by now; then nothing was recorded.
    """
    try:
        return await _settle(services, lease, interrupt_id, decision)
    except LeaseLost as lost:
        raise ThreadBusy(waited_s=0) from lost
    except BaseException:
        await services.give_back(lease)
        raise


async def _settle(
    services: Services, lease: Lease, interrupt_id: str, decision: Decision
) -> Settled:
    store, now = services.store, services.clock()
    before = await store.approvals.of_thread(lease.thread_id)
    asked = next(a for a in before if a.interrupt_id == interrupt_id)
    others = [a for a in before if a.run_id == asked.run_id and a.interrupt_id != interrupt_id]
    remaining = tuple(a.interrupt_id for a in others if a.status == "pending")
    thread, turn = await store.threads.get(lease.thread_id), await store.turns.get(asked.turn_id)
    assert thread is not None and turn is not None, "an approval's thread and turn are kept with it"
    run = Run(
        id=new_id(),
        thread_id=lease.thread_id,
        turn_id=asked.turn_id,
        status="running",
        started_at=now,
        first_seq=lease.last_seq,
        resumes=asked.run_id,
    )
    events: list[Event]
    services.reach("settle.claimed")
    async with store.units.hold(lease) as held:
        settled = await held.settle(interrupt_id, decision, now)
        if settled is None:
            raise refusal(asked)
        shown = _as_decided(services, settled)
        if remaining:
            events = [interrupt_changed(shown)]
            await held.append(list(enumerate(events, lease.last_seq + 1)))
            await held.release("interrupted")
        else:
            events = [
                ThreadOpened(lease.thread_id, run.id),
                interrupt_changed(shown),
                ApprovalChanged(outcome_of([settled, *others])),
            ]
            await held.append(list(enumerate(events, lease.last_seq + 1)))
            await held.save_run(run)
            await held.activate(run.id)
            await held.mark_resumed([a.interrupt_id for a in (settled, *others)], run.id)
    services.reach("settle.recorded")
    services.metrics.approval(settled.status)
    services.feed.ring(lease.thread_id)
    if remaining:
        return Settled(settled, remaining, None)
    assignment = Assignment(
        lease=lease,
        run=run,
        turn=turn,
        principal=Principal.from_key(thread.principal),
        last_seq=lease.last_seq + len(events),
        answers={a.interrupt_id: a.answer for a in (settled, *others)},
    )
    return Settled(settled, (), start_driving(services, assignment))


def _as_decided(services: Services, settled: Approval) -> Approval:
    """With the message that fits what will run: an edit may have changed it."""
    tool = services.tools.get(settled.tool)
    if settled.edited_arguments is None or tool is None:
        return settled
    return replace(settled, message=card_message(tool, settled.edited_arguments))


def outcome_of(pause: Sequence[Approval]) -> ApprovalStatus | Literal["mixed"]:
    """How a pause ended as a whole."""
    statuses = {approval.status for approval in pause}
    return statuses.pop() if len(statuses) == 1 else "mixed"


def refusal(asked: Approval) -> SaysoError:
    """Why a question can't be settled (any more)."""
    if asked.status in ("pending", "expired"):
        return Expired(expires_at=rfc3339(asked.expires_at), interrupt_id=asked.interrupt_id)
    return AlreadyDecided(
        decided_status=asked.status,
        by=asked.decided_by,
        at=rfc3339(asked.decided_at),
        interrupt_id=asked.interrupt_id,
    )


def still_open(services: Services, asked: Approval) -> Callable[[], Awaitable[None]]:
    """For whoever waits to settle a question: raises its refusal as soon as somebody else was faster."""

    async def check() -> None:
        now = await services.store.approvals.get(asked.interrupt_id)
        if now is not None and now.status != "pending":
            raise refusal(now)

    return check
