"""Whether a claim's subject is what the evidence says it of, where neither is a name: "members lend boats" is not "we lend
boats to members", and "boats are cheap" is not "rowing boats are cheap"."""

import re
from collections.abc import Sequence
from itertools import pairwise

from server.grounding.analysis import Segment, Token
from server.grounding.blocks import ORGANISATIONS, Block
from server.grounding.converse import are_converse
from server.grounding.grammar import ARTICLES, COPULA, POSSESSIVE, PREPOSITIONS
from server.grounding.matching import in_segment, same
from server.grounding.stems import is_kind_of, is_verb

_PASSIVE = COPULA | {"worden", "werden"}
_HELPING = _PASSIVE | frozenset(
    """has have had do does did can could may might must will would shall should heeft hebben had hadden kan kunnen kon mag mogen moet moeten
    zal zullen zou zouden wil willen doet doen get gets got krijg krijgt krijgen kreeg kregen""".split()
)
_PARTICIPLE = re.compile(r"ed$|^ge.*[dt]$|^inbegrepen$")
"""With nothing behind it and no helping verb: "breakfast included"."""
_US = frozenset("i we ik wij".split())
_YOU = frozenset("you u je jij jullie".split())
_SPEAKERS = frozenset("i we you they he she it ik wij we u je jij jullie hij zij ze men".split())


def objects_act(
    claim: Sequence[Segment],
    evidence: Sequence[Segment],
    owner: frozenset[str],
    anyway: frozenset[str],
) -> bool:
    """Whether the claim gives an act to another than the evidence does. `owner`: the words of the owner's name; `anyway`: those,
    and what kind of house it is, for which the evidence may say "we"."""
    for said in claim:
        subject, verb, passive = _taken_apart(said)
        if verb is None and subject is None:
            subject, verb = _of_house(said, anyway)
        if subject and verb and all(t.is_entity and t.folded not in owner for t in subject):
            homes = [s for s in evidence if _place(s, verb) is not None]
            if homes and all(_speaker(home) in _YOU for home in homes):
                return True  # "Wim buys it" of "you can buy it"
        if subject is None or verb is None or any(_names(t, anyway) for t in subject):
            continue
        yours = not subject and _addresses(said)
        ours = _speaks(said) if not subject else all(t.folded in anyway for t in subject)
        told: Sequence[Token] | None = None
        verdicts = []
        rest = [t for t in said.content if t is not verb and t not in subject]
        beside = [s for s in evidence if any(in_segment(t, s) for t in rest)]
        for before, segment in zip([None, *evidence], evidence, strict=False):
            place = _place(segment, verb)
            theirs, _, their_passive = _taken_apart(segment, place)
            if segment.relative and before is not None:
                theirs = _last_noun(before)
                their_passive = any(t.folded in _PASSIVE for t in segment.tokens)
            told = theirs if theirs is not None else told
            if place is None or (beside and not any(segment is s for s in beside)):
                continue
            acts_now = told is not None and their_passive and not passive and bool(subject)
            if acts_now and _is_only_where(subject[-1], segment.tokens[place + 1 :]):
                verdicts.append(True)
                continue
            if told is None or passive != their_passive:
                return False
            if are_converse(verb.folded, segment.tokens[place].folded):
                return False  # "you can rent" of "we rent out"
            if yours or (ours and not subject):
                theirs_ours, theirs_yours = _speaks(segment), _addresses(segment)
                if not told and (yours, ours) == (theirs_ours, theirs_yours):
                    verdicts.append(True)
                    continue
            if subject and told and not ours and not _shares(subject, told):
                others = [e for e in evidence if e is not segment and _has_verb(e)]
                if segment.relative or any(in_segment(subject[-1], each) for each in others):
                    verdicts.append(True)
                    continue
            verdicts.append(_of_others(subject, told, segment, place, ours, owner))
        if verdicts and all(verdicts):
            return True
    return False


def _is_only_where(word: Token, behind: Sequence[Token]) -> bool:
    """Whether it stands behind a preposition that tells where or what for, not by whom: "held in the school"."""
    for before, token in pairwise([t for t in behind if t.folded not in ARTICLES | POSSESSIVE]):
        if token.content and same(word, token):
            return before.folded in PREPOSITIONS and PREPOSITIONS[before.folded] not in ("by",)
    return False


def _of_others(
    subject: Sequence[Token],
    told: Sequence[Token],
    segment: Segment,
    place: int,
    ours: bool,
    owner: frozenset[str],
) -> bool:
    if _shares(subject, told):
        return False
    if ours:  # "we", or "the practice": not "the clinic in the next town", not "our clients"
        plain = len(told) == 1 and told[0].folded in ORGANISATIONS
        return bool(told) and not plain and not any(t.is_entity or t.folded in owner for t in told)
    if not subject:
        return False
    behind = [t for t in segment.tokens[place + 1 :] if t.content]
    return any(same(subject[-1], other) for other in behind)


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


def _names(token: Token, anyway: frozenset[str]) -> bool:
    """Whether it is somebody, or a number; those are compared elsewhere. The house is nobody."""
    return token.is_fact or (token.is_entity and token.folded not in anyway)


def _has_verb(segment: Segment) -> bool:
    """What has none leaves out the one before it: "the goats may be stroked, the bull not"."""
    return any(_acts(token) or token.folded in _HELPING for token in segment.tokens)


def _shares(subject: Sequence[Token], told: Sequence[Token]) -> bool:
    return any(same(word, other) for word in subject for other in told)


