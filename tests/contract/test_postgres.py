"""What only Postgres has: connections that break, locks that are waited for, a clock of its own."""

import gc
import time
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import ormsgpack
import psycopg
import pytest
import structlog
from langgraph.checkpoint.base import empty_checkpoint
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.rows import dict_row
from psycopg.waiting import MAX_BUSY_TIME
from sqlalchemy import event
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.pool import AsyncAdaptedQueuePool

from server.adapters.postgres import PostgresBell, open_engine, postgres_saver, postgres_store
from server.adapters.postgres.engine import conninfo
from server.adapters.postgres.migrate import pending
from server.adapters.postgres.saver import PatientPool
from server.adapters.postgres.tables import metadata
from server.adapters.serializer import StrictSerializer, UnsafeCheckpoint
from server.domain.errors import Unavailable
from server.domain.events import Done
from server.domain.tools import ContactDraft
from server.ports import LeaseTerms, Store, Writes
from tests.contract.samples import (
    NOW,
    all_at_once,
    approval,
    gap,
    hold_new,
    listening,
    notice,
    run,
    run_config,
    turn,
    verdict,
    write,
    yes,
)

pytestmark = pytest.mark.postgres

CONNECTIONS = """SELECT pid FROM pg_stat_activity WHERE datname = current_database()
    AND pid <> pg_backend_pid() AND application_name <> 'the test' ORDER BY pid"""
OF_NO_THREAD = {"rate_limits", "budget_days", "budget_reservations", "audit"}
"""Or not with one row a thread, which `test_audit.py` looks at."""


@pytest.fixture
async def engine(postgres_url: str) -> AsyncIterator[AsyncEngine]:
    engine = open_engine(postgres_url)
    yield engine
    await engine.dispose()


@pytest.fixture
def store(engine: AsyncEngine) -> Store:
    return postgres_store(engine, LeaseTerms())


async def query(url: str, sql: str) -> list[tuple[Any, ...]]:
    async with await psycopg.AsyncConnection.connect(
        url, autocommit=True, application_name="the test"
    ) as connection:
        return await (await connection.execute(sql)).fetchall()


async def kill_all(url: str) -> int:
    """Ends every connection to the test's database; gives how many there were."""
    others = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    killed = await query(url, f"SELECT pg_terminate_backend(pid) {others}")
    return len(killed)


async def test_a_deleted_thread_has_no_row_in_any_table_of_ours(
    store: Store, postgres_url: str
) -> None:
    lease = await hold_new(store)
    await store.threads.enter_queue("t")
    async with store.units.hold(lease) as writes:
        await writes.append([(1, Done())])
        await writes.save_turn(turn())
        await writes.save_run(run())
        await writes.open_approvals([approval()])
        await writes.settle("i-1", yes(), NOW)
        effect = await writes.begin_effect(
            interrupt_id="i-1",
            tool_call_id="call-i-1",
            tool="draft_contact_message",
            digest="d",
            run_id="run-1",
        )
        await writes.finish_effect(effect.id, "done", "ok", ContactDraft("a", "b", "c"))
        await writes.record_gap(gap())
        await writes.post([notice()])
    assert await store.verdicts.save(verdict())

    async def counts() -> dict[str, int]:
        tables = set(metadata.tables) - OF_NO_THREAD
        return {t: (await query(postgres_url, f"SELECT count(*) FROM {t}"))[0][0] for t in tables}

    assert set((await counts()).values()) == {1}, "the test fills every table"
    await store.threads.delete(lease, [])
    assert set((await counts()).values()) == {0}


async def test_after_all_connections_are_killed_the_next_request_is_fine(
    store: Store, postgres_url: str
) -> None:
    async with postgres_saver(postgres_url, StrictSerializer()) as saver:
        lease = await hold_new(store)
        await all_at_once(5, lambda _: store.threads.get("t"))
        await saver.aget_tuple(run_config(lease))
        for seq in (1, 2, 3):
            assert await kill_all(postgres_url) >= 2
            async with store.units.hold(lease) as writes:
                await writes.append([(seq, Done())])
            assert await saver.aget_tuple(run_config(lease)) is None
        assert len(await store.log.read("t", 0)) == 3


async def test_a_connection_killed_in_a_transaction_is_unavailable_and_takes_it_back(
    store: Store, postgres_url: str
) -> None:
    lease = await hold_new(store)

    async def write_around_the_kill(writes: Writes) -> None:
        await writes.save_turn(turn())
        await kill_all(postgres_url)
        await writes.save_run(run())

    with pytest.raises(Unavailable):
        await write(store, lease, write_around_the_kill)
    assert await store.turns.newest("t") == []
    async with store.units.hold(lease) as writes:
        await writes.save_turn(turn())
    assert len(await store.turns.newest("t")) == 1


async def test_a_database_that_is_not_there_is_unavailable(tmp_path: Any) -> None:
    nowhere = f"postgresql:///nowhere?host={tmp_path}"
    engine = open_engine(nowhere)
    with pytest.raises(Unavailable):
        await postgres_store(engine, LeaseTerms()).check()
    with pytest.raises(Unavailable):
        await pending(nowhere)
    await engine.dispose()


