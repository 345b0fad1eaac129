"""Goes on with what a dead process left: on any replica, at start and every few seconds."""

from contextlib import suppress
from dataclasses import replace
from typing import Any, cast

import anyio
import structlog
from langgraph.types import StateSnapshot

from server.agent.state import State
from server.agent.stream import Seen
from server.domain.conversation import Lease, Run
from server.domain.errors import NotFound, SaysoError, ThreadBusy, Unavailable
from server.domain.events import Event, Retract, Text, ThreadOpened
from server.domain.principals import Principal
from server.ports import LEASE_GAP
from server.runs.active import ActiveRun
from server.runs.assignment import Assignment
from server.runs.drive import start_driving
from server.runs.expire import expire
from server.runs.forget import forget
from server.runs.ids import new_id
from server.runs.services import Services

log = structlog.get_logger(__name__)

BATCH = 20


async def keep_recovering(services: Services) -> None:
    """Runs until the process shuts down, a few times per length of a lease."""
    lease_s = services.rules.lease.total_seconds()
    take_over_from = 0.0
    # What is left now is for others: to take it from oneself would hold it up.
    while not services.active.draining:
        try:
            await recover(services, take_over=anyio.current_time() >= take_over_from)
        except SaysoError as error:
            if isinstance(error, Unavailable):
                # Nobody could renew a lease meanwhile: that one ran out says nothing until its holder had time to.
                take_over_from = anyio.current_time() + lease_s
            log.warning("recover.failed", error=type(error).__name__)
        except Exception:
            log.exception("recover.failed")
        await anyio.sleep(lease_s / 4)


async def recover(services: Services, *, take_over: bool = True) -> None:
    """One look at everything that may have been left behind; at threads whose lease ran out only with `take_over`."""
    store = services.store
    for lease in await store.threads.take_lapsed(services.holder, BATCH) if take_over else ():
        log.info("run.taken_over", thread_id=lease.thread_id, fence=lease.fence)
        try:
            await _take_over(services, lease)
        except SaysoError as error:
            # The others of this batch are held by now, and must not wait for the lease to run out again.
            log.warning("run.not_taken_over", thread_id=lease.thread_id, error=type(error).__name__)
        except Exception:
            log.exception("run.not_taken_over", thread_id=lease.thread_id)
    await expire(services)
    await _forget_old(services)
    for thread_id in await store.approvals.unresumed(BATCH):
        if free := await store.threads.take_for_recovery(thread_id, services.holder):
            await _resume(services, free)
    for failed in await store.runs.due(services.clock(), BATCH):
        if free := await store.threads.take_for_recovery(failed.thread_id, services.holder):
            await _go_on(services, free, failed)


async def _forget_old(services: Services) -> None:
    """Removes threads past their retention that wait for nothing."""
    if services.rules.retention is None:
        return
    last_kept = services.clock() - services.rules.retention
    for thread_id in await services.store.threads.idle_since(last_kept, BATCH):
        with suppress(NotFound, ThreadBusy):
            await forget(services, thread_id, via="clock")


async def _take_over(services: Services, lease: Lease) -> None:
    """Drives on the run whose process died or left it; what it had reserved is released, and half an answer taken back."""
    await services.store.budget.release_earlier(lease)
    thread = await services.store.threads.get(lease.thread_id)
    run = await services.store.runs.get(thread.active_run) if thread and thread.active_run else None
    if run is None or run.status != "running":
        await services.give_back(lease)
        return
    if earlier := services.active.get(run.id):
        # This very process slept past its lease, or lost the run before. The one that drives it hears so with its
        # next heartbeat, which this brings on; while it still waits for a tool, the lease may run out again.
        earlier.cancel.set()
        with anyio.move_on_after(services.rules.lease.total_seconds() / 3):
            await earlier.ended.wait()
        if services.active.get(run.id):
            return
    heartbeat = await services.store.threads.renew(lease)
    active = await _drive_on(services, lease, run, await _taken_back(services, lease, run))
    if heartbeat.cancel:
        active.cancel.set()


async def _resume(services: Services, lease: Lease) -> None:
    """Begins the resume of a pause whose last question was settled without one."""
    approvals = await services.store.approvals.of_thread(lease.thread_id)
    settled = [a for a in approvals if a.status != "pending" and a.resumed_by is None]
    if not settled:
        await services.give_back(lease)
        return
    last = settled[-1]
    await _begin(services, lease, turn_id=last.turn_id, resumes=last.run_id, attempts=1)


