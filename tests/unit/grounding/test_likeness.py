"""Which questions ask the same."""

import time

import pytest

from server.grounding.likeness import alike

SAME = [
    ("What is her shoe size?", "what's Ada's shoe size"),
    ("What is her shoe size?", "Which size of shoes does Ada wear?"),
    ("Do you ship to Belgium?", "do you ship to belgium please??"),
    ("Do you ship to Belgium?", "Can you tell me whether you are shipping to Belgium?"),
    ("When was she born?", "Wanneer is ze geboren?"),
    ("In what year was she born?", "When was she born?"),
    ("Verzendt u naar België?", "Kunt u naar België verzenden?"),
    ("Wat kost een workshop in 2027?", "Hoeveel kost een workshop in 2027?"),
    ("Wie is de fotograaf?", "wie was de fotograaf"),
    ("???", "!!"),
    ("Hoe oud is ze?", "hoe oud is zij?"),
]
DIFFERENT = [
    ("When was she born?", "Where was she born?"),
    ("Were you open in 2024?", "Were you open in 2025?"),
    ("Does she like tea?", "Does she like coffee?"),
    ("Do you repair bikes on Sunday?", "Do you repair bikes on Monday?"),
    ("Does she sell red apples in Amsterdam?", "Does she sell green apples in Amsterdam?"),
    ("What does it cost?", "What does parking cost?"),
    ("Who is Ada?", "Why is Ada?"),
    ("Heeft u een hond?", "Heeft u een kat?"),
    ("What is her shoe size?", "What is her favourite colour?"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_these_ask_the_same(one: str, other: str) -> None:
    assert alike([one, other], "Ada Lovelace") == [[0, 1]]
    assert alike([other, one], "Ada Lovelace") == [[0, 1]]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_these_do_not(one: str, other: str) -> None:
    assert alike([one, other], "Ada Lovelace") == [[0], [1]]
    assert alike([other, one], "Ada Lovelace") == [[0], [1]]


def test_a_later_question_never_moves_an_earlier_one() -> None:
    """So that a group keeps its first question, and with it its name."""
    questions = [text for pair in SAME + DIFFERENT for text in pair]
    whole = alike(questions)
    for end in range(len(questions)):
        begun = [[place for place in group if place < end] for group in whole]
        assert alike(questions[:end]) == [group for group in begun if group]


def test_nothing_and_one_are_fine() -> None:
    assert alike([]) == []
    assert alike([""]) == [[0]]


def test_five_hundred_long_questions_take_less_than_two_seconds() -> None:
    """Much less where nobody else computes; all share words here, which is the worst there is."""
    words = [f"word{n}" for n in range(40)]
    questions = [
        f"Is {words[n % 40]} with {words[n * 7 % 40]} and {words[n * 11 % 40]} better? " * 8
        for n in range(500)
    ]
    began = time.perf_counter()
    alike(questions)
    took = time.perf_counter() - began
    print(f"grouping 500: {took * 1000:.0f} ms")
    assert took < 2
