"""Words and facts of a text: numbers, dates, times, money, percentages, addresses can be checked to the letter."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from server.grounding.forms import CURRENCIES, MONTHS, WEEKDAYS, forms_of
from server.grounding.numerals import number_of
from server.grounding.words import fold

_MONTH = "|".join(sorted(MONTHS, key=len, reverse=True))
_DAY = "|".join(WEEKDAYS)
_NUM = r"\d+(?:[.,]\d+)*"
_LARGE = r"(?:\s?(?:million|billion|thousand|miljoen|miljard|duizend)\b)?"
_CURRENCY = r"euros?|eur|dollars?|usd|pounds?|gbp|pond|€"
_ADDRESSES = r"""(?P<email>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)
  | (?P<url>(?:https?://|www\.)[^\s<>()\]"]*[^\s<>()\]".,;:!?*_]
      |\b[a-z0-9-]{2,}(?:\.[a-z0-9-]{2,})*\.[a-z]{2,}/[^\s<>()\]".,;:!?*]+)"""
_NUMBERS = rf"""(?P<date>\b\d{{4}}-\d\d-\d\d\b|\b\d{{1,2}}[-/.]\d{{1,2}}[-/.]\d{{4}}\b
      |\b\d{{1,2}}(?:st|nd|rd|th|e|ste|de)?(?:\s+of)?\s+(?:{_MONTH})\b(?:,?\s+\d{{4}}\b)?
      |\b(?:{_MONTH})\s+\d{{1,2}}(?:st|nd|rd|th)?\b(?![:.,]\d)(?:,?\s+\d{{4}}\b)?
      |\b(?:{_MONTH})\s+\d{{4}}\b)
  | (?P<phone>(?<![\w.,])(?:\+|\(?0)\d[\d\s()-]{{6,}}\d\b)
  | (?P<money>(?:[€$£]|\b(?:eur|usd|gbp)\b)\s?{_NUM}{_LARGE}|\b{_NUM}{_LARGE}\s?(?:{_CURRENCY})(?!\w))
  | (?P<percent>\b{_NUM}\s?(?:%|per\s?cent\b|procent\b))
  | (?P<time>\b\d{{1,2}}[:.]\d\d\s?(?:[ap]\.?m\b\.?|uur\b|u\b|h\b)|\b\d{{1,2}}:\d\d\b
      |\b\d{{1,2}}\s?(?:[ap]\.?m\b\.?|uur\b|o'clock\b))
  | (?P<number>\b{_NUM}{_LARGE}(?![\w]))"""
_WORDS = rf"""(?P<weekday>\b(?:{_DAY})(?:s|en)?(?=\b|ochtend|middag|avond))
  | (?P<word>(?:[^\W\d_]|['’](?=\w))(?:[^\W_]|['’](?=\w)|&)*)"""


@cache
def _pattern(addresses: bool, numbers: bool) -> re.Pattern[str]:
    """What to look for in a text that has these; most have neither, and looking costs time."""
    kinds = [_ADDRESSES] * addresses + [_NUMBERS] * numbers + [_WORDS]
    return re.compile("|".join(kinds), re.VERBOSE | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Found:
    """A piece of text: a word (`kind` "word", no forms) or a fact."""

    kind: str
    text: str
    start: int
    end: int
    said: frozenset[str] = frozenset()
    given: frozenset[str] = frozenset()


def scan(text: str) -> Iterator[Found]:
    """The words and facts of a (plain) text, in order."""
    waiting: Found | None = None
    addresses = "@" in text or "/" in text or "www." in text
    pattern = _pattern(addresses, any(character.isdigit() for character in text))
    for match in pattern.finditer(text):
        found = _found(match)
        if waiting is not None:
            if joined := _joined(waiting, found, text):
                waiting = joined
                continue
            yield waiting
            waiting = None
        if found.kind == "number":
            waiting = found
        else:
            yield found
    if waiting is not None:
        yield waiting


def _found(match: re.Match[str]) -> Found:
    kind = match.lastgroup or "word"
    if kind == "word":
        if match[0] == "May" and _ASKS.match(match.string, match.end()):
            return Found("word", match[0], match.start(), match.end())
        return _word(match[0], match.start(), match.end())
    said, given = forms_of(kind, match[0])
    return Found(kind, match[0], match.start(), match.end(), said, given)


def _measured(number: Found, unit: Found, text: str) -> Found | None:
    word = fold(unit.text)
    sign = "%" if word in ("percent", "procent") else CURRENCIES.get(word)
    if sign is None:
        return None
    kind = "percent" if sign == "%" else "money"
    forms = frozenset(sign + form[2:] for form in number.said if form.startswith("n:"))
    return Found(kind, text[number.start : unit.end], number.start, unit.end, forms, forms)


_ASKS = re.compile(r"\s+(?:I|we|you|he|she|they|it|the)\b")


def _joined(first: Found, second: Found, text: str) -> Found | None:
    """One fact of two words: "twenty-five", "four hundred", "ten percent", "drie euro"."""
    if second.kind == "word" and text[first.end : second.start] == " ":
        return _measured(first, second, text)
    if (
        second.kind != "number"
        or text[first.end : second.start] not in ("-", " ")
        or first.text[0].isdigit()
    ):
        return None
    (one, *_), (two, *_) = first.said, second.said
    a, b = float(one[2:]), float(two[2:])
    if b in (100, 1000) and a < 1000:
        value = a * b
    elif a >= 20 and b < (10 if a < 100 else 100) and a % (10 if a < 100 else 100) == 0:
        value = a + b
    else:
        return None
    form = frozenset({f"n:{value:.12g}"})
    return Found("number", text[first.start : second.end], first.start, second.end, form, form)


def _word(body: str, start: int, end: int) -> Found:
    folded = fold(body)
    if _is_month(folded, body):
        form = frozenset({f"m:{MONTHS[folded]}"})
        return Found("date", body, start, end, form, form)
    if (value := number_of(folded)) is not None:
        form = frozenset({f"n:{value:.12g}"})
        return Found("number", body, start, end, form, form)
    return Found("word", body, start, end)


def _is_month(folded: str, body: str) -> bool:
    """A month without a number. "may" and "march" are verbs; Dutch months have no capital, people have."""
    if folded in ("may", "march", "mar", "jan"):
        return body in ("May", "March")
    return folded in MONTHS and body not in ("Augustus", "Juni", "Juli")
