"""Words of one meaning in English and Dutch, so that common paraphrases and translations are known without a model.

`wordlists/*.txt` hold a group a line: synonyms, translations, irregular forms; regular inflections are the stemmer's. Groups
are narrow: what is in one is taken to say the same. A word may be in several groups; groups are not joined through it
("start" is both "begin" and "found"). `free_of_charge` stands for words in a row (see `LEFT_ALONE`), and in "violin cello < instrument" the words
on the left are kinds of what is on the right.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import Stemmer

from server.grounding.grammar import COPULA, PREPOSITIONS, PRONOUNS
from server.grounding.marks import WORDS as LIMITS
from server.grounding.words import fold

LISTS = {"verbs": "#v", "words": "#", "prose": "#s", "actions": "#a", "things": "#t"}
"""Each file, and what the names of its groups begin with."""
LEFT_ALONE = (
    LIMITS
    | COPULA
    | PRONOUNS
    | {word for word, group in PREPOSITIONS.items() if group not in ("of", "in", "for", "with")}
)
"""Words that no idiom hides: what they say is judged where they stand."""
VERB = "#v"
LOOSE = ("#s", "#a", "#t")
"""Groups that hold verbs and nouns together, so that being in one does not tell which a word is."""


@dataclass(frozen=True, slots=True)
class Thesaurus:
    """`narrow`: folded word or stem → names of its groups in lists of one part of speech. `loose`: the same for the other lists, and
    for idioms. `kinds`: the groups it is a kind of. `phrases`: first word → the phrases that begin with it, longest first."""

    narrow: Mapping[str, frozenset[str]]
    loose: Mapping[str, frozenset[str]]
    kinds: Mapping[str, frozenset[str]]
    phrases: Mapping[str, tuple[tuple[str, ...], ...]]


@cache
def thesaurus() -> Thesaurus:
    """Reads the lists, once: some tens of milliseconds."""
    narrow: defaultdict[str, set[str]] = defaultdict(set)
    loose: defaultdict[str, set[str]] = defaultdict(set)
    kinds: defaultdict[str, set[str]] = defaultdict(set)
    phrases: defaultdict[str, set[tuple[str, ...]]] = defaultdict(set)
    for name, mark in LISTS.items():
        meanings = loose if mark in LOOSE else narrow
        for number, (group, kind) in enumerate(_groups(name)):
            for word in kind or group:
                _add(meanings, word, f"{mark}{number}")
            if kind:
                for word in group:
                    _add(kinds, word, f"{mark}{number}")
            for word in group + kind:
                parts = tuple(fold(part) for part in word.split("_"))
                if len(parts) > 1 and not LEFT_ALONE.intersection(parts):
                    phrases[parts[0]].add(parts)
    return Thesaurus(
        _frozen(narrow),
        _frozen(loose),
        _frozen(kinds),
        {
            word: tuple(sorted(found, key=lambda phrase: (-len(phrase), phrase)))
            for word, found in phrases.items()
        },
    )


def _groups(name: str) -> Iterator[tuple[list[str], list[str]]]:
    """The words of each line, and what those are kinds of, if it says so."""
    text = files("server.grounding").joinpath(f"wordlists/{name}.txt").read_text("utf-8")
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            group, _, kind = line.partition("<")
            yield group.split(), kind.split()


_STEMMERS = ("english", "dutch")
LONGEST_ENDING = 3
"""Letters a stem may be shorter than its word in the loose lists: "kostbaar" is not "kost"."""


@cache
def _stemmer(language: str) -> Stemmer.Stemmer:
    return Stemmer.Stemmer(language, 0)


def _add(table: defaultdict[str, set[str]], word: str, group: str) -> None:
    folded = fold(word)
    table[folded].add(group)
    if "_" not in folded:
        for language in _STEMMERS:
            stem = _stemmer(language).stemWord(folded)
            if group[:2] not in LOOSE or len(folded) - len(stem) <= LONGEST_ENDING:
                table[stem].add(group)


def _frozen(table: Mapping[str, set[str]]) -> dict[str, frozenset[str]]:
    return {word: frozenset(groups) for word, groups in table.items()}
