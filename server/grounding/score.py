"""How well a text rests on passages, as one number: for measuring and ranking, not for deciding."""

import re
from collections.abc import Sequence
from itertools import pairwise

from server.grounding.analysis import Analysed, Token, analyse
from server.grounding.blocks import split
from server.grounding.coverage import covers
from server.grounding.evidence import Evidence, Source
from server.grounding.objections import objection
from server.grounding.words import fold

_WEIGHTS = {"word": 1.0, "name": 1.5}
_FACT = 2.0
OBJECTED = 0.95
"""What remains of a score when the words are there and a number, a negation or a role stands in the way."""
PERSONAL = 0.6
"""What remains of a sentence about the speaker, whom no passage is about."""
NEW_WORD = 0.85
"""What remains of a score for each piece of content that is nowhere in the passages."""
EMPTY = 0.6
"""What remains of a sentence without content."""
_SPEAKER = re.compile(r"\b(?:i|my|me|mine|we|ik|mijn|wij)\b")


def support_score(text: str, passages: Sequence[str], language: str = "en") -> float:
    """0 (nothing of it) to about 1 (all of it, in the same words).

    Halfway between the mean over the text's sentences, weighed by their content, and the worst of them. The few weights
    were chosen on BEGIN's development files, so figures on those files are a little too good.
    """
    sources = tuple(Source(passage, language) for passage in passages)
    evidence = Evidence(sources, language=language, questions=True)
    told = " ".join(passages)
    scores: list[tuple[float, float]] = []
    for sentence in split(text):
        claim = analyse(sentence, language, evidence.names)
        size = sum(map(_weight, _content(claim))) or EMPTY
        scores.append((size, _of_sentence(claim, evidence, told)))
    if not scores:
        return 0.0
    mean = sum(size * score for size, score in scores) / sum(size for size, _ in scores)
    return (mean + min(score for _, score in scores)) / 2


def _content(claim: Analysed) -> list[Token]:
    return [token for token in claim.tokens if token.content]


def _weight(token: Token) -> float:
    return _FACT if token.is_fact else _WEIGHTS[token.kind]


def _of_sentence(claim: Analysed, evidence: Evidence, told: str) -> float:
    """The share of its content that is told, and of all its words, less for what is new or objected to."""
    ours, theirs = _words(claim.text), _words(told)
    words = _share(ours, theirs)
    content = _content(claim)
    if not content:
        return words * EMPTY
    found: set[Token] = set()
    best, objected = 0.0, False
    for block in evidence.blocks:
        for unit in block.units:
            here = [token for token in content if covers(unit, block, token, evidence.anyway)]
            found.update(here)
            if (share := sum(map(_weight, here))) > best:
                best = share
                objected = objection(claim.segments, unit, block, frozenset()) is not None
    told_of = [token for token in content if token in found]
    score = (sum(map(_weight, told_of)) / sum(map(_weight, content)) + words) / 2
    score *= NEW_WORD ** (len(content) - len(told_of)) * (OBJECTED if objected else 1.0)
    if _SPEAKER.search(fold(claim.text)) and not _SPEAKER.search(fold(told)):
        score *= PERSONAL
    return score + 0.05 * _share(list(pairwise(ours)), list(pairwise(theirs)))


def _share(some: Sequence[object], of: Sequence[object]) -> float:
    known = set(of)
    return sum(one in known for one in some) / len(some) if some else 0.0


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", fold(text))