async def test_whoever_waits_for_a_connection_gets_one_when_the_database_is_back(
    postgres_url: str, tmp_path: Any
) -> None:
    """The pool gave up on connecting while they waited, and nobody else asks: they are not left to wait for nothing."""
    parts = conninfo_to_dict(conninfo(postgres_url))
    here, gone = Path(str(parts["host"])), tmp_path / "socket"
    given_up = 0

    def give_up(_: Any) -> None:
        nonlocal given_up
        given_up += 1
        if given_up == 1:
            gone.symlink_to(here)  # the database is back

    away = make_conninfo(**{**parts, "host": str(gone)})
    pool = PatientPool(
        away,
        open=False,
        min_size=0,
        max_size=2,
        timeout=10.0,
        reconnect_timeout=0.2,
        reconnect_failed=give_up,
        kwargs={"row_factory": dict_row},
    )
    async with pool, pool.connection() as connection:
        answer = await connection.execute("SELECT 1 AS one")
        assert await answer.fetchone() == {"one": 1}
    assert given_up >= 1


async def test_a_lock_is_not_waited_for_for_ever(store: Store, engine: AsyncEngine) -> None:
    """And who gave up can go on afterwards, on the same few connections."""
    impatient = postgres_store(engine, LeaseTerms(), within_s=0.2)
    lease = await hold_new(store)
    async with store.units.hold(lease) as writes:
        await writes.save_turn(turn())
        for _ in range(12):
            with pytest.raises(Unavailable):
                await impatient.threads.renew(lease)
    assert (await impatient.threads.renew(lease)).alive
    assert len(await impatient.turns.newest("t")) == 1


async def test_a_cancelled_transaction_is_whole_and_frees_its_lock(store: Store) -> None:
    """What was begun is ended before the cancellation is heard: nobody has to wonder whether it was committed."""
    lease = await hold_new(store)
    for _ in range(12):
        with anyio.CancelScope() as scope:
            async with store.units.hold(lease) as writes:
                await writes.save_turn(turn())
                scope.cancel()
                await writes.save_run(run())
            await anyio.lowlevel.checkpoint()
        assert scope.cancelled_caught
    with anyio.fail_after(5):
        async with store.units.hold(lease) as writes:
            await writes.activate(run().id)
    assert len(await store.turns.newest("t")) == len(await store.runs.newest(thread_id="t")) == 1


@pytest.fixture
def left_to_the_collector() -> Iterator[list[str]]:
    """What the garbage collector complained of when the test is over."""
    complaints: list[str] = []
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        yield complaints
        gc.collect()
    complaints += [str(each.message) for each in heard]
    assert complaints == []


TURNS_OF_THE_LOOP = 40
"""As many as a statement on an open connection takes, and some."""


