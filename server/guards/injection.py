"""Attempts to give the model other instructions than the owner's, to see its own, or to forge somebody else's turn."""

import re
from collections.abc import Iterator, Sequence

from server.guards import phrases_en, phrases_nl
from server.guards.readings import ASKED, STATED, plain, readings

_PATTERN = re.compile(
    "|".join(f"(?:{each})" for each in phrases_en.INJECTION + phrases_nl.INJECTION)
)
_ABOUT = re.compile(f"{phrases_en.ASKS_ABOUT}|{phrases_nl.ASKS_ABOUT}")
_ABOUT_OTHERS = re.compile(f"{phrases_en.ABOUT_OTHERS}|{phrases_nl.ABOUT_OTHERS}")
_KEYWORDS = (*phrases_en.KEYWORDS, *phrases_nl.KEYWORDS)
_QUOTED = re.compile(r"[\"“„«][^\"“”»]{3,200}[\"”»]|(?<!\w)[‘'][^‘’']{8,200}[’'](?!\w)")
_FORGED = re.compile(
    r"<[|｜][^|｜>]{1,40}[|｜]>|\[/?inst\]|<</?sys>>|</?(?:start_of_turn|end_of_turn|system|passage|instructions?|assistant|tool_result|tool_call)\b[^>]*>"
    r"|^\s*#{2,} *(?:instruction|system)\b|^\s*\[(?:system|assistant|tool)\]|\"role\"\s*:\s*\"(?:system|assistant|tool|developer)\""
    r"|^\s*(?:system|systeem|assistant|assistent|developer|tool(?: ?(?:result|output|resultaat))?)\s*:(?![^\n]*\?\s*$)",
    re.IGNORECASE | re.MULTILINE,
)
"""Marks with which models are told whose turn it is."""
_SHOUTED = re.compile(
    r"\b(?:SYSTEM|SYSTEEM|ASSISTANT|DEVELOPER)\s*:\s(?![^\n]*\?\s*$)", re.MULTILINE
)
"""The same in the middle of a line, where only capitals tell it from a word."""


def is_injection(text: str, more: Sequence[str] = ()) -> bool:
    """Whether any reading of the text asks for that. `more` are phrases of the owner's own, in any spelling of case and marks.

    Who asks what such words mean, with the words in quotation marks, or whether others tried, is a visitor with a question.
    """
    if _FORGED.search(text) or _SHOUTED.search(text):
        return True
    if _ABOUT.search(plain(text)):
        text = _QUOTED.sub(" ", text)
    wanted = [plain(phrase) for phrase in more]
    return any(
        _PATTERN.search(" ".join(_own(reading)))
        or any(f" {phrase} " in f" {_unmarked(reading)} " for phrase in wanted)
        for reading in readings(text, _KEYWORDS)
    )


def _own(reading: str) -> Iterator[str]:
    """The reading's sentences, but for questions about others."""
    for sentence in re.split(rf"(?<= [{STATED}{ASKED}]) ", reading):
        if not (sentence.endswith(ASKED) and _ABOUT_OTHERS.search(sentence)):
            yield sentence


def _unmarked(reading: str) -> str:
    return " ".join(reading.replace(STATED, " ").replace(ASKED, " ").split())
