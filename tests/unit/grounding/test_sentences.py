"""Cutting a growing text into sentences."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.grounding.sentences import Sentences

PIECES = st.lists(
    st.sampled_from(
        [
            "Ada was born in 1815. ", "Dr. Osei works here. ", "Is it? ", "No! ", "It costs €4.50", " [1]", " [12] ", "\n", "\n\n",
            "- item one\n", "1. first\n", "## Heading\n", "```\ncode. More.\n```\n", "| a | b |\n", "| --- | --- |\n", "“Quoted. Twice.” ",
            "(A. A. Milne) ", "e.g. this", "Wait... ", "https://a.example/b. ", "d.w.z. dat", " ", "x", ".", "[", "**Bold.** ", "'s Avonds ",
        ]
    ),
    max_size=14,
)  # fmt: skip


def cut(text: str) -> list[str]:
    sentences = Sentences()
    whole = [*sentences.feed(text), sentences.rest()]
    return [sentence for sentence in whole if sentence]


def bare(text: str) -> list[str]:
    return [sentence.strip() for sentence in cut(text) if sentence.strip()]


@given(PIECES, st.data())
@settings(max_examples=300, deadline=None)
def test_however_it_is_fed_the_sentences_are_the_same_and_join_to_the_input(
    pieces: list[str], data: st.DataObject
) -> None:
    """Where a stream is cut is chance; what is judged must not depend on it."""
    text = "".join(pieces)
    sentences = Sentences()
    found: list[str] = []
    at = 0
    while at < len(text):
        size = data.draw(st.integers(1, 9))
        found += sentences.feed(text[at : at + size])
        at += size
    found = [one for one in [*found, sentences.rest()] if one]
    assert "".join(found) == text
    assert found == cut(text)


@given(st.text(max_size=60), st.integers(0, 60))
def test_any_text_joins_to_itself(text: str, at: int) -> None:
    """No character is lost or doubled, whatever it is."""
    sentences = Sentences()
    parts = [*sentences.feed(text[:at]), *sentences.feed(text[at:]), sentences.rest()]
    assert "".join(parts) == text


@pytest.mark.parametrize(
    "text",
    [
        "Dr. Amara Osei is a dermatologist.",
        "It was written by A. A. Milne and J.K. Rowling.",
        "Mr. Thijs Brandsma is advocaat, d.w.z. hij pleit.",
        "See vol. 3, pp. 666 to 731, and no. 82.",
        "Taarten, bijv. appeltaart, kosten € 3.85 per stuk.",
        "It costs 4.50 euros at https://shop.example/a.b?c=d. for now",
        "Well... maybe that is so.",
        "She said: “I came. I saw.” and left.",
        "He called it (see p. 3. Or so) a success.",
        "1. Dr. Osei works on Monday.",
        "We zijn open van 8.00 tot 17.30 uur.",
        "o.a. brood, d.w.z. zuurdesem",
    ],
)
def test_one_sentence_stays_whole(text: str) -> None:
    """Abbreviations, initials, decimals, addresses, ellipses, quotations and brackets do not end a sentence."""
    assert bare(text + " Next one.")[0].removesuffix("Next one.").strip() == text or bare(text) == [
        text
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four…", ["One.", "Two!", "Three?", "Four…"]),
        ("Born in 1815. [1] She wrote.", ["Born in 1815. [1]", "She wrote."]),
        ("He won.” [2] Then left.", ["He won.” [2]", "Then left."]),
        ("- one\n- two. Three.\n- four", ["- one", "- two.", "Three.", "- four"]),
        ("# Title\nText goes\non here. More.", ["# Title", "Text goes\non here.", "More."]),
        ("A.\n\n```py\nx = 1. # No cut. Here\n```\nB.", ["A.", "```py\nx = 1. # No cut. Here\n```", "B."]),
        ("| a | b. C |\n| - | - |\n| d | e |", ["| a | b. C |", "| - | - |", "| d | e |"]),
        ("Ga naar huis. 's Avonds niet.", ["Ga naar huis.", "'s Avonds niet."]),
        ("It was in 1843. In 1852 she died.", ["It was in 1843.", "In 1852 she died."]),
    ],
)  # fmt: skip
def test_what_is_a_sentence(text: str, expected: list[str]) -> None:
    """Each line of Markdown that stands on its own is one; a soft line break is none."""
    assert bare(text) == expected


def test_a_citation_mark_that_arrives_late_stays_with_its_sentence() -> None:
    """The mark may come in pieces after the full stop."""
    sentences = Sentences()
    assert sentences.feed("She was born in 1815. [") == []
    assert sentences.feed("1") == []
    assert sentences.feed("]") == []
    assert sentences.feed(" Then ") == ["She was born in 1815. [1] "]


def test_a_sentence_comes_as_soon_as_the_next_begins() -> None:
    """Nothing waits for the end of the paragraph."""
    sentences = Sentences()
    assert sentences.feed("First one. ") == []
    assert sentences.feed("S") == ["First one. "]