async def cancelled_after(turns: int, work: Callable[[], Awaitable[Any]]) -> None:
    """Begins the work and cancels it when the event loop has turned so often."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(work)
        for _ in range(turns):
            await anyio.lowlevel.checkpoint()
        tasks.cancel_scope.cancel()


@pytest.mark.usefixtures("left_to_the_collector")
async def test_whoever_is_cancelled_leaves_no_connection_behind(
    store: Store, engine: AsyncEngine, postgres_url: str
) -> None:
    """Wherever it happens, in the middle of a statement or while it is given back; nor has one to be made anew."""
    lease = await hold_new(store)
    async with postgres_saver(postgres_url, StrictSerializer()) as saver:
        await saver.aget_tuple(run_config(lease))
        before = await query(postgres_url, CONNECTIONS)
        for turns in range(TURNS_OF_THE_LOOP):
            await cancelled_after(turns, lambda: store.threads.get("t"))
            await cancelled_after(turns, lambda: store.threads.ask_cancel("t"))
            await cancelled_after(turns, lambda: saver.aget_tuple(run_config(lease)))
            await cancelled_after(turns, lambda: saver.aprune(["t"]))
        assert in_use(engine) == 0
        assert await query(postgres_url, CONNECTIONS) == before


@pytest.mark.usefixtures("left_to_the_collector")
async def test_whoever_is_cancelled_on_the_way_to_a_connection_leaves_none_behind(
    store: Store, engine: AsyncEngine
) -> None:
    """On a busy loop psycopg yields even where there is nothing to wait for, and is cancelled there."""
    await store.check()
    with anyio.CancelScope() as scope:

        @event.listens_for(engine.sync_engine, "checkout")
        def _(*_: object) -> None:
            began = time.monotonic()
            while time.monotonic() - began < 2 * MAX_BUSY_TIME:
                pass
            scope.cancel()

        await store.check()
    assert in_use(engine) == 0


def in_use(engine: AsyncEngine) -> int:
    """How many connections the pool waits for."""
    assert isinstance(engine.pool, AsyncAdaptedQueuePool)
    return engine.pool.checkedout()


async def test_whoever_queues_up_does_not_wait_for_the_holders_transaction(store: Store) -> None:
    lease = await hold_new(store)
    async with store.units.hold(lease) as writes:
        await writes.activate("run-1")
        with anyio.fail_after(5):
            await store.threads.enter_queue("t")
            assert (await store.threads.get("t")).status == "idle"


async def test_the_session_time_zone_changes_nothing(postgres_url: str) -> None:
    await query(postgres_url, "SELECT 1")
    zoned = f"{postgres_url}&options=-c%20TimeZone%3DAsia/Kolkata"
    engine = open_engine(zoned)
    store = postgres_store(engine, LeaseTerms())
    lease = await hold_new(store)
    async with store.units.hold(lease) as writes:
        await writes.save_turn(turn())
    found = await store.turns.get("turn-1")
    assert found == turn()
    assert str(found.created_at.tzinfo) == "UTC"
    assert str((await store.threads.get("t")).created_at.tzinfo) == "UTC"
    await engine.dispose()


async def test_an_event_type_of_a_newer_version_is_skipped(store: Store, postgres_url: str) -> None:
    """During a rolling deploy an old replica still reads what a new one wrote."""
    lease = await hold_new(store)
    async with store.units.hold(lease) as writes:
        await writes.append([(2, Done())])
    async with await psycopg.AsyncConnection.connect(postgres_url, autocommit=True) as connection:
        await connection.execute(
            """INSERT INTO events VALUES ('t', 1, 1, '[[1, {"type": "from the future"}]]')"""
        )
    assert await store.log.read("t", 0) == [(2, Done())]


async def test_all_spellings_of_a_url_work(postgres_url: str) -> None:
    rest = postgres_url.split("://", 1)[1]
    for scheme in ("postgresql", "postgres", "postgresql+psycopg"):
        url = f"{scheme}://{rest}"
        engine = open_engine(url)
        await postgres_store(engine, LeaseTerms()).check()
        await engine.dispose()
        assert not await pending(url)
        async with postgres_saver(url, StrictSerializer()) as saver:
            assert await saver.aget_tuple({"configurable": {"thread_id": "x"}}) is None


async def test_a_crafted_row_is_refused_without_side_effect(
    store: Store, postgres_url: str, tmp_path: Any
) -> None:
    lease = await hold_new(store)
    config = run_config(lease, checkpoint_ns="")
    named = ormsgpack.packb(("os", "mkdir", [str(tmp_path / "made")]))
    crafted = ormsgpack.packb(ormsgpack.Ext(1, named))
    async with (
        postgres_saver(postgres_url, StrictSerializer()) as saver,
        await psycopg.AsyncConnection.connect(postgres_url, autocommit=True) as intruder,
    ):
        checkpoint = empty_checkpoint() | {
            "channel_values": {"calls": ["x"]},
            "channel_versions": {"calls": "1"},
        }
        config = await saver.aput(config, checkpoint, {"source": "loop"}, {"calls": "1"})
        config = run_config(lease, **config["configurable"])
        await saver.aput_writes(config, [("calls", ["y"])], "task-1")
        found = await saver.aget_tuple(config)
        assert found.checkpoint["channel_values"] == {"calls": ["x"]}
        assert found.pending_writes == [("task-1", "calls", ["y"])]
        for table in ("checkpoint_blobs", "checkpoint_writes"):
            await intruder.execute(f"UPDATE {table} SET blob = %s", [crafted])
            with pytest.raises(UnsafeCheckpoint):
                await saver.aget_tuple(config)
            await intruder.execute(f"DELETE FROM {table}")
    assert not (tmp_path / "made").exists()


async def test_a_killed_listener_comes_back_and_says_look_everywhere(
    store: Store, postgres_url: str
) -> None:
    lease = await hold_new(store)
    bell = PostgresBell(postgres_url)
    listeners = "FROM pg_stat_activity WHERE query LIKE 'LISTEN%'"
    async with listening(bell) as rings:
        for seq in (1, 2):
            killed = await query(postgres_url, f"SELECT pg_terminate_backend(pid) {listeners}")
            assert killed == [(True,)]
            assert await rings.receive() == "*"
            async with store.units.hold(lease) as writes:
                await writes.append([(seq, Done())])
            assert await rings.receive() == "t"


async def test_a_listener_without_a_database_keeps_trying_without_spinning(tmp_path: Any) -> None:
    """Within 0.35 s there is time for the tries at 0, 0.1 and 0.3 s and no others."""
    with structlog.testing.capture_logs() as logs, anyio.move_on_after(0.35) as scope:
        await PostgresBell(f"postgresql:///nowhere?host={tmp_path}").listen(pytest.fail)
    assert scope.cancelled_caught
    assert 1 <= len(logs) <= 3
    assert {entry["event"] for entry in logs} == {"bell.lost"}


@pytest.mark.usefixtures("left_to_the_collector")
async def test_a_listener_that_is_cancelled_hangs_up(postgres_url: str) -> None:
    for turns in range(TURNS_OF_THE_LOOP):
        rung = anyio.Event()

        async def listen(rung: anyio.Event = rung) -> None:
            await PostgresBell(postgres_url).listen(lambda _: rung.set())

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(listen)
            if turns % 2:
                await rung.wait()
            for _ in range(turns):
                await anyio.lowlevel.checkpoint()
            tasks.cancel_scope.cancel()
