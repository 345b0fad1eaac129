"""A long life leaves no more behind per turn than a short one. TURNS and THREADS say how long: 300 on 10."""

import os

import pytest

from benchmarks.growth import TABLES, measure, table

pytestmark = [pytest.mark.chaos, pytest.mark.postgres, pytest.mark.timeout(1800)]

TURNS = int(os.environ.get("TURNS", "300"))
THREADS = int(os.environ.get("THREADS", "10"))
CHECKPOINTS = ("checkpoints", "checkpoint_blobs", "checkpoint_writes", "thread_queue", "threads")


async def test_growth_is_flat_and_a_pause_outlasts_it(postgres_url: str) -> None:
    """Rows and bytes per turn at the end are those of the start; old checkpoints are gone, a paused one is not."""
    report = await measure(postgres_url, turns=TURNS, threads=THREADS)
    print(f"\n{table(report)}")
    for name in CHECKPOINTS:
        rows, _ = report.last[name]
        # Its newest checkpoint is all a thread keeps, so a turn adds none.
        assert abs(rows) < 0.05, (name, rows)
    first, last = (sum(by[name][0] for name in TABLES) for by in (report.first, report.last))
    assert last <= first * 1.1 + 0.1
    first, last = (sum(by[name][1] for name in TABLES) for by in (report.first, report.last))
    assert last <= first * 1.25
    assert report.decided == "approved, answered"
