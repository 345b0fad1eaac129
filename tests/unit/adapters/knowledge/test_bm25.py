"""Ranking by words."""

from server.adapters.knowledge.bm25 import Bm25, document_terms, query_terms
from server.adapters.knowledge.languages import guess_language, words


def index(*texts: str) -> Bm25:
    return Bm25([document_terms(text) for text in texts])


def best(documents: Bm25, query: str) -> int:
    scores = documents.scores(query_terms(query))
    return max(scores, key=lambda number: scores[number])


def test_the_document_with_the_rare_word_wins() -> None:
    """A word that is everywhere tells nothing."""
    documents = index("the engine and the loom", "the engine and the store", "the engine runs")
    assert best(documents, "Which engine has a store?") == 1


def test_stems_of_both_languages_match() -> None:
    """Plurals and inflections, in either."""
    documents = index("She played instruments.", "Zij speelde met machines.", "Something else.")
    assert best(documents, "instrument") == 0
    assert best(documents, "machine speelt") == 1


def test_a_word_inside_a_compound_is_found() -> None:
    """Dutch writes together what a visitor asks for alone."""
    assert best(index("Een weefgetouw.", "Een ponskaartenlezer."), "ponskaart") == 1


def test_accents_and_case_make_no_difference() -> None:
    """Visitors leave them out."""
    assert words("Één CAFÉ\u00adtje") == ["een", "cafetje"]


def test_the_score_is_bm25() -> None:
    """One term, once, in a document of mean length: its idf."""
    documents = Bm25([{"a": 1}, {"b": 1}])
    assert documents.scores({"a": 1.0}) == {0: documents.idf("a")}


def test_nothing_matches_in_nothing() -> None:
    """No documents, no terms, no shared word."""
    assert Bm25([]).scores({"a": 1.0}) == {}
    assert Bm25([{}]).scores({"a": 1.0}) == {}
    assert index("one").scores({}) == {}


def test_coverage_is_the_share_of_content_a_document_has() -> None:
    """Stopwords neither help nor harm; a question of nothing else covers nothing."""
    documents = index("the red engine", "the blue loom")
    assert documents.coverage("What is the red engine?", 0) == 1.0
    assert documents.coverage("What is the red engine?", 1) == 0.0
    assert 0.0 < documents.coverage("Is the red engine expensive?", 0) < 1.0
    assert documents.coverage("What is the?", 0) == 0.0


def test_a_long_query_is_bounded() -> None:
    """Its first and last words count."""
    terms = query_terms("alpha " + " ".join(f"w{n}" for n in range(4000)) + " omega")
    assert {"alpha", "omega"} <= terms.keys()
    assert len(terms) < 500


def test_the_language_is_guessed_by_stopwords() -> None:
    """On a tie, the default."""
    assert guess_language(words("Waar ligt zij begraven?")) == "nl"
    assert guess_language(words("Where is her tomb?")) == "en"
    assert guess_language(words("Ada Lovelace 1843"), default="nl") == "nl"
