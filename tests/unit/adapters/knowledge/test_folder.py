"""A folder is searched, reloaded and watched."""

import threading
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest

from server.adapters.knowledge.folder import FolderKnowledge
from server.adapters.knowledge.semantic import Embedder, EmbeddingFailed, HashedEmbedder
from server.domain.errors import ConfigurationError
from server.ports import Knowledge

PAGES = {
    "en/dogs.md": "# Dogs\n\nAda kept a dog called Sirius, who slept in the stable.",
    "en/engine.md": "# The engine\n\nThe analytical engine has a mill and a store.",
    "nl/muziek.md": "# Muziek\n\nAda speelde graag harp en zong in het koor.",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in PAGES.items():
        write(tmp_path / "pages", name, text)
    return tmp_path / "pages"


def write(folder: Path, name: str, text: str) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)


class Counting:
    """An embedder that counts what it is asked and can be told to fail."""

    def __init__(self, inner: Embedder, name: str = "counting") -> None:
        self._inner = inner
        self.name = name
        self.answerable_from = inner.answerable_from
        self.tells_translations = True
        self.asked: list[str] = []
        self.fails = False
        self.before: Callable[[], Awaitable[Any]] | None = None

    async def passages(self, texts: Sequence[str]) -> Any:
        if self.before:
            await self.before()
        if self.fails:
            raise EmbeddingFailed("told to")
        self.asked.extend(texts)
        return await self._inner.passages(texts)

    async def query(self, text: str) -> Any:
        if self.fails:
            raise EmbeddingFailed("told to")
        return await self._inner.query(text)


def counting() -> Counting:
    pytest.importorskip("numpy", reason="comes with the extra [semantic]")
    return Counting(HashedEmbedder(same={"hond": "dog"}))


async def ids(knowledge: Knowledge, query: str, limit: int = 6) -> list[str]:
    return [found.passage.id for found in await knowledge.search(query, limit)]


# --- by words


async def test_the_best_passage_comes_first(folder: Path) -> None:
    """With its page, section, language and text."""
    knowledge = FolderKnowledge(folder)
    await knowledge.load()
    first = (await knowledge.search("What was the name of the dog?"))[0]
    assert first.passage.id == "en/dogs.md#dogs"
    assert first.answerable
    assert knowledge.passage("en/dogs.md#dogs") == first.passage
    assert knowledge.passage("en/dogs.md#cats") is None
    assert knowledge.documents == 3


async def test_nothing_is_answerable_when_the_question_is_about_something_else(
    folder: Path,
) -> None:
    """Even where a word happens to match."""
    knowledge = FolderKnowledge(folder)
    await knowledge.load()
    question = "Which grocery store sells fresh organic vegetables downtown on Sundays?"
    assert not any(found.answerable for found in await knowledge.search(question))


@pytest.mark.parametrize("query", ["", "   ", "?!", "🎉🎉", "\0", "\ud800"])
@pytest.mark.parametrize("by_meaning", [False, True])
async def test_a_query_without_a_word_finds_nothing(
    folder: Path, query: str, by_meaning: bool
) -> None:
    """Nor does any query in an empty folder."""
    knowledge = FolderKnowledge(folder, counting() if by_meaning else None)
    await knowledge.load()
    assert await knowledge.search(query) == []


@pytest.mark.parametrize(
    "query",
    [
        "the of and",
        "wie is de",
        "dog 🎉",
        "dog \0 hond",
        "dog " * 1000,
        "x" * 4000,
        "Was the hond een dog?",
        "a\ud800b",
    ],
)
@pytest.mark.parametrize("by_meaning", [False, True])
async def test_any_query_works(folder: Path, query: str, by_meaning: bool) -> None:
    """Stopwords only, emoji, NUL, 4,000 characters, two languages in one."""
    knowledge = FolderKnowledge(folder, counting() if by_meaning else None)
    await knowledge.load()
    found = await knowledge.search(query)
    if "dog" in query:
        assert found[0].passage.id == "en/dogs.md#dogs"


async def test_the_limit_is_kept(folder: Path) -> None:
    """Zero and less give nothing."""
    knowledge = FolderKnowledge(folder)
    await knowledge.load()
    assert len(await knowledge.search("Ada dog harp engine", 2)) == 2
    assert await knowledge.search("Ada", 0) == []
    assert await knowledge.search("Ada", -1) == []


async def test_an_empty_folder_is_fine_and_a_missing_one_is_not(tmp_path: Path) -> None:
    """A wrong setting stops the start; a twin without pages yet does not."""
    knowledge = FolderKnowledge(tmp_path)
    await knowledge.load()
    assert (knowledge.documents, await knowledge.search("anything")) == (0, [])
    with pytest.raises(ConfigurationError, match="KNOWLEDGE_DIR"):
        await FolderKnowledge(tmp_path / "gone").load()


