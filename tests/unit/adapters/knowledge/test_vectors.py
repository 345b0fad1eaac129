"""Vectors are kept in a file, and centred."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

np = pytest.importorskip("numpy", reason="comes with the extra [semantic]")

from server.adapters.knowledge.vectors import (  # noqa: E402  needs numpy
    ENOUGH_TO_CENTRE,
    VectorCache,
    VectorIndex,
)


def vector(*values: float) -> Any:
    return np.array(values, dtype=np.float32)


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    """By a later process, under the same model's name only."""
    VectorCache(tmp_path / "new", "m").save({"a": vector(1, 2), "b": vector(3, 4)})
    loaded = VectorCache(tmp_path / "new", "m").load(["a", "c"])
    assert {key: value.tolist() for key, value in loaded.items()} == {"a": [1.0, 2.0]}
    assert VectorCache(tmp_path / "new", "other").load(["a"]) == {}


@pytest.mark.parametrize("content", [b"", b"garbage" * 1000, b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_broken_cache_is_ignored_and_rebuilt(tmp_path: Path, content: bytes) -> None:
    """It costs its vectors, nothing else."""
    (tmp_path / "vectors.sqlite3").write_bytes(content)
    cache = VectorCache(tmp_path, "m")
    assert cache.load(["a"]) == {}
    cache.save({"a": vector(1)})
    assert cache.load(["a"])["a"].tolist() == [1.0]


@pytest.mark.parametrize("blob", [b"", b"abc", "text", None, np.array([np.nan], "<f4").tobytes()])
def test_a_row_that_is_no_vector_is_ignored(tmp_path: Path, blob: object) -> None:
    """The others count."""
    cache = VectorCache(tmp_path, "m")
    cache.save({"good": vector(1)})
    with closing(sqlite3.connect(tmp_path / "vectors.sqlite3")) as database, database:
        database.execute("CREATE TABLE loose AS SELECT * FROM vectors")
        database.execute("DROP TABLE vectors")
        database.execute("ALTER TABLE loose RENAME TO vectors")
        database.execute("INSERT INTO vectors VALUES ('m', 'bad', ?)", (blob,))
    assert set(cache.load(["good", "bad"])) == {"good"}


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    """A file where the folder should be; a folder where the file should be; no folder at all."""
    (tmp_path / "file").write_text("x")
    (tmp_path / "vectors.sqlite3").mkdir()
    for folder in (tmp_path / "file" / "below", tmp_path, None):
        cache = VectorCache(folder, "m")
        cache.save({"a": vector(1)})
        assert cache.load(["a"]) == {}


def test_centring_takes_away_what_a_language_has_in_common() -> None:
    """Passages of the question's language no longer win for their language alone."""
    chance = np.random.default_rng(1)
    rows, languages = [], []
    for language, mark in (("en", vector(1, 0)), ("nl", vector(0, 1))):
        for _ in range(ENOUGH_TO_CENTRE):
            rows.append(np.concatenate([mark, 0.3 * chance.normal(size=6)]).astype(np.float32))
            languages.append(language)
    topic = np.concatenate([vector(0, 0), rows[3][2:]])
    dutch_question = np.concatenate([vector(0, 1), rows[3][2:]])
    index = VectorIndex(rows, languages)
    assert index.centred(topic).argmax() == 3
    assert index.centred(dutch_question).argmax() == 3
    assert index.cosines(dutch_question).argmax() != 3


def test_a_small_folder_is_not_centred() -> None:
    """The mean of one passage is that passage: nothing would be left of it."""
    index = VectorIndex([vector(1, 0), vector(0, 1)], ["en", "nl"])
    assert index.centred(vector(1, 0)).tolist() == [1.0, 0.0]
