"""Who gives and who takes: "we rent out boats" lets a visitor rent one, and does not say that we rent any."""

from collections.abc import Sequence

from server.grounding.analysis import Segment, Token
from server.grounding.matching import same

_GIVES = frozenset(
    """lend lends lent lending sell sells sold selling supply supplies supplied deliver delivers delivered employ employs employed hire_out rent_out
    verhuren verhuurt verhuurde verhuurden verhuurd uitlenen uitgeleend verkopen verkoopt verkocht verkochten leveren levert
    leverde geleverd lesgeven onderwijzen export exports exported exporteert exporteren""".split()
)
_TAKES = frozenset(
    """borrow borrows borrowed borrowing buy buys bought buying purchase purchases purchased huren huurt huurde huurden gehuurd
    kopen koopt kocht kochten gekocht aankopen inkopen opkopen aanschaffen ontlenen import imports imported importeert importeren""".split()
)
_EITHER = frozenset(
    "rent rents rented hire hires hired lease leases leased lenen leent leende geleend".split()
)
"""With "out" or "uit" behind them they give; else they take, but said of a house of business they give in English."""
_OUT = frozenset("out uit".split())
_US = frozenset("we i wij ik".split())
_THEM = frozenset(
    "you u je jij jullie visitors bezoekers guests gasten customers klanten members leden everyone iedereen".split()
)
_GET = frozenset(
    "get gets got receive receives own owns keep keeps krijg krijgt krijgen ontvangt ontvangen behoudt houdt".split()
)
_LOANS = frozenset(
    """lend lends lent loan loans borrow borrows borrowed rent rents rented rental hire hires hired lenen leent leende geleend lening bruikleen uitlenen
    uitgeleend huren huurt gehuurd huur verhuren verhuurt verhuurd verhuur""".split()
)
_FROM = frozenset("from bij van".split())


def converse(claim: Sequence[Segment], evidence: Sequence[Segment], owner: frozenset[str]) -> bool:
    """Whether the claim has the giver take, or the taker give. `owner`: words that name the house of business. Only what
    both say with a verb of giving or taking is compared."""
    if _kept_for_good(claim, evidence):
        return True
    theirs: list[tuple[Token, str, str]] = []
    before = ""
    for segment in evidence:
        for word, side, who in _trades(segment, owner):
            theirs.append((word, side, who or before))
        before = _who({token.folded for token in segment.tokens}, owner) or before
    if not theirs:
        return False
    for segment in claim:
        for word, side, who in _trades(segment, owner):
            others = [t for t in theirs if t[0].keys & word.keys or t[0].folded in _EITHER]
            if others and not any(_agree(side, who, other, whom) for _, other, whom in others):
                return True
    return False


def _kept_for_good(claim: Sequence[Segment], evidence: Sequence[Segment]) -> bool:
    """Whether the claim lets somebody get what the evidence only lends."""
    said = {token.folded for segment in claim for token in segment.tokens}
    if not said & _GET or said & _LOANS:
        return False
    content = [token for segment in claim for token in segment.content]
    lent = [segment for segment in evidence if _LOANS & {t.folded for t in segment.tokens}]
    got = [segment for segment in evidence if _GET & {t.folded for t in segment.tokens}]
    return not got and any(any(same(c, t) for t in s.content) for s in lent for c in content)


def _agree(side: str, who: str, other: str, whom: str) -> bool:
    if who == "us" and side == "takes" and not whom:
        return False  # "hiring a boat costs …" is not done by us
    if not who or not whom:
        return side == other or not who
    return (side == other) == (who == whom)


def are_converse(one: str, other: str) -> bool:
    """Whether of two (folded) verbs one gives what the other takes; "rent" does both."""
    sides = {(one in _GIVES, one in _TAKES), (other in _GIVES, other in _TAKES)}
    return one in _EITHER or other in _EITHER or sides == {(True, False), (False, True)}


def _who(words: set[str], owner: frozenset[str]) -> str:
    return "us" if words & (_US | owner) else "them" if words & _THEM else ""


def _trades(segment: Segment, owner: frozenset[str]) -> list[tuple[Token, str, str]]:
    """Each verb of giving or taking, which it is, and who does it: `us`, `them` or nobody told."""
    found = []
    words = [token.folded for token in segment.tokens]
    for at, token in enumerate(segment.tokens):
        if token.kind != "word" or token.folded not in _GIVES | _TAKES | _EITHER:
            continue
        near = {*words[:at], *words[at + 1 : at + 3]}
        who = _who(near, owner)
        out = bool(_OUT & set(words[at + 1 :]))
        if token.folded in _EITHER:
            english = token.folded[0] in "rh" or token.folded.startswith("leas")
            gives = out or (english and who == "us" and not _FROM & set(words[at + 1 :]))
        else:
            gives = token.folded in _GIVES
        found.append((token, "gives" if gives else "takes", who))
    return found