# --- by meaning


async def test_with_an_embedder_other_words_find_the_passage(folder: Path) -> None:
    """And its threshold says what is answerable."""
    knowledge = FolderKnowledge(folder, counting())
    await knowledge.load()
    assert knowledge.searches_by_meaning
    first = (await knowledge.search("Hond?"))[0]
    assert (first.passage.id, first.answerable) == ("en/dogs.md#dogs", True)
    other = await knowledge.search("Airport bus timetable")
    assert not any(found.answerable for found in other)


async def test_a_model_nobody_has_measured_is_measured_on_the_folder(folder: Path) -> None:
    """Questions about nothing in it show where its cosines begin to mean something."""

    embedder = counting()
    embedder.answerable_from = None
    knowledge = FolderKnowledge(folder, embedder)
    await knowledge.load()
    assert (await knowledge.search("dog Sirius stable"))[0].answerable
    assert not any(f.answerable for f in await knowledge.search("Airport bus timetable"))


async def test_vectors_are_made_once(folder: Path, tmp_path: Path) -> None:
    """A later start takes them from the cache; a changed page costs its own passages."""

    first, second = counting(), counting()
    await FolderKnowledge(folder, first, tmp_path / "cache").load()
    assert len(first.asked) == 3
    knowledge = FolderKnowledge(folder, second, tmp_path / "cache")
    await knowledge.load()
    assert second.asked == []
    write(folder, "en/engine.md", "# The engine\n\nIt is made of brass.")
    assert await knowledge.reload()
    assert second.asked == ["The engine\nIt is made of brass."]


async def test_words_do_not_wait_for_meaning(folder: Path, tmp_path: Path) -> None:
    """Started without waiting, the first reload brings the vectors; with a full cache they are there at once."""
    knowledge = FolderKnowledge(folder, counting(), tmp_path / "cache")
    await knowledge.load(wait_for_meaning=False)
    first = knowledge.searches_by_meaning
    assert await ids(knowledge, "dog") == ["en/dogs.md#dogs"]
    assert await knowledge.reload()
    assert (first, knowledge.searches_by_meaning) == (False, True)
    again = FolderKnowledge(folder, counting(), tmp_path / "cache")
    await again.load(wait_for_meaning=False)
    assert again.searches_by_meaning


async def test_an_embedder_that_fails_leaves_the_words(folder: Path) -> None:
    """At the start, until a reload succeeds; and for one question."""

    embedder = counting()
    embedder.fails = True
    knowledge = FolderKnowledge(folder, embedder)
    await knowledge.load()
    assert await ids(knowledge, "dog") == ["en/dogs.md#dogs"]
    embedder.fails = False
    assert await knowledge.reload()
    assert (await ids(knowledge, "hond"))[0] == "en/dogs.md#dogs"
    embedder.fails = True
    assert await ids(knowledge, "dog") == ["en/dogs.md#dogs"]


async def test_a_sentence_is_compared_in_meaning(folder: Path) -> None:
    """Only by a model the gate's threshold was measured with; one that fails finds nothing alike."""
    embedder = counting()
    knowledge = FolderKnowledge(folder, embedder)
    assert knowledge.similarity is not None
    same, other = await knowledge.similarity("a dog barks", ["een hond barks", "tide tables"])
    assert same > 0.6 > other
    embedder.fails = True
    assert await knowledge.similarity("a dog", ["hond", "cat"]) == [0.0, 0.0]
    embedder.tells_translations = False
    assert knowledge.similarity is None
    assert FolderKnowledge(folder).similarity is None


async def test_vectors_of_another_size_are_made_again(folder: Path, tmp_path: Path) -> None:
    """The model behind a name changed: the cache's vectors fit no longer."""

    await FolderKnowledge(folder, counting(), tmp_path / "cache").load()
    write(folder, "en/new.md", "Something new.")
    wider = Counting(HashedEmbedder(512))
    knowledge = FolderKnowledge(folder, wider, tmp_path / "cache")
    await knowledge.load()
    assert knowledge.searches_by_meaning
    assert (await ids(knowledge, "dog"))[0] == "en/dogs.md#dogs"


async def test_a_question_of_another_size_falls_back_to_words(folder: Path) -> None:
    """Rather than fail."""

    embedder = counting()
    knowledge = FolderKnowledge(folder, embedder)
    await knowledge.load()
    embedder._inner = HashedEmbedder(512)
    assert await ids(knowledge, "dog") == ["en/dogs.md#dogs"]


# --- keeping up


