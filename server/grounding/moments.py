"""When something is: before, after, until, from or at a moment; "before September" is not "in September"."""

from collections.abc import Iterable, Sequence
from itertools import zip_longest

from server.grounding.analysis import Segment, Token
from server.grounding.grammar import ARTICLES, POSSESSIVE
from server.grounding.matching import same
from server.grounding.stems import is_verb

_SIDES = {
    word: side
    for side, words in {
        "before": "before voor vóór uiterlijk", "after": "after following na", "until": "until till tot t/m", "from": "from since vanaf sinds van",
        "at": "in on at during op om te tijdens",
    }.items()
    for word in words.split()
}  # fmt: skip
_MOMENTS = frozenset("date time weekday number".split())
_AGAINST = {
    "before": {"after", "at", "from"}, "after": {"before", "at", "until"}, "until": {"from", "after", "at"}, "from": {"until", "before"},
    "at": {"before", "after"},
}  # fmt: skip
"""What may not be said of a moment (or of what happens then) of which the evidence says the other."""


def moved(claim: Sequence[Segment], evidence: Sequence[Segment]) -> bool:
    """Whether the claim has something at another side of a moment than the evidence."""
    theirs = list(_moments(evidence))
    if not theirs:
        return False
    for side, moment in _moments(claim):
        sides = {other for other, token in theirs if same(moment, token)}
        if sides and side not in sides and sides <= _AGAINST[side]:
            return True
    return False


def _moments(segments: Iterable[Segment]) -> Iterable[tuple[str, Token]]:
    """Each moment that is told with a preposition before it, and its side; of nouns those before or after which something is."""
    for segment in segments:
        side, nouns, dutch = "", 0, False
        for token, following in zip_longest(segment.tokens, segment.tokens[1:]):
            told = _SIDES.get(token.folded, "") if not token.is_fact else ""
            if told:
                side, nouns = told, 0
                dutch = token.folded in (
                    "voor",
                    "van",
                )  # before a moment; else they are "for" and "of"
            elif side and token.content:
                moment = token.kind in _MOMENTS
                noun = token.kind == "word" and not is_verb(token.folded)
                hour = following is not None and following.folded == "uur"
                if (
                    moment and (hour or not (token.kind == "number" and (dutch or side == "at")))
                ) or (noun and not dutch):
                    yield side, token
                nouns += 1
                if moment or nouns > 2:
                    side = ""
            elif side and token.folded not in ARTICLES | POSSESSIVE and token.folded != ",":
                side = ""
