"""`Knowledge` over a folder: read once, kept up to date, searched by words and, with an embedder, by meaning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
import structlog
from watchfiles import awatch

from server.adapters.knowledge.bm25 import Bm25, document_terms, query_terms
from server.adapters.knowledge.files import File, read_folder
from server.adapters.knowledge.languages import words
from server.adapters.knowledge.pages import Finding, Page, parse_page
from server.adapters.knowledge.semantic import UNRELATED, Embedder, EmbeddingFailed
from server.domain.errors import ConfigurationError
from server.domain.knowledge import Found, Passage
from server.ports import Similarity

if TYPE_CHECKING:
    from server.adapters.knowledge.semantic import Vectors
    from server.adapters.knowledge.vectors import VectorCache, VectorIndex

log: structlog.stdlib.BoundLogger = structlog.get_logger(__name__)

WORDS_ANSWERABLE = 0.25
"""How much of a question's content (by idf) a passage must have to count as answerable when there is no embedder.

Found with `python -m benchmarks.retrieval` on two thirds of the demo questions: from about here on, 7 of 8 questions
about something else are turned away. The price is 24 of 68 that the folder answers, all of them paraphrases and
questions in another language than their page, which words mostly do not find anyway."""
WORDS_WEIGHT = 0.02
"""What the best match by words adds to a centred cosine, whose best values lie between 0.06 and 0.3. From 0 to 0.08 it
changes nothing on the questions it was tuned on; it is there for names and codes no model knows."""
HALF_SCORE = 6.0
"""The BM25 score that counts half of that, so that a long question's large score cannot outvote the meaning."""
WHOLE_CHARACTERS = 12_000
"""Some 3,000 tokens: what a model can be given every time, so that it misses nothing and a provider's cache of what prompts begin
with (from 1,024 tokens on, at most of them) makes it cheap."""
BATCH = 8
"""Passages embedded at once. Between batches a search gets its turn at the model."""
MOST_RESULTS = 50
WATCH_DEBOUNCE_MS = 400
WATCH_RETRY_S = 5.0


@dataclass(frozen=True, slots=True)
class _Loaded:
    digest: str
    page: Page
    terms: tuple[Counter[str], ...]


@dataclass(frozen=True, slots=True)
class _Meaning:
    index: VectorIndex
    vectors: Mapping[str, Vectors]
    answerable_from: float


@dataclass(frozen=True, slots=True)
class _Snapshot:
    """All a search looks at. Replaced whole, so that no search sees half a reload."""

    pages: Mapping[str, _Loaded] = field(default_factory=dict)
    left_out: tuple[Finding, ...] = ()
    passages: tuple[Passage, ...] = ()
    by_id: Mapping[str, Passage] = field(default_factory=dict)
    by_words: Bm25 = field(default_factory=lambda: Bm25([]))
    meaning: _Meaning | None = None


