"""What the twin may rely on, and the mark of a turn that could not be answered from it."""

from dataclasses import dataclass

GAP_FLAG = "gap"
"""Among a run's flags: the sources did not answer what was asked. The question is kept for the owner."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A numbered piece of the knowledge folder.

    `id` is stable while the text stays (path, section slug, part); `source` is the page's path and section;
    `url` where a visitor can read on; `language` an ISO 639-1 code. `asked` are questions it answers, one a line: it is found by
    them, and they are neither shown nor evidence of anything.
    """

    id: str
    title: str
    source: str
    text: str
    language: str
    url: str | None = None
    asked: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """A passage with how well it fits the query: `score` ranks, higher is better and comparable within one
    search only; `answerable` says whether it is close enough to be answered from."""

    passage: Passage
    score: float
    answerable: bool
