"""What stands in the way of a claim although a sentence of the evidence has all its words."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from server.grounding.actors import own_subject
from server.grounding.adjuncts import unlimited
from server.grounding.analysis import Segment, Token
from server.grounding.bindings import misbound
from server.grounding.blocks import Block, Unit
from server.grounding.causes import wrong_reason
from server.grounding.converse import converse
from server.grounding.denials import denies_more, excepts, is_exception
from server.grounding.limits import counted_by_another, is_conditional, limiting_marks
from server.grounding.marks import conflict
from server.grounding.matching import in_segment
from server.grounding.mixing import mixes
from server.grounding.moments import moved
from server.grounding.predicates import drops_which, is_another
from server.grounding.roles import swapped
from server.grounding.subjects import generalises, objects_act, widens
from server.grounding.tenses import does_for_can, present_for_past

_RULES: tuple[tuple[str, Callable[[Sequence[Segment], Sequence[Segment]], bool]], ...] = (
    ("reason", wrong_reason),
    ("tense", present_for_past),
    ("drops:can", does_for_can),
    ("roles", is_another),
    ("drops:which", drops_which),
    ("moment", moved),
    ("bound:unit", counted_by_another),
    ("drops:if", is_conditional),
    ("generalised", widens),
)
"""What is asked of a whole claim and a whole sentence, with the reason to give."""


def objection(
    segments: Sequence[Segment],
    unit: Unit,
    source: Block,
    before: frozenset[str],
    owner: frozenset[str] = frozenset(),
    anyway: frozenset[str] = frozenset(),
) -> str | None:
    """A slug; None when nothing stands in the way. `before`: whom the claim's pronouns stand for. `owner`, `anyway`: words of the
    owner's name, and those with what kind of house it is."""
    whole = frozenset().union(*(segment.marks for segment in segments))
    content = [token for segment in segments for token in segment.content]
    for segment in segments:
        if segment.content and (reason := _of_segment(segment, unit, content, whole)):
            return reason
    theirs = unit.sentence.segments
    for reason, holds in _RULES:
        if holds(segments, theirs):
            return reason
    if generalises(segments, theirs, source):
        return "generalised"
    if _is_another(segments, unit, source):
        return "roles"
    asked = unit.whole.endswith("?")  # "do you sell tea? yes" has us sell it
    if not asked and (
        converse(segments, theirs, owner) or objects_act(segments, theirs, owner, anyway)
    ):
        return "roles"
    return misbound(segments, unit, source) or swapped(segments, unit.sentence, before)


def _of_segment(
    segment: Segment, unit: Unit, content: Sequence[Token], whole: frozenset[str]
) -> str | None:
    """What is asked of each of the claim's segments and of what it rests on."""
    resting = _resting_on(segment, unit)
    said_of = [other for other in resting if other.negated] if segment.negated else resting
    denied = any(o.negated or (segment.negated and "without" in o.marks) for o in resting)
    if segment.negated and denied and any(excepts(other) for other in resting):
        return "drops:except"  # "no referral, except for home visits" needs one for those
    if segment.negated and not denied and is_exception(segment, resting):
        denied = True
        said_of = [replace(other, marks=other.marks - {"except"}) for other in resting]
    if segment.negated != denied and "except" not in segment.marks:
        return "negation"
    if "except" not in whole and unlimited(segment, content, said_of):
        return "drops:limit"
    if segment.negated and denies_more(content, said_of):
        return "negation"
    marks = frozenset().union(*(limiting_marks(other, content) for other in said_of))
    everywhere = frozenset().union(*(other.marks for other in unit.sentence.segments))
    return conflict(segment.marks, marks, whole, everywhere) or (
        "mixed" if mixes(segment, content, resting) else None
    )


def _is_another(segments: Sequence[Segment], unit: Unit, source: Block) -> bool:
    """Whether the claim names one and the unit's "she" is another."""
    ours = own_subject(segments[0])
    if not ours or not unit.subject or ours & unit.subject:
        return False
    return not ours & (unit.names | source.title)


def _resting_on(segment: Segment, unit: Unit) -> list[Segment]:
    """The fewest segments of the evidence that together have what the segment says."""
    open_tokens = list(segment.content)
    left = list(unit.sentence.segments)
    chosen: list[Segment] = []
    while open_tokens and left:
        shared = [sum(in_segment(token, other) for token in open_tokens) for other in left]
        most = max(shared)
        if not most:
            break
        pick = left.pop(shared.index(most))
        chosen.append(pick)
        open_tokens = [token for token in open_tokens if not in_segment(token, pick)]
    return chosen or list(unit.sentence.segments)
