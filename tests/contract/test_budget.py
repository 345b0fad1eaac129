"""The port Budget: a cap that holds to the last nano-dollar, and nothing held back for the dead."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from datetime import date
from functools import partial
from uuid import uuid4

import anyio
import psycopg
import pytest

from server.adapters.memory import Records, memory_store
from server.adapters.postgres import open_engine, postgres_store
from server.domain.conversation import Lease
from server.domain.errors import LeaseLost
from server.ports import Budget, LeaseTerms, Reservation, Store, Writes
from server.runs.clock import utc_now
from tests.contract.conftest import OVER_AT_ONCE, TERMS
from tests.contract.samples import all_at_once, hold_new, write

DAY, NEXT_DAY = date(2027, 3, 1), date(2027, 3, 2)
CENT = 10_000_000


@dataclass
class Spent:
    """Two replicas over one place, and what is kept there: reserved and charged, of a day."""

    store: Store
    other: Store
    lapsing: Store
    kept: Callable[[date], Awaitable[tuple[int, int]]]
    open: Callable[[], Awaitable[int]]
    """How many reservations are neither settled nor released."""

    @property
    def budget(self) -> Budget:
        """The first replica's."""
        return self.store.budget


@pytest.fixture
async def spent(database: str | None) -> AsyncIterator[Spent]:
    if database is None:
        yield in_memory()
        return
    engine, other = open_engine(database), open_engine(database)

    async def query(sql: str, *values: object) -> list[tuple[int, ...]]:
        async with await psycopg.AsyncConnection.connect(database, autocommit=True) as connection:
            cursor = await connection.execute(sql, values)
            return await cursor.fetchall() if cursor.description else []

    async def kept(day: date) -> tuple[int, int]:
        sql = "SELECT reserved_nano_usd, charged_nano_usd FROM budget_days WHERE day = %s"
        reserved, charged = (await query(sql, day) or [(0, 0)])[0]
        return reserved, charged

    async def still_open() -> int:
        return (await query("SELECT count(*) FROM budget_reservations"))[0][0]

    yield Spent(
        postgres_store(engine, TERMS),
        postgres_store(other, TERMS),
        postgres_store(engine, OVER_AT_ONCE),
        kept,
        still_open,
    )
    await engine.dispose()
    await other.dispose()


def in_memory() -> Spent:
    records = Records()

    def store(terms: LeaseTerms) -> Store:
        return memory_store(utc_now, terms, records)

    async def kept(day: date) -> tuple[int, int]:
        return records.budget_days[day].reserved, records.budget_days[day].charged

    async def still_open() -> int:
        return len(records.reservations)

    return Spent(store(TERMS), store(TERMS), store(OVER_AT_ONCE), kept, still_open)


def asked(nano_usd: int, day: date = DAY, id_: str | None = None) -> Reservation:
    """A reservation of the run `run-1`."""
    return Reservation(id_ or uuid4().hex, "run-1", day, nano_usd)


async def test_of_a_hundred_at_once_exactly_as_many_fit_as_may(spent: Spent) -> None:
    """Over two replicas, from an empty day: 33 of three cents under a dollar, and the last cent stays free."""
    leases = [await hold_new(spent.store, f"t{n}") for n in range(10)]
    both = (spent.store.budget, spent.other.budget)

    async def reserve(n: int) -> bool:
        return await both[n % 2].reserve(leases[n % 10], asked(3 * CENT), cap=100 * CENT)

    fitted = await all_at_once(100, reserve)
    assert sum(fitted) == 33
    assert await spent.kept(DAY) == (99 * CENT, 0)
    assert await both[0].reserve(leases[0], asked(CENT + 1), cap=100 * CENT) is False
    assert await both[1].reserve(leases[1], asked(CENT), cap=100 * CENT) is True
    assert await both[0].reserve(leases[2], asked(1), cap=100 * CENT) is False
    assert await spent.kept(DAY) == (100 * CENT, 0)


