"""Ranking by words: BM25 over stems of both languages and pieces of words. Pure.

BM25 as in Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009), with the
never-negative idf of Lucene's BM25Similarity: ln(1 + (N - n + 0.5) / (n + 0.5)).
"""

import math
from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

import Stemmer

from server.adapters.knowledge.languages import ALL_STOPWORDS, words

K1 = 1.2
B = 0.75
"""Lucene's and the book's defaults; not tuned, because a folder of a hundred passages would be overfitted."""
GRAM = 4
GRAM_WEIGHT = 0.15
"""What a matching 4-gram counts against a matching stem: it finds "boek" in "kookboek", and must not outvote words."""
MOST_QUERY_WORDS = 100


@lru_cache(maxsize=50_000)
def stems(word: str) -> tuple[str, ...]:
    """What the English and the Dutch Snowball stemmer make of a word; one when they agree."""
    # A Stemmer holds state while it works, and searches run in threads: one per call costs 2 µs.
    return tuple(
        dict.fromkeys(
            Stemmer.Stemmer(language, 0).stemWord(word) for language in ("english", "dutch")
        )
    )


def grams(word: str) -> Iterator[str]:
    """The word's pieces of four characters, marked so that none is taken for a stem."""
    if len(word) > GRAM:
        for at in range(len(word) - GRAM + 1):
            yield "~" + word[at : at + GRAM]


def content_words(text: str) -> list[str]:
    """The words that carry the meaning; all of them when there are only stopwords."""
    every = words(text)
    return [word for word in every if word not in ALL_STOPWORDS] or every


def document_terms(text: str) -> Counter[str]:
    """What a passage is found by."""
    terms: Counter[str] = Counter()
    for word in words(text):
        terms.update(stems(word))
        terms.update(grams(word))
    return terms


def query_terms(text: str) -> dict[str, float]:
    """What a question looks for, with how much each counts. Of a very long text only its first and last words."""
    chosen = content_words(text)
    if len(chosen) > MOST_QUERY_WORDS:
        half = MOST_QUERY_WORDS // 2
        chosen = chosen[:half] + chosen[-half:]
    weights: dict[str, float] = {}
    for word in dict.fromkeys(chosen):
        for stem in stems(word):
            weights[stem] = 1.0
        for gram in grams(word):
            weights.setdefault(gram, GRAM_WEIGHT)
    return weights


class Bm25:
    """An index over documents, each given as how often it has which term. Never changes once made."""

    def __init__(
        self, documents: Sequence[Mapping[str, int]], k1: float = K1, b: float = B
    ) -> None:
        lengths = [sum(document.values()) for document in documents]
        mean = sum(lengths) / len(lengths) if lengths else 0.0
        self._k1 = k1
        self._norms = [k1 * (1 - b + b * length / mean) if mean else k1 for length in lengths]
        self._postings: dict[str, tuple[array[int], array[int]]] = {}
        for number, document in enumerate(documents):
            for term, count in document.items():
                where, how_often = self._postings.setdefault(term, (array("I"), array("I")))
                where.append(number)
                how_often.append(count)

    def __len__(self) -> int:
        return len(self._norms)

    def idf(self, term: str) -> float:
        """How telling a term is; largest for one that no document has."""
        postings = self._postings.get(term)
        having = len(postings[0]) if postings else 0
        return math.log(1 + (len(self) - having + 0.5) / (having + 0.5))

    def scores(self, terms: Mapping[str, float]) -> dict[int, float]:
        """Document number → score, for documents that have any of the terms."""
        total: dict[int, float] = {}
        for term, weight in terms.items():
            postings = self._postings.get(term)
            if postings is None:
                continue
            gain = weight * self.idf(term) * (self._k1 + 1)
            for number, count in zip(*postings, strict=True):
                part = gain * count / (count + self._norms[number])
                total[number] = total.get(number, 0.0) + part
        return total

    def has(self, number: int, term: str) -> bool:
        """Whether that document has the term."""
        postings = self._postings.get(term)
        if postings is None:
            return False
        where = postings[0]
        at = bisect_left(where, number)
        return at < len(where) and where[at] == number

    def coverage(self, query: str, number: int) -> float:
        """How much of the question's content a document has: 0 to 1, each word weighing its idf; 0 when the
        question is all stopwords."""
        content = (word for word in words(query) if word not in ALL_STOPWORDS)
        asked = list(dict.fromkeys(content))[:MOST_QUERY_WORDS]
        met = wanted = 0.0
        for word in asked:
            forms = stems(word)
            weight = min(self.idf(form) for form in forms)
            wanted += weight
            if any(self.has(number, form) for form in forms):
                met += weight
        return met / wanted if wanted else 0.0
