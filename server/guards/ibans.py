"""Numbers of bank accounts."""

import re
from collections.abc import Iterator

from server.guards.folded import Span

_LENGTHS = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BR": 29, "BY": 28, "CH": 21, "CR": 22, "CY": 28,
    "CZ": 24, "DE": 22, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18,
    "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LC": 32,
    "LI": 21, "LT": 20, "LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MR": 27, "MT": 31, "MU": 30, "NL": 18, "NO": 15,
    "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "SA": 24, "SC": 31, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "ST": 25,
    "SV": 28, "TL": 23, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20,
}  # fmt: skip
"""Characters of an IBAN by country, from the SWIFT registry."""
_BEGINS = re.compile(r"(?:(?<![a-z0-9])|(?<=iban))([a-z]) ?([a-z]) ?\d ?\d", re.IGNORECASE)
_BETWEEN = " .-"


def is_iban(text: str) -> bool:
    """The country's length, and the check digits modulo 97 (ISO 13616). Upper case, without spaces."""
    if _LENGTHS.get(text[:2]) != len(text) or not (text.isascii() and text.isalnum()):
        return False
    return int("".join(str(int(c, 36)) for c in text[4:] + text[:4])) % 97 == 1


def ibans_in(text: str) -> Iterator[Span]:
    """In a folded text, from left to right. Words may follow one without a sign between: the country says where it ends."""
    after = 0
    for begins in _BEGINS.finditer(text):
        start = begins.start()
        length = _LENGTHS.get("".join(begins.groups()).upper(), 0)
        end = _end(text, start, length)
        if start < after or end is None:
            continue
        iban = "".join(c for c in text[start:end] if c not in _BETWEEN).upper()
        if is_iban(iban):
            after = end
            yield Span(start, end, f"[iban •••• {iban[-4:]}]")


def _end(text: str, start: int, length: int) -> int | None:
    """Where that many characters end, unless a further one follows at once."""
    if not length:
        return None
    gap = 0
    for place in range(start, len(text)):
        c = text[place]
        if c in _BETWEEN:
            gap += 1
            if gap > 2:
                return None
            continue
        if not (c.isascii() and c.isalnum()):
            return None
        gap = 0
        length -= 1
        if not length:
            end = place + 1
            return None if text[end : end + 1].isalnum() else end
    return None
