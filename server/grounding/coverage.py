"""Whether a sentence of the evidence has a word of a claim, in its own or in other words."""

from collections.abc import Sequence

from server.grounding.analysis import Token
from server.grounding.blocks import AS_NAME, Block, Unit
from server.grounding.matching import in_parts, is_kind
from server.grounding.stems import is_kind_of, is_likely, keys, parts
from server.grounding.words import PAYING, SOFT


def missing_from(
    source: Block, content: Sequence[Token], anyway: frozenset[str]
) -> list[tuple[Token, ...]]:
    """What of the content each unit of the block lacks, in order. Compounds are taken apart only where most is there already."""
    where = [(token, _units_with(source, token, anyway)) for token in content]
    anywhere = 0
    for _, units in where:
        anywhere |= units
    missing: list[tuple[Token, ...]] = []
    for place, unit in enumerate(source.units):
        if not anywhere >> place & 1:
            missing.append(tuple(content))
            continue
        left = [token for token, units in where if not units >> place & 1]
        if left and 2 * len(left) <= len(content) + 1:
            left = [token for token in left if not _in_compounds(unit, source, token)]
        missing.append(tuple(left))
    return missing


def _units_with(source: Block, token: Token, anyway: frozenset[str]) -> int:
    """A bit for each unit of the block that has the token, compounds left whole."""
    units = 0
    if token.is_fact:
        for form in token.said:
            units |= source.units_giving.get(form, 0)
        return units
    if token.folded in anyway or (token.kind == "name" and AS_NAME + token.folded in anyway):
        return -1
    if token.kind == "name":
        units = source.units_around.get(token.folded, 0)
        for key in token.keys:
            if key.startswith("#"):
                units |= source.units_giving.get(key, 0)
        return units
    for key in token.keys:
        units |= source.units_around.get(key, 0)
    return units


def covers(unit: Unit, source: Block, token: Token, anyway: frozenset[str]) -> bool:
    """Whether the unit, or what its pronouns stand for, has the token. `anyway`: words that may always be said."""
    place = source.units.index(unit)
    return bool(_units_with(source, token, anyway) >> place & 1) or _in_compounds(
        unit, source, token
    )


def _in_compounds(unit: Unit, source: Block, token: Token) -> bool:
    return token.kind == "word" and (
        is_kind(token, unit.words, unit.together)
        or in_parts(token, unit.keys, unit.beginnings)
        or _is_half(token, unit)
        or _is_named_in_full(token, unit, source)
    )


def only_soft(missing: Sequence[Token], content: Sequence[Token]) -> bool:
    """Whether what is missing says so little that the rest carries the claim."""
    if len(content) - len(missing) < max(2, len(missing)):
        return False
    paid = any(token.kind in ("money", "percent") for token in content)
    return all(is_soft(token) or (paid and token.folded in PAYING) for token in missing)


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
