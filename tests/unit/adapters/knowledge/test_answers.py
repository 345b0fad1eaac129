"""The owner's answer becomes a page of the folder, and of nothing else."""

from datetime import date
from pathlib import Path
from typing import Any

import anyio
import pytest
import yaml

from server.adapters.knowledge.answers import FolderAnswers, file_name
from server.adapters.knowledge.check import check
from server.adapters.knowledge.folder import FolderKnowledge
from server.adapters.knowledge.pages import parse_page
from server.domain.errors import AnswerNotKept
from server.domain.gaps import AnswerPage


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "dogs.md").write_text("# Dogs\n\nAda kept a dog called Sirius.")
    return folder


def page(**fields: Any) -> AnswerPage:
    asked = {
        "title": "What is her shoe size?",
        "text": "Ada wore size 38.",
        "language": "en",
        "questions": ("What is her shoe size?",),
        "answered_on": date(2026, 12, 1),
        "answered_by": "ann",
    }
    return AnswerPage(**asked | fields)


async def opened(folder: Path) -> tuple[FolderKnowledge, FolderAnswers]:
    knowledge = FolderKnowledge(folder)
    await knowledge.load()
    return knowledge, FolderAnswers(folder, knowledge)


async def test_a_page_is_searched_at_once_and_gone_at_once(folder: Path) -> None:
    knowledge, answers = await opened(folder)

    path = await answers.add(page())

    assert path == "answers/2026-12-01-what-is-her-shoe-size.md"
    [found] = await knowledge.search("shoe size")
    assert (found.passage.title, found.passage.text) == (
        "What is her shoe size?",
        "Ada wore size 38.",
    )
    assert found.answerable
    assert check(folder).ok
    await answers.remove(path)
    await answers.remove(path)
    assert await knowledge.search("shoe size") == []


async def test_pages_of_one_name_and_day_stand_beside_each_other(folder: Path) -> None:
    """However many at once; a page that is there is never written over."""
    _, answers = await opened(folder)
    (folder / "answers").mkdir()
    kept = folder / "answers" / "2026-12-01-what-is-her-shoe-size.md"
    kept.write_text("# Mine\n\nBy hand.")
    paths: set[str] = set()

    async def add(number: int) -> None:
        paths.add(await answers.add(page(text=f"Answer {number}.")))

    async with anyio.create_task_group() as tasks:
        for number in range(8):
            tasks.start_soon(add, number)

    assert len(paths) == 8
    texts = {(folder / path).read_text().splitlines()[-1] for path in paths}
    assert texts == {f"Answer {number}." for number in range(8)}
    assert kept.read_text() == "# Mine\n\nBy hand."
    assert not [entry for entry in (folder / "answers").iterdir() if entry.name.startswith(".")]


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("../../etc/passwd", "etc-passwd"),
        ("a/b\\c\x00d", "a-b-c-d"),
        ("Één vraag: naïef?", "een-vraag-naief"),
        ("😀 ???", "answer"),
        ("日本語", "answer"),
        ("CON.md .", "con-md"),
        ("x" * 300, "x" * 60),
    ],
)
async def test_no_title_leads_out_of_the_folder(folder: Path, title: str, name: str) -> None:
    assert file_name(title) == name
    _, answers = await opened(folder)
    path = await answers.add(page(title=title))
    assert path == f"answers/2026-12-01-{name}.md"
    assert (folder / path).is_file()


@pytest.mark.parametrize(
    "text",
    [
        "title: x\nurl: javascript:alert(1)\n---\n# Pwned",
        '"}\n---\n\n# A heading of mine',
        "[" * 200 + "{" * 200,
        "zero\u200bwidth \u202eturned\u202c and NUL \x00",
        "!!python/object/apply:os.system [ls]",
        "&a *a | > - : #",
        "x" * 5_000,
    ],
)
async def test_what_visitors_write_stays_one_line_of_front_matter(folder: Path, text: str) -> None:
    """It can't end the front matter, add a field or change the owner's words."""
    _, answers = await opened(folder)
    path = await answers.add(page(title=text, questions=(text,) * 2 + ("other",)))
    written = (folder / path).read_text("utf-8")
    front = yaml.safe_load(written.split("\n---\n")[0])
    assert list(front) == ["title", "language", "answered", "by", "questions"]
    read = parse_page(path, written)
    assert not read.findings
    [passage] = read.passages
    assert (passage.text, passage.url, passage.language) == ("Ada wore size 38.", None, "en")
    assert passage.title == front["title"]
    assert "\n" not in passage.title
    assert passage.asked.endswith("other")


async def test_front_matter_never_grows_too_long(folder: Path) -> None:
    _, answers = await opened(folder)
    path = await answers.add(page(questions=tuple(f"{n}" + "\U0001f600é" * 250 for n in range(40))))
    read = parse_page(path, (folder / path).read_text("utf-8"))
    assert not read.findings
    assert read.passages[0].asked


async def test_without_a_folder_of_ones_own_nothing_is_kept(folder: Path) -> None:
    knowledge, _ = await opened(folder)
    with pytest.raises(AnswerNotKept, match="KNOWLEDGE_DIR"):
        await FolderAnswers(None, knowledge).add(page())


@pytest.mark.parametrize("obstacle", ["a link out of the folder", "a file"])
async def test_where_it_can_not_be_written_nothing_is_left(
    folder: Path, tmp_path: Path, obstacle: str
) -> None:
    """Read-only folders end the same way; tests may run as root, who may write anywhere."""
    (tmp_path / "elsewhere").mkdir()
    if obstacle == "a file":
        (folder / "answers").write_text("in the way")
    else:
        (folder / "answers").symlink_to(tmp_path / "elsewhere")
    _, answers = await opened(folder)
    with pytest.raises(AnswerNotKept, match="answers"):
        await answers.add(page())
    assert list((tmp_path / "elsewhere").iterdir()) == []
