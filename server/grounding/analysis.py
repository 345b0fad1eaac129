"""A sentence taken apart: tokens, and segments that each say one thing, with their marks and who acts."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from server.grounding import marks
from server.grounding.facts import Found, scan
from server.grounding.grammar import (
    CONJUNCTIONS,
    COPULA,
    KIN,
    PREPOSITIONS,
    PRONOUNS,
    RELATIVE,
    TITLES,
)
from server.grounding.idioms import idioms_in, with_idioms
from server.grounding.phrases import levelled
from server.grounding.stems import is_known, is_noun, is_verb, keys, kinds
from server.grounding.words import FILLING, fold, is_filling, language_of, plain

Reading = Literal["words", "idioms", "all"]
"""`words`: one by one. `idioms`: as what they say together, and only that. `all`: one by one, with what they say together besides, as
a passage gives both."""

_BREAK = re.compile(r"[,;:()\[\]|]|\s[–—-]\s|\.\s")


@dataclass(frozen=True, slots=True)
class Token:
    """A word or fact. `kind`: word, name or a kind of fact; `content` whether evidence must give it. `given`: what it gives as
    evidence, for a word its keys and what it is a kind of."""

    kind: str
    text: str
    folded: str
    keys: frozenset[str]
    said: frozenset[str]
    given: frozenset[str]
    content: bool
    is_fact: bool = False
    is_entity: bool = False


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch between commas and conjunctions. `relative`: it begins with a relative pronoun. `idioms`: the keys of those in it."""

    tokens: tuple[Token, ...]
    marks: frozenset[str]
    relative: bool
    language: str
    content: tuple[Token, ...] = ()
    idioms: frozenset[str] = frozenset()

    @property
    def negated(self) -> bool:
        return "not" in self.marks


@dataclass(frozen=True, slots=True)
class Analysed:
    """A sentence. `language` is what its small words say."""

    text: str
    language: str
    segments: tuple[Segment, ...]
    tokens: tuple[Token, ...]


@lru_cache(maxsize=4_000)
def analyse(
    text: str, language: str, names: frozenset[str] = frozenset(), reading: Reading = "words"
) -> Analysed:
    """Takes a sentence apart. `language` is used when its words do not tell; `names` are (folded) words known to be
    names, because at a sentence's start every word has a capital. `reading` says what becomes of idioms."""
    text = levelled(plain(text))
    text = re.sub(r"[*_`#]+|^\s*(?:[-+•]|\d+[.)])\s+", " ", re.sub(r"\[\d{1,3}\]", "", text))
    found = list(scan(text))
    if reading == "idioms":
        found = with_idioms(found, text)
    told = language_of((fold(f.text) for f in found if f.kind == "word"), language)
    raw: list[list[Token]] = [[]]
    end = 0
    for place, item in enumerate(found):
        folded = fold(item.text)
        abbreviated = bool(place) and (
            fold(found[place - 1].text) in TITLES or len(found[place - 1].text) == 1
        )
        gap = text[end : item.start]
        following = found[place + 1] if place + 1 < len(found) else None
        if raw[-1] and (
            (folded in _BEFORE_ING and following is not None and _is_ing(following))
            or (folded in CONJUNCTIONS and not _joins_names(folded, raw[-1][-1], following))
            or (_BREAK.search(gap) and not (gap == ". " and abbreviated))
        ):
            raw.append([])
        start = not place or (
            bool(re.search(r"[.!?:]\s", text[end : item.start])) and not abbreviated
        )
        raw[-1].append(_token(item, folded, told, start and folded not in names, following))
        end = item.end
    segments = [_segment(part, told) for part in _merged(raw)]
    if reading == "all":
        segments = [replace(each, idioms=idioms_in(_words(each))) for each in segments]
    told_of = tuple(_denied_along(segments))
    return Analysed(text, told, told_of, tuple(t for segment in told_of for t in segment.tokens))


def _denied_along(segments: Sequence[Segment]) -> Iterable[Segment]:
    """The segments, where what shares a verb shares its denial: "no texts, patents or contracts", "for books and films she never …"."""
    for place, segment in enumerate(segments):
        before = segments[place - 1] if place else None
        after = segments[place + 1] if place + 1 < len(segments) else None
        words = {token.folded for token in segment.tokens}
        if segment.negated or words & _OWN_VERB or segment.marks & _ENDS_DENIAL:
            yield segment
            continue
        is_tail = before is not None and before.negated and not words.isdisjoint(_OR)
        is_head = (
            after is not None
            and after.negated
            and segment.tokens[0].folded in PREPOSITIONS
            and after.tokens[0].folded in _JOINS
        )
        if (is_tail and segment.tokens[0].folded not in CONJUNCTIONS) or is_head:
            segment = replace(segment, marks=segment.marks | {"not"})
        elif before is not None and "except" in before.marks and _goes_on(segment):
            segment = replace(segment, marks=segment.marks | {"except"})
        yield segment


def _goes_on(segment: Segment) -> bool:
    """Whether it goes on with a row of the same kind: "except in summer and at weekends"."""
    words = [token.folded for token in segment.tokens[:2]]
    return len(words) == 2 and words[0] in _JOINS and words[1] in PREPOSITIONS


_BEFORE_ING = frozenset("after before while when since".split())


def _is_ing(found: Found) -> bool:
    return found.kind == "word" and found.text.endswith("ing") and is_verb(fold(found.text))


_OR = frozenset("or nor of noch".split())
_JOINS = _OR | {"and", "en"}
_ENDS_DENIAL = frozenset("only except if".split())
_OWN_VERB = (
    COPULA
    | PRONOUNS
    | frozenset(
        """has have had do does did can could will would may must shall should heeft hebben had hadden kan kunnen kon mag mogen moet
        moeten zal zullen zou wil willen doet doen""".split()
    )
)
"""What a stretch with a verb of its own nearly always has."""


