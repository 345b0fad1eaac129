"""What `sayso knowledge check` says."""

from pathlib import Path

from server.adapters.knowledge.check import check, render
from server.adapters.knowledge.pages import Code

PARAGRAPH = (
    "The engine weaves patterns of numbers just as the loom weaves flowers and leaves, "
    "and nobody has built it yet although many have tried for years."
)


def write(folder: Path, **pages: str) -> None:
    for name, text in pages.items():
        (folder / f"{name}.md").write_text(text)


def found(folder: Path) -> list[tuple[str, Code]]:
    return [(finding.path, finding.code) for finding in check(folder).findings]


def test_a_good_folder_is_counted_and_ok(tmp_path: Path) -> None:
    """Pages, passages, words and languages."""
    write(
        tmp_path,
        a="# A\n\nThis is what it is.\n\n## B\n\nMore of it.",
        b="# C\n\nDit is wat het is.",
    )
    report = check(tmp_path)
    assert report.ok
    assert (len(report.pages), report.passages, report.words) == (2, 3, 13)
    assert report.languages == {"en": 1, "nl": 1}
    assert report.findings == ()
    assert "2 pages (en 1, nl 1), 3 passages, 13 words" in render(report)


def test_the_same_text_on_two_pages_is_found_once(tmp_path: Path) -> None:
    """Word for word, whatever the marks; a copy inside one page is the page's own matter."""
    write(
        tmp_path,
        a=f"# A\n\n{PARAGRAPH}",
        b=f"# B\n\n*{PARAGRAPH}*\n\n## C\n\n{PARAGRAPH}",
        c="Other.",
    )
    assert found(tmp_path) == [
        ("b.md#b", Code.EXACT_DUPLICATE),
        ("b.md#c", Code.EXACT_DUPLICATE),
    ]
    assert check(tmp_path).ok


def test_nearly_the_same_text_is_found(tmp_path: Path) -> None:
    """One word changed."""
    write(tmp_path, a=PARAGRAPH, b=PARAGRAPH.replace("years", "decades"), c="Other " * 20)
    assert found(tmp_path) == [("b.md#top", Code.NEAR_DUPLICATE)]


def test_a_footer_on_every_page_does_not_cost_their_square(tmp_path: Path) -> None:
    """Three hundred copies give one finding each."""
    write(tmp_path, **{f"p{n:03}": f"# P{n}\n\n{PARAGRAPH}" for n in range(300)})
    assert len(found(tmp_path)) == 299


def test_text_that_is_not_used_is_not_ok(tmp_path: Path) -> None:
    """Errors come first, each with its file."""
    write(tmp_path, good="Good.", empty="", front="---\ntitle: [\n---\nText.", long="Word. " * 700)
    (tmp_path / "latin.md").write_bytes(b"caf\xe9")
    report = check(tmp_path)
    assert not report.ok
    assert found(tmp_path) == [
        ("front.md", Code.BROKEN_FRONT_MATTER),
        ("latin.md", Code.NOT_UTF8),
        ("empty.md", Code.EMPTY),
        ("long.md", Code.LONG_SECTION),
    ]
    assert "latin.md: not UTF-8 (line 1): save it as UTF-8 [not_utf8]" in render(report)


def test_a_folder_without_pages_is_not_ok(tmp_path: Path) -> None:
    """Nor one that is not there."""
    assert found(tmp_path) == [(".", Code.NO_PAGES)]
    assert found(tmp_path / "gone") == [(".", Code.NO_FOLDER)]
    assert not check(tmp_path).ok
    assert not check(tmp_path / "gone").ok
