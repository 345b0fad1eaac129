"""Other people's text on a terminal: it must not move the cursor, change colours or hide anything."""

import unicodedata


def plain(text: str) -> str:
    """The text with every invisible or controlling character, but for line breaks, written out as `\\u{…}`."""
    return "".join(
        c if c == "\n" or unicodedata.category(c)[0] != "C" else f"\\u{{{ord(c):x}}}" for c in text
    )
