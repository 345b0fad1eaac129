"""Whether a claim takes its words from statements that are made side by side: "private clients pay in advance, public
clients pay afterwards" does not say that public clients pay in advance."""

from collections.abc import Sequence
from dataclasses import dataclass

from server.grounding.analysis import Segment, Token
from server.grounding.grammar import COPULA, PREPOSITIONS, SUBJECTS
from server.grounding.matching import in_segment, same
from server.grounding.stems import is_verb

_DETERMINERS = frozenset(
    "a an the my our your his her its their een de het mijn onze ons uw zijn haar hun".split()
)


def mixes(claim: Segment, whole: Sequence[Token], resting: Sequence[Segment]) -> bool:
    """Whether the claim, resting on several segments, takes what one of them says of a subject the claim does not name.

    `whole` is the content of the claim's whole sentence. What a relative clause, an apposition or a segment that leaves
    its verb out ("the dog not") needs from its neighbour is not taken.
    """
    if len(resting) < 2:
        return False
    parts = [_taken_apart(segment) for segment in resting]
    if claim.tokens[0].folded in SUBJECTS and _is_row(claim, resting):
        return False
    if any(segment.relative for segment in resting):
        return False
    if any(_leaves_its_verb(claim, part, parts, whole) for part in parts):
        return True
    if any(part.is_used(whole) for part in parts):
        return False
    for part in parts:
        others = [other for other in parts if other is not part]
        own = [token for token in claim.content if in_segment(token, part.segment)]
        taken = [t for t in own if not any(in_segment(t, o.segment) for o in others)]
        if taken and len(own) < len(claim.content) and _of_another(taken, part, whole, others):
            return True
    return False


def _is_row(claim: Segment, resting: Sequence[Segment]) -> bool:
    """Whether the segments after the first go on with its list, verbless: "it has four rooms and a gym"."""
    return not any(_taken_apart(segment).verb for segment in resting)


@dataclass(frozen=True, slots=True)
class _Part:
    """A segment: what stands before its first verb, preposition or fact; that verb; all from there on."""

    segment: Segment
    head: tuple[Token, ...]
    verb: Token | None
    rest: tuple[Token, ...]

    def is_used(self, whole: Sequence[Token]) -> bool:
        """Whether the claim says all of it."""
        return all(any(same(said, token) for said in whole) for token in self.segment.content)


def _leaves_its_verb(
    claim: Segment, part: _Part, parts: Sequence[_Part], whole: Sequence[Token]
) -> bool:
    """Whether what stands behind one verb is said with another's: "moved to Bath in 2010 and founded the club" does not
    say that she founded it in 2010."""
    others = [other for other in parts if other is not part]
    if _takes_its_subject(claim, part, others, whole):
        return True
    verb = part.verb or (part.head[-1] if len(part.head) > 1 else None)  # a verb we do not know
    if verb is None or any(same(said, verb) for said in whole):
        return False
    if not any(o.verb is not None and any(same(said, o.verb) for said in whole) for o in others):
        return False
    behind = [t for t in part.rest if t.content and t is not part.verb]
    heads = [h for o in others if o.verb and any(same(s, o.verb) for s in whole) for h in o.head]
    if any(same(said, head) for said in whole for head in heads):
        behind += [h for h in part.head if not any(same(h, head) for head in heads)]
    return any(
        any(same(said, token) for token in behind)
        and not any(in_segment(said, other.segment) for other in others)
        and not any(same(said, head) for other in others for head in other.head)
        and not (any(same(said, head) for head in part.head) and part.head and not heads)
        for said in claim.content
    )


def _takes_its_subject(
    claim: Segment, part: _Part, others: Sequence[_Part], whole: Sequence[Token]
) -> bool:
    """Whether the claim has the part's subject do what the other's own, a pronoun's, does: "anybody can enter, but only
    members can win"."""
    if part.verb is None or any(same(said, part.verb) for said in whole):
        return False
    heads = [h for h in part.head if any(same(said, h) for said in claim.content)]
    return bool(heads) and any(
        other.verb is not None
        and not other.head
        and any(same(said, other.verb) for said in whole)
        and any(t.folded in _WHO for t in other.segment.tokens[:3])
        for other in others
    )


_WHO = frozenset(
    "anybody anyone everybody everyone nobody you we i iedereen niemand u je wij we ik men".split()
)


def _of_another(
    taken: Sequence[Token], part: _Part, whole: Sequence[Token], others: Sequence[_Part]
) -> bool:
    if not any(same(token, other) for token in taken for other in part.rest if other.content):
        return False
    if any(
        same(token, head) for token in part.rest if token.content for o in others for head in o.head
    ):
        return False  # an apposition: "the Engine, a machine …"
    only_verb = all(part.verb is not None and same(token, part.verb) for token in taken)
    if only_verb and all(other.verb is None for other in others):
        return False  # a list: "prints books and posters" prints posters
    if part.head:
        unused = [head for head in part.head if not any(same(said, head) for said in whole)]
        if len(unused) == len(part.head):
            return True
        instead = [
            h for o in others for h in o.head if not any(same(h, head) for head in part.head)
        ]
        return bool(unused) and any(same(said, head) for said in whole for head in instead)
    # No subject of its own: its verb must be the claim's, unless the claim has no other.
    if part.verb is None or any(same(said, part.verb) for said in whole):
        return False
    verbs = [other.verb for other in others if other.verb is not None]
    return any(same(said, verb) for said in whole for verb in verbs)


def _taken_apart(segment: Segment) -> _Part:
    head: list[Token] = []
    start = len(segment.tokens)
    before = ""
    for place, token in enumerate(segment.tokens):
        possessive = token.folded == "zijn" and not head
        stops = token.folded in COPULA or token.folded in PREPOSITIONS
        if token.is_fact or (stops and not possessive) or _acts(token, before):
            start = place
            break
        if token.content:
            head.append(token)
        before = token.folded
    rest = segment.tokens[start:]
    verb = next((token for token in rest if _acts(token, "")), None)
    if not head and verb is not None:
        rest = rest[rest.index(verb) :]
    return _Part(segment, tuple(head), verb, rest)


_MODALS = frozenset(
    "can could may might must will would shall should kan kunnen mag mogen moet moeten zal zullen wil willen".split()
)


def _acts(token: Token, before: str) -> bool:
    noun = token.kind != "word" or token.is_entity or before in _DETERMINERS
    return token.content and not noun and (before in _MODALS or is_verb(token.folded))
