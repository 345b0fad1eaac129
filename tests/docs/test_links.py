"""Every relative link leads somewhere, its anchor too; every page can be found from the index."""

from pathlib import Path

import pytest

from tests.docs.markdown import PAGES, ROOT, anchors, links


def label(page: Path) -> str:
    """The page's path, as the test's name."""
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=label)
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    """Files and anchors. What begins with a scheme is not looked at: tests need no network."""
    for link in links(page):
        if ":" in link.partition("/")[0]:
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path) if path else page
        assert target.exists(), f"{label(page)}: {link} leads to no file"
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), (
                f"{label(page)}: {link} names no heading of {target.name}"
            )


def test_the_index_names_every_page() -> None:
    """docs/README.md is where a page is found."""
    index = ROOT / "docs" / "README.md"
    named = {(index.parent / link.partition("#")[0]).resolve() for link in links(index)}
    lost = [
        label(p)
        for p in PAGES
        if (ROOT / "docs") in p.parents and p != index and p.resolve() not in named
    ]
    assert not lost, f"docs/README.md does not link to these pages; add a row for each: {lost}"


def test_pages_name_no_place_of_one_machine() -> None:
    """Paths of whoever wrote them help nobody."""
    for page in PAGES:
        text = page.read_text("utf-8")
        for place in ("/root/", "/Users/"):
            assert place not in text, label(page)
