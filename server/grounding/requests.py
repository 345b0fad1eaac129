"""What is said of a request that was not carried out: that it waits, was declined, lapsed. True when a tool result of this turn says so."""

import re

from server.grounding.analysis import Analysed, Token
from server.grounding.conversation import keys_of_words, vocabulary
from server.grounding.evidence import Evidence
from server.grounding.words import fold

_STATUSES = {
    "waiting": r"wait(?:s|ing)?|pending|queued?|in (?:the|de) (?:queue|wachtrij)|wacht(?:en|end)?|awaiting"
    r"|no decision yet|nothing has happened|nog niets gebeurd|nog geen (?:beslissing|besluit|antwoord)"
    r"|(?:has|have) not (?:yet )?(?:decided|answered|approved)|(?:has|have) not (?:been )?(?:decided|approved)(?: on)? yet|not yet (?:been )?(?:decided|approved)"
    r"|(?:heeft|hebben)?\s*nog niet (?:\w+ )?(?:beslist|besloten|geantwoord|goedgekeurd)",
    "declined": r"declined?|declines|rejected|rejects|turned down|said no|afgewezen|geweigerd|(?<!nog )niet goedgekeurd",
    "expired": r"lapsed?|expired|no decision in time|no answer in time|(?:did|has|have) not (?:respond|decide|answer|react)\w* in time|not (?:decided|answered) in time"
    r"|verlopen|vervallen|niet op tijd|geen (?:beslissing|besluit|antwoord) (?:op|binnen)",
    "withdrawn": r"withdrew|withdrawn|taken back|ingetrokken|teruggetrokken",
    "cancelled": r"cancell?ed|geannuleerd",
    "later": r"can be (?:made|asked|sent) (?:after|later|once|when)|kan (?:daarna|erna|later)",
    "in doubt": r"not (?:known|certain|clear|sure)|unknown|unclear|niet (?:bekend|zeker|duidelijk)|onduidelijk|onzeker",
}
_STATUS = {name: re.compile(rf"\b(?:{pattern})\b") for name, pattern in _STATUSES.items()}
_WHETHER = re.compile(r"\b(?:whether|if|of)\b")
_DEEDS = keys_of_words(
    "sent passed delivered carried reached done verstuurd doorgegeven uitgevoerd gelukt aangekomen"
)
_TURNED = re.compile(r"\b(?:no longer|not any more|anymore|niet meer|not waiting|niet verlopen)\b")
_WORDS = keys_of_words(
    """request requests message decision decide decided owner approval approve approved approves personal answer answered time yet still already
    earlier previous first second another new one queue queued waiting wait waits pending visitor conversation respond responded known certain sure
    happened carried out made make after later once declined decline rejected refused lapsed expired withdrawn withdrew cancelled unfortunately sorry
    verzoek verzoeken bericht beslissing besluit beslist beslissen besloten eigenaar goedkeuring goedgekeurd goedkeuren persoonlijke antwoord
    geantwoord tijd nog al na daarna erna later zodra eerder eerdere vorige eerste tweede ander nieuw nieuwe wachtrij wacht wachten afgewezen geweigerd verlopen vervallen
    ingetrokken geannuleerd bekend zeker duidelijk gebeurd uitgevoerd helaas jammer sorry"""
)
_NOTE = re.compile(
    r"\b(?:note|notes|wrote|writes|added|says|said|toelichting|notitie|schreef|zegt|zei)\b"
)
_NOTE_WORDS = keys_of_words(
    "note notes wrote added says said message toelichting notitie schreef zegt zei bericht"
)


def request_status(sentence: Analysed, text: str, evidence: Evidence) -> bool | None:
    """Whether what the folded clause says of a request is so; None when it says something else, or more."""
    told = [fold(result.text) for result in evidence.tools if not result.ok]
    if not told:
        return None
    said = {name for name, pattern in _STATUS.items() if pattern.search(text)}
    if not said or _TURNED.search(text):
        return None
    # "It is not known whether your message was sent" does not say that it was.
    open_deed = _DEEDS if said == {"in doubt"} and _WHETHER.search(text) else frozenset()
    if not all(_known(token, evidence, open_deed) for token in sentence.tokens if token.content):
        return None
    return all(any(_STATUS[name].search(result) for result in told) for name in said)


def quotes_note(sentence: Analysed, text: str, evidence: Evidence) -> bool:
    """Whether the sentence only gives the owner's note, word for word. That the quotation is verbatim is checked before."""
    quoted = re.search(r"[\"“„«]([^\"”“»]+)[\"”“»]", sentence.text)
    if quoted is None or not _NOTE.search(text):
        return False
    if not any(quoted[1].strip() in result.text for result in evidence.tools):
        return False
    around = fold(sentence.text.replace(quoted[0], " "))
    words = set(re.findall(r"[^\W\d_]+", around))
    rest = [t for t in sentence.tokens if t.content and t.folded in words]
    return all(t.folded in evidence.owner_words or not t.keys.isdisjoint(_NOTE_WORDS) for t in rest)


def in_doubt(text: str) -> bool:
    """Whether the tool result says that it is not known what became of the request."""
    return bool(_STATUS["in doubt"].search(fold(text)))


def _known(token: Token, evidence: Evidence, more: frozenset[str]) -> bool:
    if token.is_fact:
        return not token.said.isdisjoint(evidence.echo)
    if token.folded in evidence.owner_words:
        return True
    if token.kind == "name":
        return token.folded in evidence.echo
    known = _WORDS | vocabulary() | evidence.echo | more
    return not token.keys.isdisjoint(known)
