"""Whether a claim's subject is what the evidence says it of, where neither is a name: "members lend boats" is not "we lend
boats to members", and "boats are cheap" is not "rowing boats are cheap"."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from server.grounding.analysis import Segment, Token
from server.grounding.blocks import ORGANISATIONS, Block
from server.grounding.clauses import (
    US,
    YOU,
    Clause,
    has_verb,
    is_passive,
    last_noun,
    place_of,
    speaker,
    taken_apart,
)
from server.grounding.converse import are_converse
from server.grounding.grammar import ARTICLES, POSSESSIVE, PREPOSITIONS
from server.grounding.matching import in_segment, same
from server.grounding.stems import is_kind_of


@dataclass(frozen=True, slots=True)
class _Home:
    """Where the evidence has a claim's verb: the segment, the verb's place in it, and the clause, with the subject it inherits."""

    segment: Segment
    place: int
    clause: Clause


def objects_act(
    claim: Sequence[Segment],
    evidence: Sequence[Segment],
    owner: frozenset[str],
    anyway: frozenset[str],
) -> bool:
    """Whether the claim gives an act to another than the evidence does. `owner`: the words of the owner's name; `anyway`: those,
    and what kind of house it is, for which the evidence may say "we"."""
    for said in claim:
        clause = taken_apart(said)
        if clause.verb is None and clause.subject is None:
            clause = _of_house(said, anyway)
        subject, verb = clause.subject, clause.verb
        if subject is None or verb is None:
            continue
        homes = list(
            _homes(verb, [t for t in said.content if t is not verb and t not in subject], evidence)
        )
        if subject and all(t.is_entity and t.folded not in owner for t in subject):
            verdicts = [
                speaker(home.segment) in YOU for home in homes
            ]  # "Wim buys it" of "you can buy it"
        elif any(_names(token, anyway) for token in subject):
            continue
        else:
            verdicts = [
                _acts_another(said, clause, home, evidence, owner, anyway) for home in homes
            ]
        if verdicts and all(verdicts):
            return True
    return False


def _homes(verb: Token, rest: Sequence[Token], evidence: Sequence[Segment]) -> Iterator[_Home]:
    """Where the verb is, beside something else of the claim if it is beside that anywhere."""
    beside = [s for s in evidence if any(in_segment(token, s) for token in rest)]
    told: list[Token] | None = None
    for before, segment in zip([None, *evidence], evidence, strict=False):
        place = place_of(segment, verb)
        theirs, found, passive = taken_apart(segment, place)
        if segment.relative and before is not None:
            theirs, passive = last_noun(before), is_passive(segment)
        told = theirs if theirs is not None else told
        if place is not None and (not beside or any(segment is each for each in beside)):
            yield _Home(segment, place, Clause(told, found, passive))


def _acts_another(
    said: Segment,
    clause: Clause,
    home: _Home,
    evidence: Sequence[Segment],
    owner: frozenset[str],
    anyway: frozenset[str],
) -> bool:
    subject, verb, passive = clause
    told = home.clause.subject
    if subject is None or verb is None or told is None:
        return False
    behind = home.segment.tokens[home.place + 1 :]
    if passive != home.clause.passive:
        return not passive and bool(subject) and _is_only_where(subject[-1], behind)
    if are_converse(verb.folded, home.segment.tokens[home.place].folded):
        return False  # "you can rent" of "we rent out"
    if not subject:
        return _speaks_for_another(speaker(said), speaker(home.segment), told, owner)
    if _shares(subject, told):
        return False
    if all(token.folded in anyway for token in subject):
        return _is_not_the_house(told, owner)
    others = [each for each in evidence if each is not home.segment and has_verb(each)]
    elsewhere = home.segment.relative or any(in_segment(subject[-1], each) for each in others)
    return bool(told and elsewhere) or any(same(subject[-1], t) for t in behind if t.content)


def _speaks_for_another(
    ours: str, theirs: str, told: Sequence[Token], owner: frozenset[str]
) -> bool:
    """ "We" for "you", "you" for "we", and "we" for the clinic in the next town."""
    if not told:
        return (ours in US and theirs in YOU) or (ours in YOU and theirs in US)
    return ours in US and _is_not_the_house(told, owner)


def _is_not_the_house(told: Sequence[Token], owner: frozenset[str]) -> bool:
    """ "The clinic" may be the house, "the night clinic" and "our clients" are not."""
    plain = len(told) == 1 and told[0].folded in ORGANISATIONS
    return bool(told) and not plain and not any(t.is_entity or t.folded in owner for t in told)


def _is_only_where(word: Token, behind: Sequence[Token]) -> bool:
    """Whether it stands behind a preposition that tells where or what for, not by whom: "held in the school"."""
    for before, token in pairwise([t for t in behind if t.folded not in ARTICLES | POSSESSIVE]):
        if token.content and same(word, token):
            return PREPOSITIONS.get(before.folded, "by") != "by"
    return False


def _names(token: Token, anyway: frozenset[str]) -> bool:
    """Whether it is somebody, or a number; those are compared elsewhere. The house is nobody."""
    return token.is_fact or (token.is_entity and token.folded not in anyway)


def _shares(subject: Sequence[Token], told: Sequence[Token]) -> bool:
    return any(same(word, other) for word in subject for other in told)


def _of_house(segment: Segment, anyway: frozenset[str]) -> Clause:
    """The house as subject, and the word behind it, where no verb is known: "the shop floods"."""
    content = [t for t in segment.tokens if t.content]
    if len(content) < 2 or content[0].folded not in anyway or not _is_act(content[1]):
        return Clause(None, None, False)
    return Clause(content[:1], content[1], False)


def _is_act(token: Token) -> bool:
    return token.kind == "word" and token.folded.endswith(("s", "t"))


def generalises(claim: Sequence[Segment], evidence: Sequence[Segment], source: Block) -> bool:
    """Whether the claim says of all of a kind what the evidence says of one: of animals what it says of dogs; of boats what it
    says of rowing boats, where it speaks of other boats too."""
    tokens = [token for segment in evidence for token in segment.content]
    for said in claim:
        for word in taken_apart(said).subject or ():
            if word.kind != "word" or not _is_plural(word.folded):
                continue
            if any(word.keys & other.keys for other in tokens):
                continue
            narrower = {o.folded for o in tokens if word.keys & o.given}
            compounds = {o.folded for o in tokens if is_kind_of(o.folded, word.folded)}
            if narrower or (compounds and _has_others(word, compounds, source)):
                return True
    return False


def widens(claim: Sequence[Segment], evidence: Sequence[Segment]) -> bool:
    """Whether the claim says of all what the evidence says of some: of students what it says of new students."""
    content = [token for segment in claim for token in segment.content]
    for said in claim:
        subject, verb, _ = taken_apart(said)
        if not subject or any(t.is_entity or t.is_fact for t in subject):
            continue
        if not _is_plural(subject[-1].folded):
            continue
        verdicts = []
        for segment in evidence:
            place = place_of(segment, verb) if verb else None
            told = taken_apart(segment, place).subject
            if told and any(same(subject[-1], other) for other in told):
                verdicts.append(_is_narrowed(subject[-1], segment, content))
        if verdicts and all(verdicts):
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


def _is_narrowed(word: Token, segment: Segment, content: Sequence[Token]) -> bool:
    """Whether something the claim leaves out stands right before the word: "new" of "new students"."""
    places = [n for n, t in enumerate(segment.tokens) if t.content and same(word, t)]
    return bool(places) and all(n > 0 and _narrows(segment.tokens[n - 1], content) for n in places)


def _narrows(before: Token, content: Sequence[Token]) -> bool:
    return (
        before.content
        and not (before.is_fact or before.is_entity)
        and not any(same(told, before) for told in content)
    )
