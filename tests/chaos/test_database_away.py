"""Connections are cut, and the database itself is away for a while and comes back."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, asynccontextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import httpx
import psycopg
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal

from server.adapters.embedded_postgres import embedded_postgres
from server.adapters.memory import Records, memory_store
from server.domain.conversation import Lease
from server.domain.errors import Unavailable
from server.domain.events import Text
from server.ports import LEASE_GAP, LeaseTerms
from server.runs.feed import Feed
from server.runs.journal import Journal
from tests.chaos.obedient import open_up
from tests.chaos.replicas import (
    Replicas,
    Visitor,
    assert_one_story,
    read_as_a_page,
    replicas,
    side_by_side,
)
from tests.support.server import until
from tests.support.twin import events_in, of_type

pytestmark = [pytest.mark.chaos, pytest.mark.postgres]

AWAY_S = 10.0


def cut_all(url: str) -> int:
    """Terminates every other backend of the database; gives how many there were."""
    with psycopg.connect(url, autocommit=True) as connection:
        cut = connection.execute(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        ).fetchone()
        assert cut is not None
        return int(cut[0])


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory, module_database: str) -> Iterator[Replicas]:
    """Two replicas."""
    folder = tmp_path_factory.mktemp("cut")
    with replicas(folder, module_database, module_database, LEASE_S="2") as running:
        yield running


def test_all_backends_terminated_between_requests(pair: Replicas) -> None:
    """Ten times: the next request, of every kind, is fine."""
    visitor = pair.visitor()
    for number in range(10):
        at = pair.servers[number % 2]
        question = visitor.ask_for_a_charge(100 + number, at)
        assert cut_all(pair.url) > 0
        assert visitor.view(at)["status"] == "interrupted"
        cut_all(pair.url)
        answer = visitor.decide(at, approved=True, interrupt_id=question)
        assert answer.status_code == 200, answer.text
        assert answer.json()["answer"] == "I was told: charged"
        cut_all(pair.url)
        assert read_as_a_page(visitor.say(f"hello {number}", at)) == f"You said hello {number}."
    assert pair.facts.effects(visitor.thread_id) == ["done"] * 10
    assert pair.facts.charged(visitor.thread_id) == 10


def test_all_backends_terminated_during_requests(pair: Replicas) -> None:
    """Cut again and again under load: whatever was accepted ends, is charged once at most, and no thread hangs."""
    visitors = [pair.visitor() for _ in range(6)]
    over = threading.Event()
    cuts: list[int] = []

    def keep_cutting() -> None:
        while not over.is_set():
            with suppress(psycopg.OperationalError):
                cuts.append(cut_all(pair.url))
            over.wait(1.0)

    outcomes: Counter[str] = Counter()

    def live(visitor: Visitor) -> None:
        for number in range(6):
            answer = visitor.try_to_say(f"charge {number + 1}" if number % 2 else "count 3")
            outcomes[how(answer)] += 1
            for card in tried(visitor.pending):
                decided = visitor.decide(approved=True, interrupt_id=card["interrupt_id"])
                outcomes[how(decided)] += 1

    with ThreadPoolExecutor(1) as pool:
        cutting = pool.submit(keep_cutting)
        try:
            side_by_side([lambda v=v: live(v) for v in visitors])
        finally:
            over.set()
        cutting.result()

    print(f"\n{sum(cuts)} backends terminated in {len(cuts)} rounds; {dict(outcomes)}")
    assert set(outcomes) <= {"fine", "503 with Retry-After", "error event", "409", "stream cut"}
    until(
        "nothing is held any more",
        lambda: not pair.facts.rows("SELECT 1 FROM threads WHERE holder IS NOT NULL"),
    )
    until(
        "every yes was carried out",
        lambda: (
            not pair.facts.rows(
                "SELECT 1 FROM approvals a WHERE status = 'approved' AND NOT EXISTS (SELECT 1 FROM effects e"
                " WHERE e.thread_id = a.thread_id AND e.tool_call_id = a.tool_call_id)"
            )
        ),
    )
    # What recovery began last may still be at its closing answer, or be tried again in a while.
    until(
        "no run is under way, and none will be tried again",
        lambda: (
            not pair.facts.rows(
                "SELECT 1 FROM runs WHERE status = 'running' OR retry_at IS NOT NULL"
            )
        ),
    )
    # What was started by a run that the outage ended is told of when that run is gone on with.
    until(
        "no effect is open",
        lambda: not pair.facts.rows("SELECT 1 FROM effects WHERE status = 'started'"),
    )
    for visitor in visitors:
        effects = pair.facts.effects(visitor.thread_id)
        assert set(effects) <= {"done", "in_doubt"}
        assert effects.count("done") <= pair.facts.charged(visitor.thread_id) <= len(effects)
        assert_one_story(pair.facts.log(visitor.thread_id))
        assert visitor.say("hello")[-1]["type"] == "done"


def how(answer: httpx.Response) -> str:
    """How a request ended, in the words of the contract."""
    if answer.status_code == 503:
        assert answer.headers["Retry-After"]
        return "503 with Retry-After"
    if answer.status_code != 200:
        return str(answer.status_code)
    if answer.headers["content-type"].startswith("text/event-stream"):
        events = events_in(answer.text)
        if not events or events[-1]["type"] != "done":
            return "stream cut"
        if of_type(events, "error"):
            return "error event"
    return "fine"


def tried(ask: Callable[[], list[Any]]) -> list[Any]:
    """What it gives; nothing when the database is away."""
    try:
        return ask()
    except KeyError:  # a problem has no `pending`
        return []


class OwnPostgres:
    """A Postgres of this test's own, which can be stopped and started again."""

    def __init__(self, portal: BlockingPortal, folder: Path) -> None:
        self._portal = portal
        self._folder = folder
        self._owned: AbstractContextManager[str] | None = None
        self.url = ""

    def start(self) -> None:
        """Returns when it answers."""
        self._owned = self._portal.wrap_async_context_manager(embedded_postgres(self._folder))
        self.url = self._owned.__enter__()

    def stop(self) -> None:
        """A fast shutdown: connections are closed on whoever uses them."""
        if self._owned is not None:
            self._owned.__exit__(None, None, None)
            self._owned = None


