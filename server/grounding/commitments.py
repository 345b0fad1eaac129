"""What was done for the visitor, and what is promised: needs a tool result of this turn that says so."""

import re

from server.grounding.analysis import Analysed, Token
from server.grounding.blocks import ORGANISATIONS, block
from server.grounding.conversation import vocabulary
from server.grounding.evidence import Evidence, ToolResult
from server.grounding.requests import in_doubt
from server.grounding.words import fold, plain

_ACTIONS = {
    "send": "sent passed forwarded delivered recorded doorgegeven doorgestuurd verstuurd verzonden gestuurd opgestuurd overgebracht bezorgd",
    "tell": "told informed notified briefed emailed mailed contacted spoken ingelicht geinformeerd verteld gebracht gemaild gebeld gesproken weten called",
    "ask": "asked gevraagd",
    "book": "booked reserved scheduled arranged planned fixed kept geboekt gereserveerd ingepland vastgelegd geregeld gepland ingeboekt vrijgehouden",
    "cancel": "cancelled canceled geannuleerd afgezegd ingetrokken withdrawn",
    "refund": "refunded issued reimbursed transferred terugbetaald overgemaakt teruggestort",
    "order": "ordered placed besteld",
    "register": "registered enrolled signed added ingeschreven aangemeld toegevoegd opgenomen",
    "confirm": "confirmed accepted bevestigd geaccepteerd",
    "approve": "approved goedgekeurd rejected declined refused afgewezen geweigerd",
    "change": "changed moved rescheduled updated corrected verzet verplaatst gewijzigd aangepast gecorrigeerd",
    "receive": "received arrived processed paid ontvangen aangekomen verwerkt betaald binnen",
    "do": "done completed finished submitted saved noted carried executed uitgevoerd doorgegaan afgerond genoteerd opgeslagen ingediend gelukt",
}
_ACTION_OF = {word: name for name, words in _ACTIONS.items() for word in words.split()}
_ALSO = {"vastgelegd": "send"}
"""Words that stand for a second action: a message and an appointment can both be "vastgelegd"."""
_WORDS = "|".join(sorted(_ACTION_OF, key=len, reverse=True))
_THING = (
    "message|request|booking|appointment|order|reservation|refund|registration|email|mail|note|donation|payment|return|question|"
    "class|place|seat|ticket|tickets|room|table|case|complaint|mot|visit|tour|slot|address|application|"
    "bericht|verzoek|boeking|afspraak|bestelling|reservering|inschrijving|aanmelding|betaling|donatie|vraag|stukken|kamer|plek|plaats|les|"
    "rondleiding|kaartjes|klacht|aanvraag|adres|mail|geld|money"
)
_DONE = re.compile(
    rf"\b(?:i|we)(?:'ve| have| had)?(?: just| now| already| also)? (?:{_WORDS})\b|\b(?:i|we)(?:'ve| have) (?:\w+ )?let \w+ know\b"
    rf"|\b(?:your|this|the) (?:\w+ )?(?:{_THING})\b(?: \w+){{0,6}} (?:has|have|was|were|is|are|been|got)\b(?: \w+){{0,4}} (?:{_WORDS})\b"
    rf"|\b(?:it|this|that|everything|all) (?:has|have|was) (?:\w+ ){{0,3}}(?:{_WORDS})\b"
    rf"|\b(?:you're|you are|you have been|you've been)(?: \w+){{0,2}} (?:{_WORDS})\b|^(?:all )?done$|^done\b"
    rf"|\b(?:ik|wij|we) (?:heb|hebben)\b.*\b(?:{_WORDS})\b|\b(?:heb|hebben) (?:ik|wij|we)\b.*\b(?:{_WORDS})\b"
    rf"|\b(?:uw|je|jouw|jullie|de|het|dit|dat) (?:\w+ )?(?:{_THING})\b(?: \w+){{0,6}} (?:is|zijn|werd|werden|staat)\b(?: \w+){{0,5}}"
    rf" (?:{_WORDS})\b|\b(?:het|dit|alles) (?:is|werd) (?:\w+ ){{0,4}}(?:{_WORDS})\b"
    rf"|\b(?:u bent|je bent|jullie zijn|bent u|ben je)\b(?: \w+){{0,4}} (?:{_WORDS})\b|\b(?:is|zijn|has been|have been|was|were) (?:\w+ ){{0,3}}(?:naar|aan|voor) (?:u|je|jullie) (?:{_WORDS})\b|\b(?:has|have) been (?:{_WORDS}) (?:to|for) you\b|\bop de hoogte (?:gebracht|gesteld)\b|\b(?:is|zijn) (?:\w+ ){{0,3}}voor (?:u|je|jullie) (?:{_WORDS})\b"
    rf"|\b(?:has|have|heeft|hebben) (?:your|uw|je|jouw) (?:{_THING}|\w+) (?:{_WORDS})\b|\b(?:has|have) (?:{_WORDS}) your\b"
)
_PROMISE = re.compile(
    r"\b(?:i|we)(?:'ll| will| shall) (?:\w+ly |also |then |just |always )?(?P<verb>\w+)"
    r"|\b(?:(?:ik|wij|we) (?:zal|zullen|ga|gaan)|(?:zal|zullen) (?:ik|wij|we))\b.*?(?P<last>\w+)\W*$"
)
_AVAILABLE = re.compile(r"\b(?:available|free|slots?|beschikbaar|bereikbaar|vrij|tijd|opening)\b")
_PERSONAL = re.compile(r"\b(?:he|she|i|hij|zij|ze|ik)\b")
_WHEN = ("weekday", "date", "time")
_FOR_YOU = re.compile(
    r"\b(?:has|have|'ve|had) (?:just |already |now )?\w{2,}(?:ed|en|t) (?:it |this |that )?(?:for you|to you|your)\b|\b(?:has|have) been \w+(?:ed|en) (?:for|to) you\b|"
    r"\b(?:heb|heeft|hebben|is|zijn|werd|werden)\b.{0,60}\b(?:(?:voor|naar|aan) )?(?:u|uw|je|jou|jouw|jullie)\b.{0,40}\b(?:\w+ge|ge|ver|be)\w{2,}(?:d|t|en)$"
)
_TRIGGERS = frozenset(_ACTION_OF) | {"let", "done", "hoogte"}
UNKNOWN = "unknown"
"""An action that no tool result can be read to confirm."""
_SAFE = frozenset(
    """message request question owner on through bericht verzoek vraag eigenaar yet moment """.split()
)


