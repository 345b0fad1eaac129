"""A growing answer through the gate: what is shown, and how the rest reads."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.grounding.evidence import Evidence, Source
from server.grounding.gate import QUOTE, Gate

EVIDENCE = Evidence(
    passages=(
        Source(
            "A sourdough loaf costs €4.50 and a rye loaf costs €3.90. Most of our loaves are vegan. "
            "Our croissants contain butter.",
            "en",
            "Our bread",
        ),
        Source(
            "Nadia Molenaar founded the bakery in 2009. Her brother Sam runs the shop. The shop is open on Monday. "
            "To build, run:\n\nmake bread --warm",
            "en",
            "The people",
        ),
    ),
    visitor="What does bread cost?",
    owner="Molenaar Bakery",
)


FALSE = "The cellar won a prize."
"""Nothing in the evidence speaks of anything like it."""


def shown(text: str, step: int = 5) -> tuple[str, Gate]:
    gate = Gate(EVIDENCE)
    out = []
    for at in range(0, len(text), step):
        out += gate.feed(text[at : at + step])
    out += gate.finish()
    return "".join(released.text for released in out), gate


@pytest.mark.parametrize(
    "text",
    [
        "Good morning! A sourdough loaf costs €4.50 [1]. Would you like to know more?",
        "Our loaves:\n\n- A sourdough loaf costs €4.50.\n- A rye loaf costs €3.90.\n\nThe croissants contain butter.",
        "## Bread\n\nMost of our loaves are vegan.",
        "| Bread | Price |\n| --- | --- |\n| sourdough loaf | €4.50 |\n| rye loaf | €3.90 |",
        "1. A sourdough loaf costs €4.50.\n2. A rye loaf costs €3.90.",
        "To build:\n\n```\nmake bread --warm\n```",
        "Yes. The croissants contain butter.",
    ],
)
def test_what_is_supported_comes_out_as_it_went_in(text: str) -> None:
    """Markdown and white space stay what they were."""
    out, gate = shown(text)
    assert out == text
    assert gate.withheld == []


def test_a_false_sentence_is_left_out_and_counted() -> None:
    """The true ones around it come, in order."""
    out, gate = shown(f"A sourdough loaf costs €4.50. {FALSE} The croissants contain butter.")
    assert out == "A sourdough loaf costs €4.50. The croissants contain butter."
    assert [kept.text for kept in gate.withheld] == [FALSE]


def test_a_withheld_item_goes_with_its_bullet_and_what_is_under_it() -> None:
    """No empty bullet, no orphan."""
    out, gate = shown(
        f"Our loaves:\n- {FALSE} It is good.\n  - Most of our loaves are vegan.\n- A rye loaf costs €3.90.\n"
    )
    assert out == "Our loaves:\n- A rye loaf costs €3.90."
    assert len(gate.withheld) == 3


def test_numbers_of_a_list_have_no_gap() -> None:
    """The second item becomes the first when the first is withheld."""
    out, _ = shown(f"1. {FALSE}\n2. A rye loaf costs €3.90.\n3. A sourdough loaf costs €4.50.")
    assert out == "1. A rye loaf costs €3.90.\n2. A sourdough loaf costs €4.50."


def test_an_introduction_without_items_does_not_dangle() -> None:
    """Nor does a heading, a table's head or a bare yes."""
    for text in (
        f"Our loaves:\n\n- {FALSE}\n",
        f"## Bread\n\n{FALSE}",
        "| Bread | Price |\n| --- | --- |\n| rye loaf | €9 |\n",
        f"Yes. {FALSE}",
    ):
        out, gate = shown(text)
        assert out == "", text
        assert gate.withheld


def test_items_are_judged_with_what_introduces_them() -> None:
    """ "These contain butter:" makes every item a claim about butter."""
    out, _ = shown("Nadia founded these:\n- a rye loaf\n- the bakery\n")
    assert "rye" not in out


def test_code_must_stand_in_the_evidence() -> None:
    """An invented command is a claim."""
    out, gate = shown("To build:\n\n```\nmake bread --cold\n```\n")
    assert out == ""
    assert any(kept.reason == "code" for kept in gate.withheld)


def test_a_sentence_that_leans_on_a_withheld_one_goes_too() -> None:
    """ "It" would otherwise mean something else."""
    out, gate = shown(
        "The cellar won a prize. It is open on Monday. Her brother Sam runs the shop."
    )
    assert out == "Her brother Sam runs the shop."
    assert [kept.reason for kept in gate.withheld][1] == "leans on a withheld sentence"


def test_a_pronoun_after_another_name_is_not_taken_for_somebody_else() -> None:
    """ "He" after a sentence about Nadia is not Sam."""
    out, _ = shown("Nadia Molenaar founded the bakery in 2009. She runs the shop.")
    assert out == "Nadia Molenaar founded the bakery in 2009."


def test_a_page_s_own_sentence_is_shown_instead_of_a_withheld_one() -> None:
    """In quotation marks, in its place, with the passage it comes from; "Yes." before it goes, and it still counts as withheld."""
    gate = Gate(EVIDENCE)
    out = gate.feed(
        "Hello! Yes. The bakery was founded by Nadia in 2011. Her brother Sam runs the shop. "
    )
    out += gate.finish()
    assert [(released.text, released.passages, released.kind) for released in out[1:]] == [
        (" “Nadia Molenaar founded the bakery in 2009.”", (2,), QUOTE),
        (" Her brother Sam runs the shop.", (2,), "claim"),
    ]
    assert [(kept.text, kept.quoted) for kept in gate.withheld] == [
        ("Yes.", False),
        ("The bakery was founded by Nadia in 2011.", True),
    ]