class FolderKnowledge:
    """Searches a folder of Markdown pages.

    `found.answerable` is, with an embedder, "the cosine of question and passage reaches the embedder's
    `answerable_from`" (0.80 for e5, see `semantic.E5_ANSWERABLE`; for a model nobody has measured, what nine in
    ten questions about nothing in particular stay below, see `semantic.UNRELATED`); without one, or while it does
    not answer, "the passage has a quarter of the question's content" (`WORDS_ANSWERABLE`). Both keep out what has
    nothing to do with the folder. Neither knows whether a fact is there: that is for whoever checks the answer.

    `cache` is a folder for vectors, made when needed; None keeps them in memory only.
    """

    def __init__(
        self, folder: Path, embedder: Embedder | None = None, cache: Path | None = None
    ) -> None:
        self._folder = folder
        self._embedder = embedder
        self._cache_folder = cache
        self._snapshot = _Snapshot()
        self._one_reload = anyio.Lock()

    async def load(self, *, wait_for_meaning: bool = True) -> None:
        """Reads the folder. Raises ConfigurationError when there is no such folder.

        With `wait_for_meaning=False` it returns when the folder can be searched by words (and by meaning, if
        every vector is in the cache); the next `reload`, such as the one `watch` begins with, embeds the rest.
        A passage takes about half a second on one busy core.
        """
        try:
            await self._refresh(embed=wait_for_meaning)
        except OSError as error:
            raise ConfigurationError(
                f"KNOWLEDGE_DIR: the folder '{self._folder}' cannot be read ({error.strerror or error})."
            ) from error

    async def reload(self) -> bool:
        """Takes over what has changed, and says whether anything had. Only changed files are parsed and embedded.

        Searches see the old state until the new one is whole. A file that can no longer be read is left out; when
        the folder itself is gone, all stays as it was.
        """
        try:
            return await self._refresh(embed=True)
        except OSError as error:
            log.error("knowledge.reload_failed", error=type(error).__name__)
            return False

    async def watch(self) -> None:
        """Reloads now and on every change of a file, for ever. For the app's task group; never raises."""
        while True:
            try:
                await self.reload()
                async with anyio.create_task_group() as tasks:
                    stop = anyio.Event()
                    tasks.start_soon(_set_at_end, stop)
                    async for _ in awatch(
                        self._folder,
                        debounce=WATCH_DEBOUNCE_MS,
                        watch_filter=None,
                        stop_event=stop,
                    ):
                        await self.reload()
            except Exception as error:  # a folder that is gone for a while, too many watches
                log.error("knowledge.watch_failed", error=type(error).__name__)
            await anyio.sleep(WATCH_RETRY_S)

    async def search(self, query: str, limit: int = 6) -> list[Found]:
        """The passages that fit best, best first; at most 50. A query without a letter or digit finds nothing."""
        snapshot = self._snapshot
        if not snapshot.passages or limit < 1 or not words(query):
            return []
        vector = await self._vector_of(query, snapshot.meaning)
        return await anyio.to_thread.run_sync(
            _ranked, snapshot, query, vector, min(limit, MOST_RESULTS)
        )

    def passage(self, passage_id: str) -> Passage | None:
        """The passage with that id, if the folder still holds it."""
        return self._snapshot.by_id.get(passage_id)

    @property
    def documents(self) -> int:
        """How many pages are loaded."""
        return len(self._snapshot.pages)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What was wrong with the folder when it was last read."""
        snapshot = self._snapshot
        of_pages = (
            finding for loaded in snapshot.pages.values() for finding in loaded.page.findings
        )
        return (*snapshot.left_out, *of_pages)

    @property
    def searches_by_meaning(self) -> bool:
        """Whether vectors are there: an embedder was given and has done its work."""
        return self._snapshot.meaning is not None

    @property
    def whole(self) -> Sequence[Passage]:
        """See `Knowledge.whole`: up to `WHOLE_CHARACTERS`, in the order of the pages' paths."""
        passages = self._snapshot.passages
        size = sum(len(passage.title) + len(passage.text) for passage in passages)
        return passages if size <= WHOLE_CHARACTERS else ()

    @property
    def similarity(self) -> Similarity | None:
        """See `Knowledge.similarity`."""
        embedder = self._embedder
        return self._cosines if embedder is not None and embedder.tells_translations else None

    async def _cosines(self, sentence: str, texts: Sequence[str]) -> Sequence[float]:
        assert self._embedder is not None
        try:
            vectors = await self._embedder.passages([sentence, *texts])
        except EmbeddingFailed as error:
            log.warning("knowledge.sentence_not_embedded", error=str(error))
            return [0.0] * len(texts)
        return [float(cosine) for cosine in vectors[1:] @ vectors[0]]

    async def _vector_of(self, query: str, meaning: _Meaning | None) -> Vectors | None:
        if meaning is None or self._embedder is None:
            return None
        try:
            vector = await self._embedder.query(query)
        except EmbeddingFailed as error:
            log.warning("knowledge.query_not_embedded", error=str(error))
            return None
        if vector.shape != (meaning.index.size,):
            log.warning("knowledge.query_not_embedded", error="another size than the passages'")
            return None
        return vector

    # --- keeping up to date -----------------------------------------------------------------------

    async def _refresh(self, *, embed: bool) -> bool:
        async with self._one_reload:
            old = self._snapshot
            files, findings = await anyio.to_thread.run_sync(read_folder, self._folder)
            same_pages = {file.path: file.digest for file in files} == {
                path: loaded.digest for path, loaded in old.pages.items()
            }
            wants_meaning = self._embedder is not None and old.meaning is None and old.passages
            if same_pages and tuple(findings) == old.left_out and not wants_meaning:
                return False
            new = await anyio.to_thread.run_sync(_indexed, old, files, findings)
            if self._embedder is not None and new.passages:
                if not embed:
                    self._snapshot = new  # by words at once, while the cache is read
                new = await self._with_meaning(self._embedder, new, old.meaning, embed=embed)
            self._snapshot = new
            log.info(
                "knowledge.loaded",
                pages=len(new.pages),
                passages=len(new.passages),
                findings=len(self.findings),
                by_meaning=new.meaning is not None,
            )
            return True

    async def _with_meaning(
        self, embedder: Embedder, new: _Snapshot, old: _Meaning | None, *, embed: bool
    ) -> _Snapshot:
        from server.adapters.knowledge.vectors import VectorCache, VectorIndex, content_key

        texts = {content_key(text): text for text in map(_searched_text, new.passages)}
        cache = VectorCache(self._cache_folder, embedder.name)
        have = {key: old.vectors[key] for key in texts if old and key in old.vectors}
        rest = [key for key in texts if key not in have]
        have |= await anyio.to_thread.run_sync(cache.load, rest)
        missing = {key: text for key, text in texts.items() if key not in have}
        if missing and not embed:
            return new
        try:
            have |= await self._embed(embedder, cache, missing)
            if (
                len({vector.shape for vector in have.values()}) > 1
            ):  # the model behind a name changed
                have = await self._embed(embedder, cache, texts)
            in_order = [have[content_key(_searched_text(passage))] for passage in new.passages]
            languages = [passage.language for passage in new.passages]
            index = await anyio.to_thread.run_sync(VectorIndex, in_order, languages)
            threshold = await _answerable_from(embedder, index)
        except (EmbeddingFailed, ValueError) as error:
            log.warning("knowledge.embedding_failed", error=str(error), passages=len(missing))
            return new
        return replace(new, meaning=_Meaning(index, have, threshold))

    async def _embed(
        self, embedder: Embedder, cache: VectorCache, texts: Mapping[str, str]
    ) -> dict[str, Vectors]:
        """Batch by batch, each kept at once: a stop in the middle loses at most one."""
        done: dict[str, Vectors] = {}
        keys = list(texts)
        for start in range(0, len(keys), BATCH):
            batch = keys[start : start + BATCH]
            vectors = await embedder.passages([texts[key] for key in batch])
            fresh = dict(zip(batch, vectors, strict=True))
            await anyio.to_thread.run_sync(cache.save, fresh)
            done |= fresh
        return done


