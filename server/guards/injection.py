"""Attempts to give the model other instructions than the owner's, to see its own, or to forge somebody else's turn."""

import re
from collections.abc import Sequence

from server.guards import phrases_en, phrases_nl
from server.guards.readings import plain, readings

_PATTERN = re.compile(
    "|".join(f"(?:{each})" for each in phrases_en.INJECTION + phrases_nl.INJECTION)
)
_ABOUT = re.compile(f"{phrases_en.ASKS_ABOUT}|{phrases_nl.ASKS_ABOUT}")
_SPEAKS_OF = re.compile(f"(?:{phrases_en.SPEAKS_OF})|(?:{phrases_nl.SPEAKS_OF})")
_QUOTED = re.compile(r"[\"“„«][^\"“”»]{3,200}[\"”»]|[‘'][^‘’']{8,200}[’']")
_FORGED = re.compile(
    r"<\|im_(?:start|end)\|>|\[/?inst\]|</?(?:system|passage|instructions?|assistant|tool_result)\b[^>]*>|^\s*#{2,} *(?:instruction|system)\b"
    r"|^\s*(?:system|systeem|assistant|assistent)\s*:(?!.*\?\s*$)",
    re.IGNORECASE | re.MULTILINE,
)
"""Marks with which models are told whose turn it is."""


def is_injection(text: str, more: Sequence[str] = ()) -> bool:
    """Whether any reading of the text asks for that. `more` are phrases of the owner's own, in any spelling of case and marks.

    Who asks what such words mean, with the words in quotation marks, is a visitor with a question.
    """
    if _FORGED.search(text):
        return True
    read = plain(text)
    if _SPEAKS_OF.search(read) and text.rstrip().endswith("?"):
        return False
    if _ABOUT.search(read):
        text = _QUOTED.sub(" ", text)
    wanted = [plain(phrase) for phrase in more]
    return any(
        _PATTERN.search(reading) or any(f" {phrase} " in f" {reading} " for phrase in wanted)
        for reading in readings(text)
    )
