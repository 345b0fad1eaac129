"""What was so and what is so: "she danced there" does not say that she dances there."""

import re
from collections.abc import Sequence

from server.grounding.analysis import Segment, Token
from server.grounding.clauses import taken_apart
from server.grounding.matching import same
from server.grounding.stems import is_verb

_WAS = frozenset("was were waren werd werden".split())
_IS = frozenset("is are am bent zijn ben isn't aren't".split())
_HAS_BEEN = frozenset(
    """was were been had did has have having be being is are used waren werd werden had hadden heeft hebben heb ben bent zijn geweest would could should will
    can may might must zou zouden zal zullen kan kunnen kon konden mag mogen mocht moet moeten moest wil willen wilde to te""".split()
)
"""Beside one of these a form tells nothing: "was built", "heeft gebouwd", "used to build"."""
_PAST = frozenset(
    """wrote ran taught made gave took went came became grew built sold bought led left held met sang kept spent drew drove flew rode won lost spoke
    stood thought told wore chose fell knew paid said sent began swam slept understood schreef gaf nam ging kwam werd hield leidde liep zong verkocht kocht
    stond droeg las sprak vloog reed won verloor begon bleef dreef hing hielp koos sliep trok vond vroeg zat zwom deed had""".split()
)
_STATES = frozenset(
    "included closed based required limited needed reserved invited advised allowed excluded combined related".split()
)
"""Forms that mostly tell how something is."""
_REGULAR = {
    "en": re.compile(r"\w{2,}ed$"),
    "nl": re.compile(r"(?!ge|ver|be|ont)\w{2,}[^aeiouy](?:te|de)$"),
}
_PARTICIPLE = re.compile(r"ed$|en$|^(?:ge|ver|be|ont|her)\w+[dt]$|(?:aan|af|op|uit|in)ge\w+")


def present_for_past(claim: Sequence[Segment], evidence: Sequence[Segment]) -> bool:
    """Whether the claim says now what the evidence only says of then."""
    for said in claim:
        words = {token.folded for token in said.tokens}
        is_so = words & _IS and not words & (_HAS_BEEN - _IS) and not _has_participle(said)
        if is_so and _only_was(said, evidence):
            return True
        if words & _HAS_BEEN:
            continue
        for token in said.content:
            if token.kind == "word" and is_verb(token.folded) and not _is_past(token, said):
                forms = [(t, s) for s in evidence for t in s.content if same(token, t)]
                if forms and all(_is_past(t, s) and _stands_alone(t, s) for t, s in forms):
                    return True
    return False


def _only_was(said: Segment, evidence: Sequence[Segment]) -> bool:
    """Whether every stretch of the evidence that has the claim's content is told with "was"."""
    homes = [s for s in evidence if any(same(c, t) for c in said.content for t in s.content)]
    return bool(homes) and all(
        words & _WAS and not words & _IS and not _has_participle(segment)
        for segment in homes
        for words in [{token.folded for token in segment.tokens}]
    )


def _has_participle(segment: Segment) -> bool:
    return any(_PARTICIPLE.search(t.folded) and is_verb(t.folded) for t in segment.content)


def _is_past(token: Token, segment: Segment) -> bool:
    if token.folded in _STATES:
        return False
    return token.folded in _PAST or bool(
        _REGULAR.get(segment.language, _REGULAR["en"]).search(token.folded)
    )


def _stands_alone(token: Token, segment: Segment) -> bool:
    """Whether no helping verb stands before it, and it is no adjective behind an article."""
    place = next(n for n, t in enumerate(segment.tokens) if t is token)
    before = [t.folded for t in segment.tokens[max(0, place - 4) : place]]
    return not _HAS_BEEN.intersection(before) and before[-1:] not in (
        ["the"],
        ["a"],
        ["de"],
        ["het"],
    )


_MODALS = frozenset("can could may might kan kunnen kon konden kunt mag mogen mocht".split())


def does_for_can(claim: Sequence[Segment], evidence: Sequence[Segment]) -> bool:
    """Whether the claim says that somebody does what the evidence only says they can or may."""
    for said in claim:
        words = {token.folded for token in said.tokens}
        if words & (_MODALS | _HAS_BEEN | _YOU) or said.negated:
            continue
        if taken_apart(said).subject is None:
            continue  # "write to …" tells nobody's deed
        for token in said.content:
            if token.kind != "word" or not is_verb(token.folded):
                continue
            homes = [s for s in evidence if any(same(token, t) for t in s.content)]
            if homes and all(_MODALS & {t.folded for t in home.tokens} for home in homes):
                return True
    return False


_YOU = frozenset("you u je jij jullie".split())