async def _go_on(services: Services, lease: Lease, failed: Run) -> None:
    """Tries the closing answer of a resumed run again. What its tools did is in the ledger and stays."""
    now = await services.store.runs.get(failed.id)
    if now is None or now.retry_at is None:
        # Another replica tried it, or the conversation went on, before the thread was taken here.
        await services.give_back(lease)
        return
    await _begin(
        services,
        lease,
        turn_id=failed.turn_id,
        resumes=failed.resumes,
        attempts=failed.attempts + 1,
        instead_of=failed,
    )


async def _begin(
    services: Services,
    lease: Lease,
    *,
    turn_id: str,
    resumes: str | None,
    attempts: int,
    instead_of: Run | None = None,
) -> None:
    run = Run(
        id=new_id(),
        thread_id=lease.thread_id,
        turn_id=turn_id,
        status="running",
        started_at=services.clock(),
        first_seq=lease.last_seq,
        resumes=resumes,
        attempts=attempts,
    )
    approvals = await services.store.approvals.of_thread(lease.thread_id)
    async with services.store.units.hold(lease) as held:
        if instead_of:
            await held.save_run(replace(instead_of, retry_at=None))
        await held.save_run(run)
        await held.activate(run.id)
        await held.mark_resumed([a.interrupt_id for a in approvals if a.run_id == resumes], run.id)
    await _drive_on(services, lease, run, [ThreadOpened(lease.thread_id, run.id)])


async def _taken_back(services: Services, lease: Lease, run: Run) -> list[Event]:
    """The event that takes back what is in no checkpoint; none for a run that was left where a node ended."""
    if run.kept_seq == lease.last_seq - LEASE_GAP:
        return []
    # What was shown may not be saved: no text in the log does not mean that nobody read any. Nor does its newest number say where
    # that began: whoever took the thread over before, and died of it, left a gap.
    kept = run.first_seq if run.kept_seq is None else run.kept_seq
    since = await _shown(services, run, after=kept)
    return [Retract(since[0][0] if since else kept + 1)]


async def _drive_on(services: Services, lease: Lease, run: Run, events: list[Event]) -> ActiveRun:
    store = services.store
    thread, turn = await store.threads.get(lease.thread_id), await store.turns.get(run.turn_id)
    assert thread is not None and turn is not None, "a run's thread and turn are kept with it"
    if events:
        async with store.units.hold(lease) as held:
            await held.append(list(enumerate(events, lease.last_seq + 1)))
    fresh = Assignment(
        lease=lease,
        run=run,
        turn=turn,
        principal=Principal.from_key(thread.principal),
        last_seq=lease.last_seq + len(events),
        shown=await _kept_text(services, run),
    )
    try:
        snapshot = await services.graph.aget_state(fresh.graph_config())
    except SaysoError:
        raise
    except Exception:
        # A checkpoint that can't be read. The graph can't either, and its run ends as failed.
        log.exception("checkpoint.unreadable", thread_id=lease.thread_id)
        return start_driving(services, fresh)
    approvals = await store.approvals.of_thread(lease.thread_id)
    answers = {
        a.interrupt_id: a.answer
        for a in approvals
        if run.resumes and a.run_id == run.resumes and a.status != "pending"
    }
    return start_driving(services, _next_step(fresh, snapshot, answers))


def _next_step(fresh: Assignment, snapshot: StateSnapshot, answers: dict[str, Any]) -> Assignment:
    """Where a run goes on, by what its checkpoint says."""
    if snapshot.values.get("turn_id") != fresh.run.turn_id:
        return fresh  # It died before its first checkpoint.
    open_now = {interrupt.id: interrupt for interrupt in snapshot.interrupts}
    if answered := {key: answers[key] for key in open_now if key in answers}:
        return replace(fresh, answers=answered)
    found = Seen(cast(State, snapshot.values), open_now)
    return replace(fresh, found=found, go_on=not open_now and bool(snapshot.next))


async def _kept_text(services: Services, run: Run) -> str:
    """What the run showed that its checkpoint holds."""
    if run.kept_seq is None:
        return ""
    shown = await _shown(services, run, after=run.first_seq)
    return "".join(text for seq, text in shown if seq <= run.kept_seq)


async def _shown(services: Services, run: Run, *, after: int) -> list[tuple[int, str]]:
    """The texts after that number that are saved and were not taken back, each with its own."""
    shown: list[tuple[int, str]] = []
    last = after
    while rows := await services.store.log.read(run.thread_id, last):
        for seq, event in rows:
            match event:
                case Text():
                    shown.append((seq, event.text))
                case Retract():
                    shown = [each for each in shown if each[0] < event.from_seq]
            last = seq
    return shown
