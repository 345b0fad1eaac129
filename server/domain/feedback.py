"""What visitors think of an answer."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

Verdict = Literal["up", "down"]


@dataclass(frozen=True, slots=True)
class Feedback:
    """One verdict on the answer of one run; said again, it replaces. `seq` is the event it was given at."""

    thread_id: str
    run_id: str
    seq: int
    verdict: Verdict
    comment: str | None
    said_at: datetime
