"""What visitors asked that the twin could not answer, and what the owner made of it."""

from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

GapStatus = Literal["open", "answered", "dismissed"]
LONGEST_QUESTION = 500
"""Characters of a visitor's message that are kept as a gap."""


@dataclass(frozen=True, slots=True)
class Gap:
    """One question that was not answered; at most one a turn. `page` is where the owner's answer stands, in the knowledge folder."""

    id: str
    thread_id: str
    turn_id: str
    question: str
    language: str
    asked_at: datetime
    status: GapStatus = "open"
    settled_by: str | None = None
    settled_at: datetime | None = None
    page: str | None = None


@dataclass(frozen=True, slots=True)
class GapGroup:
    """Gaps that ask the same, oldest first and never none. It goes by the name of its first."""

    gaps: tuple[Gap, ...]

    @property
    def first(self) -> Gap:
        """The oldest."""
        return self.gaps[0]

    @property
    def last(self) -> Gap:
        """The newest."""
        return self.gaps[-1]


@dataclass(frozen=True, slots=True)
class AnswerPage:
    """The owner's answer on its way into the knowledge folder.

    `questions` are what visitors asked: the page is found by them; only `title` and `text` are the owner's word.
    """

    title: str
    text: str
    language: str
    questions: tuple[str, ...]
    answered_on: date
    answered_by: str


def kept_question(said: str) -> str:
    """As much of a visitor's message as a gap keeps, on one line."""
    return " ".join(said.split())[:LONGEST_QUESTION].rstrip()
