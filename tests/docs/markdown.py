"""Reads our Markdown: code blocks with their marks, tables, links and anchors."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")] + sorted(
    (ROOT / "docs").rglob("*.md")
)
OWNED = [ROOT / "README.md", *sorted((ROOT / "docs" / "how-to").glob("*.md"))]
"""The pages whose marked blocks are run."""

_FENCE = re.compile(
    r"^(?P<fence>`{3,})(?P<language>\w*)[^\n]*\n(?P<text>.*?)^(?P=fence)$", re.M | re.S
)
_MARK = re.compile(r"<!-- (?P<mark>[^\n]*?) -->\s*\Z")


@dataclass(frozen=True)
class Block:
    """A fenced block. `mark` is what stands in an HTML comment right before it: a word for the tests."""

    page: Path
    line: int
    language: str
    mark: str
    text: str

    @property
    def place(self) -> str:
        """Where it is, for a message."""
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def blocks(page: Path) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    for found in _FENCE.finditer(text):
        mark = _MARK.search(text[: found.start()])
        line = text.count("\n", 0, found.start()) + 1
        yield Block(page, line, found["language"], mark["mark"] if mark else "", found["text"])


def prose(page: Path) -> str:
    """The page without its fenced blocks and its code spans."""
    return re.sub(r"`[^`\n]*`", "", _FENCE.sub("", page.read_text(encoding="utf-8")))


def table(page: Path, name: str) -> list[list[str]]:
    """The rows, without the head, of the table after `<!-- table: name -->`."""
    _, found, rest = page.read_text(encoding="utf-8").partition(f"<!-- table: {name} -->")
    assert found, f"{page.name} has no table marked '<!-- table: {name} -->'"
    rows = []
    for line in rest.lstrip("\n").splitlines():
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))])
    return rows[2:]


def code(cell: str) -> str:
    """The first code span of a table's cell."""
    found = re.search(r"`([^`]+)`", cell)
    assert found, f"no `code` in the cell {cell!r}"
    return found[1]


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    found: set[str] = set()
    for heading in re.findall(r"^#{1,6} +(.+?) *$", _FENCE.sub("", page.read_text("utf-8")), re.M):
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        slug = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
        number = 0
        while (unique := f"{slug}-{number}" if number else slug) in found:
            number += 1
        found.add(unique)
    return found


def links(page: Path) -> list[str]:
    """The targets of a page's links and images, in order."""
    return re.findall(r"\]\(<?([^()\s>]+)>?\)", prose(page))
