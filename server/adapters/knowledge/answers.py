"""`AnswerPages` over the knowledge folder: what the owner answers becomes a page under `answers/`."""

import os
import re
import unicodedata
from itertools import count
from pathlib import Path
from uuid import uuid4

import anyio
import anyio.to_thread
import structlog
import yaml

from server.adapters.knowledge.folder import FolderKnowledge
from server.adapters.knowledge.pages import LONGEST_FRONT_MATTER, MOST_ASKED
from server.domain.errors import AnswerNotKept
from server.domain.gaps import AnswerPage

log: structlog.stdlib.BoundLogger = structlog.get_logger(__name__)

FOLDER = "answers"
LONGEST_TITLE = 150
LONGEST_NAME = 60
RELOAD_WITHIN_S = 10.0
"""How long `add` waits for the page to be searched. After that `watch` takes it over, as with any other change."""
_BRACKETS = str.maketrans("[]{}", "()()")


class FolderAnswers:
    """Writes beside the owner's pages, and has `knowledge`, which reads the same folder, take the new page over.

    `folder` None: the twin has no folder of the owner's (it shows the demo's).
    """

    def __init__(self, folder: Path | None, knowledge: FolderKnowledge) -> None:
        self._folder = folder
        self._knowledge = knowledge

    async def add(self, page: AnswerPage) -> str:
        if self._folder is None:
            raise AnswerNotKept(
                why="this twin shows the demo's pages. Set KNOWLEDGE_DIR to a folder of your own and start again."
            )
        try:
            path = await anyio.to_thread.run_sync(_write, self._folder, page)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise AnswerNotKept(
                why=f"KNOWLEDGE_DIR can't be written to ({reason}). Let this process write to its folder "
                f"'{FOLDER}', or add the page yourself and dismiss the question."
            ) from error
        log.info("answer.added", page=path)
        await self._take_over()
        return path

    async def remove(self, path: str) -> None:
        if self._folder is not None:
            await anyio.to_thread.run_sync(_remove, self._folder / path)
            await self._take_over()

    async def _take_over(self) -> None:
        with anyio.move_on_after(RELOAD_WITHIN_S):
            await self._knowledge.reload()


def _write(folder: Path, page: AnswerPage) -> str:
    """The path inside the folder. Whole or not at all: readers never see half of it."""
    home = folder / FOLDER
    home.mkdir(exist_ok=True)
    if home.resolve() != folder.resolve() / FOLDER:
        raise OSError(None, f"'{FOLDER}' is a link that leads elsewhere")
    draft = home / f".{uuid4().hex}.tmp"
    try:
        with draft.open("x", encoding="utf-8", newline="\n") as file:
            file.write(_markdown(page))
            file.flush()
            os.fsync(file.fileno())
        target = _reserve(home, page)
        try:
            draft.replace(target)
        except OSError:
            target.unlink(missing_ok=True)
            raise
    finally:
        draft.unlink(missing_ok=True)
    return f"{FOLDER}/{target.name}"


def _reserve(home: Path, page: AnswerPage) -> Path:
    """An empty file under a name nobody has: whoever writes at the same time gets another."""
    base = f"{page.answered_on.isoformat()}-{file_name(page.title)}"
    for number in count(1):
        target = home / (f"{base}.md" if number == 1 else f"{base}-{number}.md")
        try:
            target.open("x").close()
        except FileExistsError:
            continue
        return target
    raise AssertionError("counting does not end")


def _remove(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        log.error("answer.not_removed", error=type(error).__name__)


def _markdown(page: AnswerPage) -> str:
    front: dict[str, object] = {
        "title": _clean(page.title, LONGEST_TITLE),
        "language": page.language,
        "answered": page.answered_on.isoformat(),
        "by": _clean(page.answered_by, LONGEST_TITLE),
        "questions": [],
    }
    asked = list(dict.fromkeys(_clean(question, 300) for question in page.questions))[:MOST_ASKED]
    while True:
        block = yaml.safe_dump(
            front | {"questions": asked}, allow_unicode=True, sort_keys=False, width=1_000_000
        )
        if len(block) < LONGEST_FRONT_MATTER or not asked:
            break
        asked.pop()
    return f"---\n{block}---\n\n{page.text.strip()}\n"


def _clean(text: str, longest: int) -> str:
    """One line that shows all it holds. Brackets would count as too much for front matter."""
    shown = "".join(c if c.isprintable() else " " for c in unicodedata.normalize("NFC", text))
    return " ".join(shown.translate(_BRACKETS).split())[:longest].rstrip()


def file_name(title: str) -> str:
    """ASCII letters, digits and single dashes, at most `LONGEST_NAME`; `answer` when nothing is left."""
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain)[:LONGEST_NAME].strip("-") or "answer"
