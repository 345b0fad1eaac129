"""What lies in the folder: readable Markdown as text, everything else as a finding."""

import hashlib
import os
import stat
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from server.adapters.knowledge.pages import Code, Finding

LARGEST_FILE = 1024 * 1024
"""Bytes. A page of this size is a book; one that is larger is a mistake."""
_MARKDOWN = (".md", ".markdown")
_UTF16_OR_32 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class File:
    """A Markdown file that could be read. `digest` is of its bytes; `path` inside the folder, with "/"."""

    path: str
    text: str
    digest: str


def read_folder(folder: Path) -> tuple[list[File], list[Finding]]:
    """All pages under the folder in the order of their paths, and what was left out and why.

    Raises OSError only when the folder itself cannot be listed.
    """
    root = folder.resolve(strict=True)
    files: dict[str, File] = {}
    findings: list[Finding] = []
    for entry, path in _walk(root, findings):
        outcome = _read(root, entry, path)
        if isinstance(outcome, Finding):
            findings.append(outcome)
        elif path in files:
            findings.append(Finding(path, Code.BAD_NAME, "another file's name reads the same"))
        else:
            files[path] = outcome
    return [files[path] for path in sorted(files)], sorted(findings, key=lambda f: f.path)


def _walk(root: Path, findings: list[Finding]) -> Iterator[tuple[Path, str]]:
    """Markdown files, by place and by name inside the folder. Folders behind a symlink are not entered."""
    if not root.is_dir():
        raise NotADirectoryError(f"not a folder: {root}")
    os.scandir(root).close()  # os.walk would take an unreadable root for an empty one

    def unreadable(error: OSError) -> None:
        place = _inside(root, Path(str(error.filename)))
        findings.append(Finding(place, Code.UNREADABLE, f"cannot be listed: {error.strerror}"))

    for folder, names, file_names in os.walk(root, onerror=unreadable):
        here = Path(folder)
        for name in sorted(names):
            place = _inside(root, here / name)
            if name.startswith("."):
                findings.append(Finding(place, Code.HIDDEN, "hidden, left out"))
            elif (here / name).is_symlink():
                findings.append(
                    Finding(place, Code.LEAVES_FOLDER, "a link to a folder, not followed")
                )
        names[:] = sorted(name for name in names if not name.startswith("."))
        for name in sorted(file_names):
            place = _inside(root, here / name)
            if name.startswith("."):
                findings.append(Finding(place, Code.HIDDEN, "hidden, left out"))
            elif not name.lower().endswith(_MARKDOWN):
                findings.append(Finding(place, Code.NOT_MARKDOWN, "not Markdown, left out"))
            elif not _is_printable(os.fspath((here / name).relative_to(root))):
                findings.append(
                    Finding(place, Code.BAD_NAME, "the name has characters no id can hold")
                )
            else:
                yield here / name, place


def _inside(root: Path, entry: Path) -> str:
    """The place as an id can hold it: "/" between the parts, one spelling of accents, nothing unprintable."""
    try:
        place = entry.relative_to(root).as_posix()
    except ValueError:
        place = entry.name
    place = unicodedata.normalize("NFC", place)
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in place)


def _is_printable(place: str) -> bool:
    return place.isprintable()  # lone surrogates, which stand for bytes that are not UTF-8, are not


def _read(root: Path, entry: Path, path: str) -> File | Finding:
    try:
        target = entry.resolve(strict=True)
        if not target.is_relative_to(root):
            return Finding(path, Code.LEAVES_FOLDER, "a link that leaves the folder, not followed")
        if not stat.S_ISREG(target.stat().st_mode):
            return Finding(path, Code.NOT_A_FILE, "not an ordinary file")
        with target.open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except (OSError, RuntimeError) as error:  # RuntimeError: a link that leads to itself
        reason = getattr(error, "strerror", None) or "a link that leads nowhere"
        return Finding(path, Code.UNREADABLE, f"cannot be read: {reason}")
    if len(content) > LARGEST_FILE:
        return Finding(path, Code.TOO_LARGE, f"larger than {LARGEST_FILE // 1024} KiB")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        if content.startswith(_UTF16_OR_32):
            return Finding(path, Code.NOT_UTF8, "UTF-16 or UTF-32: save it as UTF-8")
        if b"\0" in content:
            return Finding(path, Code.BINARY, "not text")
        line = content.count(b"\n", 0, error.start) + 1
        return Finding(path, Code.NOT_UTF8, f"not UTF-8 (line {line}): save it as UTF-8")
    if text.count("\0") > len(text) // 100 + 8:
        return Finding(path, Code.BINARY, "not text")
    return File(path, text, hashlib.sha256(content).hexdigest())
