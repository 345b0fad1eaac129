"""Attempts to give the model other instructions than the owner's, to see its own, or to forge somebody else's turn."""

import re
from collections.abc import Sequence

from server.guards import phrases_en, phrases_nl
from server.guards.readings import ASKED, STATED, plain, readings

_PATTERN = re.compile(
    "|".join(f"(?:{each})" for each in phrases_en.INJECTION + phrases_nl.INJECTION)
)
_ALLEGED = re.compile("|".join(f"(?:{each})" for each in phrases_en.ALLEGED + phrases_nl.ALLEGED))
_PASSED_ON = re.compile(f"{phrases_en.PASSED_ON}|{phrases_nl.PASSED_ON}")
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
        _asks_for_it(reading)
        or any(f" {phrase} " in f" {_unmarked(reading)} " for phrase in wanted)
        for reading in readings(text, _KEYWORDS)
    )


def _asks_for_it(reading: str) -> bool:
    """Whether its sentences do, but for questions about others. A message for the owner may say that somebody agreed."""
    own = [each for each in _sentences(reading) if not _is_about_others(each)]
    to_the_twin = [each for each in own if not _PASSED_ON.search(each)]
    return bool(_PATTERN.search(" ".join(own)) or _ALLEGED.search(" ".join(to_the_twin)))


def _sentences(reading: str) -> list[str]:
    return re.split(rf"(?<= [{STATED}{ASKED}]) ", reading)


def _is_about_others(sentence: str) -> bool:
    return sentence.endswith(ASKED) and _ABOUT_OTHERS.search(sentence) is not None


def _unmarked(reading: str) -> str:
    return " ".join(reading.replace(STATED, " ").replace(ASKED, " ").split())
