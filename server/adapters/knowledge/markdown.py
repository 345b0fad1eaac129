"""Markdown to sections of plain text: what a reader sees, without marks and without HTML."""

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token


@dataclass(slots=True)
class Section:
    """A heading (empty before the first one) and what stands under it up to the next.

    `above` are the headings it stands under, outermost first; `blocks` paragraphs, list items, table rows and
    code blocks as plain text, in order.
    """

    heading: str
    level: int
    above: tuple[str, ...] = ()
    blocks: list[str] = field(default_factory=list)


def sections(text: str) -> list[Section]:
    """The page's sections in order. The first has no heading and may have no blocks."""
    tokens = _parser().parse(text)
    found = [Section("", 0)]
    prefix = ""
    header: list[str] = []
    row: list[str] | None = None
    in_header = False
    for at, token in enumerate(tokens):
        match token.type:
            case "heading_open" if token.level == 0:
                heading = _one_line(_inline(tokens[at + 1].children or ()))
                found.append(Section(heading, int(token.tag[1]), _above(found, int(token.tag[1]))))
            case "list_item_open":
                prefix += f"{token.info}. " if token.info else "- "
            case "list_item_close":
                prefix = ""
            case "thead_open" | "thead_close":
                in_header = token.type == "thead_open"
            case "tr_open":
                row = []
            case "tr_close":
                if in_header:
                    header = row or []
                elif line := _table_row(header, row or []):
                    found[-1].blocks.append(line)
                row = None
            case "table_close":
                header = []
            case "inline" if at and tokens[at - 1].type == "heading_open" and not token.level - 1:
                pass
            case "inline":
                line = _inline(token.children or ())
                if row is not None:
                    row.append(_one_line(line))
                elif line.strip():
                    found[-1].blocks.append(prefix + line.strip())
                    prefix = ""
            case "fence" | "code_block":
                if token.content.strip():
                    found[-1].blocks.append(prefix + token.content.rstrip().lstrip("\n"))
                    prefix = ""
            case "html_block":
                if line := _without_tags(token.content):
                    found[-1].blocks.append(prefix + line)
                    prefix = ""
            case _:
                pass
    return found


@cache
def _parser() -> MarkdownIt:
    # Deeper than maxNesting the parser drops text; its own limit is 20.
    return MarkdownIt("commonmark", {"html": True, "maxNesting": 100}).enable("table")


def _above(found: Sequence[Section], level: int) -> tuple[str, ...]:
    """The headings a new one of that level stands under."""
    for section in reversed(found):
        if section.heading and section.level < level:
            return (*section.above, section.heading)
    return ()


def _inline(children: Sequence[Token]) -> str:
    return "".join(_pieces(children))


def _pieces(children: Sequence[Token]) -> Iterator[str]:
    """Text as it reads; a link's address follows its words when a visitor could use it."""
    links: list[tuple[str, list[str]]] = []
    for child in children:
        piece = ""
        match child.type:
            case "text" | "code_inline" | "text_special":
                piece = child.content
            case "softbreak":
                piece = " "
            case "hardbreak":
                piece = "\n"
            case "image":
                piece = _inline(child.children or ())
            case "link_open":
                links.append((str(child.attrs.get("href", "")), []))
            case "link_close" if links:
                href, inside = links.pop()
                piece = "".join(inside)
                shown = href.removeprefix("mailto:")
                if href.startswith(("http://", "https://", "mailto:")) and shown not in piece:
                    piece = f"{piece} ({shown})"
            case _:
                pass
        if links:
            links[-1][1].append(piece)
        else:
            yield piece
    for _, inside in links:  # an opener the parser left without a closer
        yield from inside


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _table_row(header: Sequence[str], row: Sequence[str]) -> str:
    """`Column: cell; Column: cell`, so that a row can be understood, and quoted, alone."""
    cells = []
    for at, cell in enumerate(row):
        name = header[at] if at < len(header) else ""
        if cell:
            cells.append(f"{name}: {cell}" if name else cell)
    return "; ".join(cells)


# Written so that no text, however broken, costs more than its length: Python's HTMLParser takes minutes for
# 100 KB of "<div ".
_NOT_SHOWN = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style)\b.*?(?:</\1\s*>|\Z)", re.DOTALL | re.IGNORECASE
)
_TAG = re.compile(r"<[/!?a-z][^<>]*>", re.IGNORECASE)


def _without_tags(block: str) -> str:
    """The text of a block of HTML; comments, scripts and styles are not text."""
    return _one_line(html.unescape(_TAG.sub(" ", _NOT_SHOWN.sub(" ", block))))
