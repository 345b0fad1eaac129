"""Takes words that say one thing together for one word: "free of charge", "at no cost", "op aanvraag"."""

from collections.abc import Iterable, Sequence
from itertools import pairwise

from server.grounding.facts import Found
from server.grounding.thesaurus import thesaurus
from server.grounding.words import fold


def with_idioms(found: Sequence[Found], text: str) -> list[Found]:
    """What was found, with each phrase of the thesaurus as one word, `free_of_charge`; the longest one wins."""
    out: list[Found] = []
    at = 0
    while at < len(found):
        phrase = next((p for p in _beginning_with(found[at]) if _stands_at(found, at, p, text)), ())
        if phrase:
            last = found[at + len(phrase) - 1]
            out.append(Found("word", "_".join(phrase), found[at].start, last.end))
        else:
            out.append(found[at])
        at += len(phrase) or 1
    return out


def is_idiomatic(folded: Sequence[str]) -> bool:
    """Whether a phrase of the thesaurus may stand in a row of folded words; a quick look."""
    phrases = thesaurus().phrases
    return any(
        phrase == tuple(folded[at : at + len(phrase)])
        for at, word in enumerate(folded)
        for phrase in phrases.get(word, ())
    )


def idioms_in(folded: Sequence[str]) -> frozenset[str]:
    """The keys of all phrases of the thesaurus in a row of folded words."""
    phrases, meanings = thesaurus().phrases, thesaurus().loose
    return frozenset().union(
        *(
            meanings.get("_".join(phrase), ())
            for at, word in enumerate(folded)
            for phrase in phrases.get(word, ())
            if phrase == tuple(folded[at : at + len(phrase)])
        )
    )


def _beginning_with(item: Found) -> Iterable[tuple[str, ...]]:
    return thesaurus().phrases.get(fold(item.text), ()) if item.kind == "word" else ()


def _stands_at(found: Sequence[Found], at: int, phrase: tuple[str, ...], text: str) -> bool:
    items = found[at : at + len(phrase)]
    if len(items) < len(phrase):
        return False
    together = all(text[a.end : b.start] in (" ", "-") for a, b in pairwise(items))
    return together and all(
        item.kind == "word" and fold(item.text) == word
        for item, word in zip(items, phrase, strict=True)
    )
