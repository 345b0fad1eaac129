"""What a message says when it is decoded, in the ways that models decode without being asked twice."""

import base64
import binascii
import html
import re
from collections.abc import Callable, Iterator
from urllib.parse import unquote

_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")
_BASE32 = re.compile(r"[A-Z2-7]{24,}={0,6}")
_HEX = re.compile(r"(?:(?:\\x|0x)?[0-9a-fA-F]{2}[ :,]{0,2}){10,}")
_BINARY = re.compile(r"(?:[01]{8} ?){8,}")
_ESCAPED = re.compile(r"\\u\{?([0-9a-fA-F]{4})\}?")
_TAGS = range(0xE0020, 0xE007F)
"""Invisible doubles of the ASCII characters."""


def decoded(text: str) -> Iterator[str]:
    """HTML entities, percent signs, backslash escapes, backwards, invisible tags, base64, base32, hex and binary."""
    yield html.unescape(text)
    yield unquote(text)
    yield _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)
    yield text[::-1]
    if hidden := "".join(chr(ord(c) - 0xE0000) for c in text if ord(c) in _TAGS):
        yield hidden
    for pattern, decode in _CODES:
        for found in pattern.findall(text):
            if readable := _readable(found, decode):
                yield readable


def _unbase64(text: str) -> bytes:
    return base64.urlsafe_b64decode(text.rstrip("=").replace("+", "-").replace("/", "_") + "==")


def _unbase32(text: str) -> bytes:
    bare = text.rstrip("=")
    return base64.b32decode(bare + "=" * (-len(bare) % 8))


def _unhex(text: str) -> bytes:
    return bytes.fromhex(re.sub(r"\\x|0x|[ :,]", "", text))


def _unbinary(text: str) -> bytes:
    digits = text.replace(" ", "")
    return bytes(int(digits[place : place + 8], 2) for place in range(0, len(digits), 8))


_CODES: tuple[tuple[re.Pattern[str], Callable[[str], bytes]], ...] = (
    (_BASE64, _unbase64),
    (_BASE32, _unbase32),
    (_HEX, _unhex),
    (_BINARY, _unbinary),
)


def _readable(code: str, decode: Callable[[str], bytes]) -> str:
    try:
        text = decode(code).decode("utf-8")
    except (binascii.Error, ValueError):
        return ""
    return text if all(c.isprintable() or c.isspace() for c in text) else ""
