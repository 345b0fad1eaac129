"""Reads the parts a running graph gives off. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from langgraph.types import Interrupt

from server.agent.state import State
from server.domain.events import Event


@dataclass(slots=True)
class Seen:
    """What the parts so far add up to: the newest state, and the questions it stopped at, in order."""

    values: State = field(default_factory=lambda: State())
    interrupts: dict[str, Interrupt[Any]] = field(default_factory=dict)

    def read(self, part: Mapping[str, Any]) -> Event | None:
        """Takes one part (stream modes `custom` and `values`, version v2); gives the event in it, if any.

        Interrupts are to be seen in `values` parts only, one a part, after the values of the step.
        """
        if part["type"] == "custom":
            event: Event = part["data"]
            return event
        self.values = part["data"]
        self.interrupts.update({i.id: i for i in part["interrupts"]})
        return None
