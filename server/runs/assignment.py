"""What a run is to do."""

from dataclasses import dataclass
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.types import Command

from server.agent.stream import Seen
from server.domain.conversation import Lease, Run, Turn
from server.domain.principals import Principal


@dataclass(frozen=True, slots=True)
class Assignment:
    """A run and everything it starts from.

    `answers` maps interrupt ids to what a pause is resumed with; without them the turn begins or, with `go_on`,
    goes on where its checkpoint stands. `found` is the state an earlier process of the run left: what it says is said again as
    far as the turn does not know it, and without `go_on` only the run's end has to be written. `last_seq` is the newest number
    given in the log so far; `shown` is what the run showed and did not have to take back.
    """

    lease: Lease
    run: Run
    turn: Turn
    principal: Principal
    last_seq: int
    answers: dict[str, Any] | None = None
    go_on: bool = False
    found: Seen | None = None
    shown: str = ""

    def graph_input(self) -> Any:
        """What the graph is called with."""
        if self.answers is not None:
            # Wrapped: LangGraph loses bare falsy values and takes some dicts for maps of ids.
            return Command(resume={key: {"v": value} for key, value in self.answers.items()})
        if self.go_on:
            return None
        return {"run_id": self.run.id, "turn_id": self.turn.id, "message": self.turn.said}

    def graph_config(self) -> RunnableConfig:
        """Names the checkpoint, and the fence under which it may be written."""
        return {
            "configurable": {
                "thread_id": checkpoint_key(self.run),
                "fence": self.lease.fence,
                "lease_thread": self.lease.thread_id,
            },
            # Steps of one run: three tool rounds need sixteen.
            "recursion_limit": 40,
        }


BESIDE = "~beside"
"""No thread id of ours holds a `~`."""


def checkpoint_key(run: Run) -> str:
    """The saver's thread id. A turn beside a pause has its own, so that it can't touch the pause."""
    return run.thread_id + BESIDE if run.beside else run.thread_id