def test_a_page_is_not_quoted_twice_nor_after_the_model_said_the_same() -> None:
    """The visitor reads it once."""
    out, gate = shown("The bakery was founded by Nadia in 2011. Nadia founded the bakery in 2012.")
    assert out == "“Nadia Molenaar founded the bakery in 2009.”"
    assert [kept.quoted for kept in gate.withheld] == [True, True]
    out, _ = shown("Most of our loaves are vegan. All of our loaves are vegan.")
    assert out == "Most of our loaves are vegan."


def test_a_quoted_item_keeps_its_bullet_and_its_number() -> None:
    """And the list goes on."""
    out, _ = shown(
        "1. The cellar won a prize.\n2. All of our loaves are vegan.\n3. Our croissants contain butter."
    )
    assert out == "1. “Most of our loaves are vegan.”\n2. Our croissants contain butter."


@pytest.mark.parametrize(
    "said",
    [
        "The shop has a parrot.",  # one word in common
        "I have sent your order for a rye loaf.",  # a deed
        "Sam is in the shop on Tuesday morning.",  # somebody's time
    ],
)
def test_pages_are_not_quoted_for_deeds_and_times_nor_for_something_else(said: str) -> None:
    """A promise is not answered by a page, and another subject is no answer."""
    assert shown(said)[0] == ""


def test_paragraphs_stay_apart_when_the_last_sentence_of_one_is_withheld() -> None:
    """The blank line belongs to the page, not to the sentence."""
    out, _ = shown(f"The croissants contain butter. {FALSE}\n\nMost of our loaves are vegan.")
    assert out == "The croissants contain butter.\n\nMost of our loaves are vegan."


def test_the_first_sentence_comes_while_the_model_is_still_writing() -> None:
    """The gate streams."""
    gate = Gate(EVIDENCE)
    assert gate.feed("The croissants contain butter. ") == []
    assert [released.text for released in gate.feed("M")] == ["The croissants contain butter."]


def test_released_text_names_the_passages_it_rests_on() -> None:
    """Counted from 1, for citations."""
    gate = Gate(EVIDENCE)
    out = (
        gate.feed("Her brother Sam runs the shop. The croissants contain butter. ") + gate.finish()
    )
    assert [released.passages for released in out] == [(2,), (1,)]


@given(
    st.lists(
        st.sampled_from(
            [
                "Most of our loaves are vegan. ",
                "A rye loaf costs €9. ",
                "The cellar won a prize. ",
                "\n",
                "\n\n",
                "- ",
                "1. ",
                "## ",
                "Our loaves:\n",
                "| a | b |\n",
                "| --- | --- |\n",
                "```\nx\n```\n",
                "Yes. ",
                "It is vegan. ",
                "Hello! ",
                "**",
                "  - ",
            ]
        ),
        max_size=12,
    ),
    st.integers(1, 9),
)
@settings(max_examples=150, deadline=None)
def test_what_is_shown_does_not_depend_on_how_it_arrives(pieces: list[str], step: int) -> None:
    """And a false sentence never comes out."""
    text = "".join(pieces)
    out, gate = shown(text, step)
    whole, at_once = shown(text, len(text) or 1)
    assert out == whole
    assert gate.withheld == at_once.withheld
    assert "€9" not in out
    assert "prize" not in out


TRIES = Evidence(
    (
        Source(
            "Ada Lovelace was born in London on 10 December 1815. Visits cost 90 euros.",
            "en",
            "Ada",
        ),
    ),
    (),
    "Hello, I am Bob. Did Ada have a parrot?",
    "Ada Lovelace",
    "en",
)


@pytest.mark.parametrize(
    "said",
    [
        "Ada was born in London; she had a parrot.",
        "Ada was born in London… she had a parrot",
        "Ada was born in London 🙂 she had a parrot.",
        "Ada (who had a parrot) was born in London.",
        "**She had a parrot**",
        "<b>She had a parrot</b>",
        "# She had a parrot\n\nAda was born in London.",
        "# Ada was born in Paris\n\nAda was born in London.",
        "| pet | name |\n|---|---|\n| parrot | Polly |\n",
        "```\nshe had a parrot\n```\n",
        "Did you know she had a parrot?",
        "As you said, Ada had a parrot.",
        "You asked whether Ada had a parrot: yes.",
        "No, she never had one.",
        "Nobody did.",
        "Read [her page](http://evil.example/x).",
        "![parrot](http://evil.example/p.png)",
        "Аda had a pаrrot.",
        "Ada h\u200bad a par\u200brot.",
        "Ada was born in London【1】 and had a parrot【1】.",
        "Everyone knows Ada was born in London.",
        "A visit costs 90 euros an hour.",
    ],
)
def test_no_way_around_it(said: str) -> None:
    """Nothing of it is shown but what is proven, however the text is cut."""
    for cut in (1, 7, len(said)):
        gate = Gate(TRIES)
        shown = "".join(
            out.text
            for start in range(0, len(said), cut)
            for out in gate.feed(said[start : start + cut])
        )
        shown += "".join(out.text for out in gate.finish())
        assert shown.strip() in (
            "",
            "Ada was born in London.",
            "“Ada Lovelace was born in London on 10 December 1815.”",
            "“Visits cost 90 euros.”",
        )