def is_done_claim(text: str) -> bool:
    """Whether the folded clause says that something was done for the visitor."""
    if _FOR_YOU.search(text):
        return True
    if not _TRIGGERS.intersection(text.split()):
        return False
    return bool(_DONE.search(text)) and not re.match(
        r"(?:if|when|once|as soon as|als|zodra|wanneer|indien)\b", text
    )


def done_holds(sentence: Analysed, text: str, evidence: Evidence) -> bool:
    """Whether a tool result of this turn says so. That it was *not* done holds unless a result says it was."""
    words = re.findall(rf"\b(?:{_WORDS})\b", text)
    actions = [{_ACTION_OF[word], _ALSO.get(word, _ACTION_OF[word])} for word in words]
    actions = actions or [{UNKNOWN}]
    carried = [result for result in evidence.tools if result.ok]
    negated = any(segment.negated for segment in sentence.segments) or bool(
        re.search(r"\b(?:declined|rejected|refused|afgewezen|geweigerd)\b", text)
    )
    if negated:
        failed = [each for each in evidence.tools if not each.ok and not in_doubt(each.text)]
        return bool(failed) and _told(sentence, failed, evidence)
    said_so = any(all(either & _actions_in(result) for either in actions) for result in carried)
    return said_so and _told(sentence, carried, evidence)


def _actions_in(result: ToolResult) -> set[str]:
    words = re.findall(r"[^\W\d_]+", fold(result.text))
    found = {_ACTION_OF[word] for word in words if word in _ACTION_OF}
    return found | ({"do"} if found else set())


def _told(sentence: Analysed, results: list[ToolResult], evidence: Evidence) -> bool:
    known = evidence.echo.union(
        *(unit.keys for r in results for unit in block(r.text, evidence.language, "").units)
    )
    return all(_known(token, known, evidence) for token in sentence.tokens if token.content)


def _known(token: Token, known: frozenset[str], evidence: Evidence) -> bool:
    if token.is_fact:
        return bool(token.said & known)
    if token.kind == "name":
        return token.folded in known or token.folded in evidence.owner_words
    return (
        token.folded in _ACTION_OF
        or token.folded in _SAFE
        or token.folded in ORGANISATIONS
        or not (token.keys.isdisjoint(known) and token.keys.isdisjoint(vocabulary()))
    )


def promised(text: str) -> str | None:
    """The verb of what somebody here says they will do, folded: a page must have it, even if it says little elsewhere."""
    found = _PROMISE.search(plain(text).casefold())
    return fold(found["verb"] or found["last"]) if found else None


def is_availability(sentence: Analysed, text: str) -> bool:
    """Whether it says when a person, or a slot, can be had: only a tool knows that."""
    if not _AVAILABLE.search(text) or any(segment.negated for segment in sentence.segments):
        return False
    tokens = list(sentence.tokens)
    if not any(token.kind in _WHEN for token in tokens):
        return False
    slots = bool(re.search(r"\bslots?\b|\bopening\b", text))
    return slots or any(token.kind == "name" for token in tokens) or bool(_PERSONAL.search(text))