async def _set_at_end(event: anyio.Event) -> None:
    """watchfiles waits in a thread that no cancellation reaches: this task is told at once and tells it."""
    try:
        await anyio.sleep_forever()
    finally:
        event.set()


def _searched_text(passage: Passage) -> str:
    return "\n".join(filter(None, (passage.title, passage.asked, passage.text)))


def _indexed(old: _Snapshot, files: Sequence[File], findings: Sequence[Finding]) -> _Snapshot:
    """Everything but the vectors. Parses only what changed."""
    pages: dict[str, _Loaded] = {}
    for file in files:
        kept = old.pages.get(file.path)
        if kept is not None and kept.digest == file.digest:
            pages[file.path] = kept
        else:
            page = parse_page(file.path, file.text)
            terms = tuple(document_terms(_searched_text(passage)) for passage in page.passages)
            pages[file.path] = _Loaded(file.digest, page, terms)
    passages = tuple(passage for loaded in pages.values() for passage in loaded.page.passages)
    return _Snapshot(
        pages=pages,
        left_out=tuple(findings),
        passages=passages,
        by_id={passage.id: passage for passage in passages},
        by_words=Bm25([terms for loaded in pages.values() for terms in loaded.terms]),
    )


async def _answerable_from(embedder: Embedder, index: VectorIndex) -> float:
    """The embedder's own threshold, or one measured on this folder with questions about nothing in it."""
    if embedder.answerable_from is not None:
        return embedder.answerable_from
    best = sorted([float(index.cosines(await embedder.query(q)).max()) for q in UNRELATED])
    return best[len(best) * 9 // 10]


# --- searching ------------------------------------------------------------------------------------


def _ranked(snapshot: _Snapshot, query: str, vector: Vectors | None, limit: int) -> list[Found]:
    by_words = snapshot.by_words.scores(query_terms(query))
    if vector is None or snapshot.meaning is None:
        best = sorted(by_words, key=lambda number: (-by_words[number], number))[:limit]
        return [
            Found(
                snapshot.passages[number],
                by_words[number],
                snapshot.by_words.coverage(query, number) >= WORDS_ANSWERABLE,
            )
            for number in best
        ]
    meaning = snapshot.meaning
    scores = meaning.index.centred(vector).copy()
    for number, score in by_words.items():
        scores[number] += WORDS_WEIGHT * score / (score + HALF_SCORE)
    cosines = meaning.index.cosines(vector)
    order = (-scores).argsort(kind="stable")[:limit]
    return [
        Found(
            snapshot.passages[number],
            float(scores[number]),
            bool(cosines[number] >= meaning.answerable_from),
        )
        for number in order.tolist()
    ]
