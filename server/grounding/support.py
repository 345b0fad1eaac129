"""Whether evidence says what a claim says.

A claim is supported when one sentence of the evidence covers all of it and nothing stands in the way; or when it can be
cut into clauses that are each supported so, by passages of their own.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from server.grounding.analysis import Analysed, Segment, Token
from server.grounding.blocks import Block, Unit
from server.grounding.causes import gives_reason
from server.grounding.coverage import covers, missing_from, only_soft
from server.grounding.evidence import Evidence
from server.grounding.grammar import PERSONAL
from server.grounding.objections import objection

LEAST_IN_CLAUSE = 2
"""Pieces of content a clause needs to be looked for on its own; less is part of the clause before it."""


@dataclass(frozen=True, slots=True)
class Support:
    """`supported`, and else what is missing. `missing` holds words the evidence has nothing for (of a supported claim, those that say little), `letters` facts and
    names among them; `reason` a slug; `blocks` the places, from 0, of what it rests on; `coverage` 0 to 1."""

    supported: bool
    reason: str
    coverage: float
    blocks: tuple[int, ...] = ()
    missing: tuple[Token, ...] = ()
    unit: Unit | None = field(default=None, repr=False)

    @property
    def letters(self) -> bool:
        return any(token.kind != "word" for token in self.missing)


def support(
    claim: Analysed,
    evidence: Evidence,
    which: Sequence[int],
    topic: Sequence[Token] = (),
    before: frozenset[str] = frozenset(),
) -> Support:
    """Looks the claim up in the blocks `which`. `topic`: content of a list's introduction, that the passage must have;
    `before`: whom its pronouns stand for."""
    pronouns = any(token.folded in PERSONAL for token in claim.tokens)
    return _clauses(claim.segments, evidence, which, topic, before if pronouns else frozenset())


def _clauses(
    segments: Sequence[Segment],
    evidence: Evidence,
    which: Sequence[int],
    topic: Sequence[Token],
    before: frozenset[str],
) -> Support:
    whole = _one(segments, evidence, which, topic, before)
    if whole.supported or len(segments) == 1:
        return whole
    best = whole
    for cut in range(len(segments) - 1, 0, -1):
        head, tail = segments[:cut], segments[cut:]
        if min(_weight(head), _weight(tail)) < LEAST_IN_CLAUSE or gives_reason(tail[0]):
            continue
        first = _one(head, evidence, which, topic, before)
        if not first.supported:
            continue
        names = frozenset(t.folded for s in head for t in s.tokens if t.is_entity)
        rest = _clauses(tail, evidence, which, topic, names)
        if rest.supported:
            return Support(
                True,
                "",
                1.0,
                tuple(dict.fromkeys(first.blocks + rest.blocks)),
                first.missing + rest.missing,
            )
        best = max(best, rest, key=lambda s: s.coverage) if not best.missing else best
    return best


def _weight(segments: Iterable[Segment]) -> int:
    return sum(len(segment.content) for segment in segments)


def _one(
    segments: Sequence[Segment],
    evidence: Evidence,
    which: Sequence[int],
    topic: Sequence[Token],
    before: frozenset[str],
) -> Support:
    content = [token for segment in segments for token in segment.content]
    if not content:
        return Support(True, "", 1.0)
    best = Support(False, "uncovered", 0.0, missing=tuple(content))
    refused: Support | None = None
    for place in which:
        source = evidence.blocks[place]
        if topic and not all(_in_block(token, source, evidence) for token in topic):
            continue
        lacking = missing_from(source, content, evidence.anyway)
        for unit, missing in zip(source.units, lacking, strict=True):
            share = 1 - len(missing) / len(content)
            if (missing and not only_soft(missing, content)) or not _is_about(
                unit, content, evidence
            ):
                if share > best.coverage:
                    best = Support(False, "uncovered", share, (place,), missing, unit)
                continue
            reason = objection(
                segments, unit, source, before, evidence.owner_words, evidence.anyway
            )
            if reason is None:
                return Support(True, "", 1.0, (place,), missing, unit)
            refused = refused or Support(False, reason, 1.0, (place,), unit=unit)
    return refused or best


def _is_about(unit: Unit, content: Sequence[Token], evidence: Evidence) -> bool:
    """Whether half of the content or more, and more than one word of it, is the unit's own, and not only what its
    pronouns stand for."""
    owner = evidence.owner_words & evidence.anyway
    told = [
        t
        for t in content
        if t.folded not in owner and not (t.kind == "name" and t.folded in evidence.owner_words)
    ]
    own = sum(bool((token.said | token.keys | {token.folded}) & unit.keys) for token in told)
    return own * 2 >= len(told) and own >= min(2, len(told))


def _in_block(token: Token, source: Block, evidence: Evidence) -> bool:
    return any(covers(unit, source, token, evidence.anyway) for unit in source.units)
