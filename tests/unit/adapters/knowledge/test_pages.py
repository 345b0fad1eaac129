"""A page as text becomes passages."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.adapters.knowledge.pages import (
    LONGEST_PASSAGE,
    PASSAGE_WORDS,
    Code,
    cut,
    parse_page,
    slug_of,
)


def codes(text: str, path: str = "en/page.md") -> list[Code]:
    return [finding.code for finding in parse_page(path, text).findings]


def texts(text: str, path: str = "en/page.md") -> list[str]:
    return [passage.text for passage in parse_page(path, text).passages]


# --- ids and titles


def test_a_passage_is_named_by_path_section_and_part() -> None:
    """The id is `path#slug`, with `/2` for a further part; the source is the id without the part."""
    long = " ".join(f"Sentence number {n} is here for its length." for n in range(30))
    page = parse_page("en/notes.md", f"# Notes\n\n## Note G\n\n{long}\n")
    assert [passage.id for passage in page.passages] == [
        "en/notes.md#note-g",
        "en/notes.md#note-g/2",
    ]
    assert {passage.source for passage in page.passages} == {"en/notes.md#note-g"}


def test_a_title_is_the_pages_and_the_sections_it_stands_under() -> None:
    """The page's own heading is not said twice."""
    page = parse_page("a.md", "# Work\n\nOne.\n\n## Talks\n\nTwo.\n\n### Prices\n\nThree.\n")
    assert [passage.title for passage in page.passages] == [
        "Work",
        "Work › Talks",
        "Work › Talks › Prices",
    ]


def test_text_before_the_first_heading_is_the_section_top() -> None:
    """And no heading takes that name from it."""
    page = parse_page("a.md", "Hello.\n\n# Top\n\nThere.\n")
    assert [passage.id for passage in page.passages] == ["a.md#top", "a.md#top-2"]


def test_equal_headings_get_numbers() -> None:
    """The second is `-2`, even when a heading of that very name stands before it."""
    page = parse_page("a.md", "# Note\n\na\n\n# Note 2\n\nb\n\n# Note\n\nc\n")
    assert [p.id for p in page.passages] == ["a.md#note", "a.md#note-2", "a.md#note-3"]


@pytest.mark.parametrize(
    ("heading", "slug"),
    [
        ("Note G", "note-g"),
        ("  What's *new*, in 2024?! ", "what-s-new-in-2024"),
        ("Één café", "één-café"),
        ("🎉", "section"),
        ("a/b#c", "a-b-c"),
    ],
)
def test_slugs_keep_letters_and_digits_of_any_script(heading: str, slug: str) -> None:
    """Everything else is one "-"; a slug is never empty."""
    assert slug_of(heading) == slug


# --- front matter


def test_front_matter_gives_title_language_and_url() -> None:
    """It goes before the heading and the folder, and is not text."""
    page = parse_page(
        "en/x.md", "---\ntitle: Wie ik ben\nlanguage: NL\nurl: /ik\n---\n# Kop\n\nTekst.\n"
    )
    assert (page.title, page.language, page.url) == ("Wie ik ben", "nl", "/ik")
    assert [(p.title, p.text, p.url) for p in page.passages] == [
        ("Wie ik ben › Kop", "Tekst.", "/ik")
    ]
    assert page.findings == ()


def test_values_of_front_matter_stay_as_written() -> None:
    """`no` is Norwegian and not false; a year is a title."""
    page = parse_page("x.md", "---\nlanguage: no\ntitle: 2024\n---\nTekst.\n")
    assert (page.language, page.title) == ("no", "2024")


@pytest.mark.parametrize(
    "front",
    [
        "---\ntitle: [\n---\n",
        "---\njust words\n---\n",
        "---\n- a\n- b\n---\n",
        "---\nlanguage: english\n---\n",
        "---\nurl: javascript:alert(1)\n---\n",
        "---\nurl: //elsewhere.example\n---\n",
        "---\ntitle: {a: b}\n---\n",
        "---\n" + "[" * 5000 + "\n---\n",
        "---\ntitle: &a [*a]\n---\n",
        "---\ntitle: " + "x" * 9000 + "\n---\n",
        "---\n!!python/object/apply:os.system ['true']\n---\n",
    ],
)
def test_broken_front_matter_is_a_finding_and_the_text_is_kept(front: str) -> None:
    """What is wrong with the head costs nothing of the body."""
    assert codes(f"{front}\nThe body.\n") == [Code.BROKEN_FRONT_MATTER]
    assert texts(f"{front}\nThe body.\n") == ["The body."]


