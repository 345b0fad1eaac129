"""The reading of pages itself: a check that can't fail checks nothing."""

from pathlib import Path

import pytest

from tests.docs import markdown
from tests.docs.shown import missing


@pytest.mark.parametrize(
    ("shown", "came", "lost"),
    [
        ("a\nc", "a\nb\nc", None),
        ("a\nc", "c\na", "c"),
        ("id: …, x", "id: 17, x", None),
        ("id: …, x", "id: 17, y", "id: …, x"),
        ("…\nb\n…", "a\nb\nc", None),
        ("a.c", "abc", "a.c"),
        ("a…b", "a\nb", "a…b"),
        ("a", "", "a"),
    ],
)
def test_what_is_shown_must_have_come(shown: str, came: str, lost: str | None) -> None:
    """In order, word for word, and an ellipsis stays within its line."""
    assert missing(shown, came) == lost


def test_blocks_tables_links_and_anchors_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With their marks and lines; what stands in a block or in code is no link."""
    monkeypatch.setattr(markdown, "ROOT", tmp_path)
    page = tmp_path / "page.md"
    page.write_text(
        "# A `GET /x/{id}` b\n\n# Same\n\n# Same\n\n<!-- run -->\n```python\nx = 1  # [no](no.md)\n```\n\n"
        "`[no](no.md)` [yes](yes.md#part)\n\n<!-- table: t -->\n\n| a | b |\n| --- | --- |\n| `1` | 2 |\n\n| 3 |\n"
    )
    [block] = markdown.blocks(page)
    assert (block.place, block.language, block.mark) == ("page.md:8", "python", "run")
    assert markdown.links(page) == ["yes.md#part"]
    assert markdown.table(page, "t") == [["`1`", "2"]]
    assert markdown.anchors(page) == {"a-get-xid-b", "same", "same-1"}
