"""What a word is known by: its stems in both languages, its meaning where the thesaurus has one, its parts.

Two words say the same when they share a key.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache

import Stemmer

from server.grounding.thesaurus import LOOSE, VERB, thesaurus

_ENGLISH = Stemmer.Stemmer("english", 0)
_DUTCH = Stemmer.Stemmer("dutch", 0)
_SEPARABLE = re.compile(
    r"^(aan|achter|af|bij|binnen|door|in|langs|mee|na|om|op|over|samen|tegen|terug|toe|uit|vast|voor|weg)"
    r"(?:ge|te)?(?=\w{3})"
)
_INSEPARABLE = ("ver", "be", "ont", "her", "on", "ge", "mis", "un", "re", "in", "non", "anti")
_LINKS = ("", "s", "e", "en", "n")
PARTICLES = frozenset(_SEPARABLE.pattern[2:].split(")")[0].split("|"))
_LONG_VOWEL = re.compile(r"([aeou])\1(?=[^aeiou]$)")
_AGENT = re.compile(r"(\w{4,})ers?")
SHORTEST_PART = 4
_NONE: frozenset[str] = frozenset()


@lru_cache(maxsize=50_000)
def keys(word: str) -> frozenset[str]:
    """The keys of a folded word: stems, and `#n` for each group of the thesaurus it is in."""
    known = thesaurus()
    if "_" in word:
        return known.loose.get(word, _NONE)
    stems = _stems(word)
    return stems | _meant(word, stems, known.narrow) | _meant(word, stems, known.loose)


def _meant(
    word: str, stems: frozenset[str], meanings: Mapping[str, frozenset[str]]
) -> frozenset[str]:
    """The groups of the word, or else those of its stems."""
    own = meanings.get(word, _NONE)
    if (separable := _SEPARABLE.match(word)) and word[separable.end(1) :] in meanings:
        return own | joined(separable[1], meanings[word[separable.end(1) :]])
    return own or _NONE.union(*(meanings[stem] for stem in stems if stem in meanings))


def joined(particle: str, verb: frozenset[str]) -> frozenset[str]:
    """The keys of a separable verb: "teruggenomen" and "nemen … terug"."""
    return frozenset(f"{particle}~{key}" for key in verb if key[0] in "#~")


@lru_cache(maxsize=50_000)
def is_verb(word: str) -> bool:
    """Whether the word can be a verb that says who does something to whom; a guess by thesaurus and ending. An
    idiom is one if it has one."""
    if "_" in word:
        return any(map(is_verb, word.split("_")))
    if any(key.startswith(VERB) for key in keys(word)):
        return True
    if any(key.startswith("#") and not key.startswith(LOOSE) for key in keys(word)):
        return False
    return len(word) > 4 and bool(
        re.search(r"(?:ed|[^aeious]te|[^aeiou]de|eert|eerde)$|^ge\w{3,}(?:t|d|en)$", word)
    )


@lru_cache(maxsize=50_000)
def is_noun(word: str) -> bool:
    """Whether the thesaurus has the word as something else than a verb; "books" is both."""
    return any(key[0] == "#" and key[1:].isdigit() for key in keys(word))


@lru_cache(maxsize=50_000)
def parts(word: str) -> tuple[tuple[str, str], ...]:
    """The ways a long word can be cut in two words, as Dutch compounds are; ("zuurdesem", "brood")."""
    if _is_known(word):  # a word of its own: "verhuurder" is not some kind of "huurder"
        return ()
    found = []
    for at in range(SHORTEST_PART - 1, len(word) - SHORTEST_PART + 2):
        head, tail = word[:at], word[at:]
        found += [
            (head.removesuffix(link), tail)
            for link in _LINKS
            if head.endswith(link) and len(head) - len(link) >= SHORTEST_PART - 1
        ]
    return tuple(found) if len(word) >= 2 * SHORTEST_PART - 1 else ()


def beginnings_of(words: Iterable[str]) -> frozenset[str]:
    """The first three letters of each: a quick look before a half is compared."""
    return frozenset(word[:3] for word in words)


def is_likely(half: str, beginnings: frozenset[str]) -> bool:
    """Whether the half of a word can be one of the words that begin so, or one the thesaurus knows."""
    return _is_known(half) or half[:3] in beginnings


@lru_cache(maxsize=50_000)
def known_halves(word: str) -> tuple[frozenset[str], ...]:
    """The keys of the halves of a compound when both are in the thesaurus."""
    return tuple(
        keys(half)
        for head, tail in parts(word)
        if _is_known(head) and _is_known(tail)
        for half in (head, tail)
    )


@lru_cache(maxsize=50_000)
def is_kind_of(compound: str, word: str) -> bool:
    """Whether the compound ends in the word and is a kind of it: "appeltaart" of "taart", not "verhuurder" of
    "huurder"."""
    if len(word) < SHORTEST_PART or len(compound) < len(word) + 2 or word[:3] not in compound:
        return False
    for key in _stems(word):
        if len(key) >= SHORTEST_PART:
            for stem in _stems(compound):
                front = stem.removesuffix(key)
                if front != stem and len(front) >= 3 and front not in _INSEPARABLE:
                    return True
    return False


@lru_cache(maxsize=50_000)
def kinds(word: str) -> frozenset[str]:
    """The keys of what the (folded) word is a kind of, by the thesaurus: of "cello" those of "instrument"."""
    known = thesaurus().kinds
    return _NONE.union(*(known[form] for form in _stems(word) if form in known))


@lru_cache(maxsize=50_000)
def is_known(word: str) -> bool:
    """Whether the thesaurus has the (folded) word, or a form of it."""
    known = thesaurus()
    return any(form in known.narrow or form in known.loose for form in _stems(word))


def _is_known(word: str) -> bool:
    return word in thesaurus().narrow or word in thesaurus().loose


def _stems(word: str) -> frozenset[str]:
    forms = {word, _ENGLISH.stemWord(word), _DUTCH.stemWord(word)}
    forms |= {"~" + _dutch_verb(form) for form in tuple(forms) if len(form) > 3}
    if agent := _AGENT.fullmatch(word):  # singer, designers
        act = agent[1]
        forms |= {_ENGLISH.stemWord(act), _ENGLISH.stemWord(act + "e")}
        if act[-1] == act[-2]:  # drummer
            forms.add(_ENGLISH.stemWord(act[:-1]))
    if separable := _SEPARABLE.match(word):
        rest = word[separable.end() :]
        if len(rest) > 3:
            forms.add(f"{separable[1]}~~" + _dutch_verb(_DUTCH.stemWord(rest)))
    return frozenset(forms)


def _dutch_verb(word: str) -> str:
    """The bare verb of "gebakken", "bakte", "bakt": what its other forms are reduced to as well."""
    bare = word[2:] if word.startswith("ge") and len(word) > 5 else word
    for ending in ("ten", "den", "te", "de", "en", "t", "d"):
        if bare.endswith(ending) and len(bare) - len(ending) >= 3:
            bare = bare[: -len(ending)]
            break
    if len(bare) > 3 and bare[-1] == bare[-2]:
        bare = bare[:-1]
    bare = _LONG_VOWEL.sub(r"\1", bare)
    return bare[:-1] + {"z": "s", "v": "f"}.get(bare[-1], bare[-1])
