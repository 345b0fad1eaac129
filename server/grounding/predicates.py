"""What somebody is, and of which ones something is said: "she treats dancers" does not say that she is one."""

from collections.abc import Sequence

from server.grounding.analysis import Segment, Token
from server.grounding.grammar import ARTICLES, COPULA, PREPOSITIONS, RELATIVE
from server.grounding.matching import same
from server.grounding.stems import is_verb

_AS = frozenset("as als become became becomes werd wordt worden remains bleef".split())
_NEAR = 2


def is_another(claim: Sequence[Segment], evidence: Sequence[Segment]) -> bool:
    """Whether the claim says what somebody is, where the evidence has the word in another part."""
    for said in claim:
        noun = _predicate(said)
        homes = [s for s in evidence if noun and any(same(noun, t) for t in s.content)]
        if noun and homes and not any(_can_be(noun, home) for home in homes):
            return True
    return False


def _predicate(segment: Segment) -> Token | None:
    """The last word of "Ravi is a dancer"."""
    tokens = segment.tokens
    place = next((n for n, t in enumerate(tokens) if t.folded in COPULA), None)
    if not place or not any(t.is_entity for t in tokens[:place]):
        return None
    rest = tokens[place + 1 :]
    words = [t for t in rest if t.content]
    plain = rest and rest[0].folded in ARTICLES and len(words) == 1 and words[0].kind == "word"
    return words[0] if plain else None


def _can_be(noun: Token, home: Segment) -> bool:
    tokens = home.tokens
    place = next(n for n, t in enumerate(tokens) if t.content and same(noun, t))
    around = tokens[max(0, place - _NEAR) : place + _NEAR + 1]
    if any(t.is_entity or t.folded in _AS for t in around if t is not tokens[place]):
        return True
    acts = any(
        t.content and t.kind == "word" and is_verb(t.folded)
        for t in tokens
        if t is not tokens[place]
    )
    copula = next((n for n, t in enumerate(tokens) if t.folded in COPULA), None)
    if copula is None or acts:
        return False
    between = tokens[min(copula, place) + 1 : max(copula, place)]
    return not any(t.folded in PREPOSITIONS for t in between)


def drops_which(claim: Sequence[Segment], evidence: Sequence[Segment]) -> bool:
    """Whether the claim leaves out which ones: "children" of "children who can swim"."""
    content = [token for segment in claim for token in segment.content]
    for segment in evidence:
        for place, token in enumerate(segment.tokens[:-1]):
            if segment.tokens[place + 1].folded not in RELATIVE or not _is_noun(token):
                continue
            which = [t for t in segment.tokens[place + 2 :] if t.content]
            told = any(same(said, token) for said in content)
            if told and which and not any(same(said, t) for said in content for t in which):
                return True
    return False


def _is_noun(token: Token) -> bool:
    return (
        token.content and token.kind == "word" and not token.is_entity and not is_verb(token.folded)
    )
