"""A text in which numbers can be looked for whatever they are typed with, and the way back to the text itself."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a text, `start` and `end` as in a slice, and what to write in its stead."""

    start: int
    end: int
    instead: str


@dataclass(frozen=True, slots=True)
class Folded:
    """`places` has, for each character of `text`, where it stood in the original."""

    text: str
    places: tuple[int, ...]


def folded(text: str) -> Folded:
    """Digits of every script as 0 to 9, full-width letters as plain ones, each blank as a space, each dash as `-`; what can't be
    seen is left out."""
    kept = [(c, place) for place, c in enumerate(map(_fold, text)) if c]
    return Folded("".join(c for c, _ in kept), tuple(place for _, place in kept))


def replaced(text: str, at: Folded, spans: Iterable[Span]) -> str:
    """The original with what is written in the stead of spans of the folded text. Spans don't overlap."""
    for span in sorted(spans, key=lambda span: span.start, reverse=True):
        start, end = at.places[span.start], at.places[span.end - 1] + 1
        text = f"{text[:start]}{span.instead}{text[end:]}"
    return text


BETWEEN = re.compile(r"[ .,_/-]{1,3}")
"""What stands between the groups of one number."""


def digit_groups(text: str) -> list[tuple[int, int]]:
    """Start and end of each run of digits in a folded text."""
    return [found.span() for found in re.finditer(r"\d+", text)]


def _fold(c: str) -> str:
    category = unicodedata.category(c)
    if category in ("Cf", "Mn"):
        return ""
    if c.isspace():
        return " "
    if category == "Pd":
        return "-"
    if c.isdecimal():
        return str(unicodedata.decimal(c))
    plain = unicodedata.normalize("NFKC", c)
    return plain if len(plain) == 1 else c
