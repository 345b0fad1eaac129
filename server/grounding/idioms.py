"""Takes words that say one thing together for one word: "free of charge", "at no cost", "zonder kosten"."""

from collections.abc import Iterable

from server.grounding.facts import Found
from server.grounding.thesaurus import thesaurus
from server.grounding.words import fold


def with_idioms(found: Iterable[Found], text: str) -> list[Found]:
    """What was found, with each phrase of the thesaurus as one word, `free_of_charge`; the longest one wins."""
    items = list(found)
    phrases = thesaurus().phrases
    out: list[Found] = []
    at = 0
    while at < len(items):
        item = items[at]
        length = 1
        for phrase in phrases.get(fold(item.text), ()) if item.kind == "word" else ():
            if _stands_at(items, at, phrase, text):
                length = len(phrase)
                last = items[at + length - 1]
                item = Found("word", "_".join(phrase), item.start, last.end)
                break
        out.append(item)
        at += length
    return out


def _stands_at(items: list[Found], at: int, phrase: tuple[str, ...], text: str) -> bool:
    if at + len(phrase) > len(items):
        return False
    for place, word in enumerate(phrase[1:], at + 1):
        item = items[place]
        if item.kind != "word" or fold(item.text) != word:
            return False
        if text[items[place - 1].end : item.start] not in (" ", "-"):
            return False
    return True
