"""All that a sentence of the evidence gives: keys of its words, forms of its facts, verbs put together again."""

from server.grounding.analysis import Analysed, Token
from server.grounding.forms import WEEKDAYS
from server.grounding.stems import PARTICLES, is_verb, joined

_NO_PREPOSITIONS = frozenset("af terug mee weg toe vast samen".split())
"""Particles that are never prepositions, so that they belong to a verb wherever they stand."""


def keys_of(sentence: Analysed) -> frozenset[str]:
    """All that the sentence gives: keys of its words, forms of its facts, the days between "Tuesday to Friday"."""
    found: set[str] = set()
    tokens = list(sentence.tokens)
    for segment in sentence.segments:
        found |= segment.idioms
        for token in segment.tokens:  # "no violins" says nothing of instruments
            found |= (token.keys if segment.negated else token.given) | {token.folded}
        loose = {t.folded for t in segment.tokens} & _NO_PREPOSITIONS
        if segment.tokens[-1].folded in PARTICLES:
            loose.add(segment.tokens[-1].folded)
        for token in segment.tokens:
            if loose and token.kind == "word" and is_verb(token.folded):
                found = found.union(*(joined(particle, token.keys) for particle in loose))
    for first, second in zip(_days(tokens), _days(tokens)[1:], strict=False):
        between = tokens[first + 1 : second]
        if (
            between
            and all(
                t.folded in ("to", "through", "till", "until", "tot", "en", "met", "m")
                for t in between
            )
            and any(t.folded not in ("en", "and") for t in between)
        ):
            found |= {f"w:{day % 7}" for day in _span(tokens[first], tokens[second])}
    return frozenset(found)


def _days(tokens: list[Token]) -> list[int]:
    return [place for place, token in enumerate(tokens) if token.kind == "weekday"]


def _span(first: Token, second: Token) -> range:
    start, end = (int(next(iter(token.said))[2:]) for token in (first, second))
    return range(start, end + 1 if end >= start else end + len(set(WEEKDAYS.values())) + 1)
