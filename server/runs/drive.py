"""Executes one run: the graph, its events, its lease, and how it ends."""

from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from typing import Any, cast

import anyio
import structlog

from server.agent.context import RunContext
from server.agent.meter import Meter
from server.agent.speaker import Speaker
from server.agent.stop import Stop, Stopped
from server.agent.stream import Seen
from server.domain.conversation import said_by_run
from server.domain.errors import LeaseLost, SaysoError, Unavailable
from server.domain.events import Event
from server.runs.active import ActiveRun, RunResult
from server.runs.assignment import Assignment, checkpoint_key
from server.runs.ending import Ending, settle
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

    Returns None when the thread was lost to another process: then nothing more is written here.
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
    meter, seen, stop = Meter(), assignment.at_rest or Seen(), Stop()
    journal = Journal(lease, services.feed, services.store.units, last_seq=assignment.last_seq)
    try:
        with services.feed.writing(lease.thread_id):
            async with anyio.create_task_group() as helpers:
                helpers.start_soon(_keep_lease, services, assignment, active, journal, stop)
                helpers.start_soon(_keep_saving, journal)
                if assignment.at_rest:
                    ending = await _repeat(assignment, journal, meter, seen)
                else:
                    ending = await _run_graph(services, assignment, journal, meter, seen, stop)
                services.reach(f"drive.{ending.kind}")
                result = await settle(services, assignment, journal, meter, seen, ending)
                services.reach("drive.settled")
                helpers.cancel_scope.cancel()
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
    journal: Journal,
    meter: Meter,
    seen: Seen,
    stop: Stop,
) -> Ending:
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
    )
    try:
        async with aclosing(cast(AsyncGenerator[Any, None], parts)):
            async for part in parts:
                if (event := seen.read(part)) is not None:
                    await journal.add(event)
    except LeaseLost:
        raise
    except Stopped:
        return Ending("cancelled")
    except SaysoError as error:
        return Ending("failed", error)
    except Exception:
        log.exception("run.failed", run_id=assignment.run.id, thread_id=assignment.run.thread_id)
        return Ending("failed")
    return Ending("paused" if seen.interrupts else "ended")


async def _repeat(assignment: Assignment, journal: Journal, meter: Meter, seen: Seen) -> Ending:
    """Says again what a run said whose process died after its last checkpoint; nothing is run or asked."""
    events: list[Event] = []
    speaker = Speaker(events.append, seen.values.get("evidence", []), meter)
    for message in said_by_run(
        seen.values.get("messages", []), resumed=bool(assignment.run.resumes)
    ):
        await speaker.hear(message["content"])
        await speaker.finish()
    meter.speaking = ""
    await journal.add(*events)
    return Ending("paused" if seen.interrupts else "ended")


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