def _joins_names(word: str, before: Token, after: Found | None) -> bool:
    """ "Henk and Tineke": one party, not two statements."""
    return (
        word in ("and", "en")
        and before.kind == "name"
        and after is not None
        and after.text[0].isupper()
    )


def _token(item: Found, folded: str, language: str, start: bool, following: Found | None) -> Token:
    if item.kind != "word":
        return Token(item.kind, item.text, folded, item.given, item.said, item.given, True, True)
    filling = is_filling(folded, language) or folded in TITLES
    capital = item.text[0].isupper() and item.text not in ("I", "I'm", "I've", "I'll", "I'd")
    if start and capital:
        capital = (
            not filling
            and folded not in marks.WORDS
            and following is not None
            and following.kind == "word"
            and (following.text[0].isupper() or _is_somebody(folded, following))
        )
    elif capital and filling and folded not in TITLES:
        capital = folded not in FILLING["en"] and folded not in FILLING["nl"]
    name = capital and folded not in TITLES and not (folded == "may" and item.text == "May")
    content = name or not (filling or folded in marks.WORDS or re.search(r"n't$", folded))
    kind = "name" if name else "word"
    entity = name or folded in KIN
    own = keys(folded)
    given = own | kinds(folded) if content else own
    return Token(kind, item.text, folded, own, _NONE, given, content, False, entity)


_NONE: frozenset[str] = frozenset()


def _is_somebody(folded: str, following: Found) -> bool:
    """Whether a word at the head of a sentence is a name by what follows: no word we know, and then an act of one person."""
    if is_known(folded) or not folded.isalpha() or folded.endswith("s"):
        return False
    act = fold(following.text)
    if act in _ACTS_OF_ONE:
        return True
    return act not in PREPOSITIONS and is_verb(act) and not is_noun(act) and act[-1:] in "stde"


_ACTS_OF_ONE = frozenset(
    "is was has had does did can will may heeft kan mag moet wil zal werd".split()
)


_COMMA = Token("word", ",", ",", _NONE, _NONE, _NONE, False)
"""Where a segment was too small to stand alone."""


def _merged(raw: Sequence[list[Token]]) -> list[list[Token]]:
    """Segments that say too little to stand alone (a name, a date, one word) go with the one before, or after."""
    merged: list[list[Token]] = []
    waiting: list[Token] = []
    for place, tokens in enumerate(raw):
        following = raw[place + 1][0].folded if place + 1 < len(raw) and raw[place + 1] else ""
        words = sum(token.content and token.kind == "word" for token in tokens)
        facts = sum(token.is_fact for token in tokens)
        negated = "not" in marks.marks_in(_stretch(tokens))
        names = any(token.kind == "name" for token in tokens)
        turns = bool(tokens) and tokens[0].folded in _TURNS
        small = not (negated or turns) and words + facts + names < 2
        if small and merged and not (following in RELATIVE and tokens[0].folded in CONJUNCTIONS):
            merged[-1].extend([_COMMA, *tokens])
        elif small and _weight(waiting) + _weight(tokens) < 2:
            waiting.extend(tokens)
        else:
            if waiting and negated:
                merged.append(waiting)
            elif waiting:
                tokens = [*waiting, _COMMA, *tokens]
            merged.append(tokens)
            waiting = []
    if waiting:
        merged.append(waiting)
    return merged


_TURNS = frozenset("only but maar alleen".split())
"""What follows is not denied with what stands before."""


def _weight(tokens: Iterable[Token]) -> int:
    return sum(token.content for token in tokens)


def _segment(tokens: list[Token], language: str) -> Segment:
    tokens = _without_marks(tokens)
    content = tuple(token for token in tokens if token.content)
    opening = next((t.folded for t in tokens if t.folded not in CONJUNCTIONS), "")
    return Segment(
        tuple(tokens), marks.marks_in(_stretch(tokens)), opening in RELATIVE, language, content
    )


def _without_marks(tokens: list[Token]) -> list[Token]:
    """The tokens, where the words of "as long as" and the like are not content."""
    stretch = _stretch(tokens)
    if not (spans := marks.long_marks(stretch)):
        return tokens
    at, kept = 0, []
    for token in tokens:
        length = 1 if token.is_fact else len(token.folded)
        inside = not token.is_fact and any(start <= at < end for start, end in spans)
        kept.append(replace(token, content=False) if inside else token)
        at += length + 1
    return kept


def _stretch(tokens: Iterable[Token]) -> str:
    return " ".join("#" if token.is_fact else token.folded.replace("_", " ") for token in tokens)


def _words(segment: Segment) -> list[str]:
    return ["#" if token.is_fact else token.folded for token in segment.tokens]


@lru_cache(maxsize=4_000)
def limited(segment: Segment) -> tuple[tuple[str, tuple[Token, ...]], ...]:
    """Each "at most", "more than" and the like of a segment that follows something it can limit, with that and the
    number or word after it."""
    found: list[tuple[str, tuple[Token, ...]]] = []
    for mark, start, end in marks.limits(_stretch(segment.tokens)):
        at, before = 0, None
        for token in segment.tokens:
            length = 1 if token.is_fact else len(token.folded)
            if token.content and at + length > start and (token.is_fact or at >= end):
                if before is not None:
                    found.append((mark, (before, token)))
                elif segment.relative:
                    found.append((mark, (token,)))
                break
            before = token if token.content else before
            at += length + 1
    names = [name for name, _ in found]
    return tuple((mark, tokens) for mark, tokens in found if names.count(mark) == 1)