async def test_reserving_and_settling_at_once_never_passes_the_cap(spent: Spent) -> None:
    """A hundred calls, each settled for less than was reserved: what is charged is the sum of the charges."""
    leases = [await hold_new(spent.store, f"t{n}") for n in range(10)]
    both = (spent.store.budget, spent.other.budget)
    cap = 50 * CENT

    async def call(n: int) -> int:
        reservation, charge = asked(3 * CENT), CENT + n
        if not await both[n % 2].reserve(leases[n % 10], reservation, cap=cap):
            return 0
        assert sum(await spent.kept(DAY)) <= cap
        await both[(n + 1) % 2].settle(reservation.id, charge)
        return charge

    charges = await all_at_once(100, call)
    assert await spent.kept(DAY) == (0, sum(charges))
    assert 16 <= sum(charge > 0 for charge in charges) <= 50
    assert await spent.open() == 0


async def test_what_does_not_fit_leaves_no_trace(spent: Spent) -> None:
    """Not even on a day that nothing was spent on."""
    lease = await hold_new(spent.store)
    assert await spent.budget.reserve(lease, asked(CENT + 1), cap=CENT) is False
    assert await spent.kept(DAY) == (0, 0)
    assert await spent.open() == 0


async def test_a_reservation_is_settled_once(spent: Spent) -> None:
    """Said again, here or elsewhere, it changes nothing; nor does an id nobody knows."""
    lease = await hold_new(spent.store)
    await spent.budget.reserve(lease, asked(5, id_="a"), cap=10)
    await spent.budget.settle("a", 3)
    await spent.other.budget.settle("a", 3)
    await spent.budget.settle("unknown", 7)
    assert await spent.kept(DAY) == (0, 3)


async def test_a_charge_is_part_of_what_its_holder_writes(spent: Spent) -> None:
    """With the rest of the transaction or not at all, and once, whoever says it first."""
    lease = await hold_new(spent.store)
    await spent.budget.reserve(lease, asked(5, id_="a"), cap=10)

    async def settle_and_fail(held: Writes) -> None:
        await held.settle_charge("a", 3)
        raise RuntimeError

    with pytest.raises(RuntimeError):
        await write(spent.store, lease, settle_and_fail)
    assert await spent.kept(DAY) == (5, 0)
    for _ in range(2):
        async with spent.other.units.hold(lease) as held:
            await held.settle_charge("a", 3)
    await spent.budget.settle("a", 4)
    assert await spent.kept(DAY) == (0, 3)
    assert await spent.open() == 0


async def test_a_charge_counts_on_the_day_the_money_was_reserved(spent: Spent) -> None:
    """However late it comes; the next day has a budget of its own."""
    lease = await hold_new(spent.store)
    await spent.budget.reserve(lease, asked(10, id_="a"), cap=10)
    assert await spent.budget.reserve(lease, asked(10, NEXT_DAY, "b"), cap=10) is True
    await spent.budget.settle("a", 4)
    assert await spent.kept(DAY) == (0, 4)
    assert await spent.kept(NEXT_DAY) == (10, 0)


async def test_a_charge_may_pass_what_was_reserved(spent: Spent) -> None:
    """What was billed was billed; from then on nothing fits."""
    lease = await hold_new(spent.store)
    await spent.budget.reserve(lease, asked(5, id_="a"), cap=10)
    await spent.budget.settle("a", 12)
    assert await spent.kept(DAY) == (0, 12)
    assert await spent.budget.reserve(lease, asked(0), cap=10) is False


async def test_a_lower_cap_counts_from_now_on(spent: Spent) -> None:
    """As after a change of the settings."""
    lease = await hold_new(spent.store)
    assert await spent.budget.reserve(lease, asked(50), cap=100) is True
    assert await spent.budget.reserve(lease, asked(1), cap=50) is False
    assert await spent.budget.reserve(lease, asked(1), cap=51) is True


async def taken_over(spent: Spent, lease: Lease) -> Lease:
    """The thread's next holder, after this one died."""
    [new] = await spent.store.threads.take_lapsed("b", 1)
    assert new.thread_id == lease.thread_id
    return new


