"""Whoever takes the twin for a free assistant. What the owner's pages are about is on topic, whatever it looks like."""

import re
from collections.abc import Sequence

from server.guards import phrases_en, phrases_nl
from server.guards.readings import plain

_PATTERN = re.compile(
    "|".join(f"(?:{each})" for each in phrases_en.OFF_TOPIC + phrases_nl.OFF_TOPIC)
)


def other_work(text: str, owner: str, more: Sequence[str] = ()) -> str | None:
    """What the work is about that it asks for, when that is not a website's: "my cat" of "a poem about my cat". None when it
    asks for nothing of the kind, or names the owner."""
    read = plain(text)
    if set(plain(owner).split()) & set(read.split()):
        return None
    if any(f" {plain(phrase)} " in f" {read} " for phrase in more):
        return ""
    found = _PATTERN.search(read)
    return read[found.end() :].strip() if found else None
