"""A Markdown page as text → its passages, each with an id that stays while its heading does."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath

import yaml

from server.adapters.knowledge.languages import guess_language, words
from server.adapters.knowledge.markdown import Section, sections
from server.domain.knowledge import Passage

PASSAGE_WORDS = 120
"""About how long a passage gets. e5 was trained on inputs of up to 512 tokens; 120 words of English or Dutch
with their title are 150 to 250, and one passage is still about one thing."""
LONGEST_PASSAGE = 4_000
"""Characters. Nothing in a passage is longer, whatever the page holds."""
LONGEST_FRONT_MATTER = 8_192
MOST_ASKED = 20
LONGEST_ASKED = 500
"""How many questions a page's front matter may name, and how many characters of each count."""
LONG_SECTION_WORDS = 600

SEVERITIES = ("error", "warning", "note")


class Code(StrEnum):
    """What can be wrong with a folder, and how bad it is."""

    NO_FOLDER = "no_folder"
    NO_PAGES = "no_pages"
    UNREADABLE = "unreadable"
    NOT_A_FILE = "not_a_file"
    LEAVES_FOLDER = "leaves_folder"
    BAD_NAME = "bad_name"
    TOO_LARGE = "too_large"
    BINARY = "binary"
    NOT_UTF8 = "not_utf8"
    BROKEN_FRONT_MATTER = "broken_front_matter"
    UNPARSABLE = "unparsable"
    NUL_REMOVED = "nul_removed"
    EMPTY = "empty"
    SECTION_WITHOUT_TEXT = "section_without_text"
    LONG_SECTION = "long_section"
    CUT_MID_SENTENCE = "cut_mid_sentence"
    EXACT_DUPLICATE = "exact_duplicate"
    NEAR_DUPLICATE = "near_duplicate"
    HIDDEN = "hidden"
    NOT_MARKDOWN = "not_markdown"

    @property
    def severity(self) -> str:
        """`error`: text of the owner's is not used; `warning`: used, but look at it; `note`: as it should be."""
        if self in (Code.HIDDEN, Code.NOT_MARKDOWN):
            return "note"
        return (
            "warning" if list(Code).index(self) >= list(Code).index(Code.NUL_REMOVED) else "error"
        )


@dataclass(frozen=True, slots=True)
class Finding:
    """Something about one file (or one passage of it) that the owner should know. `path` is inside the folder."""

    path: str
    code: Code
    message: str


@dataclass(frozen=True, slots=True)
class Page:
    """One file, read."""

    path: str
    title: str
    language: str
    url: str | None
    passages: tuple[Passage, ...]
    findings: tuple[Finding, ...] = ()

    @property
    def words(self) -> int:
        """How many words its passages hold, titles not counted."""
        return sum(len(passage.text.split()) for passage in self.passages)


def parse_page(path: str, text: str) -> Page:
    """The page of that path (with "/", inside the folder). Never raises: what is wrong becomes a finding."""
    findings: list[Finding] = []

    def find(code: Code, message: str) -> None:
        findings.append(Finding(path, code, message))

    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text:
        find(Code.NUL_REMOVED, f"{text.count(chr(0))} NUL characters were left out")
        text = text.replace("\0", "")
    front, body, complaint = _front_matter(text)
    if complaint:
        find(Code.BROKEN_FRONT_MATTER, complaint)
    try:
        found = sections(body)
    except Exception as error:  # a bug of the parser on one page must not cost the others
        find(Code.UNPARSABLE, f"the Markdown parser gave up ({type(error).__name__})")
        found = []
    headings = [section.heading for section in found if section.heading]
    title = front.get("title") or next(iter(headings), "") or _title_of(path)
    everything = " ".join(block for section in found for block in section.blocks)
    language = front.get("language") or _folder_language(path) or guess_language(words(everything))
    passages = []
    for section, slug in zip(found, _slugs(found), strict=True):
        if section.heading and not section.blocks and not _has_children(section, found):
            find(Code.SECTION_WITHOUT_TEXT, f"no text under “{section.heading}”")
        length = sum(len(block.split()) for block in section.blocks)
        if length > LONG_SECTION_WORDS:
            find(
                Code.LONG_SECTION, f"“{section.heading or title}” has {length} words: add headings"
            )
        parts, hard = cut(section.blocks)
        if hard:
            find(
                Code.CUT_MID_SENTENCE,
                f"“{section.heading or title}” has a sentence too long for one passage",
            )
        for number, part in enumerate(parts, start=1):
            source = f"{path}#{slug}"
            passages.append(
                Passage(
                    id=source if number == 1 else f"{source}/{number}",
                    title=_passage_title(title, section),
                    source=source,
                    text=part,
                    language=language,
                    url=front.get("url"),
                    asked=front.get("questions", ""),
                )
            )
    if not passages:
        find(Code.EMPTY, "no text in this page")
    return Page(path, title, language, front.get("url"), tuple(passages), tuple(findings))