async def test_a_takeover_releases_what_the_dead_reserved(spent: Spent) -> None:
    """On whatever day, of whichever run; once; and nothing of another thread or of the new holder."""
    dead = await hold_new(spent.lapsing)
    theirs = await hold_new(spent.store, "theirs")
    await spent.budget.reserve(dead, asked(5), cap=100)
    await spent.budget.reserve(dead, asked(6), cap=100)
    await spent.budget.reserve(dead, asked(7, NEXT_DAY), cap=100)
    await spent.budget.reserve(theirs, asked(20), cap=100)
    new = await taken_over(spent, dead)
    await spent.budget.reserve(new, asked(30), cap=100)
    for _ in range(2):
        await spent.other.budget.release_earlier(new)
        assert await spent.kept(DAY) == (50, 0)
        assert await spent.kept(NEXT_DAY) == (0, 0)
    assert await spent.open() == 2


async def test_who_lost_the_thread_reserves_nothing(spent: Spent) -> None:
    """Taken over, given back or deleted: no more money for a run that may not write."""
    late = await hold_new(spent.lapsing)
    await taken_over(spent, late)
    free = await hold_new(spent.store, "free")
    async with spent.store.units.hold(free) as held:
        await held.release("idle")
    gone = await hold_new(spent.store, "gone")
    await spent.store.threads.delete(gone, [])
    for lease in (late, free, gone):
        with pytest.raises(LeaseLost):
            await spent.budget.reserve(lease, asked(1), cap=100)
    assert await spent.kept(DAY) == (0, 0)


async def test_a_sleeper_that_wakes_settles_nothing_twice(spent: Spent) -> None:
    """Its reservation was released by whoever took the thread."""
    sleeper = await hold_new(spent.lapsing)
    await spent.budget.reserve(sleeper, asked(5, id_="a"), cap=100)
    await spent.budget.release_earlier(await taken_over(spent, sleeper))
    await spent.budget.settle("a", 5)
    assert await spent.kept(DAY) == (0, 0)


async def test_a_forgotten_thread_leaves_its_charges(spent: Spent) -> None:
    """What was spent is spent."""
    lease = await hold_new(spent.store)
    await spent.budget.reserve(lease, asked(5, id_="a"), cap=100)
    await spent.budget.settle("a", 4)
    await spent.store.threads.delete(lease, [])
    assert await spent.kept(DAY) == (0, 4)


@pytest.mark.postgres
async def test_a_takeover_misses_nothing_that_is_just_being_reserved(
    emptied_postgres_url: str,
) -> None:
    """While the statement waits for the day's row the thread can't be taken over; after it, what it noted is found."""
    engine = open_engine(emptied_postgres_url)
    store = postgres_store(engine, OVER_AT_ONCE)
    lease = await hold_new(store)
    await store.budget.reserve(lease, asked(1), cap=100)

    async with (
        await psycopg.AsyncConnection.connect(emptied_postgres_url) as blocking,
        await psycopg.AsyncConnection.connect(emptied_postgres_url, autocommit=True) as looking,
        anyio.create_task_group() as tasks,
    ):
        await blocking.execute("SELECT 1 FROM budget_days FOR UPDATE")
        tasks.start_soon(partial(store.budget.reserve, lease, asked(5), cap=100))
        waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"
        with anyio.fail_after(10):
            while (await (await looking.execute(waiting)).fetchone()) == (0,):  # noqa: ASYNC110
                await anyio.sleep(0.01)  # until another connection waits
        assert await store.threads.take_lapsed("b", 1) == []
        await blocking.rollback()

    [new] = await store.threads.take_lapsed("b", 1)
    await store.budget.release_earlier(new)
    async with await psycopg.AsyncConnection.connect(emptied_postgres_url) as reading:
        days = await reading.execute("SELECT reserved_nano_usd FROM budget_days")
        assert await days.fetchall() == [(0,)]
    await engine.dispose()