async def test_a_reload_takes_over_what_changed(folder: Path) -> None:
    """New, changed and removed pages; false when nothing did."""
    knowledge = FolderKnowledge(folder)
    await knowledge.load()
    assert not await knowledge.reload()
    write(folder, "en/dogs.md", "# Dogs\n\nNo pets at all.")
    write(folder, "en/food.md", "# Food\n\nPorridge at eight.")
    (folder / "nl/muziek.md").unlink()
    assert await knowledge.reload()
    assert knowledge.documents == 3
    assert await ids(knowledge, "porridge") == ["en/food.md#food"]
    assert knowledge.passage("nl/muziek.md#muziek") is None
    assert (await knowledge.search("pets"))[0].passage.text == "No pets at all."


async def test_a_change_of_the_same_length_is_seen(folder: Path) -> None:
    """Content counts, not size or time."""
    knowledge = FolderKnowledge(folder)
    await knowledge.load()
    write(folder, "en/dogs.md", PAGES["en/dogs.md"].replace("Sirius", "Castor"))
    assert await knowledge.reload()
    assert "Castor" in knowledge.passage("en/dogs.md#dogs").text  # type: ignore[union-attr]


async def test_a_broken_file_keeps_the_rest(folder: Path) -> None:
    """It is left out and named."""
    knowledge = FolderKnowledge(folder)
    await knowledge.load()
    (folder / "en/dogs.md").write_bytes(b"caf\xe9")
    assert await knowledge.reload()
    assert knowledge.documents == 2
    assert [finding.path for finding in knowledge.findings] == ["en/dogs.md"]
    assert await ids(knowledge, "mill") == ["en/engine.md#the-engine"]


async def test_a_folder_with_nothing_to_read_says_why(tmp_path: Path) -> None:
    """With and without an embedder; and a second look finds nothing new."""
    (tmp_path / "bad.md").write_bytes(b"caf\xe9")
    for embedder in (None, counting()):
        knowledge = FolderKnowledge(tmp_path, embedder)
        await knowledge.load()
        assert [finding.path for finding in knowledge.findings] == ["bad.md"]
        assert not await knowledge.reload()


async def test_a_lost_folder_changes_nothing(folder: Path) -> None:
    """A mount that is gone for a moment does not empty the twin."""
    knowledge = FolderKnowledge(folder)
    await knowledge.load()
    await anyio.Path(folder).rename(folder.with_name("elsewhere"))
    assert not await knowledge.reload()
    assert knowledge.documents == 3


async def test_a_search_during_a_reload_sees_the_old_state(folder: Path) -> None:
    """All of it, until the new one is whole."""

    embedder = counting()
    knowledge = FolderKnowledge(folder, embedder)
    await knowledge.load()
    embedding, go_on = anyio.Event(), anyio.Event()

    async def pause() -> None:
        embedding.set()
        await go_on.wait()

    embedder.before = pause
    write(folder, "en/food.md", "# Food\n\nPorridge at eight.")
    (folder / "en/dogs.md").unlink()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(knowledge.reload)
        with anyio.fail_after(10):
            await embedding.wait()
        assert (await ids(knowledge, "dog"))[0] == "en/dogs.md#dogs"
        assert knowledge.passage("en/food.md#food") is None
        go_on.set()
    assert knowledge.passage("en/dogs.md#dogs") is None
    assert (await ids(knowledge, "porridge"))[0] == "en/food.md#food"


async def test_reading_and_ranking_leave_the_loop_alone(folder: Path) -> None:
    """Both happen in other threads."""
    threads: set[int] = set()

    class Noting(type(folder)):  # type: ignore[misc]
        def resolve(self, strict: bool = False) -> Path:
            threads.add(threading.get_ident())
            return Path(str(self)).resolve(strict=strict)

    await FolderKnowledge(Noting(folder)).load()
    assert threads
    assert threading.get_ident() not in threads


async def test_watching_sees_a_change_and_survives_a_lost_folder(folder: Path) -> None:
    """For ever, until it is cancelled."""

    class Signalling(FolderKnowledge):
        def __init__(self, folder: Path) -> None:
            super().__init__(folder)
            self.reloads: anyio.Event = anyio.Event()

        async def reload(self) -> bool:
            changed = await super().reload()
            self.reloads.set()
            return changed

    knowledge = Signalling(folder)
    await knowledge.load()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(knowledge.watch)
        with anyio.fail_after(20):
            await knowledge.reloads.wait()
            number = 0
            while not await ids(knowledge, "porridge"):
                # Writes again until the watch is up: when it begins cannot be seen from here.
                number += 1
                knowledge.reloads = anyio.Event()
                write(folder, "en/food.md", f"# Food\n\nPorridge at {number}.")
                with anyio.move_on_after(1.5):
                    await knowledge.reloads.wait()
        tasks.cancel_scope.cancel()
