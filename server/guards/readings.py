"""The ways in which a message can be read: as it stands without disguise, and decoded."""

import codecs
import re
import unicodedata
from collections.abc import Collection, Iterator

from server.guards.decoded import decoded

STATED = "/"
"""Stands in a reading where a statement ends."""
ASKED = "?"
"""Where a question ends."""

_LOOK_ALIKES = str.maketrans(
    {
        "а": "a", "с": "c", "ԁ": "d", "е": "e", "һ": "h", "і": "i", "ј": "j", "ӏ": "l", "м": "m", "ո": "n", "о": "o", "р": "p",
        "ԛ": "q", "г": "r", "ѕ": "s", "т": "t", "ѵ": "v", "ԝ": "w", "х": "x", "у": "y", "ᴢ": "z", "к": "k", "в": "b", "н": "h",
        "α": "a", "β": "b", "ε": "e", "η": "n", "ι": "i", "κ": "k", "ν": "v", "ο": "o", "ρ": "p", "τ": "t", "υ": "u", "χ": "x", "γ": "y",
        # Letters in circles and squares that have no compatibility form.
        **{chr(first + n): chr(97 + n) for first in (0x1F150, 0x1F170, 0x1F1E6) for n in range(26)},
    }
)  # fmt: skip
"""Cyrillic, Armenian and Greek letters by the Latin ones they look like (Unicode TR 39, the common ones)."""
_LEET = str.maketrans("013457@$|", "oieastasl")
_LEET_MARK = re.compile(r"!(?=\w)")
_SPACED = re.compile(r"(?<!\w)(?:\w[ .\-_*]){2,}\w(?!\w)")
_SPACED_PART = re.compile(r"\w(?:[ .\-_*]\w)+")
_WORDS_APART = re.compile(r" {2,}|[\n\t]")
_APOSTROPHES = re.compile(r"(?<=\w)['’ʼ](?=\w)")
_SENTENCE = re.compile(r"([^.!?]*)([.!?]+(?=\s|$)|[.!?]|$)")
_LEAST_WORDS = 3
"""Of a sentence. What is shorter is read on: full stops between words are a disguise, too."""


def readings(text: str, keywords: Collection[str] = ()) -> Iterator[str]:
    """The message in lower case and plain letters, words one space apart, `STATED` and `ASKED` after sentences; then each way it
    can be decoded, the same. `keywords` are put right where their letters stand in another order.

    One level deep: what is encoded twice a model does not decode by itself either.
    """
    shapes = {_shape(word): word for word in keywords}
    seen = set()
    for reading in [text, codecs.encode(text, "rot13"), *decoded(text)]:
        letters = _letters(reading)
        for one in (letters, _LEET_MARK.sub("i", letters).translate(_LEET)):
            spoken = " ".join(shapes.get(_shape(word), word) for word in _sentences(one).split())
            if spoken not in seen:
                seen.add(spoken)
                yield spoken


def plain(text: str) -> str:
    """Without what hides words: compatibility forms, accents, zero-width characters, look-alikes, spaced-out letters, marks."""
    return _words(_letters(text))


def _shape(word: str) -> str:
    """The same for a word whose inner letters changed places."""
    return word[0] + "".join(sorted(word[1:-1])) + word[-1] if len(word) > 3 else word


def _sentences(text: str) -> str:
    out: list[str] = []
    count = 0
    for said, mark in _SENTENCE.findall(text):
        words = _words(said)
        count += len(words.split())
        out.append(words)
        if mark and count >= _LEAST_WORDS:
            out.append(ASKED if "?" in mark else STATED)
            count = 0
    return " ".join(" ".join(out).split())


def _words(text: str) -> str:
    return " ".join(re.sub(r"[\W_]+", " ", _APOSTROPHES.sub("", text)).split())


def _letters(text: str) -> str:
    text = unicodedata.normalize("NFKD", text)
    text = "".join(
        c for c in text if unicodedata.category(c) not in ("Cf", "Mn", "Cc") or c in "\n\t"
    )
    text = text.casefold().translate(_LOOK_ALIKES)
    # "i g n o r e  a l l": words are two spaces apart, or the letters are held apart by something else.
    if not _SPACED.search(text):
        return text
    return " ".join(map(_joined, _WORDS_APART.split(text)))


def _joined(part: str) -> str:
    if _SPACED_PART.fullmatch(part):
        return re.sub(r"[ .\-_*]", "", part)
    return _SPACED.sub(lambda found: re.sub(r"[ .\-_*]", "", found[0]), part)