@pytest.fixture
def own_postgres(tmp_path: Path) -> Iterator[OwnPostgres]:
    """Started."""
    with start_blocking_portal() as portal:
        postgres = OwnPostgres(portal, tmp_path / "postgres")
        postgres.start()
        yield postgres
        postgres.stop()


def test_postgres_is_away_for_ten_seconds(tmp_path: Path, own_postgres: OwnPostgres) -> None:
    """Refused meanwhile, alive but not ready; nothing fails after it, runs on their way end, and nothing is lost."""
    with replicas(tmp_path, own_postgres.url, own_postgres.url) as pair:
        here, there = pair.servers
        waiting, ending, lasting = (pair.visitor(name) for name in ("waiting", "ending", "lasting"))
        question = waiting.ask_for_a_charge(500)
        with ThreadPoolExecutor(4) as pool:
            heard = [
                pool.submit(lambda v=v, at=at: list(v.hear(f"hold {v.thread_id}", at)))
                for v, at in ((ending, here), (lasting, there))
            ]
            for visitor in (ending, lasting):
                until(
                    "it is on its way",
                    lambda v=visitor: of_type(pair.facts.log(v.thread_id), "text"),
                )
            own_postgres.stop()
            stopped = time.monotonic()
            open_up(pair.folder, "ending")
            refusals: Counter[str] = Counter()
            slowest = 0.0
            while time.monotonic() - stopped < AWAY_S:
                for server in pair.servers:
                    asked = time.monotonic()
                    answers = [
                        waiting.try_to_say("hello", server),
                        waiting.decide(server, approved=True, interrupt_id=question),
                        waiting._thread("GET", "", server),
                        waiting.owner("GET", "/approvals", server),
                        waiting._thread("POST", "/cancel", server),
                    ]
                    slowest = max(slowest, time.monotonic() - asked)
                    refusals.update(how(answer) for answer in answers)
                    assert pair.client.get(f"{server.url}/healthz").status_code == 200
                    ready = pair.client.get(f"{server.url}/readyz")
                    assert (ready.status_code, ready.json()["database"]) == (503, False)
            assert set(refusals) == {"503 with Retry-After"}, refusals
            own_postgres.start()
            back = time.monotonic()

            # From here on nothing may fail.
            for server in pair.servers:
                fresh = pair.visitor()
                assert read_as_a_page(fresh.say("hello", server)) == "You said hello."
                assert fresh.view(server)["status"] == "idle"
            print(
                f"\naway for {back - stopped:.1f} s, {refusals.total()} refusals, five in {slowest:.1f} s"
                f" at most; two first turns after it: {time.monotonic() - back:.1f} s"
            )
            answer = waiting.decide(approved=True, interrupt_id=question)
            assert answer.status_code == 200, answer.text
            open_up(pair.folder, "lasting")
            streams = [future.result() for future in heard]

        assert pair.facts.charged("waiting") == 1
        assert pair.facts.effects("waiting") == ["done"]
        for visitor, events in zip((ending, lasting), streams, strict=True):
            status = pair.facts.comes_to_rest(visitor.thread_id, "idle", "error")
            log = visitor.log()
            assert_one_story(log)
            print(f"{visitor.thread_id}: its thread is {status}")
            assert events == log, "the stream that was open all the while"
            assert log[-1]["type"] == "done"
            if status == "idle":
                assert read_as_a_page(log) == "Before it. After it."
            else:
                assert [e["code"] for e in of_type(log, "error")] == ["unavailable"]
            assert visitor.say("and now")[-1]["type"] == "done"
        for server in pair.servers:
            ready = pair.client.get(f"{server.url}/readyz")
            assert ready.status_code == 200


