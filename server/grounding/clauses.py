"""A clause taken apart: its subject, its verb, whether it is passive, and who speaks; as far as small words tell."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from server.grounding.analysis import Segment, Token
from server.grounding.grammar import ARTICLES, COPULA, POSSESSIVE, PREPOSITIONS
from server.grounding.matching import same
from server.grounding.stems import is_verb

_PASSIVE = COPULA | {"worden", "werden"}
_HELPING = _PASSIVE | frozenset(
    """has have had do does did can could may might must will would shall should heeft hebben had hadden kan kunnen kon mag mogen moet moeten
    zal zullen zou zouden wil willen doet doen get gets got krijg krijgt krijgen kreeg kregen""".split()
)
_PARTICIPLE = re.compile(r"ed$|^ge.*[dt]$|^inbegrepen$")
"""With nothing behind it and no helping verb: "breakfast included"."""
US = frozenset("i we ik wij".split())
YOU = frozenset("you u je jij jullie".split())
_SPEAKERS = frozenset("i we you they he she it ik wij we u je jij jullie hij zij ze men".split())


class Clause(NamedTuple):
    """`subject`: its words; None where the segment has none of its own, empty for a pronoun. `verb`: None where none is known."""

    subject: list[Token] | None
    verb: Token | None
    passive: bool


def speaker(segment: Segment) -> str:
    """The first pronoun that can be a subject; "" without one."""
    return next((t.folded for t in segment.tokens if t.folded in _SPEAKERS), "")


def is_passive(segment: Segment) -> bool:
    """Whether a form of "to be" stands anywhere in it."""
    return any(token.folded in _PASSIVE for token in segment.tokens)


def has_verb(segment: Segment) -> bool:
    """What has none leaves out the one before it: "the goats may be stroked, the bull not"."""
    return any(_acts(token) or token.folded in _HELPING for token in segment.tokens)


def last_noun(segment: Segment) -> list[Token]:
    """What "which" after the segment can stand for: "the night clinic" of "call the night clinic in Dunmore"."""
    found: list[Token] = []
    for token in reversed(segment.tokens):
        if token.folded in PREPOSITIONS:
            found = []
        elif token.content and not token.is_fact:
            found.insert(0, token)
        elif found and token.folded in ARTICLES:
            break
    return found


def place_of(segment: Segment, verb: Token) -> int | None:
    """Where the segment has the verb, or one that says the same."""
    places = (
        n for n, t in enumerate(segment.tokens) if t.content and not t.is_fact and same(verb, t)
    )
    return next(places, None)


def taken_apart(segment: Segment, at: int | None = None) -> Clause:
    """The segment as a clause. `at`: where the verb is known to stand."""
    subject: list[Token] = []
    begun = helped = passive = waiting = False
    verb = _verb(segment.tokens) if at is None else at
    helper = next((n for n, t in enumerate(segment.tokens) if t.folded in _HELPING), None)
    for place, token in enumerate(segment.tokens):
        if place == verb:
            if _is_inverted(segment, place):
                after = segment.tokens[place + 1 : place + 2]
                if after and after[0].folded in _SPEAKERS:
                    return Clause([], token, passive)
                if at is None:
                    return Clause(None, None, False)
            if waiting:
                return Clause(None, None, False)
            left = place == len(segment.tokens) - 1 and not helped
            passive = passive or (left and bool(_PARTICIPLE.search(token.folded)))
            return Clause(subject if begun else None, token, passive)
        if token.folded in PREPOSITIONS and not begun:
            waiting = True  # "In the hall stands a piano": who acts comes later
        if token.folded in _SPEAKERS and not helped:
            subject, begun, waiting = [], True, False  # "the weddings we photograph"
        elif waiting:
            continue
        elif token.content and not helped:
            early = helper is None or place > helper
            if begun and early and _acts(token):  # the one before the verb in question
                helped = True
                continue
            subject.append(token)
            begun = True
        helped = helped or token.folded in _HELPING
        passive = passive or token.folded in _PASSIVE
    return Clause(subject if subject and helped else None, None, passive)


def _verb(tokens: Sequence[Token]) -> int | None:
    """The place of the first verb that something stands before. Without one, of the first that can be a verb."""
    able = [
        n
        for n, token in enumerate(tokens)
        if (_acts(token) and not _is_noun(tokens, n)) or _is_said_of_speaker(tokens, n)
    ]
    begun = next((n for n, t in enumerate(tokens) if t.content or t.folded in _SPEAKERS), 0)
    return next((n for n in able if n > begun), able[0] if able else None)


def _acts(token: Token) -> bool:
    if not token.content or token.kind != "word" or token.is_entity:
        return False
    doer = _DOER.fullmatch(token.folded) and token.folded.removesuffix("s") not in _NO_DOERS
    return not doer and not _NOUN.search(token.folded) and is_verb(token.folded)


_NOUN = re.compile(r"(?:ance|ence|tion|sion|ment|ness|ship|heid|teit|tie|kunde|schap)s?$")
"""Endings of what is no verb, whatever its stem."""
_DOER = re.compile(r"\w{4,}(?:ers?|aars?)")
"""Runners and dancers; not what offers and covers."""
_NO_DOERS = frozenset(
    "offer cover deliver order answer enter remember consider suffer gather register transfer prefer differ wonder recover discover".split()
)


def _is_noun(tokens: Sequence[Token], place: int) -> bool:
    before = tokens[place - 1].folded if place else ""
    return before in ARTICLES | POSSESSIVE or (
        before in PREPOSITIONS and before not in ("to", "te")
    )


def _is_said_of_speaker(tokens: Sequence[Token], place: int) -> bool:
    token = tokens[place]
    return token.content and token.kind == "word" and bool(place) and tokens[place - 1].folded in US


def _is_inverted(segment: Segment, verb: int) -> bool:
    """Whether who acts follows the verb ("Later accuseerde Robert hem", "Flits gebruikt ze niet"), or it is an
    infinitive ("canoes to hire")."""
    tokens = segment.tokens
    if verb and tokens[verb - 1].folded in ("to", "te"):
        return True
    after = tokens[verb + 1] if verb + 1 < len(tokens) else None
    if (
        after is None
        or segment.language != "nl"
        or any(t.folded in _SPEAKERS for t in tokens[:verb])
    ):
        return False
    determined = any(token.folded in ARTICLES | POSSESSIVE for token in tokens[:verb])
    return after.folded in _SPEAKERS or (after.is_entity and not determined)
