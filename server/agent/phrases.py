"""What the twin itself says, in the owner's languages. Everything else is the model's."""

from collections.abc import Sequence
from typing import Literal

Language = Literal["en", "nl"]

_NOTICE = {
    "en": "This request needs {owner}'s personal approval and has been queued. "
    "The answer will appear here.",
    "nl": "Dit verzoek heeft de persoonlijke goedkeuring van {owner} nodig en staat in de wachtrij. "
    "Het antwoord verschijnt hier.",
}
_CONFIRM = {
    "en": "This request needs your own confirmation. Nothing is carried out before you give it.",
    "nl": "Dit verzoek heeft uw eigen bevestiging nodig. Er wordt niets uitgevoerd voordat u die geeft.",
}
_UNREADABLE = {
    "en": "I could not read that message. Please write it in words.",
    "nl": "Ik kon dat bericht niet lezen. Schrijf het alstublieft in woorden.",
}
_SPEECHLESS = {
    "en": "I have no answer to that. Please ask it another way.",
    "nl": "Daar heb ik geen antwoord op. Stel de vraag alstublieft anders.",
}
_NOTHING_PROVEN = {
    "en": "I can't answer that from what {owner} has given me.",
    "nl": "Dat kan ik niet beantwoorden met wat {owner} mij heeft gegeven.",
}
_COVERED = {
    "en": "What comes closest in my sources: {titles}.",
    "nl": "Wat daar in mijn bronnen het dichtst bij komt: {titles}.",
}
_SPENT = {
    "en": "I have answered as much as I can for today. Please come back tomorrow.",
    "nl": "Voor vandaag heb ik zoveel beantwoord als ik kan. Kom morgen gerust terug.",
}
_SPENT_MIDWAY = {
    "en": "More than this I can't say today. Please come back tomorrow.",
    "nl": "Meer dan dit kan ik vandaag niet zeggen. Kom morgen gerust terug.",
}
_ENDED = {
    "en": {
        "carried_out": "{one} was approved and has been carried out.",
        "uncertain": "{one} was approved, but it is not certain that it was carried out.",
        "rejected": "{one} was not approved and has not been carried out.",
        "withdrawn": "{one} was taken back and has not been carried out.",
        "expired": "{one} got no decision in time and has not been carried out.",
    },
    "nl": {
        "carried_out": "{one} is goedgekeurd en uitgevoerd.",
        "uncertain": "{one} is goedgekeurd, maar het is niet zeker dat het is uitgevoerd.",
        "rejected": "{one} is niet goedgekeurd en niet uitgevoerd.",
        "withdrawn": "{one} is ingetrokken en niet uitgevoerd.",
        "expired": "{one} kreeg niet op tijd een beslissing en is niet uitgevoerd.",
    },
}
_REQUEST = {
    "en": ("Your request", "One of your requests"),
    "nl": ("Uw verzoek", "Een van uw verzoeken"),
}
_DUTCH = frozenset(
    "de het een en ik je jij u is zijn was niet van voor met dat die wat wie waar wanneer hoe waarom kan kunt "
    "wil wilt heeft hebben haar hem er ook maar dit deze naar bij om aan op over graag mijn hoeveel welke welk zij ze "
    "hij hebt ben bent doe doet deed werd waren zijn".split()
)
_ENGLISH = frozenset(
    "the a an and i you is are was were not of for with that this what who where when how why can could will "
    "would has have her his him it also but to at on about please my do does did".split()
)


def language_of(text: str, languages: tuple[str, ...] = ("en", "nl")) -> Language:
    """English or Dutch, by which small words it holds more of; in doubt the owner's first language."""
    words = [word.strip(".,!?;:'\"()").lower() for word in text.split()]
    dutch, english = (sum(w in known for w in words) for known in (_DUTCH, _ENGLISH))
    if dutch == english:
        return "nl" if languages[:1] == ("nl",) else "en"
    return "nl" if dutch > english and "nl" in languages else "en"


def notice(owner: str, language: Language) -> str:
    """What the visitor is told when a request waits for the owner."""
    return _NOTICE[language].format(owner=owner)


def please_confirm(language: Language) -> str:
    """What the visitor is told when a request waits for their own word."""
    return _CONFIRM[language]


def unreadable(language: Language) -> str:
    """What a message without any readable character gets."""
    return _UNREADABLE[language]


def speechless(language: Language) -> str:
    """What the visitor reads when the model has nothing to say."""
    return _SPEECHLESS[language]


def nothing_proven(language: Language, owner: str, titles: Sequence[str]) -> str:
    """What the visitor reads when nothing of the answer had support: that, and what the sources do cover."""
    said = _NOTHING_PROVEN[language].format(owner=owner)
    if not titles:
        return said
    named = ", ".join(f"“{title}”" for title in titles)
    return f"{said} {_COVERED[language].format(titles=named)}"


def spent(language: Language) -> str:
    """What a visitor reads when the day's budget bears no model call."""
    return _SPENT[language]


def spent_midway(language: Language) -> str:
    """The same, when the turn had begun."""
    return _SPENT_MIDWAY[language]


def ended(language: Language, requests: Sequence[str]) -> list[str]:
    """A sentence for each way in which requests ended."""
    one = _REQUEST[language][len(requests) > 1]
    return [_ENDED[language][each].format(one=one) for each in requests]


DECLINED = {
    "rejected": "The owner declined this request. It has not been carried out.",
    "cancelled": "The owner cancelled this request. It has not been carried out and was not judged.",
    "withdrawn": "The visitor withdrew this request before the owner decided. It has not been carried out.",
    "expired": "There was no decision in time, so this request lapsed. It has not been carried out.",
}
"""Results for the model, by the status of the approval, when the owner was asked."""
NOT_CONFIRMED = {
    "rejected": "This request was not confirmed: the answer was no. It has not been carried out.",
    "cancelled": "This request was cancelled before it was confirmed. It has not been carried out and was not judged.",
    "withdrawn": "The visitor withdrew this request before confirming it. It has not been carried out.",
    "expired": "The visitor did not confirm this request in time, so it lapsed. It has not been carried out.",
}
"""The same when the visitor's own word was asked for."""
NOT_APPROVED = "This request has no valid approval. It has not been carried out."
IN_DOUBT = (
    "It is not known whether this was carried out: the connection broke in the middle. It will not be tried again by "
    "itself; the owner has been asked to look. Do not say that it was done."
)
ALREADY_WAITING = (
    "Not asked: a request is already waiting for a decision on this conversation. "
    "Tell the visitor that, and that this one can be made after it."
)
TOO_MANY_CALLS = "Not run: too many tool calls in one answer."
TOOLS_ARE_OFF = "Not run: no further tools in this turn. Answer with what you have."
EDITED = "A person changed the arguments before approving. It was carried out with: {arguments}"
OWNER_NOTE = 'The owner\'s note, word for word: "{note}"'
ANSWERS_NOTE = 'The answer\'s note, word for word: "{note}"'