class AwayUnits:
    """The real ones, when the database is not away."""

    def __init__(self, units: Any) -> None:
        self._units = units
        self.away = True
        self.tries = 0

    @asynccontextmanager
    async def hold(self, lease: Lease) -> Any:
        self.tries += 1
        if self.away:
            raise Unavailable
        async with self._units.hold(lease) as held:
            yield held


async def test_a_long_answer_outlasts_an_outage() -> None:
    """More events than may be shown unsaved: the run waits, and goes on when the database is back."""
    store = memory_store(lambda: datetime.now(UTC), LeaseTerms(), Records())
    await store.threads.open("t", "visitor:v")
    lease = await store.threads.claim("t", "here", await store.threads.enter_queue("t"))
    assert lease is not None
    units = AwayUnits(store.units)
    feed = Feed()
    journal = Journal(lease, feed, units, last_seq=lease.last_seq)
    count = LEASE_GAP

    async def keep_saving() -> None:
        while True:
            with suppress(Unavailable):
                await journal.keep_saving()
            await anyio.lowlevel.checkpoint()  # what `drive` does, without its half second

    with feed.writing("t"):
        async with anyio.create_task_group() as tasks, anyio.create_task_group() as speaking:
            tasks.start_soon(keep_saving)

            async def speak() -> None:
                for number in range(count):
                    await journal.add(Text(f"{number} "))

            speaking.start_soon(speak)
            with anyio.fail_after(10):
                while len(feed.unsaved("t")) <= LEASE_GAP // 2 or units.tries < 3:
                    await anyio.lowlevel.checkpoint()
            units.away = False
            with anyio.fail_after(10):
                while (last := (await store.threads.get("t")).last_seq) < lease.last_seq + count:  # type: ignore[union-attr]
                    await anyio.lowlevel.checkpoint()
            tasks.cancel_scope.cancel()
    assert last == lease.last_seq + count
    assert replace(lease).thread_id == "t"
