"""Reads what a visitor wrote: plain words, language, cues, ways to be reached. Pure."""

import re
import unicodedata
from collections.abc import Iterable, Sequence

from server.adapters.models.phrases import STOPWORDS, TELLING

# What is a small word in one language and carries a meaning in the other is kept.
ALL_STOPWORDS = frozenset().union(*STOPWORDS.values()) - {"die", "door"}
_ACCENTS = re.compile("[\u0300-\u036f]")
_EMAIL = re.compile(r"[\w.%+'-]{1,64}@(?:[\w-]{1,63}\.){1,8}[^\W\d_]{2,24}")
_PHONE = re.compile(r"(?<![\w+])(?:\+|\(?0|00)[\d ()./-]{7,22}\d(?!\w)")
_ANY_NUMBER = re.compile(r"(?<![\w+])\+?\(?\d[\d ()./-]{6,22}\d(?!\w)")
_DATE = re.compile(r"\d{1,4}[-/. ]\d{1,2}[-/. ]\d{1,4}")


class Reader:
    """Reads with one owner's name in mind."""

    def __init__(self, owner_name: str) -> None:
        names = _words(owner_name)
        parts = [n for n in names if len(n) > 2 and n not in ALL_STOPWORDS and n != "owner"]
        known = [" ".join(names), *parts] if names else []
        self._names = re.compile(rf"\b(?:{'|'.join(map(re.escape, known))})\b") if known else None

    def plain(self, text: str) -> str:
        """Lower-case words with single spaces and nothing else, the owner's name as `owner`."""
        words = " ".join(_words(text))
        return (
            re.sub(r"\bowner( owner)+\b", "owner", self._names.sub("owner", words))
            if self._names
            else words
        )

    def has(self, text: str, cues: str | Sequence[str]) -> bool:
        """Whether one of the cues is somewhere in the text."""
        plain = self.plain(text)
        return any(re.search(rf"\b(?:{cue})\b", plain) for cue in _each(cues))

    def is_all(self, text: str, cue: str) -> bool:
        """Whether the text is this and nothing else."""
        return re.fullmatch(cue, self.plain(text)) is not None

    def content_besides(self, text: str, cues: Sequence[str]) -> int:
        """How many words with a meaning there are besides the cues and ways to be reached."""
        for found in ways_to_reach(text, asked=False):
            text = text.replace(found, " ")
        plain = self.plain(text)
        for cue in cues:
            plain = re.sub(rf"\b(?:{cue})\b", " ", plain)
        return sum(word not in ALL_STOPWORDS and word != "owner" for word in plain.split())


def content_words(text: str) -> list[str]:
    """The words that carry the meaning, cut to crude stems so that forms of a word meet."""
    return [_stem(word) for word in _words(text) if word not in ALL_STOPWORDS]


def language_of(texts: Iterable[str], languages: Sequence[str]) -> str:
    """The language of the first text that shows one, by its small words; else the first of the languages."""
    offered = [language for language in languages if language in STOPWORDS] or ["en"]
    for text in texts:
        words = _words(text)
        counts = {each: sum(word in TELLING[each] for word in words) for each in offered}
        best = max(offered, key=lambda each: counts[each])
        if all(counts[best] > counts[other] for other in offered if other != best):
            return best
    return offered[0]


def ways_to_reach(text: str, *, asked: bool) -> list[str]:
    """E-mail addresses and phone numbers as they were written.

    A number counts as a phone number when it begins like one (`+`, `0`), and, after we asked for one, when it
    has at least eight digits. Dates don't.
    """
    found = [match.group().lstrip(".'") for match in _EMAIL.finditer(text)]
    rest = _EMAIL.sub(" ", text)
    for match in (_ANY_NUMBER if asked else _PHONE).finditer(rest):
        number = match.group().strip()
        digits = sum(character.isdigit() for character in number)
        if 8 <= digits <= 15 and not _DATE.fullmatch(number):
            found.append(number)
    return found


def _words(text: str) -> list[str]:
    plain = _ACCENTS.sub("", unicodedata.normalize("NFKD", text)).casefold()
    return re.findall(r"[^\W_]+", re.sub(r"['’‘]", "", plain))


def _stem(word: str) -> str:
    for ending in ("ings", "ing", "ed", "es", "en", "s", "e", "t"):
        if word.endswith(ending) and len(word) - len(ending) >= 2 and not word.isdigit():
            word = word.removesuffix(ending)
            break
    return word[:7]


def _each(cues: str | Sequence[str]) -> Sequence[str]:
    return [cues] if isinstance(cues, str) else cues
