"""Numbers that nobody should type into a chat: payment cards, bank accounts, citizen service numbers. Found, and masked."""

import re
from collections.abc import Callable
from typing import Literal

Number = Literal["card", "iban", "bsn"]

_DIGITS = re.compile(r"(?<![\w+])\d(?:[ -]?\d){12,18}(?![\w-]|[ -]\d)")
_CARD = re.compile(
    r"4\d{12}(?:\d{3}){0,2}|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|6(?:011|5\d\d|4[4-9]\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11}|35\d{14}"
)
"""Visa, Mastercard, American Express, Discover, Diners and JCB, by the prefixes of ISO/IEC 7812."""
_IBAN = re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}(?!\w)", re.IGNORECASE)
_IBAN_LENGTHS = {
    "AT": 20, "BE": 16, "BG": 22, "CH": 21, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "EE": 20, "ES": 24, "FI": 18, "FR": 27, "GB": 22, "GR": 27,
    "HR": 21, "HU": 28, "IE": 22, "IS": 26, "IT": 27, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "MC": 27, "MT": 31, "NL": 18, "NO": 15, "PL": 28,
    "PT": 25, "RO": 24, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "TR": 26,
}  # fmt: skip
"""Characters of an IBAN by country, from the SWIFT registry."""
_BSN = re.compile(r"(?<![\w.])\d(?:[. ]?\d){7,8}(?![\w]|[. ]\d)")
_BSN_MEANT = re.compile(
    r"\b(?:bsn|burgerservice\s?nummer|sofi\s?-?nummer|citizen service number)\b", re.IGNORECASE
)
_MARKED = re.compile(r"\[(card|iban|bsn) •••• \w{2,4}\]")


def masked(text: str, numbers: frozenset[Number]) -> str:
    """The text with each such number as `[card •••• 1111]`: enough to know it again, nothing to pay with."""
    if "card" in numbers:
        text = _DIGITS.sub(_mask("card", is_card, 4), text)
    if "iban" in numbers:
        text = _IBAN.sub(_mask_iban, text)
    if "bsn" in numbers and _BSN_MEANT.search(text):
        text = _BSN.sub(_mask("bsn", is_bsn, 2), text)
    return text


def masks_in(text: str) -> set[str]:
    """What was masked in the text."""
    return set(_MARKED.findall(text))


def is_card(digits: str) -> bool:
    """The prefix and length of a card scheme, and Luhn's check digit (ISO/IEC 7812-1)."""
    if not _CARD.fullmatch(digits):
        return False
    doubled = [int(d) * (1 + place % 2) for place, d in enumerate(reversed(digits))]
    return sum(n - 9 * (n > 9) for n in doubled) % 10 == 0


def is_iban(text: str) -> bool:
    """The country's length, and the check digits modulo 97 (ISO 13616). Upper case, without spaces."""
    if _IBAN_LENGTHS.get(text[:2]) != len(text):
        return False
    return int("".join(str(int(c, 36)) for c in text[4:] + text[:4])) % 97 == 1


def is_bsn(digits: str) -> bool:
    """The eleven check of Dutch citizen service numbers; eight digits begin with a zero that was left out."""
    digits = digits.zfill(9)
    weights = (9, 8, 7, 6, 5, 4, 3, 2, -1)
    total = sum(int(d) * weight for d, weight in zip(digits, weights, strict=True))
    return total % 11 == 0 and int(digits) > 0


def _mask(name: Number, is_one: Callable[[str], bool], kept: int) -> Callable[[re.Match[str]], str]:
    def mask(found: re.Match[str]) -> str:
        digits = re.sub(r"\D", "", found[0])
        return f"[{name} •••• {digits[-kept:]}]" if is_one(digits) else found[0]

    return mask


def _mask_iban(found: re.Match[str]) -> str:
    """Words may follow an IBAN without anything between: the country says where it ends."""
    text = found[0]
    length = _IBAN_LENGTHS.get(text[:2].upper(), 0)
    ends = [place for place, c in enumerate(text, 1) if c != " "]
    if not 0 < length <= len(ends):
        return text
    end = ends[length - 1]
    iban = text[:end].replace(" ", "").upper()
    if not is_iban(iban) or (end < len(text) and text[end] != " "):
        return text
    return f"[iban •••• {iban[-4:]}]{text[end:]}"
