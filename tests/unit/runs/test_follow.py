"""Whoever reads along is not sent away because the database is."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, replace

import pytest

from server.adapters.memory import Records, memory_store
from server.domain.conversation import Run, Turn
from server.domain.errors import Unavailable
from server.domain.events import Done, Event, Text, ThreadOpened
from server.ports import LeaseTerms, Log, Runs, Store
from server.runs.clock import utc_now
from server.runs.feed import Feed
from server.runs.follow import follow, follow_run


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@dataclass
class Outage:
    """How often the database will still not answer."""

    left: int = 0

    def here(self) -> None:
        if self.left:
            self.left -= 1
            raise Unavailable


@dataclass
class AwayLog:
    """A log that is away for a while."""

    log: Log
    outage: Outage

    async def read(self, thread_id: str, after: int, limit: int = 500) -> list[tuple[int, Event]]:
        self.outage.here()
        return await self.log.read(thread_id, after, limit)

    async def first_kept(self, thread_id: str) -> int:
        self.outage.here()
        return await self.log.first_kept(thread_id)


@dataclass
class AwayRuns:
    """The runs of a database that is away for longer."""

    runs: Runs
    asked: int = 0

    async def get(self, run_id: str) -> Run | None:
        self.asked += 1
        raise Unavailable


async def a_thread() -> Store:
    """With one run in its log: five events, ended."""
    store = memory_store(utc_now, LeaseTerms(), Records())
    await store.threads.open("t", "visitor:v")
    lease = await store.threads.claim("t", "me", await store.threads.enter_queue("t"))
    assert lease is not None
    turn = Turn(id="turn", thread_id="t", said="Hi", messages=[], answer="", created_at=utc_now())
    run = Run(
        id="r", thread_id="t", turn_id="turn", status="success", started_at=utc_now(), first_seq=0
    )
    events: list[Event] = [ThreadOpened("t", "r"), Text("One. "), Text("Two. "), Text("3."), Done()]
    async with store.units.hold(lease) as held:
        await held.save_turn(turn)
        await held.save_run(run)
        await held.append(list(enumerate(events, 1)))
        await held.release("idle")
    return store


async def seqs(events: AsyncGenerator[object, None], last: int) -> list[object]:
    """The numbers that come, to that one; None where it was quiet."""
    came: list[object] = []
    async with aclosing(events):
        async for item in events:
            came.append(item[0] if isinstance(item, tuple) else item)
            if came[-1] == last:
                break
    return came


@pytest.mark.anyio
async def test_a_stream_that_is_open_outlasts_an_outage() -> None:
    """Neither the log nor whether the run is still there can be read: it waits, and misses nothing."""
    store = await a_thread()
    runs = AwayRuns(store.runs)
    away = replace(store, log=AwayLog(store.log, Outage(2)), runs=runs)  # type: ignore[arg-type]
    came = await seqs(follow_run(away, Feed(), "t", "r", 0), 5)
    assert came == [None, None, 1, 2, 3, 4, 5]
    assert runs.asked == 2


@pytest.mark.anyio
async def test_a_reconnect_during_an_outage_waits_for_its_end() -> None:
    """Where the log begins is not known at first: no `reset`, no broken stream."""
    store = await a_thread()
    log = AwayLog(store.log, Outage(2))
    assert await seqs(follow(log, Feed(), "t", 2), 5) == [3, 4, 5]
    assert log.outage.left == 0
