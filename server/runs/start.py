"""Begins a turn: a visitor says something."""

from dataclasses import dataclass, replace
from typing import Literal

from server.domain.conversation import Lease, OnBusy, Run, Turn
from server.domain.errors import Forbidden, LeaseLost, ThreadBusy, ThreadPaused
from server.domain.events import ThreadOpened
from server.domain.principals import Principal, may_write
from server.runs.active import ActiveRun
from server.runs.assignment import Assignment
from server.runs.claim import claim
from server.runs.drive import start_driving
from server.runs.ids import new_id
from server.runs.services import Services
from server.runs.unfinished import Unfinished, unfinished


@dataclass(frozen=True, slots=True)
class Started:
    """A run that executes now; follow its thread's log from `after`."""

    thread_id: str
    run_id: str
    after: int
    active: ActiveRun


async def start(
    services: Services,
    principal: Principal,
    said: str,
    *,
    thread_id: str | None = None,
    on_busy: OnBusy = "wait",
    when_paused: Literal["beside", "refuse"] | None = None,
) -> Started:
    """Saves what was said and starts the run. What the visitor says is never an answer to a question.

    Raises Forbidden, ThreadBusy, ThreadPaused or Draining; then nothing was changed.
    """
    services.active.check_open()
    said = services.guards.masked(said)  # here, so that what must not be kept never is
    if principal.kind == "owner":
        raise Forbidden  # Before a thread is opened in the owner's name.
    thread_id = thread_id or new_id()
    thread = await services.store.threads.open(thread_id, principal.key)
    if not may_write(principal, thread.principal):
        raise Forbidden
    when_paused = when_paused or services.rules.when_paused
    if when_paused == "refuse":
        _refuse_if_paused(await unfinished(services, thread_id))
    lease = await claim(services, thread_id, on_busy)
    services.reach("start.claimed")
    try:
        return await _begin(services, principal, said, lease, when_paused)
    except LeaseLost as lost:
        # This process stood still after it had claimed the thread, and somebody else has it now.
        raise ThreadBusy(waited_s=0) from lost
    except BaseException:
        await services.give_back(lease)
        raise


async def _begin(
    services: Services,
    principal: Principal,
    said: str,
    lease: Lease,
    when_paused: Literal["beside", "refuse"],
) -> Started:
    earlier = await unfinished(services, lease.thread_id)
    if when_paused == "refuse":
        _refuse_if_paused(earlier)
    beside = earlier.question is not None or earlier.uncarried
    now = services.clock()
    turn = Turn(
        id=new_id(),
        thread_id=lease.thread_id,
        said=said,
        messages=[{"role": "user", "content": said}],
        answer="",
        created_at=now,
    )
    run = Run(
        id=new_id(),
        thread_id=lease.thread_id,
        turn_id=turn.id,
        status="running",
        started_at=now,
        first_seq=lease.last_seq,
        beside=beside,
    )
    opened = lease.last_seq + 1
    async with services.store.units.hold(lease) as held:
        for failed in earlier.unanswered:
            # The conversation goes on: a closing answer that failed is not tried again. A decision that could not be carried out
            # is: this turn runs beside its pause, which leaves the checkpoint as it is.
            await held.save_run(replace(failed, retry_at=None))
        await held.save_turn(turn)
        await held.save_run(run)
        await held.activate(run.id)
        await held.append([(opened, ThreadOpened(lease.thread_id, run.id))])
    services.reach("start.saved")
    assignment = Assignment(lease, run, turn, principal, last_seq=opened)
    active = start_driving(services, assignment)
    return Started(lease.thread_id, run.id, lease.last_seq, active)


def _refuse_if_paused(earlier: Unfinished) -> None:
    if question := earlier.question:
        raise ThreadPaused(interrupt_id=question.interrupt_id, node=question.node)
    if earlier.uncarried:
        raise ThreadBusy(waited_s=0)