def _addresses(segment: Segment) -> bool:
    return _speaker(segment) in _YOU


def _speaker(segment: Segment) -> str:
    """The first pronoun that can be a subject."""
    return next((t.folded for t in segment.tokens if t.folded in _SPEAKERS), "")


def _of_house(segment: Segment, anyway: frozenset[str]) -> tuple[list[Token] | None, Token | None]:
    """The house as subject, and the word behind it, where no verb is known: "the shop floods"."""
    content = [t for t in segment.tokens if t.content]
    if len(content) < 2 or content[0].folded not in anyway or not _is_act(content[1]):
        return None, None
    return content[:1], content[1]


def _is_act(token: Token) -> bool:
    return token.kind == "word" and token.folded.endswith(("s", "t"))


def _last_noun(segment: Segment) -> list[Token]:
    """What "which" after the segment can stand for: "the night clinic" of "call the night clinic in Dunmore"."""
    found: list[Token] = []
    for token in reversed(segment.tokens):
        if token.folded in PREPOSITIONS:
            found = []
        elif token.content and not token.is_fact:
            found.insert(0, token)
        elif found and token.folded in ARTICLES:
            break
    return found


def _speaks(segment: Segment) -> bool:
    return _speaker(segment) in _US


def generalises(claim: Sequence[Segment], evidence: Sequence[Segment], source: Block) -> bool:
    """Whether the claim says of all of a kind what the evidence says of one: of animals what it says of dogs; of boats what it
    says of rowing boats, where it speaks of other boats too."""
    tokens = [token for segment in evidence for token in segment.content]
    for said in claim:
        subject, _, _ = _taken_apart(said)
        for word in subject or ():
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
        subject, verb, _ = _taken_apart(said)
        if not subject or any(t.is_entity or t.is_fact for t in subject):
            continue
        if not _is_plural(subject[-1].folded):
            continue
        verdicts = []
        for segment in evidence:
            place = _place(segment, verb) if verb else None
            told = _taken_apart(segment, place)[0]
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
    begun = helped = passive = waiting = False
    verb = _verb(segment.tokens) if at is None else at
    helper = next((n for n, t in enumerate(segment.tokens) if t.folded in _HELPING), None)
    for place, token in enumerate(segment.tokens):
        if place == verb:
            if _is_inverted(segment, place):
                after = segment.tokens[place + 1 : place + 2]
                if after and after[0].folded in _SPEAKERS:
                    return [], token, passive
                if at is None:
                    return None, None, False
            if waiting:
                return None, None, False
            left = place == len(segment.tokens) - 1 and not helped
            passive = passive or (left and bool(_PARTICIPLE.search(token.folded)))
            return (subject if begun else None), token, passive
        if token.folded in PREPOSITIONS and not begun:
            waiting = True  # "In the hall stands a piano": who acts comes later
        if token.folded in _SPEAKERS and not helped:
            subject, begun, waiting = [], True, False  # "the weddings we photograph"
        elif waiting:
            continue
        elif token.content and not helped:
            early = helper is None or place > helper
            if begun and early and _acts(token):  # the one before the verb in question
                helped = True
                continue
            subject.append(token)
            begun = True
        helped = helped or token.folded in _HELPING
        passive = passive or token.folded in _PASSIVE
    return (subject if subject and helped else None), None, passive


def _verb(tokens: Sequence[Token]) -> int | None:
    """The place of the first verb that something stands before. Without one, of the first that can be a verb."""
    able = [
        n
        for n, token in enumerate(tokens)
        if (_acts(token) and not _is_noun(tokens, n)) or _is_said_of_speaker(tokens, n)
    ]
    begun = next((n for n, t in enumerate(tokens) if t.content or t.folded in _SPEAKERS), 0)
    return next((n for n in able if n > begun), able[0] if able else None)


def _acts(token: Token) -> bool:
    if not token.content or token.kind != "word" or token.is_entity:
        return False
    doer = _DOER.fullmatch(token.folded) and token.folded.removesuffix("s") not in _NO_DOERS
    return not doer and is_verb(token.folded)


_DOER = re.compile(r"\w{4,}(?:ers?|aars?)")
"""Runners and dancers; not what offers and covers."""
_NO_DOERS = frozenset(
    "offer cover deliver order answer enter remember consider suffer gather register transfer prefer differ wonder recover discover".split()
)


def _is_noun(tokens: Sequence[Token], place: int) -> bool:
    before = tokens[place - 1].folded if place else ""
    return before in ARTICLES | POSSESSIVE or (
        before in PREPOSITIONS and before not in ("to", "te")
    )


def _is_said_of_speaker(tokens: Sequence[Token], place: int) -> bool:
    token = tokens[place]
    return (
        token.content and token.kind == "word" and bool(place) and tokens[place - 1].folded in _US
    )


def _is_inverted(segment: Segment, verb: int) -> bool:
    """Whether who acts follows the verb ("Later accuseerde Robert hem", "Flits gebruikt ze niet"), or it is an
    infinitive ("canoes to hire")."""
    tokens = segment.tokens
    if verb and tokens[verb - 1].folded in ("to", "te"):
        return True
    after = tokens[verb + 1] if verb + 1 < len(tokens) else None
    if (
        after is None
        or segment.language != "nl"
        or any(t.folded in _SPEAKERS for t in tokens[:verb])
    ):
        return False
    determined = any(token.folded in ARTICLES | POSSESSIVE for token in tokens[:verb])
    return after.folded in _SPEAKERS or (after.is_entity and not determined)
