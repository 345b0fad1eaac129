"""What is so because of what: a reason has to be the evidence's own, and on the same side."""

from collections.abc import Sequence
from itertools import pairwise

from server.grounding.analysis import Segment, Token
from server.grounding.matching import in_segment

BECAUSE = frozenset("because omdat want doordat aangezien".split())
_SO = frozenset("so therefore hence thus dus daarom daardoor zodat".split())


def gives_reason(segment: Segment) -> bool:
    """Whether it is the reason of what stands before it. ("Since" may as well say since when.)"""
    return bool(segment.tokens) and segment.tokens[0].folded in BECAUSE


def wrong_reason(claim: Sequence[Segment], evidence: Sequence[Segment]) -> bool:
    """Whether the claim gives a reason that the evidence does not give, or gives the other way round."""
    for segment in claim:
        if gives_reason(segment) and segment.content:
            reasons = [s for s in evidence if gives_reason(s)]
            reasons += [b for b, s in pairwise(evidence) if _follows(s)]
            if not any(_has_most(segment.content, reason) for reason in reasons):
                return True
    return False


def _follows(segment: Segment) -> bool:
    return any(token.folded in _SO for token in segment.tokens[:4])


def _has_most(content: Sequence[Token], segment: Segment) -> bool:
    return 2 * sum(in_segment(token, segment) for token in content) > len(content)
