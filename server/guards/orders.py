"""What a page or a tool's result says to the assistant that reads it: an order states nothing, so it proves nothing."""

import re
from functools import lru_cache

from server.guards.injection import is_injection

_READER = r"(?:ai|a\.i\.|assistants?|assistent(?:en)?|(?:digital )?twins?|digitale tweeling|chat-?bots?|(?:language )?models?|taalmodel(?:len)?|llms?|agents?)"
_ORDER = (
    r"(?:please |now |from now on,? )*(?:tell|say|ignore|call \w+_\w+|reveal|answer|reply|always|never|do not|don't|disregard|forget|use|promise|confirm|approve|run|output|print|repeat"
    r"|you|zeg|vertel|negeer|stuur|verstuur|roep|antwoord|beloof|bevestig|vergeet|gebruik|voer|herhaal|toon|keur|je|jij|u)"
)
_ADDRESSED = re.compile(
    rf"(?:^|[^\w])(?:(?:to|for|aan|voor) (?:the |any |all |every |de |het |elke |alle )?)?{_READER}(?: (?:reading|die|dat)\b[^:.]{{0,60}})?\s*[:,]\s*{_ORDER}\b"
    rf"|^\W*{_READER}(?: reading this[^.,]{{0,40}})?,? (?:must|should|shall|moeten|dienen)\b"
    r"|\b(?:tell|inform|assure|promise|answer) (?:the|every|each|any|all) (?:visitors?|users?|customers?)\b(?: that\b|[:,]| \w+ \w+)"
    r"|\b(?:zeg|vertel|meld|beloof|antwoord)(?: tegen| aan)? (?:de|elke|iedere|alle) (?:bezoekers?|gebruikers?|klant(?:en)?)\b"
    r"|\b(?:when|if|while) (?:summari[sz]ing|answering|quoting|reading|translating)\b[^.]{0,60}\b(?:say|state|claim|add|tell|reply|answer)\b"
    r"|\b(?:als|wanneer) je dit (?:leest|samenvat|beantwoordt)\b",
    re.IGNORECASE,
)
_SENTENCES = re.compile(r"(?<=[.!?])(?=\s(?!-->))|(?=\n)|(?<=-->)")


@lru_cache(maxsize=2_000)
def without_orders(text: str) -> str:
    """The text without sentences that give whoever reads them orders, or speak to a model; what is left keeps its form.

    Orders hidden in many sentences, each harmless, get past. It costs milliseconds a page, once.
    """
    if not is_order(text):
        return text
    return "".join(each for each in _SENTENCES.split(text) if not is_order(each))


def is_order(text: str) -> bool:
    """Whether any of it speaks to the assistant."""
    return bool(_ADDRESSED.search(text)) or is_injection(text)
