"""Whether a word of a claim is in a stretch of evidence: the same stem, the same meaning, or a compound of both."""

from collections.abc import Iterable

from server.grounding.analysis import Segment, Token
from server.grounding.stems import beginnings_of, is_kind_of, is_likely, keys, parts


def same(one: Token, other: Token) -> bool:
    """Whether two words of sentences say the same."""
    if one.is_fact or other.is_fact:
        return not one.said.isdisjoint(other.given)
    return not one.keys.isdisjoint(other.keys) or is_kind_of(other.folded, one.folded)


def in_segment(token: Token, segment: Segment) -> bool:
    """Whether the segment itself has it."""
    if token.is_fact:
        return any(token.said & other.given or other.said & token.given for other in segment.tokens)
    own = token.keys
    if not own.isdisjoint(segment.idioms):
        return True
    for other in segment.tokens:
        if not own.isdisjoint(other.keys if segment.negated else other.given):
            return True
    if any(is_kind_of(other.folded, token.folded) for other in segment.content):
        return True
    if token.kind == "name" or not parts(token.folded):
        return False
    known = frozenset().union(*(t.keys for t in segment.content))
    return in_parts(token, known, beginnings_of(t.folded for t in segment.content))


def in_parts(token: Token, known: frozenset[str], beginnings: frozenset[str]) -> bool:
    """Whether the token is a compound of two words that are known: "roggebrood" of "rye" and "loaf"."""
    return any(
        keys(head) & known and keys(tail) & known
        for head, tail in parts(token.folded)
        if is_likely(head, beginnings) and is_likely(tail, beginnings)
    )


def is_kind(token: Token, words: Iterable[str], together: str) -> bool:
    """Whether one of the words is a compound that ends in the token. `together` is all of them, for a quick look."""
    word = token.folded
    return word[:3] in together and any(is_kind_of(other, word) for other in words)
