"""Numbers that nobody should type into a chat: payment cards, bank accounts, citizen service numbers. Found, and masked."""

import re
from typing import Literal

from server.guards.bsns import bsns_in
from server.guards.cards import cards_in
from server.guards.folded import folded, replaced
from server.guards.ibans import ibans_in

Number = Literal["card", "iban", "bsn"]

_FIND = (("iban", ibans_in), ("card", cards_in), ("bsn", bsns_in))
"""Accounts first: some hold what looks like a card."""
_MARKED = re.compile(r"\[(card|iban|bsn) •••• \w{2,4}\]")


def masked(text: str, numbers: frozenset[Number]) -> str:
    """The text with each such number as `[card •••• 1111]`: enough to know it again, nothing to pay with. What is typed right
    after a card (its expiry, its security code) goes with it."""
    for name, find in _FIND:
        if name in numbers:
            at = folded(text)
            text = replaced(text, at, find(at.text))
    return text


def masks_in(text: str) -> set[str]:
    """What was masked in the text."""
    return set(_MARKED.findall(text))
