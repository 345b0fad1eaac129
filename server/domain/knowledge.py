"""What the twin may rely on."""

from dataclasses import dataclass

GAP_FLAG = "gap"
"""The flag of a run whose question could not be answered from the sources."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A numbered piece of the knowledge folder.

    `id` is stable while the text stays (path, section slug, part); `source` is the page's path and section;
    `url` where a visitor can read on; `language` an ISO 639-1 code.
    """

    id: str
    title: str
    source: str
    text: str
    language: str
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Found:
    """A passage with how well it fits the query: `score` ranks, higher is better and comparable within one
    search only; `answerable` says whether it is close enough to be answered from."""

    passage: Passage
    score: float
    answerable: bool
