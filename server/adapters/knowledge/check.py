"""`sayso knowledge check`: what the folder holds, and what its owner should look at before visitors do."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from server.adapters.knowledge.files import read_folder
from server.adapters.knowledge.languages import words
from server.adapters.knowledge.pages import SEVERITIES, Code, Finding, Page, parse_page
from server.domain.knowledge import Passage

SHINGLE = 4
NEARLY_THE_SAME = 0.7
"""Of the four-word sequences of two passages, the share they have in common (Broder's resemblance, 1997) from which
they say the same: one changed word in twenty still does, a shared paragraph among others does not."""
ENOUGH_TO_COMPARE = 12
"""Words. Shorter passages look alike by chance."""
MOST_SHARED = 50
"""Passages a four-word sequence is followed through; what stands in more is a footer, and would cost their square."""


@dataclass(frozen=True, slots=True)
class PageReport:
    """One page in numbers."""

    path: str
    title: str
    language: str
    passages: int
    words: int
    longest_passage: int


@dataclass(frozen=True, slots=True)
class Report:
    """What is there and what is wrong. `ok` is false when text of the owner's is not used, or there is none."""

    folder: str
    pages: tuple[PageReport, ...]
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether a command should exit with 0."""
        return not any(finding.code.severity == "error" for finding in self.findings)

    @property
    def passages(self) -> int:
        """Of all pages."""
        return sum(page.passages for page in self.pages)

    @property
    def words(self) -> int:
        """Of all pages, titles not counted."""
        return sum(page.words for page in self.pages)

    @property
    def languages(self) -> dict[str, int]:
        """Language → pages."""
        return dict(Counter(page.language for page in self.pages).most_common())


def check(folder: Path) -> Report:
    """Reads the folder as the twin does. Never raises: what cannot be read is a finding."""
    try:
        files, findings = read_folder(folder)
    except OSError as error:
        gone = Finding(".", Code.NO_FOLDER, f"cannot be read: {error.strerror or error}")
        return Report(str(folder), (), (gone,))
    pages = [parse_page(file.path, file.text) for file in files]
    for page in pages:
        findings.extend(page.findings)
    if not any(page.passages for page in pages):
        findings.append(
            Finding(".", Code.NO_PAGES, "no page with text: the twin would know nothing")
        )
    findings.extend(_duplicates(pages))
    findings.sort(key=lambda f: (SEVERITIES.index(f.code.severity), f.path, f.code, f.message))
    return Report(str(folder), tuple(map(_numbers, pages)), tuple(findings))


def render(report: Report) -> str:
    """The report for a terminal, ending with a line that says whether all is well."""
    lines = [f"{report.folder}", ""]
    if report.pages:
        width = max(len(page.path) for page in report.pages)
        lines.append(f"{'page':<{width}}  lang  passages  words  longest")
        lines.extend(
            f"{page.path:<{width}}  {page.language:<4}  {page.passages:>8}  {page.words:>5}"
            f"  {page.longest_passage:>7}"
            for page in report.pages
        )
        languages = ", ".join(f"{language} {n}" for language, n in report.languages.items())
        lines += [
            "",
            f"{_many(len(report.pages), 'page')} ({languages}), {_many(report.passages, 'passage')}, "
            f"{_many(report.words, 'word')}",
        ]
    for severity in SEVERITIES:
        found = [finding for finding in report.findings if finding.code.severity == severity]
        if found:
            lines += ["", f"{_many(len(found), severity)}:"]
            lines += [f"  {finding.path}: {finding.message} [{finding.code}]" for finding in found]
    lines += ["", "All text is used." if report.ok else "Some text is not used: see the errors."]
    return "\n".join(lines) + "\n"


def _many(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _numbers(page: Page) -> PageReport:
    longest = max((len(passage.text.split()) for passage in page.passages), default=0)
    return PageReport(page.path, page.title, page.language, len(page.passages), page.words, longest)


# --- the same thing twice -------------------------------------------------------------------------


def _duplicates(pages: Sequence[Page]) -> Iterator[Finding]:
    """Passages of different pages that say the same: each exact copy named with the first, near ones by pairs."""
    first: dict[tuple[str, ...], Passage] = {}
    having: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
    seen: list[tuple[str, Passage, int]] = []
    for page in pages:
        for passage in page.passages:
            text = tuple(words(passage.text))
            if len(text) < ENOUGH_TO_COMPARE:
                continue
            original = first.setdefault(text, passage)
            if original is not passage:
                if not original.source.startswith(f"{page.path}#"):
                    yield _finding(Code.EXACT_DUPLICATE, "says the same as", passage, original)
                continue
            shingles = _shingles(text)
            shared: Counter[int] = Counter()
            for shingle in shingles:
                if len(having[shingle]) < MOST_SHARED:
                    shared.update(having[shingle])
                    having[shingle].append(len(seen))
            for number, common in sorted(shared.items()):
                path, other, size = seen[number]
                if (
                    path != page.path
                    and common / (len(shingles) + size - common) >= NEARLY_THE_SAME
                ):
                    yield _finding(Code.NEAR_DUPLICATE, "says nearly the same as", passage, other)
            seen.append((page.path, passage, len(shingles)))


def _shingles(text: Sequence[str]) -> set[tuple[str, ...]]:
    return {tuple(text[at : at + SHINGLE]) for at in range(len(text) - SHINGLE + 1)}


def _finding(code: Code, what: str, passage: Passage, other: Passage) -> Finding:
    return Finding(passage.id, code, f"{what} {other.id}")