# --- front matter ---------------------------------------------------------------------------------

_FENCE = re.compile(r"^---[ \t]*$", re.MULTILINE)
_LANGUAGE = re.compile(r"^[a-z]{2}$")
_URL = re.compile(r"^(https?://|/(?!/))[^\s<>\"\\]*$", re.IGNORECASE)


def _front_matter(text: str) -> tuple[dict[str, str], str, str | None]:
    """The fields that count, the text behind them, and what is wrong with them."""
    first, _, rest = text.partition("\n")
    if not _FENCE.fullmatch(first):
        return {}, text, None
    end = _FENCE.search(rest)
    if end is None:
        return {}, text, "starts with '---' but the front matter has no closing '---'"
    block, body = rest[: end.start()], rest[end.end() :]
    if len(block) > LONGEST_FRONT_MATTER:
        return {}, body, f"front matter is longer than {LONGEST_FRONT_MATTER} characters"
    if block.count("[") + block.count("{") > 100:  # the parser's time grows with their square
        return {}, body, "front matter is not a list of 'name: value'"
    try:
        # BaseLoader makes nothing but text, lists and maps: `language: no` stays "no", a date stays as written.
        fields = yaml.load(block, Loader=yaml.BaseLoader)  # noqa: S506
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f" (line {mark.line + 2})" if mark is not None else ""
        return {}, body, f"front matter is not YAML{where}"
    if fields is None or fields == "":
        return {}, body, None
    if not isinstance(fields, dict):
        return {}, body, "front matter is not a list of 'name: value'"
    return _checked(fields, body)


def _checked(fields: dict[object, object], body: str) -> tuple[dict[str, str], str, str | None]:
    kept: dict[str, str] = {}
    wrong = []
    for name in ("title", "language", "url"):
        value = fields.get(name)
        if value is None or value == "":
            continue
        if not isinstance(value, str):
            wrong.append(f"{name} is not text")
            continue
        value = " ".join(value.replace("\0", "").split())
        if name == "language":
            value = value.lower()
        if name == "language" and not _LANGUAGE.fullmatch(value):
            wrong.append("language is not a two-letter code such as 'en'")
        elif name == "url" and not _URL.fullmatch(value):
            wrong.append("url does not start with http://, https:// or /")
        else:
            kept[name] = value
    asked, complaint = _asked(fields.get("questions"))
    if asked:
        kept["questions"] = asked
    if complaint:
        wrong.append(complaint)
    return kept, body, "; ".join(wrong) or None


def _asked(value: object) -> tuple[str, str | None]:
    """The questions, one a line, and what is wrong with them."""
    if value is None or value == "":
        return "", None
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        return "", "questions is not a list of texts"
    lines = [
        " ".join(each.replace("\0", "").split())[:LONGEST_ASKED] for each in value[:MOST_ASKED]
    ]
    return "\n".join(line for line in lines if line), None


def _folder_language(path: str) -> str | None:
    folders = [part.lower() for part in PurePosixPath(path).parts[:-1]]
    return next((part for part in reversed(folders) if part in ("en", "nl")), None)


