"""What words alone cannot settle: a translation in words the lexicon does not know.

Within one language nothing is in doubt: there, multilingual-e5-small scores a sentence with an invented word as high as
a paraphrase (docs/grounding.md), so a word without support withholds the sentence.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from server.grounding.analysis import Analysed, Token
from server.grounding.blocks import Block, Unit
from server.grounding.coverage import missing_from
from server.grounding.evidence import Evidence
from server.grounding.marks import conflict
from server.grounding.objections import objection
from server.grounding.support import Support
from server.grounding.thesaurus import LOOSE

MOST_ASKED = 4
"""Sentences of the evidence that are compared; each costs some milliseconds."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """The sentences of the evidence to compare with, and the blocks, from 0, they stand in."""

    texts: tuple[str, ...]
    blocks: tuple[int, ...]


def doubt(
    claim: Analysed, evidence: Evidence, which: Sequence[int], found: Support
) -> Doubt | None:
    """The question to ask by similarity; None when words have settled that the claim is not supported.

    Numbers, names and addresses are always settled by words, and so are words whose translation is known.
    """
    if found.reason != "uncovered":
        return None
    content = [token for segment in claim.segments for token in segment.content]
    candidates: list[tuple[int, int, Unit]] = []
    for place in which:
        source = evidence.blocks[place]
        lacking = missing_from(source, content, evidence.anyway)
        for unit, missing in zip(source.units, lacking, strict=True):
            if unit.sentence.language == claim.language:
                continue
            if not any(map(_is_settled, missing)) and _fits(claim, unit, source):
                candidates.append((len(missing), place, unit))
    if not candidates:
        return None
    best = sorted(candidates, key=lambda candidate: candidate[0])[:MOST_ASKED]
    return Doubt(
        tuple(unit.sentence.text.strip() for _, _, unit in best),
        tuple(place for _, place, _ in best),
    )


def _is_settled(token: Token) -> bool:
    """Whether the token's absence says enough by itself: it is a fact or a name, or its translation is known."""
    translated = any(key.startswith("#") and not key.startswith(LOOSE) for key in token.keys)
    return token.kind != "word" or translated


def _fits(claim: Analysed, unit: Unit, source: Block) -> bool:
    if any(s.negated for s in claim.segments) != any(s.negated for s in unit.sentence.segments):
        return False
    ours = frozenset().union(*(segment.marks for segment in claim.segments))
    theirs = frozenset().union(*(segment.marks for segment in unit.sentence.segments))
    if conflict(ours, theirs) is not None:
        return False
    return objection(claim.segments, unit, source, frozenset()) is None
