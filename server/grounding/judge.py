"""The one question asked of every sentence: may it be shown?"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from server.grounding.analysis import Analysed, Token, analyse
from server.grounding.blocks import bare
from server.grounding.commitments import done_holds, is_availability, is_done_claim, promised
from server.grounding.conversation import conversational, heads
from server.grounding.coverage import is_soft
from server.grounding.doubt import Doubt, doubt
from server.grounding.evidence import Evidence
from server.grounding.idioms import is_idiomatic
from server.grounding.near import Near, Similar, near_in_meaning, near_in_words
from server.grounding.objections import objection
from server.grounding.quotes import altered
from server.grounding.requests import quotes_note, request_status
from server.grounding.stems import keys
from server.grounding.support import Support, support
from server.grounding.words import fold, plain

SIMILAR_FROM = 0.92
"""The cosine of multilingual-e5-small from which a translation is taken for one; found with `python -m
benchmarks.grounding --sweep` on the pairs that are not held out."""
LEAST_IN_STATEMENT = 4
"""Words below which "It was delivered." is about the visitor's own matter."""
_PERSONAL = re.compile(r"(?:i|we|you|your|ik|wij|we|u|uw|je|jij|jouw|jullie|done)(?:'|$)")
_MARKUP = re.compile(r"\[\d{1,3}\]|[*_`~]+|^\s*#{1,6}\s|^\s*>+\s?|^\s*(?:[-+•*]|\d{1,3}[.)])\s+")
_PARTS = re.compile(
    r"(?<=[.!?])\s+|;\s+|:\s+(?=\S)|\s[–—-]\s|,?\s+(?=(?:but|maar|however|though|echter)\b)|,\s+(?=(?:and|so|because|but|en|dus|want|omdat|for|that is)\b)"
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """`kind`: claim, done, or a kind of conversation. `reason`: a slug when withheld. `passages`: the numbers, from 1,
    of the passages it rests on. `score`: what the similarity was, when it was asked. `near`: for a withheld claim, what a
    page says about the same, if it does."""

    passed: bool
    kind: str
    reason: str = ""
    passages: tuple[int, ...] = ()
    score: float | None = None
    near: Near | None = None


def judge(
    sentence: str,
    evidence: Evidence,
    *,
    similar: Similar | None = None,
    topic: str = "",
    before: str = "",
) -> Verdict:
    """Whether the evidence, or its being mere conversation, lets the sentence through.

    `topic` is the introduction of the list the sentence is an item of: the passage must be about it too. `before` is the
    sentence shown before this one: whom "she" stands for.
    """
    text = plain(_MARKUP.sub(" ", plain(sentence))).strip()
    if not re.search(r"\w", text):
        return Verdict(True, "layout")
    if altered(text, evidence):
        return Verdict(False, "claim", "quote")
    whole = analyse(text, evidence.language, evidence.names)
    kind = _without_evidence(whole, evidence)
    if kind is not None:
        return kind
    if (place := _word_for_word(whole, text, evidence)) is not None:
        return Verdict(True, "claim", "", (place + 1,) if place < len(evidence.passages) else ())
    verdicts = []
    claims = []
    for part in _parts(text):
        verdict = _without_evidence(analyse(part, whole.language, evidence.names), evidence)
        if verdict is None:
            claims.append(part)
        else:
            verdicts.append(verdict)
    refused = next((verdict for verdict in verdicts if not verdict.passed), None)
    if refused is not None:
        return refused
    if {"echo", "filler"} <= {verdict.kind for verdict in verdicts}:
        return Verdict(False, "claim", "agrees")  # "You asked whether she had a parrot: yes."
    timed = _places(whole, evidence).start > 0 and len(claims) > 1
    pieces = claims if verdicts or timed else [text]  # somebody's time and something else
    leans_on = [before, *pieces]
    judged = [
        _claim(piece, whole.language, evidence, similar, topic, leans_on[n])
        for n, piece in enumerate(pieces)
    ]
    refused = next((verdict for verdict in judged if not verdict.passed), None)
    if refused is not None:
        return refused
    passages = tuple(dict.fromkeys(n for verdict in judged for n in verdict.passages))
    scores = [verdict.score for verdict in judged if verdict.score is not None]
    return Verdict(True, "claim", "", passages, min(scores) if scores else None)


def _word_for_word(sentence: Analysed, text: str, evidence: Evidence) -> int | None:
    """The place of the passage or tool result that has exactly this sentence."""
    which = _places(sentence, evidence)
    return next((n for n in which if bare(text) in evidence.blocks[n].sentences), None)


def _places(sentence: Analysed, evidence: Evidence) -> range:
    """The places of the evidence that can settle the sentence: somebody's time is known to tools only."""
    passages = len(evidence.passages)
    end = passages + sum(result.ok for result in evidence.tools)
    folded = " ".join(fold(token.text) for token in sentence.tokens)
    return range(passages if is_availability(sentence, folded) else 0, end)


def _parts(text: str) -> list[str]:
    return [part for part in _PARTS.split(text) if part and part.strip()]


def _without_evidence(sentence: Analysed, evidence: Evidence) -> Verdict | None:
    """The verdict on what passages cannot settle; None for a claim."""
    text = " ".join(fold(token.text) for token in sentence.tokens)
    status = request_status(sentence, text, evidence)
    if status is not None:
        return Verdict(status, "request", "" if status else "not_so")
    if is_done_claim(text):
        return (
            Verdict(True, "done")
            if done_holds(sentence, text, evidence)
            else _passages_may(sentence, evidence)
        )
    if quotes_note(sentence, text, evidence):
        return Verdict(True, "request")
    kind = conversational(sentence, evidence)
    return Verdict(True, kind) if kind is not None else None


def _passages_may(sentence: Analysed, evidence: Evidence) -> Verdict | None:
    """Something done long ago can read like something done now; said in the third person, passages may settle it."""
    personal = any(_PERSONAL.match(token.folded) for token in sentence.tokens)
    if personal or len(list(sentence.tokens)) < LEAST_IN_STATEMENT:
        return Verdict(False, "done", "not_done")
    return None


def _claim(
    text: str, language: str, evidence: Evidence, similar: Similar | None, topic: str, before: str
) -> Verdict:
    claim = analyse(text, language, evidence.names)
    if not any(token.content for token in claim.tokens):
        return Verdict(
            False, "claim", "no_content"
        )  # "Nobody did.": small words that state something
    which = _places(claim, evidence)
    about = [token for token in analyse(topic, language, evidence.names).tokens if _tells(token)]
    told = analyse(before, language).tokens if before else ()
    names = frozenset(token.folded for token in told if token.is_entity)
    found = support(claim, evidence, which, about, names)
    if not found.supported and is_idiomatic([token.folded for token in claim.tokens]):
        together = support(
            analyse(text, language, evidence.names, "idioms"), evidence, which, about, names
        )
        nearer = not together.supported and together.coverage > found.coverage
        if nearer or _stands(together, claim, evidence, names):
            found = together
    promise = promised(text)
    if found.supported and promise and not _gives(found, promise):
        return Verdict(
            False, "commitment", "promise", near=_near(found, claim, text, evidence, similar)
        )
    if found.supported:
        return Verdict(
            True, "claim", "", tuple(n + 1 for n in found.blocks if n < len(evidence.passages))
        )
    if which.start > 0 and which.start == len(evidence.passages):
        return Verdict(False, "commitment", "no_tool_result")
    open_question = doubt(claim, evidence, which, found)
    if open_question is None or similar is None:
        reason = found.reason if open_question is None else "undecided"
        return Verdict(False, "claim", reason, near=_near(found, claim, text, evidence, similar))
    scores = similar(text, open_question.texts)
    settled = _settle(open_question, scores, len(evidence.passages))
    return (
        settled
        if settled.passed
        else replace(settled, near=_near(found, claim, text, evidence, similar))
    )


def _gives(found: Support, word: str) -> bool:
    return found.unit is not None and not keys(word).isdisjoint(found.unit.keys)


def _stands(found: Support, claim: Analysed, evidence: Evidence, before: frozenset[str]) -> bool:
    """Whether what was found with idioms holds for the words one by one, too: who does what is told by those."""
    if not found.supported or found.unit is None:
        return False
    return (
        objection(
            claim.segments,
            found.unit,
            evidence.blocks[found.blocks[0]],
            before,
            evidence.owner_words,
            evidence.anyway,
        )
        is None
    )


def _near(
    found: Support, claim: Analysed, text: str, evidence: Evidence, similar: Similar | None
) -> Near | None:
    near = near_in_words(found, claim, evidence)
    if near is None and similar is not None:
        return near_in_meaning(text, claim, evidence, similar)
    return near


def _tells(token: Token) -> bool:
    """Whether a word of a list's introduction says what the list is of; "the following options" does not."""
    return (
        token.content and not is_soft(token) and not (token.kind == "word" and token.keys & heads())
    )


def _settle(question: Doubt, scores: Sequence[float], passages: int) -> Verdict:
    best = max(range(len(scores)), key=lambda n: scores[n])
    passed = scores[best] >= SIMILAR_FROM
    place = question.blocks[best]
    return Verdict(
        passed,
        "claim",
        "" if passed else "undecided",
        (place + 1,) if passed and place < passages else (),
        float(scores[best]),
    )
