"""How a run came out: what it wrote, where the thread stands, read when its last event is there."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Literal

import anyio

from server.domain.conversation import RunStatus, Thread
from server.domain.errors import (
    Forbidden,
    ModelFailed,
    ModelUnavailable,
    SaysoError,
    Unavailable,
)
from server.domain.events import Event, Failed
from server.runs.follow import follow_run
from server.runs.history import MAX_TURNS
from server.runs.services import Services
from server.web.routes.graph.begin import Begun
from server.web.routes.graph.views import (
    InterruptData,
    MessageView,
    StateView,
    messages_of,
    thread_state,
)
from server.web.sse import LONGEST_S

_ENDED: dict[RunStatus, Literal["stopped", "running"]] = {
    "cancelled": "stopped",
    "running": "running",
}


@dataclass(frozen=True, slots=True)
class Outcome:
    """`messages` are those of the run; `state` is the thread's now; `how` is what became of the run."""

    messages: list[MessageView]
    state: StateView
    how: Literal["done", "stopped", "running"]

    @property
    def pause(self) -> InterruptData | None:
        """What is open on the thread now."""
        return self.state.execution_meta.interrupt_data


async def events_of(services: Services, begun: Begun) -> AsyncGenerator[Event | None, None]:
    """The run's events, wherever it executes; None now and then while it is quiet.

    Ends after `done`, and without it when the thread was forgotten or after `LONGEST_S`.
    """
    if begun.run_id is None:
        return
    deadline = anyio.current_time() + LONGEST_S
    events = follow_run(services.store, services.feed, begun.thread_id, begun.run_id, begun.after)
    async with aclosing(events):
        async for item in events:
            if item is not None:
                yield item[1]
                continue
            if anyio.current_time() > deadline:
                return
            yield None


async def read_state(services: Services, thread: Thread) -> StateView:
    """The thread's state now."""
    turns = await services.store.turns.newest(thread.id, MAX_TURNS)
    return thread_state(thread, turns, await services.store.approvals.of_thread(thread.id))


async def read_outcome(services: Services, begun: Begun) -> Outcome:
    """What there is to tell once the run has come to rest. Raises Forbidden when the thread was forgotten."""
    store = services.store
    thread = await store.threads.get(begun.thread_id)
    if thread is None:
        raise Forbidden("Not authorized to read checkpointer")
    state = await read_state(services, thread)
    run = await store.runs.get(begun.run_id) if begun.run_id else None
    turn = await store.turns.get(run.turn_id) if run else None
    if run is None or turn is None:
        return Outcome([], state, "done")
    written = messages_of(turn, known=begun.known, usage=run.usage)
    return Outcome(written, state, _ENDED.get(run.status, "done"))


def as_error(failed: Failed) -> SaysoError:
    """The error a failed run ended with."""
    match failed.code:
        case "model_unavailable":
            return ModelUnavailable()
        case "model_failed":
            return ModelFailed()
        case "unavailable":
            return Unavailable()
        case _:
            return SaysoError(failed.message)
