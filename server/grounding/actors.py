"""Whom a sentence is about and who does what in it, as far as names, prepositions and "by" tell."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from server.grounding.analysis import Segment, Token
from server.grounding.grammar import (
    ARTICLES,
    CONJUNCTIONS,
    COPULA,
    POSSESSIVE,
    PREPOSITIONS,
    PRONOUNS,
    RELATIVE,
    TITLES,
)
from server.grounding.matching import same
from server.grounding.stems import is_verb

Names = frozenset[str]
_SOME = frozenset(
    "one two three some many most both all each een één twee drie enkele sommige veel beide alle elk".split()
)
_LEARNING = frozenset("learn learns learned learnt leert leerde leren geleerd".split())


@dataclass(frozen=True, slots=True)
class Actor:
    """Who does an act. `how`: named in the segment itself, inherited from the one before, a pronoun, passive without
    "by", or open: it cannot be told."""

    names: Names
    how: str


def actor(word: Token, segment: Segment, inherited: Names) -> Actor:
    at = next(i for i, token in enumerate(segment.tokens) if token.content and same(word, token))
    word = segment.tokens[at]
    before, after = segment.tokens[:at], segment.tokens[at + 1 :]
    if word.folded in _LEARNING:  # who learns from another is taught by that one
        for place, token in enumerate(after):
            if token.folded in ("from", "van"):
                return Actor(first_group(after[place + 1 :]), "named")
    following = next((i for i, t in enumerate(after) if t.folded in RELATIVE), len(after))
    for stretch in (after[:following], before):
        for place, token in enumerate(stretch):
            if token.folded in ("by", "door") and (group := first_group(stretch[place + 1 :])):
                return Actor(group, "named")
    clause = 1 + max((i for i, t in enumerate(before) if t.folded in RELATIVE), default=-1)
    helping = {token.folded for token in before[clause:]} & COPULA
    if helping and is_verb(word.folded):
        perfect = segment.language == "nl" and helping <= {"is", "zijn", "ben", "bent"}
        return Actor(frozenset(), "open" if perfect else "passive")
    if _belongs_to_noun(before):
        return Actor(frozenset(), "open")
    free = [names for names, preposition in _groups(before) if preposition is None]
    if free:
        return Actor(free[0], "named")
    pronouns = {token.folded for token in before} & PRONOUNS - RELATIVE
    subject = (
        first_group(_of_whole(after)[:3])
        if segment.language == "nl" and before and not pronouns
        else None
    )
    if subject and (after[0].is_entity or after[0].folded in ARTICLES | POSSESSIVE | _SOME):
        return Actor(subject, "named")  # "In 1656 bedacht Huygens …"
    if pronouns - POSSESSIVE:
        return Actor(frozenset(), "pronoun")
    return Actor(inherited, "inherited")


def _belongs_to_noun(before: Sequence[Token]) -> bool:
    """Whether "who" stands between the last name and the act: "about people who repair things"."""
    for token in reversed(before):
        if token.is_entity:
            return False
        if token.folded in ("who", "which", "die") and token is not before[0]:
            return True
    return False


def owns_next(token: Token, following: Token | None) -> bool:
    """Whether it only says whose the next one is: "Ruth's son", who is not Ruth."""
    return token.text.endswith(("'s", "s'")) and following is not None and following.content


def first_group(tokens: Sequence[Token]) -> Names:
    names: set[str] = set()
    for token, following in zip_longest(tokens, tokens[1:]):
        if token.is_entity:
            if owns_next(token, following):
                continue
            names.add(token.folded)
        elif token.folded == ",":
            continue
        elif names or not (token.content or token.folded in ARTICLES | POSSESSIVE):
            break
    return frozenset(names)


def own_subject(segment: Segment) -> Names:
    """Whom the segment itself begins with, before anything is said of them: "her colleague Finn Baird"."""
    names: set[str] = set()
    tokens = _of_whole(segment.tokens)
    for token, following in zip_longest(tokens, tokens[1:]):
        if token.is_entity:
            if owns_next(token, following):
                continue
            names.add(token.folded)
            continue
        if token.folded in CONJUNCTIONS and not names:
            continue
        belongs = token.folded in ARTICLES | POSSESSIVE | TITLES
        if names or token.is_fact or not (token.content or belongs) or is_verb(token.folded):
            break
    return frozenset(names)


def _of_whole(tokens: Sequence[Token]) -> Sequence[Token]:
    """The tokens without "one of": "one of her pupils won" is about a pupil."""
    return [
        token
        for place, token in enumerate(tokens)
        if not (
            (
                token.folded in _SOME
                and tokens[place + 1 : place + 2]
                and tokens[place + 1].folded in ("of", "van")
            )
            or (token.folded in ("of", "van") and place and tokens[place - 1].folded in _SOME)
        )
    ]


def entities(segment: Segment) -> Names:
    return frozenset(token.folded for token in segment.tokens if token.is_entity)


def with_subjects(segments: Sequence[Segment], before: Names) -> list[tuple[Segment, Names]]:
    """Each segment with the subject it inherits when it names none itself."""
    found: list[tuple[Segment, Names]] = []
    subject, last = before, before
    for segment in segments:
        inherited = last if segment.relative else subject
        found.append((segment, inherited))
        groups = _groups(segment.tokens)
        free = [names for names, preposition in groups if preposition is None]
        subject = free[0] if free and not segment.relative else inherited
        if groups:
            things = [names for names, preposition in groups if preposition != "in"]
            last = things[-1] if things else groups[-1][0]
    return found


def _groups(tokens: Sequence[Token]) -> list[tuple[Names, str | None]]:
    """The names and people among the tokens, those side by side together, with the preposition before them."""
    groups: list[tuple[set[str], str | None]] = []
    open_group: set[str] | None = None
    preposition: str | None = None
    tokens = _of_whole(tokens)
    for token, following in zip_longest(tokens, tokens[1:]):
        if token.is_entity:
            if owns_next(token, following):
                continue
            if open_group is None:
                open_group = set()
                groups.append((open_group, preposition))
            open_group.add(token.folded)
        elif (
            token.folded in ARTICLES or token.folded in POSSESSIVE or token.folded in ("and", "en")
        ):
            continue
        elif token.folded == ",":
            preposition = None
        else:
            open_group = None
            governs = PREPOSITIONS.get(token.folded)
            if governs is not None:
                preposition = governs
            elif is_verb(token.folded) or not (token.content or token.folded in TITLES):
                preposition = None
    return [(frozenset(names), before) for names, before in groups]
