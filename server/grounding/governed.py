"""What prepositions and "Y's teacher" tie together: "older than Ben" is not "older than Anna"."""

from collections.abc import Sequence

from server.grounding.actors import first_group
from server.grounding.analysis import Analysed, Segment, Token
from server.grounding.grammar import ARTICLES, POSSESSIVE, PREPOSITIONS, TITLES
from server.grounding.stems import is_verb

_STRICT = frozenset("by from to against under than".split())
_GOVERNING = _STRICT | {"for", "before", "after"}


def _governed(segments: Sequence[Segment]) -> dict[str, list[Token]]:
    """Preposition → the words that follow it directly."""
    tokens = [token for segment in segments for token in segment.tokens]
    found: dict[str, list[Token]] = {}
    for place, token in enumerate(tokens):
        group = PREPOSITIONS.get(token.folded)
        if group not in _GOVERNING:
            continue
        follows: list[Token] = []
        for after in tokens[place + 1 :]:
            verb = after.kind == "word" and is_verb(after.folded) and not after.is_entity
            ranged = group in ("from", "to") or not after.is_fact
            if after.content and ranged and not (verb and (follows or group == "to")):
                follows.append(after)
            elif follows and (after.folded == "," or after.folded in TITLES | ARTICLES):
                continue
            elif follows or after.content or PREPOSITIONS.get(after.folded) in _GOVERNING:
                break
        found.setdefault(group, []).extend(follows)
    return found


def governed_differ(claim: Sequence[Segment], evidence: Analysed) -> str | None:
    """ "from Anna to Ben" against "from Ben to Anna"; "older than Ben" against "older than Anna"."""
    ours, theirs = _governed(claim), _governed(evidence.segments)
    said = [token for segment in claim for token in segment.content]
    given = frozenset().union(*(token.keys for token in evidence.tokens if token.content))
    if _turned(ours, theirs):
        return "roles"
    for group in ours.keys() & theirs.keys():
        mine = _without(ours[group], theirs[group])
        other = _without(theirs[group], ours[group])
        if not mine or not other:
            continue
        shared = len(mine) < len(ours[group])
        elsewhere = [token for token in said if token not in ours[group]]
        if any(token.keys & o.keys for token in elsewhere for o in other):
            return "roles"  # what the evidence puts here, the claim puts elsewhere
        if group not in _STRICT and not any(token.is_entity for token in (*mine, *other)):
            continue
        if not shared and (group in _STRICT or not all(token.keys & given for token in mine)):
            return "roles"
    return None


_OPPOSITES = {
    "from": "to for", "to": "from by", "by": "to for", "for": "from by", "before": "after", "after": "before",
}  # fmt: skip
"""What the evidence may not have before a word that the claim has this before."""


def _turned(ours: dict[str, list[Token]], theirs: dict[str, list[Token]]) -> bool:
    """Whether what comes from somewhere goes there in the evidence, and the like."""
    for group, opposites in _OPPOSITES.items():
        for token in ours.get(group, ()):
            turned = any(_has(token, theirs.get(other, ())) for other in opposites.split())
            if turned and not _has(token, theirs.get(group, ())):
                return True
    return False


def _has(token: Token, tokens: Sequence[Token]) -> bool:
    return any(token.said & o.given if token.is_fact else token.keys & o.keys for o in tokens)


def _without(tokens: Sequence[Token], others: Sequence[Token]) -> list[Token]:
    return [token for token in tokens if not any(token.keys & other.keys for other in others)]


def relation_differs(claim: Sequence[Segment], evidence: Analysed) -> str | None:
    """ "Y's teacher" against "her teacher, Y"."""
    tokens = [token for segment in claim for token in segment.tokens]
    given = list(evidence.tokens)
    for place, token in enumerate(tokens[:-2]):
        if not token.content or tokens[place + 1].folded not in ("of", "van"):
            continue
        holder = first_group(tokens[place + 2 :])
        if not holder:
            continue
        for at, other in enumerate(given):
            hers = at > 0 and given[at - 1].folded in POSSESSIVE and other.keys & token.keys
            if hers and holder & first_group(given[at + 1 :]):
                return "roles"
    return None
