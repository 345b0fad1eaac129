"""What a statement is limited by: "free within ten kilometres" does not say "free", nor "not on Sundays" never."""

from collections.abc import Iterator, Sequence

from server.grounding.analysis import Segment, Token
from server.grounding.coverage import is_soft
from server.grounding.grammar import ARTICLES, COPULA, POSSESSIVE, PREPOSITIONS
from server.grounding.matching import same
from server.grounding.stems import is_verb

_WEIGHTY = frozenset("not only must if all".split())
"""Marks with which a statement holds of all there is, unless it says of what."""
_BOUNDS = frozenset("within outside beyond inside binnen buiten".split())
_FREE = frozenset(
    """free gratis kosteloos allowed permitted welcome toegestaan closed gesloten dicht forbidden verboden refuse refuses refused weigeren weigert should
    please need needs dient dienen nodig""".split()
)
_MAY = frozenset("may mag mogen".split())
_CAN = frozenset("can kan kunt kunnen".split())
"""Says what is possible more often than what is allowed, so only a number or a moment limits it."""
_MEASURES = frozenset("number date time money percent".split())
_WITHIN = ARTICLES | POSSESSIVE | {"our", "your", "onze", "uw", "je"}
_LIMITING = frozenset(
    """within under over above below beyond outside during until from for on at to in without inside
    binnen onder boven buiten tijdens tot vanaf voor op aan bij in om na after before""".split()
)


def is_weighty(segment: Segment) -> bool:
    """Whether it says what is free, what it costs, what may be, must be or is not: leaving out of what makes it another."""
    return bool(segment.marks & _WEIGHTY) or any(
        token.kind in ("money", "percent") or token.folded in _FREE or token.folded in _MAY
        for token in segment.tokens
    )


def _is_only(content: Sequence[Token], resting: Sequence[Segment]) -> bool:
    """Whether it says of something that it is only there, or then, what the claim says of it."""
    for other in resting:
        if "only" in other.marks:
            start = next((n for n, t in enumerate(other.tokens) if t.folded in COPULA), 0)
            if any(same(told, t) for told in content for t in other.tokens[start:] if t.content):
                return True
    return False


def unlimited(segment: Segment, content: Sequence[Token], resting: Sequence[Segment]) -> bool:
    """Whether a weighty claim leaves out a limit of what it rests on. `content` is all of the claim's."""
    facts_only = False
    names = _is_only(content, resting)
    if not is_weighty(segment) and not names:
        if not any(token.folded in _CAN for token in segment.tokens):
            return False
        facts_only = True
    return any(
        any(token.kind in _MEASURES for token in limit) or not facts_only
        for other in resting
        if any(same(told, own) for told in content for own in other.content if not own.is_entity)
        for limit in _limits(other, names)
        if not any(same(told, token) for told in content for token in limit)
    )


def _limits(segment: Segment, names: bool) -> Iterator[list[Token]]:
    """The content behind each preposition, up to a verb or a small word, as far as it says something."""
    open_limit: list[Token] | None = None
    strict = False
    for token in segment.tokens:
        begins = token.folded in _LIMITING or token.folded in PREPOSITIONS
        ends = not token.content and token.folded not in _WITHIN
        acts = bool(open_limit) and not token.is_fact and is_verb(token.folded)
        if begins or ends or acts:
            if open_limit:
                yield open_limit
            open_limit = [] if token.folded in _LIMITING else None
            strict = names or token.folded in _BOUNDS
        elif open_limit is not None and token.content and not is_soft(token):
            if token.is_entity and not open_limit and not strict:
                open_limit = None  # somebody's, or somewhere
            else:
                open_limit.append(token)
    if open_limit:
        yield open_limit
