"""Whether evidence says what a claim says.

A claim is supported when one sentence of the evidence covers all of it and nothing stands in the way; or when it can be
cut into clauses that are each supported so, by passages of their own.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from server.grounding.actors import own_subject
from server.grounding.adjuncts import unlimited
from server.grounding.analysis import Analysed, Segment, Token, limited
from server.grounding.bindings import misbound
from server.grounding.blocks import Block, Unit
from server.grounding.causes import gives_reason, wrong_reason
from server.grounding.converse import converse
from server.grounding.coverage import covers, is_soft, missing_from, only_soft
from server.grounding.evidence import Evidence
from server.grounding.grammar import CONDITIONS, CONJUNCTIONS, DENIALS, EXCEPT, PERSONAL, WISHES
from server.grounding.marks import conflict
from server.grounding.matching import in_segment, same
from server.grounding.mixing import mixes
from server.grounding.moments import moved
from server.grounding.predicates import drops_which, is_another
from server.grounding.roles import swapped
from server.grounding.subjects import generalises, objects_act, widens
from server.grounding.tenses import present_for_past

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


def objection(
    segments: Sequence[Segment],
    unit: Unit,
    source: Block,
    before: frozenset[str],
    owner: frozenset[str] = frozenset(),
    anyway: frozenset[str] = frozenset(),
) -> str | None:
    """What stands in the way although all words are there; None when nothing does."""
    whole = frozenset().union(*(segment.marks for segment in segments))
    everywhere = frozenset().union(*(segment.marks for segment in unit.sentence.segments))
    content = [token for segment in segments for token in segment.content]
    for segment in segments:
        if not segment.content:
            continue
        resting = resting_on(segment, unit)
        said_of = [other for other in resting if other.negated] if segment.negated else resting
        denied = any(o.negated or (segment.negated and "without" in o.marks) for o in resting)
        if segment.negated and denied and any(_excepts(other) for other in resting):
            return "drops:except"  # "no referral, except for home visits" needs one for those
        if segment.negated and not denied and _is_exception(segment, resting):
            denied = True
            said_of = [replace(other, marks=other.marks - {"except"}) for other in resting]
        marks = frozenset().union(*(_limits(other, content) for other in said_of))
        if segment.negated != denied and "except" not in segment.marks:
            return "negation"
        if "except" not in whole and unlimited(segment, content, said_of):
            return "drops:limit"
        if segment.negated and _denies_more(content, said_of):
            return "negation"
        if reason := conflict(segment.marks, marks, whole, everywhere):
            return reason
        if mixes(segment, content, resting):
            return "mixed"
    if wrong_reason(segments, unit.sentence.segments):
        return "reason"
    if present_for_past(segments, unit.sentence.segments):
        return "tense"
    if is_another(segments, unit.sentence.segments):
        return "roles"
    if drops_which(segments, unit.sentence.segments):
        return "drops:which"
    if moved(segments, unit.sentence.segments):
        return "moment"
    if _counted_by_another(segments, unit.sentence.segments):
        return "bound:unit"
    if _is_conditional(segments, unit, content):
        return "drops:if"
    if _is_another(segments, unit, source):
        return "roles"
    theirs = unit.sentence.segments
    asked = unit.whole.endswith("?")  # "do you sell tea? yes" has us sell it
    if not asked and (
        converse(segments, theirs, owner) or objects_act(segments, theirs, owner, anyway)
    ):
        return "roles"
    if widens(segments, theirs) or generalises(segments, theirs, source):
        return "generalised"
    return misbound(segments, unit, source) or swapped(segments, unit.sentence, before)


def _is_conditional(segments: Sequence[Segment], unit: Unit, content: Sequence[Token]) -> bool:
    """Whether the evidence says all this of a case only, and the claim of every case: "if it is full, you can wait". What
    depends on no more than somebody's wish is said of everybody."""
    if any("if" in segment.marks for segment in segments):
        return False
    for segment in unit.sentence.segments:
        first = next((t.folded for t in segment.tokens if t.folded not in CONJUNCTIONS), "")
        words = {token.folded for token in segment.tokens}
        if (
            first in CONDITIONS
            and not words & WISHES
            and not any(same(said, own) for said in content for own in segment.content)
        ):
            return True
    return False


