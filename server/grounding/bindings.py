"""Whether a number, a date or a price stands with the same words as in the evidence."""

from collections.abc import Sequence

from server.grounding.analysis import Segment, Token
from server.grounding.blocks import Block, Unit
from server.grounding.matching import in_segment, same
from server.grounding.stems import is_verb

_FAMILY = {
    "number": "number",
    "date": "date",
    "time": "time",
    "weekday": "weekday",
    "money": "money",
    "percent": "percent",
}
_WEIGHT = {"word": 1, "name": 3}
_FACT = 2


def misbound(claim: Sequence[Segment], unit: Unit, source: Block) -> str | None:
    """A reason when another stretch of the passage, with another fact of the same family, fits the claim better."""
    rivals = [segment for other in source.units for segment in other.sentence.segments]
    for segment in claim:
        for fact in segment.tokens:
            if not fact.is_fact or fact.kind not in _FAMILY:
                continue
            home = [s for s in unit.sentence.segments if _gives(s, fact)]
            known = unit.context | source.title  # whom the passage is about, wherever it says so
            anchors = [
                t
                for t in segment.content
                if t is not fact and not (t.kind == "name" and t.folded in known)
            ]
            best = max((_fit(s, anchors, claim) for s in home), default=(0, 0))
            for rival in rivals:
                if _gives(rival, fact) or not _others(rival, fact, claim):
                    continue
                if not _more(rival, home, anchors):
                    continue
                beside = any(rival is segment for segment in unit.sentence.segments)
                of_rival = _says_besides(home, claim) or (
                    _comes_after(rival, home, unit) and _is_headed(rival, home, anchors)
                )
                if of_rival if beside else _fit(rival, anchors, claim) > best:
                    return f"bound:{fact.kind}"
            if reason := _counts_another(fact, segment, unit):
                return reason
    return None


def _gives(segment: Segment, fact: Token) -> bool:
    return any(fact.said & token.given for token in segment.tokens)


def _others(segment: Segment, fact: Token, claim: Sequence[Segment]) -> bool:
    """Whether the segment has a fact of the same family that the claim does not give."""
    said = frozenset().union(*(t.said for s in claim for t in s.tokens))
    return any(
        token.is_fact and _family(token) == _family(fact) and not token.given & said
        for token in segment.tokens
    )


def _family(token: Token) -> str:
    if (
        token.kind == "number"
        and len(token.text) == 4
        and token.text[:2] in ("10", "11", "12", "13", "14", "15", "16", "17", "18", "19", "20")
    ):
        return "date"
    return _FAMILY.get(token.kind, token.kind)


def _fit(segment: Segment, anchors: Sequence[Token], claim: Sequence[Segment]) -> tuple[int, int]:
    """How much of the claim's surroundings the segment has; on a tie, the one that says less besides fits better."""
    score = sum(_FACT if a.is_fact else _WEIGHT[a.kind] for a in anchors if in_segment(a, segment))
    besides = sum(
        not any(in_segment(token, s) for s in claim)
        for token in segment.content
        if not token.is_fact
    )
    return score, -besides


def _says_besides(home: Sequence[Segment], claim: Sequence[Segment]) -> bool:
    """Whether the fact's own surroundings speak of something the claim does not."""
    return all(any(not any(in_segment(t, s) for s in claim) for t in h.content) for h in home)


def _comes_after(rival: Segment, home: Sequence[Segment], unit: Unit) -> bool:
    """What comes after begins anew; what comes before may lend its subject."""
    order = {id(segment): place for place, segment in enumerate(unit.sentence.segments)}
    return all(order[id(segment)] < order.get(id(rival), -1) for segment in home)


def _is_headed(rival: Segment, home: Sequence[Segment], anchors: Sequence[Token]) -> bool:
    """Whether the claim is about what the rival begins with: "a vaccination 52 pounds"."""
    head: list[Token] = []
    for token in rival.tokens:
        if token.is_fact:
            break
        head += [token] if token.content else []
    words = [a for a in anchors if a.kind == "word" and not is_verb(a.folded)]
    if any(any(in_segment(a, s) for s in home) and not in_segment(a, rival) for a in words):
        return False
    return any(
        any(same(a, h) for h in head) and not any(in_segment(a, s) for s in home) for a in words
    )


def _more(rival: Segment, home: Sequence[Segment], anchors: Sequence[Token]) -> bool:
    """Whether the rival has something of the claim's that the fact's own surroundings lack."""
    return any(in_segment(a, rival) and not any(in_segment(a, s) for s in home) for a in anchors)


def _counts_another(fact: Token, segment: Segment, unit: Unit) -> str | None:
    """ "nine concerts in 64 countries" against "64 concerts in nine countries"."""
    if fact.kind != "number":
        return None
    counted = _next_word(segment, fact)
    if counted is None:
        return None
    numbers = [
        token
        for other in unit.sentence.segments
        for token in other.tokens
        if token.kind == "number"
        and (what := _next_word(other, token))
        and what.keys & counted.keys
    ]
    if numbers and not any(fact.said & number.given for number in numbers):
        return "bound:count"
    return None


def _next_word(segment: Segment, fact: Token) -> Token | None:
    place = next(i for i, token in enumerate(segment.tokens) if token is fact)
    after = segment.tokens[place + 1 : place + 3]
    return next((t for t in after if t.kind == "word" and t.content), None)
