"""Answers a question with sentences from the passages, word for word, each with its mark. Pure."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from server.adapters.models.phrases import QUOTED
from server.adapters.models.reading import content_words
from server.domain.knowledge import Found

MOST_QUOTES = 3
_CODE = re.compile(r"^(```|~~~).*?(?:^\1|\Z)", re.MULTILINE | re.DOTALL)
_OWN_LINE = re.compile(
    r"^(\s*(?:#|(?:sources?|bron(?:nen)?)\s*:).*)$", re.MULTILINE | re.IGNORECASE
)
_BLOCK = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*+•]|\d+[.)])\s)")
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d+[.)])\s+")
_LEFT_OUT = re.compile(r"^(?:#|\||>|(?:sources?|bron(?:nen)?)\s*:)", re.IGNORECASE)
_END = re.compile(r"[.!?…]+[\"'”’)]*\s+")
_GOES_ON = re.compile(
    r"(?:\b(?:dr|mr|mrs|ms|prof|st|vol|no|nr|pp|p|ca|etc|vs|bijv|bv|dhr|mevr|drs|ir|ing|jr|sr|"
    r"i\.e|e\.g|d\.w\.z|o\.a|t\.a\.v|a\.u\.b)|\b[A-Z])\.$",
    re.IGNORECASE,
)
_NEAR_BEST = 0.6


@dataclass(frozen=True, slots=True)
class _Candidate:
    place: tuple[int, int]
    sentence: str
    words: frozenset[str]
    weight: float


def quotes(question: str, evidence: Sequence[Found]) -> str:
    """One to three sentences that share most with the question, in reading order; empty when no passage is
    close enough to answer from.

    A word counts less the more of the sentences hold it. When none holds any, as when question and passage
    are in different languages, the best passage's first two sentences are quoted: the search found it.
    """
    candidates = [
        _Candidate((n, at), sentence, frozenset(content_words(sentence)), 1 + 0.5 / (rank + 1))
        for rank, (n, found) in enumerate(_answerable(evidence))
        for at, sentence in enumerate(sentences(found.passage.text))
    ]
    if not candidates:
        return ""
    spread = Counter(word for candidate in candidates for word in candidate.words)
    asked = frozenset(content_words(question)) & spread.keys()

    def score(candidate: _Candidate) -> float:
        return candidate.weight * sum(1 / spread[word] for word in candidate.words & asked)

    ranked = sorted(candidates, key=lambda c: (-score(c), c.place))
    best = score(ranked[0])
    if best:
        chosen = [c for c in ranked[:MOST_QUOTES] if score(c) >= _NEAR_BEST * best]
    else:
        chosen = [c for c in candidates if c.place[0] == candidates[0].place[0]][:2]
    return _joined(sorted(chosen, key=lambda c: c.place))


def sentences(text: str) -> list[str]:
    """The sentences of a Markdown text as written, lines joined; without headings, tables, code and sources."""
    found: list[str] = []
    for prose in paragraphs(text):
        start = 0
        for end in _END.finditer(prose):
            before, after = (
                prose[max(0, end.end() - 12) : end.end()],
                prose[end.end() : end.end() + 1],
            )
            if _GOES_ON.search(before.rstrip()) or after.islower():
                continue
            found.append(prose[start : end.end()].rstrip())
            start = end.end()
        found.append(prose[start:])
    # A mark of the page's own would be read as a citation of ours.
    return [sentence for sentence in found if sentence and not QUOTED.search(sentence)]


def paragraphs(text: str) -> list[str]:
    """The paragraphs and list items of a Markdown text, each on one line; what is left out is as above."""
    text = _OWN_LINE.sub(r"\n\1\n\n", _CODE.sub("\n\n", text))
    blocks = [block for block in _BLOCK.split(text) if not _LEFT_OUT.match(block.strip())]
    return [prose for block in blocks if (prose := " ".join(_BULLET.sub("", block).split()))]


def _answerable(evidence: Sequence[Found]) -> list[tuple[int, Found]]:
    numbered = [(n, found) for n, found in enumerate(evidence, 1) if found.answerable]
    return sorted(numbered, key=lambda pair: -pair[1].score)


def _joined(chosen: Sequence[_Candidate]) -> str:
    text = ""
    for candidate in chosen:
        gap = " " if candidate.sentence[-1] in ".!?…\"”'’)" else "\n"
        text += f"{candidate.sentence} [{candidate.place[0]}]{gap}"
    return text.strip()
