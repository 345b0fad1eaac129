"""The runs that execute in this process, in a task group that outlives every request."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import anyio
import structlog
from anyio.abc import TaskGroup
from langgraph.runtime import RunControl

from server.domain.conversation import Outcome
from server.domain.errors import Draining

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class RunResult:
    """How a run ended. `answer` is the text of its last model answer, empty if there was none."""

    outcome: Outcome
    answer: str = ""


@dataclass(slots=True)
class ActiveRun:
    """A run on its way. `result` stays None when this process lost it, or left it to another one."""

    run_id: str
    thread_id: str
    cancel: anyio.Event = field(default_factory=anyio.Event)
    control: RunControl = field(default_factory=RunControl)
    ended: anyio.Event = field(default_factory=anyio.Event)
    result: RunResult | None = None

    async def wait(self) -> RunResult | None:
        """Returns when the run has ended here."""
        await self.ended.wait()
        return self.result


class ActiveRuns:
    """Starts runs, and ends with all of them ended."""

    def __init__(self, tasks: TaskGroup) -> None:
        self._tasks = tasks
        self._runs: dict[str, ActiveRun] = {}
        self.draining = False
        self.leaving = False

    def check_open(self) -> None:
        """Raises Draining while the process shuts down."""
        if self.draining:
            raise Draining

    def start(
        self, run_id: str, thread_id: str, drive: Callable[[ActiveRun], Awaitable[RunResult | None]]
    ) -> ActiveRun:
        """Drives the run in the background. Whatever goes wrong in there stays in there, in the log."""
        run = ActiveRun(run_id, thread_id)
        self._runs[run_id] = run
        if self.leaving:
            run.control.request_drain()

        async def work() -> None:
            try:
                run.result = await drive(run)
            except Exception:
                # The lease runs out and `recover` takes over; the process and its other runs go on.
                log.exception("run.lost", run_id=run_id, thread_id=thread_id)
            finally:
                if self._runs.get(run_id) is run:
                    del self._runs[run_id]
                run.ended.set()

        self._tasks.start_soon(work)
        return run

    def get(self, run_id: str) -> ActiveRun | None:
        """The run if it executes here."""
        return self._runs.get(run_id)

    def __len__(self) -> int:
        return len(self._runs)

    async def drain(self, *, finish_s: float, leave_s: float) -> None:
        """Begins no new turn, and ends with nothing running here, or when the time is up.

        For `finish_s` seconds runs may come to their end. Then they stop where their next node ends, which costs them nothing: another
        process goes on from there. What is in the middle of a node `leave_s` seconds later is left to be begun again.
        """
        self.draining = True
        with anyio.move_on_after(finish_s):
            await self._all_ended()
        if not self._runs:
            return
        self.leaving = True
        log.info("runs.leaving", runs=len(self._runs))
        for run in self._runs.values():
            run.control.request_drain()
        with anyio.move_on_after(leave_s):
            await self._all_ended()

    async def _all_ended(self) -> None:
        while self._runs:
            await next(iter(self._runs.values())).ended.wait()
