"""Which questions ask the same, in English and Dutch. Pure, and the same for the same questions in the same order."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from server.grounding.stems import keys
from server.grounding.words import fold, is_filling, language_of, plain

_WORD = re.compile(r"[^\W_]+(?:'s\b)?")
_NUMBER = re.compile(r"\d+")
_KINDS = {
    word: kind
    for kind, words in {
        "when": "when wanneer year jaar date datum",
        "where": "where waar waarheen waarvandaan",
        "who": "who whom whose wie wiens",
        "why": "why waarom",
        "how many": "many much hoeveel veel",
    }.items()
    for word in words.split()
}
_ASKING = frozenset("please tell know give graag vertel weet weten geef".split())
ENOUGH_IN_COMMON = 0.75
"""Of all content words of two questions, the share that both have, when each has one that the other lacks."""
HALF = 0.5
"""The same, when all of the shorter one is in the longer one."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question as it is compared: what kind of answer it wants, its numbers, and each content word's keys."""

    text: str
    kinds: frozenset[str]
    numbers: frozenset[str]
    words: tuple[frozenset[str], ...]


def alike(questions: Sequence[str], owner: str = "") -> list[list[int]]:
    """The places of the questions, in groups of those that ask the same; groups in the order of their first question.

    A question joins the group whose first question it is most like, so that a later one never moves an earlier one.
    Alike are questions of one kind (when, where, …) with the same numbers, when all content words of the shorter one are at least half
    of the longer one's, or when they share three quarters of all. `owner`'s name counts for nothing: it is in everything.
    """
    owner_words = frozenset(fold(word) for word in _WORD.findall(plain(owner)))
    groups: list[list[int]] = []
    first: list[_Asked] = []
    having: defaultdict[str, list[int]] = defaultdict(list)
    for place, question in enumerate(questions):
        asked = _read(question, owner_words)
        near = {group for key in _index(asked) for group in having[key]}
        likenesses = ((_likeness(asked, first[group]), -group) for group in near)
        best, group = max(likenesses, default=(0.0, 0))
        if best > 0:
            groups[-group].append(place)
            continue
        for key in _index(asked):
            having[key].append(len(groups))
        groups.append([place])
        first.append(asked)
    return groups


def _read(question: str, owner_words: frozenset[str]) -> _Asked:
    folded = [fold(word) for word in _WORD.findall(plain(question))]
    language = language_of(folded, "en")
    content = [
        word
        for word in dict.fromkeys(folded)
        if not is_filling(word, language)
        and word not in owner_words
        and word not in _KINDS
        and word not in _ASKING
    ]
    return _Asked(
        " ".join(folded),
        frozenset(_KINDS[word] for word in folded if word in _KINDS),
        frozenset(number for word in folded for number in _NUMBER.findall(word)),
        tuple(keys(word) for word in content),
    )


def _index(asked: _Asked) -> frozenset[str]:
    return frozenset({f"={asked.text}"}.union(*asked.words))


def _likeness(one: _Asked, other: _Asked) -> float:
    """From 0, not alike, to 1."""
    if one.text == other.text:
        return 1.0
    if one.numbers != other.numbers or (one.kinds and other.kinds and one.kinds != other.kinds):
        return 0.0
    shared = min(_covered(one.words, other.words), _covered(other.words, one.words))
    fewest, most = sorted((len(one.words), len(other.words)))
    if not shared:
        return 0.0
    in_common = shared / (fewest + most - shared)
    is_part = shared == fewest and (fewest > 1 or most == 1)
    return in_common if in_common >= (HALF if is_part else ENOUGH_IN_COMMON) else 0.0


def _covered(words: Sequence[frozenset[str]], others: Sequence[frozenset[str]]) -> int:
    return sum(any(word & other for other in others) for word in words)
