"""What a run used, counted while it runs, so that a failed or cancelled one has its figures too."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from server.domain.conversation import Message, Usage


@dataclass(slots=True)
class Meter:
    """One per run. Times are milliseconds since `started`; `clock` is monotonic, in seconds.

    `cost` is what the model calls cost, in nano-dollars; `unsettled` are the charges, by reservation, that are not written down.
    `results` are the tool results of this run and `speaking` is what the model call under way has shown, both
    noted at once: the history of a run that is cut off needs them.
    """

    clock: Callable[[], float] = time.monotonic
    started: float = 0.0
    usage: Usage = field(default_factory=Usage)
    model_calls: int = 0
    cost: int = 0
    unsettled: dict[str, int] = field(default_factory=dict)
    ttft_ms: int | None = None
    nodes: list[dict[str, Any]] = field(default_factory=list)
    tools: list[str] = field(default_factory=list)
    results: list[Message] = field(default_factory=list)
    speaking: str = ""
    flags: list[str] = field(default_factory=list)
    withheld: int = 0

    def __post_init__(self) -> None:
        self.started = self.clock()

    def elapsed_ms(self) -> int:
        """Since the run began."""
        return round((self.clock() - self.started) * 1000)

    def first_text(self) -> None:
        """Notes the time to the first text shown, once."""
        if self.ttft_ms is None:
            self.ttft_ms = self.elapsed_ms()
