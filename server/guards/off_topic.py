"""Whoever takes the twin for a free assistant. What the owner's pages are about is on topic, whatever it looks like."""

import re
from collections.abc import Sequence

from server.guards import phrases_en, phrases_nl
from server.guards.readings import plain

_PATTERNS = [re.compile(each) for each in phrases_en.OFF_TOPIC + phrases_nl.OFF_TOPIC]
_SUBJECT = re.compile(r"\s*(?:about|on|over)\b")
_SMALL = frozenset("the and for of a an de het een van der den en voor in at".split())
"""Words that are in names and in anything else."""


def other_work(text: str, owner: str, more: Sequence[str] = ()) -> str | None:
    """What the work is about that it asks for, when that is not a website's: "my cat" of "a poem about my cat", "app for us" of
    "make an app for us". None when it asks for nothing of the kind, or names the owner."""
    read = plain(text)
    words = set(plain(re.sub(r"['’]", " ", text)).split())
    if (set(plain(owner).split()) - _SMALL) & words:
        return None
    if any(f" {plain(phrase)} " in f" {read} " for phrase in more):
        return ""
    said = " ".join(text.casefold().replace("’", "'").split())
    for pattern in _PATTERNS:
        if found := pattern.search(said):
            rest = said[found.end() :]
            thing = found.groupdict().get("thing") or ""
            return rest.strip() if _SUBJECT.match(rest) else f"{thing}{rest}".strip()
    return None
