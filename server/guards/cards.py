"""Numbers of payment cards, and what is typed after one: its expiry and its security code."""

import re
from collections.abc import Iterator, Sequence

from server.guards.folded import BETWEEN, Span, digit_groups

_SCHEMES = re.compile(
    r"4\d{12}(?:\d{3}){0,2}"  # Visa
    r"|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}"  # Mastercard
    r"|3[47]\d{13}"  # American Express
    r"|6(?:011|5\d\d|4[4-9]\d)\d{12}(?:\d{3})?"  # Discover
    r"|3(?:0[0-5]|[689]\d)\d{11}"  # Diners Club
    r"|35(?:2[89]|[3-8]\d)\d{12}"  # JCB
    r"|62\d{14}(?:\d{3})?"  # UnionPay
    r"|(?:5018|5020|5038|5893|6304|6759|676[1-3])\d{9,15}"  # Maestro
)
"""Prefixes and lengths by ISO/IEC 7812 and the schemes' own publications."""
_CODE = re.compile(
    r"\b(?:cvc2?|cvv2?|cvn|cid|security code|(?:beveiligings|veiligheids|controle)code)\b\W{0,3}(?:is |= ?)?(\d{3,4})(?!\d)",
    re.IGNORECASE,
)
_GLUED = re.compile(r"\b(?:card|cc|visa|mastercard|maestro|amex|kaart|nr|no)$", re.IGNORECASE)
"""What a number may stick to; to other letters it is a part of some other code."""
_LONGEST = 19


def is_card(digits: str) -> bool:
    """The prefix and length of a card scheme, and Luhn's check digit (ISO/IEC 7812-1)."""
    if not _SCHEMES.fullmatch(digits):
        return False
    doubled = [int(d) * (1 + place % 2) for place, d in enumerate(reversed(digits))]
    return sum(n - 9 * (n > 9) for n in doubled) % 10 == 0


def cards_in(text: str) -> Iterator[Span]:
    """In a folded text, from left to right: each card with the short numbers right after it, and security codes."""
    groups = digit_groups(text)
    found = False
    place = 0
    while place < len(groups):
        end = _card_end(text, groups, place)
        if end is None:
            place += 1
            continue
        found = True
        start, last = groups[place][0], groups[end - 1][1]
        digits = re.sub(r"\D", "", text[start:last])
        while end < len(groups) and _joined(text, groups, end) and _length(groups[end]) <= 4:
            last = groups[end][1]
            end += 1
        yield Span(start, last, f"[card •••• {digits[-4:]}]")
        place = end
    if found:
        for code in _CODE.finditer(text):
            yield Span(*code.span(1), "•••")


def _card_end(text: str, groups: Sequence[tuple[int, int]], first: int) -> int | None:
    """The place after the last group of the card that begins there."""
    begin = groups[first][0]
    sticks = begin > 0 and (text[begin - 1].isalpha() or text[begin - 1] == "+")
    if sticks and not _GLUED.search(text[max(0, begin - 12) : begin]):
        return None
    size = _length(groups[first])
    if size < 13 and first and _joined(text, groups, first) and _length(groups[first - 1]) == size:
        return None  # in the middle of a row of groups
    sizes: list[int] = []
    for place in range(first, len(groups)):
        if place > first and not _joined(text, groups, place):
            return None
        sizes.append(_length(groups[place]))
        if sum(sizes) > _LONGEST:
            return None
        end = groups[place][1]
        whole = _is_shape(sizes) and not text[end : end + 1].isalpha()
        if whole and is_card(re.sub(r"\D", "", text[begin:end])):
            return place + 1
    return None


def _is_shape(sizes: Sequence[int]) -> bool:
    """Whether a card is written like that: in one, in fours, in twos, digit by digit, or as American Express does."""
    if len(sizes) == 1 or tuple(sizes) in ((4, 6, 5), (4, 6, 4)):
        return True
    *most, last = sizes
    return set(most) in ({1}, {2}, {4}) and last <= most[0]


def _joined(text: str, groups: Sequence[tuple[int, int]], place: int) -> bool:
    return BETWEEN.fullmatch(text, groups[place - 1][1], groups[place][0]) is not None


def _length(group: tuple[int, int]) -> int:
    return group[1] - group[0]
