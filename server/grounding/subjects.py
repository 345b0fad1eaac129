"""Whether a claim's subject is what the evidence says it of, where neither is a name: "members lend boats" is not "we lend
boats to members", and "boats are cheap" is not "rowing boats are cheap"."""

import re
from collections.abc import Sequence

from server.grounding.analysis import Segment, Token
from server.grounding.blocks import Block
from server.grounding.grammar import ARTICLES, COPULA, POSSESSIVE, PREPOSITIONS
from server.grounding.matching import same
from server.grounding.stems import is_kind_of, is_verb

_PASSIVE = COPULA | {"worden", "werden"}
_HELPING = _PASSIVE | frozenset(
    """has have had do does did can could may might must will would shall should heeft hebben had hadden kan kunnen kon mag mogen moet moeten
    zal zullen zou zouden wil willen doet doen""".split()
)
_PARTICIPLE = re.compile(r"ed$|^ge.*[dt]$|^inbegrepen$")
"""With nothing behind it and no helping verb: "breakfast included"."""
_SPEAKERS = frozenset("i we you they he she it ik wij we u je jij jullie hij zij ze men".split())


def objects_act(claim: Sequence[Segment], evidence: Sequence[Segment]) -> bool:
    """Whether the claim's subject is, in the evidence, only what the same act is done to, for or with."""
    for said in claim:
        subject, verb, passive = _taken_apart(said)
        if not subject or verb is None or any(t.is_entity or t.is_fact for t in subject):
            continue
        before: Sequence[Token] | None = None
        verdicts = []
        for segment in evidence:
            place = _place(segment, verb)
            theirs, _, their_passive = _taken_apart(segment, place)
            told = theirs if theirs is not None else before
            before = told
            if place is None:
                continue
            if told is None or passive != their_passive:
                return False
            head = subject[-1]
            behind = [t for t in segment.tokens[place + 1 :] if t.content]
            verdicts.append(
                not any(same(word, other) for word in subject for other in told)
                and any(same(head, other) for other in behind)
            )
        if verdicts and all(verdicts):
            return True
    return False


def generalises(claim: Sequence[Segment], evidence: Sequence[Segment], source: Block) -> bool:
    """Whether the claim says of all of a kind what the evidence says of one: of animals what it says of dogs; of boats what it
    says of rowing boats, where it speaks of other boats too."""
    tokens = [token for segment in evidence for token in segment.content]
    for said in claim:
        subject, verb, _ = _taken_apart(said)
        for word in subject or ():
            if word.kind != "word" or verb is None or not _is_plural(word.folded):
                continue
            if any(word.keys & other.keys for other in tokens):
                continue
            narrower = {o.folded for o in tokens if word.keys & o.given}
            compounds = {o.folded for o in tokens if is_kind_of(o.folded, word.folded)}
            if narrower or (compounds and _has_others(word, compounds, source)):
                return True
    return False


def _has_others(word: Token, these: set[str], source: Block) -> bool:
    return any(
        other.folded not in these
        and (word.keys & other.given or is_kind_of(other.folded, word.folded))
        for unit in source.units
        for other in unit.sentence.tokens
        if other.content
    )


def _is_plural(word: str) -> bool:
    return word.endswith(("s", "en", "ren")) and not word.endswith("ss")


def _place(segment: Segment, verb: Token) -> int | None:
    places = (
        n for n, t in enumerate(segment.tokens) if t.content and not t.is_fact and same(verb, t)
    )
    return next(places, None)


def _taken_apart(
    segment: Segment, at: int | None = None
) -> tuple[list[Token] | None, Token | None, bool]:
    """The words of the subject (None when the segment has none of its own, empty for a pronoun), its verb, whether it is
    passive. `at`: where the verb is known to stand."""
    subject: list[Token] = []
    begun = helped = passive = False
    for place, token in enumerate(segment.tokens):
        acts = (
            token.content and token.kind == "word" and not token.is_entity and is_verb(token.folded)
        )
        if place == at or (at is None and acts):
            if at is None and _is_inverted(segment.tokens, place):
                return None, None, False
            left = place == len(segment.tokens) - 1 and not helped
            passive = passive or (left and bool(_PARTICIPLE.search(token.folded)))
            return (subject if begun else None), token, passive
        if token.folded in PREPOSITIONS and not begun:
            return None, None, False  # "In the hall stands a piano": who acts comes later
        if token.folded in _SPEAKERS:
            subject, begun = [], True  # "the weddings we photograph"
        elif token.content and not helped:
            subject.append(token)
            begun = True
        helped = helped or token.folded in _HELPING
        passive = passive or token.folded in _PASSIVE
    return None, None, False


def _is_inverted(tokens: Sequence[Token], verb: int) -> bool:
    """Whether who acts follows the verb ("Later accuseerde Robert hem", "Flits gebruikt ze niet"), or it is an
    infinitive ("canoes to hire")."""
    if verb and tokens[verb - 1].folded in ("to", "te"):
        return True
    after = tokens[verb + 1] if verb + 1 < len(tokens) else None
    if after is None:
        return False
    determined = any(token.folded in ARTICLES | POSSESSIVE for token in tokens[:verb])
    return after.folded in _SPEAKERS or (after.is_entity and not determined)
