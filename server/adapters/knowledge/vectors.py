"""The passages' vectors: kept in a file by content, and centred per language for ranking."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import structlog

if TYPE_CHECKING:
    from server.adapters.knowledge.semantic import Vectors

log: structlog.stdlib.BoundLogger = structlog.get_logger(__name__)

ENOUGH_TO_CENTRE = 8
"""Passages. The mean of fewer is mostly the passages themselves."""


def content_key(text: str) -> str:
    """What a vector is kept under, next to the model's name."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


class VectorCache:
    """Vectors in one SQLite file. Every failure means "not kept": a cache is never a reason not to start.

    Several processes may share the file. It can be deleted at any time. Without a folder nothing is kept.
    """

    def __init__(self, folder: Path | None, model: str) -> None:
        self._file = folder / "vectors.sqlite3" if folder else None
        self._model = model

    def load(self, keys: Iterable[str]) -> dict[str, Vectors]:
        """The vectors that are kept and whole."""
        wanted = set(keys)
        if self._file is None or not self._file.is_file():
            return {}
        found: dict[str, Vectors] = {}
        try:
            with closing(self._open()) as database:
                rows = database.execute(
                    "SELECT content, vector FROM vectors WHERE model = ?", (self._model,)
                )
                for content, blob in rows:
                    if content in wanted and isinstance(blob, bytes) and len(blob) % 4 == 0:
                        vector = np.frombuffer(blob, dtype="<f4").astype(np.float32)
                        if vector.size and np.isfinite(vector).all():
                            found[content] = vector
        except (sqlite3.Error, OSError) as error:
            log.warning("knowledge.cache_unreadable", error=type(error).__name__)
            if isinstance(error, sqlite3.DatabaseError) and not isinstance(
                error, sqlite3.OperationalError
            ):
                self._discard()  # not a database, or a broken one
            return {}
        sizes = [vector.size for vector in found.values()]
        usual = max(set(sizes), key=sizes.count) if sizes else 0
        return {key: vector for key, vector in found.items() if vector.size == usual}

    def save(self, vectors: Mapping[str, Vectors]) -> None:
        """Keeps these too, all of them or none."""
        if self._file is None or not vectors:
            return
        rows = [
            (self._model, key, vector.astype("<f4").tobytes()) for key, vector in vectors.items()
        ]
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with closing(self._open()) as database, database:
                database.execute(
                    "CREATE TABLE IF NOT EXISTS vectors (model TEXT NOT NULL, content TEXT NOT NULL,"
                    " vector BLOB NOT NULL, PRIMARY KEY (model, content)) WITHOUT ROWID"
                )
                database.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)
        except (sqlite3.Error, OSError) as error:
            log.warning("knowledge.cache_unwritable", error=type(error).__name__)

    def _open(self) -> sqlite3.Connection:
        assert self._file is not None
        return sqlite3.connect(self._file, timeout=5.0)

    def _discard(self) -> None:
        assert self._file is not None
        try:
            self._file.unlink(missing_ok=True)
        except OSError as error:
            log.warning("knowledge.cache_unwritable", error=type(error).__name__)


class VectorIndex:
    """Passages' vectors, raw and centred. Never changes once made.

    e5's vectors of one language share a direction that has nothing to do with what is said, so that passages
    in the question's own language look closer than they are. Taking each language's mean away from its passages
    (not from the question: questions have another mean, and that measured worse) lets a Dutch question find an
    English page: 21 of 21 across languages on the demo set, 18 of 21 without.
    """

    def __init__(self, rows: Sequence[Vectors], languages: Sequence[str]) -> None:
        vectors: Vectors = np.stack(rows)
        self._raw = vectors
        centred = vectors.copy()
        overall = vectors.mean(axis=0) if len(vectors) >= ENOUGH_TO_CENTRE else 0.0
        for language in set(languages):
            own = np.array([other == language for other in languages])
            enough = int(own.sum()) >= ENOUGH_TO_CENTRE
            centred[own] -= vectors[own].mean(axis=0) if enough else overall
        self._centred = centred / np.maximum(np.linalg.norm(centred, axis=1, keepdims=True), 1e-12)

    @property
    def size(self) -> int:
        """How many numbers a vector has."""
        return int(self._raw.shape[1])

    def cosines(self, query: Vectors) -> Vectors:
        """Passage by passage, as the model means it. Refuse by this."""
        raw: Vectors = self._raw @ query
        return raw

    def centred(self, query: Vectors) -> Vectors:
        """Passage by passage, without what its language has in common. Rank by this."""
        scores: Vectors = self._centred @ query
        return scores
