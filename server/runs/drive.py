"""Executes one run: the graph, its events, its lease, and how it ends."""

from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from typing import Any, cast

import anyio
import structlog
from langgraph.errors import GraphDrained

from server.agent.context import RunContext
from server.agent.meter import Meter
from server.agent.speaker import Speaker
from server.agent.stop import Stop, Stopped
from server.agent.stream import Seen
from server.domain.conversation import Run, said_since
from server.domain.errors import LeaseLost, SaysoError, Unavailable
from server.domain.events import Event
from server.domain.money import nano_usd
from server.runs.active import ActiveRun, RunResult
from server.runs.assignment import Assignment, checkpoint_key
from server.runs.ending import Ending, settle
from server.runs.hand_over import hand_over
from server.runs.history import model_history
from server.runs.journal import Journal
from server.runs.metered import MeteredModel
from server.runs.services import Services

log = structlog.get_logger(__name__)


def start_driving(services: Services, assignment: Assignment) -> ActiveRun:
    """Drives the run in this process's background."""
    return services.active.start(
        assignment.run.id,
        assignment.run.thread_id,
        lambda active: drive(services, assignment, active),
    )


async def drive(services: Services, assignment: Assignment, active: ActiveRun) -> RunResult | None:
    """Runs the graph to its end, its pause, its failure or its cancellation, and settles the run.

    Returns None when the thread was lost or left to another process: then nothing more is written here.
    """
    try:
        return await _drive(services, assignment, active)
    except anyio.get_cancelled_exc_class():
        # The process shuts down: another one goes on at once instead of when the lease has run out.
        with anyio.CancelScope(shield=True), suppress(SaysoError):
            await services.store.threads.let_lapse(assignment.lease)
        raise


async def _drive(services: Services, assignment: Assignment, active: ActiveRun) -> RunResult | None:
    lease, run = assignment.lease, assignment.run
    meter, seen, stop = _counted_on(run), assignment.found or Seen(), Stop()
    journal = Journal(
        lease,
        services.feed,
        services.store.units,
        last_seq=assignment.last_seq,
        shown=assignment.shown,
    )
    try:
        with services.feed.writing(lease.thread_id):
            async with anyio.create_task_group() as helpers:
                helpers.start_soon(_keep_lease, services, assignment, active, journal, stop)
                helpers.start_soon(_keep_saving, journal)
                if assignment.found:
                    await _say_again(assignment, journal, meter, assignment.found)
                if assignment.found and not assignment.go_on:
                    ending: Ending | None = Ending("paused" if seen.interrupts else "ended")
                else:
                    ending = await _run_graph(
                        services, assignment, active, journal, meter, seen, stop
                    )
                services.reach(f"drive.{ending.kind if ending else 'left'}")
                if ending is None:
                    await hand_over(services, assignment, journal, meter, seen)
                    result = None
                else:
                    result = await settle(services, assignment, journal, meter, seen, ending)
                services.reach("drive.settled")
                helpers.cancel_scope.cancel()
            if result is None:
                await services.store.threads.let_lapse(lease)
                log.info("run.left", run_id=run.id, thread_id=run.thread_id)
            else:
                await _prune(services, assignment)
            return result
    except* LeaseLost:
        log.warning("run.lease_lost", run_id=run.id, thread_id=run.thread_id)
    finally:
        stop.request()
    return None


async def _run_graph(
    services: Services,
    assignment: Assignment,
    active: ActiveRun,
    journal: Journal,
    meter: Meter,
    seen: Seen,
    stop: Stop,
) -> Ending | None:
    """How the graph came to rest; None if it was asked to stop where a node ends, and did."""
    context = RunContext(
        lease=assignment.lease,
        run_id=assignment.run.id,
        principal=assignment.principal,
        twin=services.twin,
        model=MeteredModel(services, assignment.lease, assignment.run, meter),
        knowledge=services.knowledge,
        tools=services.tools,
        units=services.store.units,
        history=await model_history(services.store, assignment.turn),
        beside=assignment.run.beside,
        meter=meter,
        stop=stop,
        resumes=assignment.run.resumes is not None,
        verify=services.rules.verify,
        guards=services.guards,
        told_by=services.telling.names,
        reach=services.reach,
    )
    services.reach("drive.begin")
    parts = services.graph.astream(
        assignment.graph_input(),
        assignment.graph_config(),
        context=context,
        stream_mode=["custom", "values"],
        version="v2",
        durability="exit",
        control=active.control,
    )
    try:
        async with aclosing(cast(AsyncGenerator[Any, None], parts)):
            async for part in parts:
                if (event := seen.read(part)) is not None:
                    await journal.add(event)
    except LeaseLost:
        raise
    except GraphDrained:
        return None
    except Stopped:
        return Ending("cancelled")
    except SaysoError as error:
        return Ending("failed", error)
    except Exception:
        log.exception("run.failed", run_id=assignment.run.id, thread_id=assignment.run.thread_id)
        return Ending("failed")
    return Ending("paused" if seen.interrupts else "ended")


async def _say_again(assignment: Assignment, journal: Journal, meter: Meter, found: Seen) -> None:
    """What a run said whose process died after its last checkpoint, and that was taken back; nothing is run or asked for it."""
    events: list[Event] = []
    speaker = Speaker(events.append, found.values.get("evidence", []), meter)
    for text in said_since(assignment.turn.messages, found.values.get("messages", [])):
        await speaker.hear(text)
        await speaker.finish()
    meter.speaking = ""
    await journal.add(*events)


def _counted_on(run: Run) -> Meter:
    """Begins with what other processes that drove the run have written down."""
    return Meter(
        usage=run.usage,
        cost=nano_usd(run.cost_usd),
        ttft_ms=run.ttft_ms,
        tools=list(run.tools),
        flags=list(run.flags),
    )


async def _keep_lease(
    services: Services,
    assignment: Assignment,
    active: ActiveRun,
    journal: Journal,
    stop: Stop,
) -> None:
    """Heartbeats, and an ear for whoever wants the run stopped."""
    every = services.rules.lease.total_seconds() / 3
    while True:
        with anyio.move_on_after(every):
            await active.cancel.wait()
        try:
            heartbeat = await services.store.threads.renew(assignment.lease)
        except Unavailable:
            continue  # The lease outlives two missed heartbeats; the fence holds whatever comes.
        if journal.closing:
            return  # Not alive may just mean that the run's end was written a moment ago.
        if not heartbeat.alive:
            raise LeaseLost
        if heartbeat.cancel:
            stop.request()
            active.cancel = anyio.Event()


async def _keep_saving(journal: Journal) -> None:
    while True:
        try:
            await journal.keep_saving()
        except Unavailable:
            await anyio.sleep(0.5)


async def _prune(services: Services, assignment: Assignment) -> None:
    """Old checkpoints of this thread are of no use; the newest one, and what is pending on it, stays."""
    try:
        await services.saver.aprune([checkpoint_key(assignment.run)])
    except Exception as error:
        # Somebody else prunes, or the database is away: the next run of the thread tries again.
        log.info("checkpoints.not_pruned", error=type(error).__name__)
