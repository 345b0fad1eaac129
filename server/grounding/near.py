"""What a page says about what a withheld sentence speaks of: shown instead of it, so it need be near, not the same."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from server.grounding.analysis import Analysed
from server.grounding.coverage import missing_from
from server.grounding.evidence import Evidence
from server.grounding.support import Support

Similar = Callable[[str, Sequence[str]], Sequence[float]]
"""How close a sentence is in meaning to each text, as the cosine of e5's vectors; asked only in doubt."""

NEAR_FROM = 0.66
"""The share of a claim's words from which a sentence of a passage is taken to speak of the same thing."""
LEAST_IN_COMMON = 2
"""Words, besides the owner's name, that the two have in common."""
NEAR_IN_MEANING_FROM = 0.88
"""The cosine of multilingual-e5-small that is enough instead."""
MOST_COMPARED = 4
"""Sentences of passages that are compared in meaning; each costs some milliseconds, once."""


@dataclass(frozen=True, slots=True)
class Near:
    """A sentence of passage `n`, counted from 1, that speaks of what a withheld claim speaks of."""

    text: str
    n: int


def near_in_words(found: Support, claim: Analysed, evidence: Evidence) -> Near | None:
    """The sentence that has most of the claim's words, when that is enough of them."""
    place = found.blocks[0] if found.blocks else len(evidence.passages)
    if found.unit is None or place >= len(evidence.passages) or found.coverage < NEAR_FROM:
        return None
    absent = {token.folded for token in found.missing} | evidence.anyway
    common = {t.folded for t in claim.tokens if t.content and t.folded not in absent}
    if len(common) < LEAST_IN_COMMON:
        return None
    return Near(found.unit.whole, place + 1)


def near_in_meaning(
    text: str, claim: Analysed, evidence: Evidence, similar: Similar
) -> Near | None:
    """The sentence that is closest in meaning among those that share most words with the claim, when it is close enough."""
    content = [token for token in claim.tokens if token.content]
    shared: list[tuple[int, Near]] = []
    for place, source in enumerate(evidence.blocks[: len(evidence.passages)]):
        lacking = missing_from(source, content, evidence.owner_words)
        for unit, missing in zip(source.units, lacking, strict=True):
            if len(missing) < len(content):
                shared.append((len(missing), Near(unit.whole, place + 1)))
    candidates = [near for _, near in sorted(shared, key=lambda each: each[0])[:MOST_COMPARED]]
    if not candidates:
        return None
    scores = similar(text, [near.text for near in candidates])
    best = max(range(len(scores)), key=lambda n: scores[n])
    return candidates[best] if scores[best] >= NEAR_IN_MEANING_FROM else None