def _title_of(path: str) -> str:
    name = re.sub(r"[-_\s]+", " ", PurePosixPath(path).stem).strip()
    return name[:1].upper() + name[1:] or path


# --- names ----------------------------------------------------------------------------------------


def slug_of(heading: str) -> str:
    """Lower-case letters and digits of any script, everything between them one "-"; never empty."""
    lower = unicodedata.normalize("NFC", heading).lower()
    kept = "".join(char if char.isalnum() else "-" for char in lower)
    return re.sub(r"-+", "-", kept).strip("-")[:80].strip("-") or "section"


def _slugs(found: Sequence[Section]) -> Iterator[str]:
    """One per section, unique in the page: `top` for text before the first heading, then `-2`, `-3` on repeats."""
    taken: set[str] = set()
    for section in found:
        slug = base = slug_of(section.heading) if section.heading else "top"
        number = 1
        while slug in taken:
            number += 1
            slug = f"{base}-{number}"
        taken.add(slug)
        yield slug


def _passage_title(title: str, section: Section) -> str:
    trail = [heading for heading in (*section.above, section.heading) if heading]
    if trail and trail[0] == title:
        trail = trail[1:]
    return " › ".join([title, *trail])


def _has_children(section: Section, found: Sequence[Section]) -> bool:
    at = next(place for place, other in enumerate(found) if other is section)
    return at + 1 < len(found) and found[at + 1].level > section.level


# --- cutting --------------------------------------------------------------------------------------

_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"”’')\]]*\s+|\n+")


def cut(blocks: Sequence[str], limit: int = PASSAGE_WORDS) -> tuple[list[str], bool]:
    """The blocks in passages of about `limit` words, and whether a sentence had to be cut.

    Cuts between blocks first, then between sentences, and inside one only when it is longer than twice the
    limit. Nothing is lost or repeated; a rest of less than a quarter of the limit stays with what is before it.
    """
    pieces: list[tuple[str, str]] = []  # what joins the piece to the one before it, the piece
    hard = False
    for block in blocks:
        if len(block.split()) <= limit and len(block) <= LONGEST_PASSAGE:
            pieces.append(("\n", block))
            continue
        gap = "\n"
        for sentence, next_gap in _sentences(block):
            for number, piece in enumerate(_hard_cut(sentence, 2 * limit)):
                pieces.append((gap if number == 0 else " ", piece))
                hard = hard or number > 0
            gap = next_gap
    return _pack(pieces, limit), hard


def _pack(pieces: Sequence[tuple[str, str]], limit: int) -> list[str]:
    parts: list[str] = []
    count = 0
    left = sum(len(piece.split()) for _, piece in pieces)
    for gap, piece in pieces:
        size = len(piece.split())
        is_short_rest = left <= limit // 4 and count + left <= 2 * limit
        fits = count + size <= limit or is_short_rest
        if parts and fits and len(parts[-1]) + len(gap) + len(piece) <= LONGEST_PASSAGE:
            parts[-1] += gap + piece
            count += size
        else:
            parts.append(piece)
            count = size
        left -= size
    return parts


def _sentences(block: str) -> Iterator[tuple[str, str]]:
    """Each sentence or line of a block, with what joins the next one to it."""
    start = 0
    for end in _SENTENCE_END.finditer(block):
        if sentence := block[start : end.end()].strip():
            yield sentence, "\n" if "\n" in end.group() else " "
        start = end.end()
    if sentence := block[start:].strip():
        yield sentence, "\n"


def _hard_cut(sentence: str, limit: int) -> Iterator[str]:
    if len(sentence) <= LONGEST_PASSAGE and len(sentence.split()) <= limit:
        yield sentence
        return
    line: list[str] = []
    length = 0
    for word in sentence.split():
        for at in range(0, len(word), LONGEST_PASSAGE):
            piece = word[at : at + LONGEST_PASSAGE]
            if line and (len(line) >= limit or length + len(piece) + 1 > LONGEST_PASSAGE):
                yield " ".join(line)
                line, length = [], 0
            line.append(piece)
            length += len(piece) + 1
    if line:
        yield " ".join(line)