def test_front_matter_without_an_end_is_a_finding() -> None:
    """The text stays text."""
    assert codes("---\ntitle: x\n\nBody.\n") == [Code.BROKEN_FRONT_MATTER]


@pytest.mark.parametrize(
    ("path", "text", "language"),
    [
        ("nl/a.md", "The text is in English and this is what it says.", "nl"),
        ("a.md", "Dit is wat ik doe en waarom ik het doe.", "nl"),
        ("a.md", "This is what I do and why I do it.", "en"),
        ("it/a.md", "The IT department is here to help you.", "en"),
        ("a.md", "42", "en"),
    ],
)
def test_the_language_is_the_folders_or_guessed(path: str, text: str, language: str) -> None:
    """Only `en` and `nl` are taken for languages in a path."""
    assert parse_page(path, text).language == language


def test_without_heading_the_title_is_the_file_name() -> None:
    """Made readable."""
    assert parse_page("en/what-i_do.md", "Text.").title == "What i do"


# --- text


def test_marks_go_and_words_stay() -> None:
    """Emphasis, code, images, line breaks and entities read as what they show."""
    assert texts("Some *very*\n**bold** `code` ![a cat](x.png) &amp; more  \nnext") == [
        "Some very bold code a cat & more\nnext"
    ]


def test_a_link_keeps_the_address_a_visitor_can_use() -> None:
    """Web and mail addresses follow their words once; places inside the site do not."""
    assert texts(
        "[Book](https://x.example/b), [mail](mailto:a@b.example), [here](../c.md), <https://y.example>"
    ) == ["Book (https://x.example/b), mail (a@b.example), here, https://y.example"]


def test_lists_quotes_code_and_tables_are_readable_text() -> None:
    """A table row names its columns, so that it can be quoted alone."""
    text = (
        "- one\n- two\n  1. deep\n\n> said *so*\n\n```python\nif x:\n    y()\n```\n\n"
        "| Day | Open |\n| --- | --- |\n| Monday | 9–17 |\n| Sunday | |\n"
    )
    assert texts(text) == [
        "- one\n- two\n1. deep\nsaid so\nif x:\n    y()\nDay: Monday; Open: 9–17\nDay: Sunday"
    ]


def test_html_is_dropped_and_what_it_says_is_kept() -> None:
    """Comments and scripts say nothing to a reader, so they are no evidence."""
    text = "A <b>bold</b> word.\n\n<!-- secret -->\n\n<div>Shown <i>too</i></div>\n\n<script>\nalert(1)\n</script>\n"
    assert texts(text) == ["A bold word.\nShown too"]


@pytest.mark.timeout(20)
@pytest.mark.parametrize("piece", ["<div ", "<!-- ", "[", "![", "*a **b ", "> ", "<script>", "|a"])
def test_broken_marks_do_not_cost_minutes(piece: str) -> None:
    """Thousands of openers without an end."""
    parse_page("a.md", piece * 5000)


def test_deep_nesting_loses_no_text() -> None:
    """Lists in lists in quotes."""
    assert "word" in " ".join(texts("> " * 10 + "- " * 10 + "word"))


def test_line_ends_marks_of_order_and_nuls_change_nothing() -> None:
    """CRLF and a byte order mark are silent; a NUL is reported."""
    plain = "---\ntitle: T\n---\n# H\n\nText here.\n"
    windows = "\ufeff" + plain.replace("\n", "\r\n")
    assert parse_page("a.md", windows) == parse_page("a.md", plain)
    assert codes("Text\0 here.") == [Code.NUL_REMOVED]
    assert texts("Text\0 here.") == ["Text here."]


@pytest.mark.parametrize(
    "text", ["", "\n\n", "---\ntitle: x\n---\n", "<!-- nothing -->", "[a]: https://b.example"]
)
def test_a_page_without_text_is_empty(text: str) -> None:
    """Whatever else it holds."""
    assert codes(text) == [Code.EMPTY]


