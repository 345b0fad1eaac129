"""Who does what to whom: catches the right words in the wrong places."""

from collections.abc import Sequence

from server.grounding.actors import Actor, Names, actor, entities, own_subject, with_subjects
from server.grounding.analysis import Analysed, Segment, Token
from server.grounding.governed import governed_differ, relation_differs
from server.grounding.grammar import COPULA
from server.grounding.matching import in_segment, same
from server.grounding.stems import is_verb


def swapped(
    claim: Sequence[Segment], evidence: Analysed, before: Names = frozenset()
) -> str | None:
    """A reason when the claim gives an act to another than the evidence does. `before`: whom the claim's pronouns and
    missing subjects stand for. Only what both name can be compared: silence is no reason."""
    for said, said_subject in with_subjects(claim, before):
        for word in said.content:
            if word.is_entity or word.is_fact:
                continue
            if not is_verb(word.folded) and not _both_are(word, said, evidence):
                continue
            reason = _acts_differ(word, said, said_subject, before, evidence)
            if reason:
                return reason
        if _subject_of_another(said, evidence):
            return "roles"
    return governed_differ(claim, evidence) or relation_differs(claim, evidence)


def _acts_differ(
    word: Token, said: Segment, subject: Names, before: Names, evidence: Analysed
) -> str | None:
    ours = actor(word, said, subject)
    if before and ours.how == "pronoun":
        ours = Actor(before, "inherited")
    where = [
        (segment, actor(word, segment, inherited))
        for segment, inherited in with_subjects(evidence.segments, frozenset())
        if any(same(word, token) for token in segment.content)
    ]
    where += _elliptical(word, evidence) if where else []
    if not where or ours.how == "open" or any(theirs.how == "open" for _, theirs in where):
        return None
    if not ours.names:  # "she taught Mary", "Mary was taught": Mary is not who teaches
        mentioned = entities(said)
        other = all(theirs.how == "named" and theirs.names & mentioned for _, theirs in where)
        return "roles" if other and is_verb(word.folded) else None
    for segment, theirs in where:
        if theirs.names & ours.names:
            return None
        in_another_role = ours.how == "named" and ours.names & entities(segment)
        if not theirs.names and not (in_another_role and is_verb(word.folded)):
            return None
    return "roles"


def _elliptical(word: Token, evidence: Analysed) -> list[tuple[Segment, Actor]]:
    """Segments after the act that leave the verb out: "Samira gives the first lessons and Joris the last"."""
    found: list[tuple[Segment, Actor]] = []
    begun = False
    for segment in evidence.segments:
        if any(same(word, token) for token in segment.content):
            begun = True
        elif begun and (names := own_subject(segment)):
            verbs = (t for t in segment.tokens if t.folded in COPULA or is_verb(t.folded))
            if next(verbs, None) is None:
                found.append((segment, Actor(names, "named")))
    return found


def _subject_of_another(said: Segment, evidence: Analysed) -> bool:
    """Whether the evidence begins each statement of this with the name of somebody else."""
    ours = own_subject(said)
    if not ours:
        return False
    for token in said.content:
        if token.kind != "word" or token.is_entity:
            continue
        homes = [segment for segment in evidence.segments if in_segment(token, segment)]
        if homes and all(
            (theirs := own_subject(segment)) and not theirs & ours and not ours & entities(segment)
            for segment in homes
        ):
            return True
    return False


def _both_are(word: Token, said: Segment, evidence: Analysed) -> bool:
    """Whether both say that somebody is the word: "Dr. Berg is a dermatologist"."""
    where = [s for s in evidence.segments if any(t.keys & word.keys for t in s.content)]
    return len(where) == 1 and all(
        any(token.folded in COPULA for token in segment.tokens) for segment in (said, where[0])
    )
