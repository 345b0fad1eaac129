"""Whether a sentence of the evidence has a word of a claim, in its own or in other words."""

from collections.abc import Sequence

from server.grounding.analysis import Token
from server.grounding.blocks import Block, Unit
from server.grounding.matching import in_parts, is_kind
from server.grounding.stems import is_kind_of, is_likely, keys, parts
from server.grounding.words import PAYING, SOFT


def missing_in(
    unit: Unit, source: Block, content: Sequence[Token], anyway: frozenset[str]
) -> tuple[Token, ...]:
    """What of the content the unit lacks. Compounds are taken apart only where most is there already."""
    left = [token for token in content if not has(unit, source, token, anyway)]
    if 2 * len(left) <= len(content) + 1:
        left = [token for token in left if not _in_compounds(unit, source, token)]
    return tuple(left)


def covers(unit: Unit, source: Block, token: Token, anyway: frozenset[str]) -> bool:
    """Whether the unit, or what its pronouns stand for, has the token. `anyway`: words that may always be said."""
    return has(unit, source, token, anyway) or _in_compounds(unit, source, token)


def has(unit: Unit, source: Block, token: Token, anyway: frozenset[str]) -> bool:
    """The same, compounds left whole."""
    if token.is_fact:
        return not token.said.isdisjoint(unit.keys)
    if token.folded in anyway:
        return True
    if token.kind == "name":
        if (
            token.folded in unit.keys
            or token.folded in unit.context
            or token.folded in source.title
        ):
            return True
        return any(key[0] == "#" and key in unit.keys for key in token.keys)
    own = token.keys
    return not (
        own.isdisjoint(unit.keys) and own.isdisjoint(unit.context) and own.isdisjoint(source.title)
    )


def _in_compounds(unit: Unit, source: Block, token: Token) -> bool:
    return token.kind == "word" and (
        is_kind(token, unit.words)
        or in_parts(token, unit.keys, unit.beginnings)
        or _is_half(token, unit)
        or _is_named_in_full(token, unit, source)
    )


def only_soft(missing: Sequence[Token], content: Sequence[Token]) -> bool:
    """Whether what is missing says so little that the rest carries the claim."""
    paid = any(token.kind in ("money", "percent") for token in content)
    soft = all(is_soft(token) or (paid and token.folded in PAYING) for token in missing)
    return soft and len(content) - len(missing) >= max(2, len(missing))


def is_soft(token: Token) -> bool:
    """Whether the word says too little to need evidence."""
    return token.kind == "word" and token.folded in SOFT


def _is_half(token: Token, unit: Unit) -> bool:
    """Whether the token is half of a compound of two known words: "ochtend" or "les" of "ochtendlessen"."""
    return any(token.keys & half for half in unit.halves)


def _is_named_in_full(token: Token, unit: Unit, source: Block) -> bool:
    """Whether the passage has the compound and the unit its last half: "boerderijwinkel", then "de winkel"."""
    if not token.keys & source.keys:
        return False
    return any(
        keys(tail) & unit.keys and not any(is_kind_of(word, tail) for word in unit.words)
        for _, tail in parts(token.folded)
        if is_likely(tail, unit.beginnings)
    )