def test_a_heading_without_text_is_a_finding_unless_others_stand_under_it() -> None:
    """A heading that only groups others is fine."""
    assert codes("# A\n\n## B\n\ntext\n\n## C\n\n# D\n") == [Code.SECTION_WITHOUT_TEXT] * 2


# --- cutting


def test_a_long_section_is_cut_between_paragraphs() -> None:
    """Whole paragraphs, as many as fit."""
    paragraphs = [f"p{n} " + "word " * 49 for n in range(6)]
    parts, hard = cut([p.strip() for p in paragraphs])
    assert not hard
    assert [part.count("p") for part in parts] == [2, 2, 2]


def test_a_long_paragraph_is_cut_between_sentences() -> None:
    """And only there."""
    parts, hard = cut([" ".join(f"This is sentence {n} of many." for n in range(60))])
    assert not hard
    assert all(part.endswith(".") for part in parts)
    assert all(len(part.split()) <= PASSAGE_WORDS + PASSAGE_WORDS // 4 for part in parts)


def test_a_short_rest_stays_with_what_is_before_it() -> None:
    """A last sentence alone would be found without what it is about."""
    parts, _ = cut(["word " * 118 + "end.", "A short rest."])
    assert len(parts) == 1


def test_a_sentence_without_end_is_cut_and_reported() -> None:
    """No passage is longer than the limit, not even for one endless word."""
    assert Code.CUT_MID_SENTENCE in codes("word " * 1000)
    assert all(len(text) <= LONGEST_PASSAGE for text in texts("x" * 50_000))
    assert "".join(texts("x" * 50_000)) == "x" * 50_000


# --- any text


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=400))
def test_any_text_can_be_read(text: str) -> None:
    """Parsing never raises, ids are unique, and no passage is empty."""
    page = parse_page("en/page.md", text)
    ids = [passage.id for passage in page.passages]
    assert len(ids) == len(set(ids))
    assert all(passage.text.strip() for passage in page.passages)


MARKDOWN = st.lists(
    st.sampled_from(
        ["# ", "## ", "- ", "1. ", "> ", "```\n", "| a | b |\n", "|---|---|\n", "<div>", "</div>", "<!--", "---\n",
         "[x](", ")", "**", "_", "`", "![", "]", "\n", "\n\n", "    ", "\t", "\\", "&amp;", "\0", "word ", "é ", "🎉"]
    ),
    max_size=60,
).map("".join)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(MARKDOWN)
def test_any_markdown_can_be_read(text: str) -> None:
    """Half-open constructs in any order never raise."""
    parse_page("page.md", text)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.tuples(st.booleans(), st.lists(st.sampled_from([" ", ". ", "! ", "\n"]), max_size=300)),
        min_size=1,
        max_size=8,
    )
)
def test_every_word_of_a_paragraph_is_in_exactly_one_passage(
    plan: list[tuple[bool, list[str]]],
) -> None:
    """Whatever the lengths, the sentence ends and the headings between: nothing is lost, nothing said twice."""
    count = 0
    text = ""
    for with_heading, gaps in plan:
        text += "\n\n## Heading\n\n" if with_heading else "\n\n"
        for gap in ["", *gaps]:
            text += f"{gap}w{count}w"
            count += 1
    found = re.findall(r"w(\d+)w", " ".join(texts(text)))
    assert [int(number) for number in found] == list(range(count))


# --- questions


def test_questions_in_front_matter_are_found_by_and_not_part_of_the_text() -> None:
    page = parse_page("a.md", "---\nquestions:\n- What is\n  it?\n- 'And that?'\n---\n# A\n\nText.")
    [passage] = page.passages
    assert passage.asked == "What is it?\nAnd that?"
    assert passage.text == "Text."
    assert not page.findings


@pytest.mark.parametrize("value", ["one", "{a: b}", "[[a]]"])
def test_questions_that_are_no_list_of_texts_are_a_finding(value: str) -> None:
    text = f"---\ntitle: T\nquestions: {value}\n---\n\nText."
    assert codes(text) == [Code.BROKEN_FRONT_MATTER]
    assert parse_page("a.md", text).title == "T"