def _denies_more(content: Sequence[Token], said_of: Sequence[Segment]) -> bool:
    """Whether the claim denies more than the evidence does, by leaving out what that is about: "no dogs" of "no dogs in the
    cabins". Of "no dogs, cats or birds" each is denied."""
    return bool(said_of) and all(
        any(
            not any(same(told, token) for told in content)
            for item in _denied(segment)
            if any(same(told, token) for told in content for token in item)
            for token in item
        )
        for segment in said_of
    )


def _denied(segment: Segment) -> list[list[Token]]:
    """The content behind the denial, item by item."""
    place = next((n for n, t in enumerate(segment.tokens) if t.folded in DENIALS), 0)
    items: list[list[Token]] = [[]]
    for token in segment.tokens[place:]:
        if token.folded in (",", "or", "nor", "of", "noch"):
            items.append([])
        elif token.content and not is_soft(token):
            items[-1].append(token)
    return items


def _excepts(segment: Segment) -> bool:
    return "except" in segment.marks and not segment.negated


def _is_exception(segment: Segment, resting: Sequence[Segment]) -> bool:
    """Whether the denial is the evidence's exception: "no dogs in the cabins" of "dogs, except in the cabins"."""
    for other in resting:
        place = next((n for n, t in enumerate(other.tokens) if t.folded in EXCEPT), None)
        if place is None:
            continue
        excepted = [token for token in other.tokens[place + 1 :] if token.content]
        if excepted and all(any(same(own, token) for own in segment.content) for token in excepted):
            return True
    return False


def _limits(segment: Segment, content: Sequence[Token]) -> frozenset[str]:
    """The marks of a segment that limit the claim. A condition it repeats in full does not, nor does "at most eight"
    where it tells nothing of those eight."""
    untold = {
        mark
        for mark, words in limited(segment)
        if not any(same(told, word) for told in content for word in words)
    }
    if untold:
        segment = replace(segment, marks=segment.marks - untold)
    if "ordinal" in segment.marks and not any(
        same(told, own) for told in content for own in segment.content if own.kind == "weekday"
    ):
        segment = replace(segment, marks=segment.marks - {"ordinal"})
    if "extra" in segment.marks and not any(
        same(told, own)
        for told in content
        for own in segment.content
        if own.kind in ("money", "percent")
    ):
        segment = replace(segment, marks=segment.marks - {"extra"})
    if "per_unit" in segment.marks and not _needs_unit(segment, content):
        segment = replace(segment, marks=segment.marks - {"per_unit"})
    if "compared" in segment.marks and not _compares(segment, content):
        segment = replace(segment, marks=segment.marks - {"compared"})
    repeated = all(any(same(t, own) for t in content) for own in segment.content)
    other_case = bool(segment.tokens) and segment.tokens[0].folded in ("anders", "otherwise", "dan")
    if (
        "if" in segment.marks
        and repeated
        and not other_case
        and len(content) > len(segment.content)
    ):
        return segment.marks - {"if"}
    return segment.marks


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


def _counted_by_another(claim: Sequence[Segment], evidence: Sequence[Segment]) -> bool:
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


def _is_another(segments: Sequence[Segment], unit: Unit, source: Block) -> bool:
    """Whether the claim names one and the unit's "she" is another."""
    ours = own_subject(segments[0])
    if not ours or not unit.subject or ours & unit.subject:
        return False
    return not ours & (unit.names | source.title)


def resting_on(segment: Segment, unit: Unit) -> list[Segment]:
    """The fewest segments of the evidence that together have what the segment says."""
    open_tokens = list(segment.content)
    left = list(unit.sentence.segments)
    chosen: list[Segment] = []
    while open_tokens and left:
        shared = [sum(in_segment(token, other) for token in open_tokens) for other in left]
        most = max(shared)
        if not most:
            break
        pick = left.pop(shared.index(most))
        chosen.append(pick)
        open_tokens = [token for token in open_tokens if not in_segment(token, pick)]
    return chosen or list(unit.sentence.segments)
