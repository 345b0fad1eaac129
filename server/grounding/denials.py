"""What a denial denies, and what it leaves out: "no dogs in the cabins" denies no dogs elsewhere."""

from collections.abc import Sequence

from server.grounding.analysis import Segment, Token
from server.grounding.coverage import is_soft
from server.grounding.grammar import DENIALS, EXCEPT
from server.grounding.matching import same


def denies_more(content: Sequence[Token], said_of: Sequence[Segment]) -> bool:
    """Whether the claim denies more than the evidence does, by leaving out what that is about: "no dogs" of "no dogs in the
    cabins". Of "no dogs, cats or birds" each is denied."""
    return bool(said_of) and all(
        any(
            not any(same(told, token) for told in content)
            for item in _denied(segment)
            if any(same(told, token) for told in content for token in item)
            for token in item
        )
        for segment in said_of
    )


def _denied(segment: Segment) -> list[list[Token]]:
    """The content behind the denial, item by item."""
    place = next((n for n, t in enumerate(segment.tokens) if t.folded in DENIALS), 0)
    items: list[list[Token]] = [[]]
    for token in segment.tokens[place:]:
        if token.folded in (",", "or", "nor", "of", "noch"):
            items.append([])
        elif token.content and not is_soft(token):
            items[-1].append(token)
    return items


def excepts(segment: Segment) -> bool:
    """Whether it names an exception to what it says, not to what it denies."""
    return "except" in segment.marks and not segment.negated


def is_exception(segment: Segment, resting: Sequence[Segment]) -> bool:
    """Whether the denial is the evidence's exception: "no dogs in the cabins" of "dogs, except in the cabins"."""
    for other in resting:
        place = next((n for n, t in enumerate(other.tokens) if t.folded in EXCEPT), None)
        if place is None:
            continue
        excepted = [token for token in other.tokens[place + 1 :] if token.content]
        if excepted and all(any(same(own, token) for own in segment.content) for token in excepted):
            return True
    return False
