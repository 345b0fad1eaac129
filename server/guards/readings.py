"""The ways in which a message can be read: as it stands without disguise, and decoded."""

import base64
import binascii
import codecs
import html
import re
import unicodedata
from collections.abc import Iterator
from urllib.parse import unquote

_LOOK_ALIKES = str.maketrans(
    {
        "а": "a", "с": "c", "ԁ": "d", "е": "e", "һ": "h", "і": "i", "ј": "j", "ӏ": "l", "м": "m", "ո": "n", "о": "o", "р": "p",
        "ԛ": "q", "г": "r", "ѕ": "s", "т": "t", "ѵ": "v", "ԝ": "w", "х": "x", "у": "y", "ᴢ": "z", "к": "k", "в": "b", "н": "h",
        "α": "a", "β": "b", "ε": "e", "η": "n", "ι": "i", "κ": "k", "ν": "v", "ο": "o", "ρ": "p", "τ": "t", "υ": "u", "χ": "x", "γ": "y",
    }
)  # fmt: skip
"""Cyrillic, Armenian and Greek letters by the Latin ones they look like (Unicode TR 39, the common ones)."""
_LEET = str.maketrans("013457@$!|", "oieastasil")
_SPACED = re.compile(r"(?<!\w)(?:\w[ .\-_*]){2,}\w(?!\w)")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")
_HEX = re.compile(r"(?:[0-9a-fA-F]{2}[ :]?){10,}")
_WORDS_APART = re.compile(r" {2,}|[\n\t]")


def readings(text: str) -> Iterator[str]:
    """The message in lower case and plain letters, words one space apart; then each way it can be decoded, the same.

    One level deep: what is encoded twice a model does not decode by itself either.
    """
    seen = set()
    for reading in [text, *_decoded(text)]:
        letters = _letters(reading)
        for one in (_spoken(letters), _spoken(letters.translate(_LEET))):
            if one not in seen:
                seen.add(one)
                yield one


def plain(text: str) -> str:
    """Without what hides words: compatibility forms, accents, zero-width characters, look-alikes, spaced-out letters, marks."""
    return _spoken(_letters(text))


def _spoken(text: str) -> str:
    return " ".join(re.sub(r"[^\w']+", " ", text).split())


def _letters(text: str) -> str:
    text = unicodedata.normalize("NFKD", text)
    text = "".join(
        c for c in text if unicodedata.category(c) not in ("Cf", "Mn", "Cc") or c in "\n\t"
    )
    text = text.casefold().translate(_LOOK_ALIKES)
    # "i g n o r e  a l l": words are two spaces apart, or the letters are held apart by something else.
    parts = _WORDS_APART.split(text) if _SPACED.search(text) else [text]
    return " ".join(_SPACED.sub(lambda m: re.sub(r"[ .\-_*]", "", m[0]), part) for part in parts)


def _decoded(text: str) -> Iterator[str]:
    yield html.unescape(text)
    yield unquote(text)
    yield text[::-1]
    yield codecs.encode(text, "rot13")
    for found in _BASE64.findall(text):
        if decoded := _readable(_unbase64(found)):
            yield decoded
    for found in _HEX.findall(text):
        if decoded := _readable(bytes.fromhex(re.sub(r"[ :]", "", found))):
            yield decoded


def _unbase64(text: str) -> bytes:
    try:
        return base64.urlsafe_b64decode(text.rstrip("=").replace("+", "-").replace("/", "_") + "==")
    except (binascii.Error, ValueError):
        return b""


def _readable(data: bytes) -> str:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return ""
    return text if text.isprintable() else ""
