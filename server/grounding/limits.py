"""What the evidence limits itself by, as far as that concerns a claim: marks, units, conditions."""

from collections.abc import Callable, Sequence
from itertools import pairwise

from server.grounding.analysis import Segment, Token, limited
from server.grounding.grammar import CONDITIONS, CONJUNCTIONS, WISHES
from server.grounding.matching import same

_OTHER_CASE = frozenset("anders otherwise dan".split())
_WHOEVER = frozenset("wie whoever anyone".split())


def limiting_marks(segment: Segment, content: Sequence[Token]) -> frozenset[str]:
    """The marks of a segment that limit a claim with that content. "At most eight" does not where the claim tells nothing of those
    eight, nor does a condition that it repeats."""
    idle = {
        mark
        for mark, words in limited(segment)
        if not any(same(told, word) for told in content for word in words)
    }
    idle |= {mark for mark, concerns in _CONCERNS.items() if not concerns(segment, content)}
    return segment.marks - idle


def _tells(*kinds: str) -> Callable[[Segment, Sequence[Token]], bool]:
    """Whether the claim tells a fact of such a kind that the segment has."""
    return lambda segment, content: any(
        same(told, own) for told in content for own in segment.content if own.kind in kinds
    )


def _is_open(segment: Segment, content: Sequence[Token]) -> bool:
    """Whether the condition is not the claim's own. One that is all the claim says is no condition there."""
    repeated = all(any(same(told, own) for told in content) for own in segment.content)
    first = segment.tokens[0].folded if segment.tokens else ""
    more = len(content) > len(segment.content) or first in _WHOEVER
    return not (repeated and more) or first in _OTHER_CASE


def _needs_unit(segment: Segment, content: Sequence[Token]) -> bool:
    """Whether the claim gives a number of the segment without what it is counted by: "15 euro" of "15 euro per day"."""
    for before, token, after in zip(
        segment.tokens, segment.tokens[1:], segment.tokens[2:], strict=False
    ):
        if before.is_fact and token.folded in _PER and any(same(t, before) for t in content):
            return not any(same(told, after) for told in content)
    return False


def _compares(segment: Segment, content: Sequence[Token]) -> bool:
    """Whether the claim has what the segment compares: "deeper" of "deeper than the lake"."""
    return any(
        after.folded in ("than", "dan")
        and (not token.content or any(same(t, token) for t in content))
        for token, after in pairwise(segment.tokens)
    )


def counted_by_another(claim: Sequence[Segment], evidence: Sequence[Segment]) -> bool:
    """Whether a number is per something else in the claim: "per person" of "per night"."""
    theirs = _units(evidence)
    for fact, counted in _units(claim):
        others = [unit for number, unit in theirs if same(fact, number)]
        if others and not any(same(counted, other) for other in others):
            return True
    return False


def _units(segments: Sequence[Segment]) -> list[tuple[Token, Token]]:
    return [
        (before, after)
        for segment in segments
        for before, per, after in zip(
            segment.tokens, segment.tokens[1:], segment.tokens[2:], strict=False
        )
        if before.is_fact and per.folded == "per"
    ]


_PER = frozenset("per a an each".split())
_CONCERNS: dict[str, Callable[[Segment, Sequence[Token]], bool]] = {
    "ordinal": _tells("weekday"),
    "extra": _tells("money", "percent"),
    "per_unit": _needs_unit,
    "compared": _compares,
    "if": _is_open,
}
"""Marks that limit a claim only where this holds of the segment and the claim's content."""


def is_conditional(claim: Sequence[Segment], evidence: Sequence[Segment]) -> bool:
    """Whether the evidence says all this of a case only, and the claim of every case: "if it is full, you can wait". What
    depends on no more than somebody's wish is said of everybody."""
    if any("if" in segment.marks for segment in claim):
        return False
    content = [token for segment in claim for token in segment.content]
    for segment in evidence:
        first = next((t.folded for t in segment.tokens if t.folded not in CONJUNCTIONS), "")
        words = {token.folded for token in segment.tokens}
        if (
            first in CONDITIONS
            and not words & WISHES
            and not any(same(said, own) for said in content for own in segment.content)
        ):
            return True
    return False
