"""What text can hide from the person who reads it."""

import unicodedata
from collections.abc import Iterator
from typing import Any

_BIDI = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_KEPT = frozenset("\n\r\t")
_PADDING = 40


def warnings_in(value: Any) -> list[str]:
    """Slugs for what a reader would not see in the texts of a JSON value, sorted.

    `hidden_characters` (zero-width, control, tags), `bidirectional_characters` (reorder what is shown),
    `padding` (long runs of blanks), `mixed_scripts` (Latin letters next to Cyrillic or Greek ones in a word).
    """
    found: set[str] = set()
    for text in _texts(value):
        found.update(_warnings(text))
    return sorted(found)


def is_readable(text: str) -> bool:
    """Whether there is at least one letter, digit or symbol to see."""
    return any(unicodedata.category(c)[0] in "LNPS" for c in text)


def _warnings(text: str) -> Iterator[str]:
    if any(c in _BIDI for c in text):
        yield "bidirectional_characters"
    if any(
        unicodedata.category(c) in ("Cf", "Cc", "Co", "Cn") and c not in _BIDI | _KEPT for c in text
    ):
        yield "hidden_characters"
    blanks = 0
    for c in text:
        blanks = blanks + 1 if c.isspace() else 0
        if blanks >= _PADDING:
            yield "padding"
            break
    if any(len(_scripts(word)) > 1 for word in text.split()):
        yield "mixed_scripts"


def _scripts(word: str) -> set[str]:
    names = (unicodedata.name(c, "").split(" ", 1)[0] for c in word if c.isalpha())
    return {name for name in names if name in ("LATIN", "CYRILLIC", "GREEK")}


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for key, item in value.items():
                yield from _texts(key)
                yield from _texts(item)
        case list():
            for item in value:
                yield from _texts(item)
