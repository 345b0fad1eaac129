"""Dutch citizen service numbers, where the message speaks of one."""

import re
from collections.abc import Iterator

from server.guards.folded import BETWEEN, Span, digit_groups

_MEANT = re.compile(
    r"\bbsn|burger ?service ?-?(?:nummer|nr)|\bsofi|citizen service n", re.IGNORECASE
)
_NEAR = 80
"""Characters between the word and the number."""
_ANOTHER = re.compile(
    r"(?:order|bestel|factuur|klant|lid|invoice|customer|member|tel|bel|call|phone|mobiel)[a-z]*\W{0,3}(?:nummer|number|nr|no)?\W{0,3}$",
    re.IGNORECASE,
)
"""Names another kind of number, right before it."""


def is_bsn(digits: str) -> bool:
    """The eleven check of Dutch citizen service numbers; eight digits begin with a zero that was left out."""
    digits = digits.zfill(9)
    weights = (9, 8, 7, 6, 5, 4, 3, 2, -1)
    total = sum(int(d) * weight for d, weight in zip(digits, weights, strict=True))
    return total % 11 == 0 and int(digits) > 0


def bsns_in(text: str) -> Iterator[Span]:
    """In a folded text, from left to right."""
    meant = [found.span() for found in _MEANT.finditer(text)]
    groups = digit_groups(text) if meant else []
    place = 0
    while place < len(groups):
        end = _bsn_end(text, groups, place)
        if end and _is_meant(text, groups[place][0], groups[end - 1][1], meant):
            start, last = groups[place][0], groups[end - 1][1]
            digits = re.sub(r"\D", "", text[start:last])
            yield Span(start, last, f"[bsn •••• {digits[-2:]}]")
        place = end or place + 1


def _is_meant(text: str, start: int, end: int, meant: list[tuple[int, int]]) -> bool:
    near = any(begin - _NEAR <= end and start <= stop + _NEAR for begin, stop in meant)
    return near and not _ANOTHER.search(text[max(0, start - 40) : start])


def _bsn_end(text: str, groups: list[tuple[int, int]], first: int) -> int | None:
    begin = groups[first][0]
    if begin and (text[begin - 1].isalpha() or text[begin - 1] in "+_"):
        return None
    for place in range(first, len(groups)):
        if place > first and not BETWEEN.fullmatch(text, groups[place - 1][1], groups[place][0]):
            return None
        end = groups[place][1]
        digits = re.sub(r"\D", "", text[begin:end])
        if len(digits) > 9:
            return None
        # Eight of nine digits are not a number of eight; but another number may follow a whole one.
        goes_on = (
            len(digits) == 8
            and place + 1 < len(groups)
            and groups[place + 1][1] - groups[place + 1][0] == 1
            and BETWEEN.fullmatch(text, end, groups[place + 1][0])
        )
        if (
            len(digits) >= 8
            and not goes_on
            and not text[end : end + 1].isalpha()
            and is_bsn(digits)
        ):
            return place + 1
    return None
