"""A passage or tool result taken apart into sentences, each with what its pronouns can stand for."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from server.grounding.actors import own_subject
from server.grounding.analysis import Analysed, Token, analyse
from server.grounding.forms import MONTHS, WEEKDAYS
from server.grounding.given import keys_of
from server.grounding.grammar import COPULA, PERSONAL, PREPOSITIONS, PRONOUNS, SUBJECTS
from server.grounding.sentences import Sentences
from server.grounding.stems import beginnings_of, is_verb, known_halves
from server.grounding.words import fold, plain


@dataclass(frozen=True, slots=True)
class Unit:
    """One sentence of a block, or what stands between its semicolons; `whole` is all of it. `context` is what a pronoun in it can stand for: keys of names before it, and of the
    subject of the sentence before when it begins with a pronoun. `subject`: whom "she" at its head stands for, if told."""

    sentence: Analysed
    keys: frozenset[str]
    words: frozenset[str]
    names: frozenset[str]
    context: frozenset[str]
    subject: frozenset[str]
    halves: tuple[frozenset[str], ...]
    beginnings: frozenset[str]
    together: str
    whole: str


@dataclass(frozen=True, slots=True)
class Block:
    """A passage or tool result. `units_giving` has for each key the units that give it, as bits; `units_around` those whose pronouns
    or title give it, too."""

    text: str
    language: str
    title: frozenset[str]
    known_names: frozenset[str]
    units: tuple[Unit, ...]
    keys: frozenset[str]
    sentences: frozenset[str]
    units_giving: Mapping[str, int]
    units_around: Mapping[str, int]


@lru_cache(maxsize=2_000)
def block(text: str, language: str, title: str, questions: bool = False) -> Block:
    """Takes a text apart. Kept by content: the same passage costs nothing the second time. `questions`: whether those
    count; of a page they do not, but what answers one may stand on its words."""
    known = _names_in(text) | _names_in(title)
    heading = analyse(title, language)
    title_keys = frozenset().union(
        *(t.keys | {t.folded} for t in heading.tokens if not is_verb(t.folded))
    )
    names_before = frozenset(t.folded for t in heading.tokens if t.kind == "name")
    title_names = names_before
    units: list[Unit] = []
    subject: frozenset[str] = frozenset()
    last_subject: frozenset[str] = frozenset()
    asked = spoken_of = _NONE
    parts = _parts(text)
    for place, (sentence, whole) in enumerate(parts):
        analysed = analyse(sentence, language, known, "all")
        tokens = list(analysed.tokens)
        if not any(token.content for token in tokens):
            continue
        if not questions and _asks(sentence) and not _is_affirmed(parts[place + 1 : place + 2]):
            asked = keys_of(analysed)
            spoken_of |= asked
            continue
        context = title_names | asked
        asked = _NONE
        if any(token.folded in PRONOUNS for token in tokens):
            context |= names_before
        if _stands_for_something(tokens[:5]) and not _measures(tokens):
            context |= subject
        names = frozenset(token.folded for token in tokens if token.kind == "name")
        words = frozenset(token.folded for token in tokens if token.content)
        given = keys_of(analysed)
        first = next((t.folded for t in tokens if t.folded not in _OPENERS), "")
        stands_for = last_subject if first in PERSONAL else frozenset()
        halves = tuple(half for word in words for half in known_halves(word))
        units.append(
            Unit(
                analysed,
                given,
                words,
                names,
                context,
                stands_for,
                halves,
                beginnings_of(words),
                " ".join(words),
                whole,
            )
        )
        names_before |= names - _places(analysed)
        last_subject = own_subject(analysed.segments[0]) or last_subject
        subject = _subject(analysed)
    full = _full_names(units)
    units = [
        replace(unit, context=unit.context.union(*(full.get(n, ()) for n in unit.names)))
        for unit in units
    ]
    keys_in = spoken_of.union(*(unit.keys for unit in units))
    return Block(
        text,
        language,
        title_keys,
        known - WEEKDAYS.keys() - MONTHS.keys(),
        tuple(units),
        keys_in,
        frozenset(map(bare, [*split(text), *_whole(text)])),
        _index(unit.keys for unit in units),
        _index(unit.keys | unit.context | title_keys for unit in units),
    )


def _index(keys_of_units: Iterable[frozenset[str]]) -> dict[str, int]:
    found: defaultdict[str, int] = defaultdict(int)
    for place, known in enumerate(keys_of_units):
        for key in known:
            found[key] |= 1 << place
    return dict(found)


def _stands_for_something(tokens: Sequence[Token]) -> bool:
    """Whether a pronoun is there; "these hours" says itself what it means."""
    return any(
        token.folded in SUBJECTS and (token.folded in _ALONE or not following.content)
        for token, following in pairwise(tokens)
    )


_ALONE = frozenset("he she it they hij zij ze hiervan daarvan het".split())


def _measures(tokens: Sequence[Token]) -> bool:
    """Whether its "it" stands for nothing: "it is ten minutes from there", "vandaar is het tien minuten"."""
    rows = zip(tokens, tokens[1:], tokens[2:], strict=False)
    return any(
        c.is_fact and {a.folded, b.folded} & {"it", "het"} and {a.folded, b.folded} & COPULA
        for a, b, c in rows
    )


def _asks(sentence: str) -> bool:
    return sentence.rstrip(" \"'*_)").endswith("?")


def _is_affirmed(following: Sequence[tuple[str, str]]) -> bool:
    """Whether the answer to a question says that it is so: "Do you sell tea? Yes, loose."."""
    return bool(following and _YES.match(following[0][0]))


_YES = re.compile(
    r"\W*(?:yes|yep|certainly|of course|sure|you can|ja|jazeker|zeker|natuurlijk|dat kan)\b",
    re.IGNORECASE,
)
_NONE: frozenset[str] = frozenset()
_OPENERS = frozenset("and but so then later also en maar dus toen daarna later ook".split())


def _subject(sentence: Analysed) -> frozenset[str]:
    """The keys of what stands before the first verb: what "it" in the next sentence can mean."""
    found: set[str] = set()
    for token in sentence.segments[0].tokens:
        if token.folded in COPULA or (token.kind == "word" and is_verb(token.folded)):
            break
        if token.content and not token.is_fact:
            found |= token.keys | {token.folded}
    return frozenset(found)


def _places(sentence: Analysed) -> frozenset[str]:
    """Names after "in" or "at", which "she" does not mean."""
    tokens = list(sentence.tokens)
    found = set()
    for before, token in pairwise(tokens):
        if token.kind == "name" and (
            PREPOSITIONS.get(before.folded) == "in" or before.folded in found
        ):
            found.add(token.folded)
    return frozenset(found)


def _full_names(units: Sequence[Unit]) -> dict[str, frozenset[str]]:
    """Name → what it stands next to, where that is always the same: "Tariq" → "Benali"."""
    beside: dict[str, set[str]] = defaultdict(set)
    for unit in units:
        tokens = list(unit.sentence.tokens)
        for first, second in pairwise(tokens):
            if first.kind == second.kind == "name":
                beside[first.folded].add(second.folded)
                beside[second.folded].add(first.folded)
    return {name: frozenset(others) for name, others in beside.items() if len(others) == 1}


def _names_in(text: str) -> frozenset[str]:
    """Words with a capital where no sentence begins."""
    return frozenset(fold(word) for word in _INSIDE.findall(plain(text)))


_INSIDE = re.compile(
    r"(?<=[a-z0-9,] )[A-Z][\w']+|(?<=\bDr\. )[A-Z]\w+|\b[A-Z]\w+(?= (?:(?:en|and|&) )?[A-Z]\w)"
)


AS_NAME = "="
"""Before a word that may always be said as a name, and only so: "Books" of Harbour Books."""
ORGANISATIONS = frozenset(
    """bakery cafe pub inn shop store clinic practice band group choir museum firm company restaurant school farm studio trust charity garage
    workshop office hotel pharmacy orchestra nursery podcast gallery library salon agency team apotheek orkest kwekerij galerie guesthouse organisation business bakkerij winkel kliniek praktijk koor groep museum kantoor bedrijf
    restaurant school boerderij stichting garage hotel pension zaak vereniging owner eigenaar""".split()
)


def bare(text: str) -> str:
    """The words of a text, without case, marks or citation."""
    return " ".join(re.findall(r"[\w'@€$£%]+", re.sub(r"\[\d{1,3}\]", "", plain(text)).casefold()))


def split(text: str) -> list[str]:
    """The sentences of a text; those between semicolons count as sentences."""
    return [part for part, _ in _parts(text)]


def _parts(text: str) -> list[tuple[str, str]]:
    """Each of those, and the whole sentence it stands in."""
    return [
        (part, sentence.strip())
        for sentence in _whole(text)
        for part in re.split(r";\s", sentence)
        if part.strip()
    ]


def _whole(text: str) -> list[str]:
    cutter = Sentences()
    return [*cutter.feed(plain(text)), cutter.rest()]
