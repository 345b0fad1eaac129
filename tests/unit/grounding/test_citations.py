"""Marks name what a sentence rests on."""

import pytest

from server.grounding.citations import cited, with_proof, without_marks
from server.grounding.repeats import Repeats


@pytest.mark.parametrize(
    ("written", "passages", "shown"),
    [
        ("Ada was born [1].", (1,), "Ada was born [1]."),
        ("Ada was born [2].", (1,), "Ada was born [1]."),
        ("Ada was born.", (1, 3), "Ada was born [1][3]."),
        ("Ada was born", (1,), "Ada was born [1]"),
        ("**Ada was born.**\n", (1,), "**Ada was born [1].**\n"),
        ("Ada was born [1][2].", (1,), "Ada was born [1]."),
        ("Ada was born [4].", (1,), "Ada was born [4]."),
        ("Ada was born [9].", (), "Ada was born."),
        ("| Ada | 1815 |\n", (1,), "| Ada | 1815 |\n"),
    ],
)
def test_a_sentence_cites_what_supports_it(
    written: str, passages: tuple[int, ...], shown: str
) -> None:
    """Passage 4 supports it, too, in these examples."""
    assert with_proof(written, passages, lambda n: n == 4) == shown


def test_marks_go_with_the_space_before_them() -> None:
    """All of them, or some."""
    assert without_marks("Born [1] in London [2].") == "Born in London."
    assert without_marks("Born [1] in London [2].", [2]) == "Born [1] in London."
    assert cited("[3] and [1] and [3]") == [3, 1]


def test_a_repeat_is_told_by_its_words() -> None:
    """Whatever its marks and markup."""
    repeats = Repeats("Ada was born in 1815 [1]. She died in 1852.")
    assert not repeats.is_new("**Ada** was born in 1815.")
    assert repeats.is_new("Ada was born in 1816.")
    assert repeats.is_new("She died in 1852. She is buried in Hucknall.")
    assert repeats.is_new("\n\n")
