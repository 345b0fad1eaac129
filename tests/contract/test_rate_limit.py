"""The port RateLimiter: exactly as many as the rate allows, however many ask at once, over all replicas."""

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from uuid import uuid4

import psycopg
import pytest

from server.adapters.memory import Records, memory_store
from server.adapters.postgres import open_engine, postgres_store
from server.domain.errors import Unavailable
from server.ports import LeaseTerms, Rate, RateLimiter
from tests.contract.samples import all_at_once

RATE = Rate(20, timedelta(minutes=10))
INTERVAL = timedelta(seconds=30)
SLACK = timedelta(seconds=5)
"""Postgres goes by its own clock, which does not stand still during a test."""


@dataclass
class Limited:
    """Two replicas' limiters over one place, with a way to let time pass and to see what is kept."""

    limiter: RateLimiter
    other: RateLimiter
    fresh: Callable[[], RateLimiter]
    pass_time: Callable[[timedelta], Awaitable[None]]
    count: Callable[[], Awaitable[int]]
    key: str = field(default_factory=lambda: f"visitor:{uuid4().hex}")

    async def admitted(self, times: int, rate: Rate = RATE) -> int:
        """How many of that many at once were let through."""
        both = (self.limiter, self.other)
        waits = await all_at_once(times, lambda n: both[n % 2].take(self.key, rate))
        return sum(wait is None for wait in waits)


@pytest.fixture
async def limited(database: str | None) -> AsyncIterator[Limited]:
    if database is None:
        yield in_memory()
        return
    engine, other = open_engine(database), open_engine(database)

    async def query(sql: str, *values: object) -> list[tuple[int]]:
        async with await psycopg.AsyncConnection.connect(database, autocommit=True) as connection:
            cursor = await connection.execute(sql, values)
            return await cursor.fetchall() if cursor.description else []

    async def pass_time(length: timedelta) -> None:
        await query("UPDATE rate_limits SET tat = tat - %s", length)

    async def count() -> int:
        return (await query("SELECT count(*) FROM rate_limits"))[0][0]

    await query("DELETE FROM rate_limits")
    yield Limited(
        postgres_store(engine, LeaseTerms()).rate_limiter,
        postgres_store(other, LeaseTerms()).rate_limiter,
        lambda: postgres_store(engine, LeaseTerms()).rate_limiter,
        pass_time,
        count,
    )
    await engine.dispose()
    await other.dispose()


def in_memory() -> Limited:
    records, now = Records(), [datetime(2027, 3, 1, tzinfo=UTC)]

    def fresh() -> RateLimiter:
        return memory_store(lambda: now[0], LeaseTerms(), records).rate_limiter

    async def pass_time(length: timedelta) -> None:
        now[0] += length

    async def count() -> int:
        return len(records.arrivals)

    return Limited(fresh(), fresh(), fresh, pass_time, count)


async def test_of_fifty_at_once_exactly_the_burst_gets_in(limited: Limited) -> None:
    """Over two replicas, from an empty table."""
    assert await limited.admitted(50) == 20


async def test_each_of_the_refused_is_told_when_to_come_back(limited: Limited) -> None:
    """And told the same, because a refusal counts for nothing."""
    await limited.admitted(20)
    waits = await all_at_once(30, lambda _: limited.other.take(limited.key, RATE))
    assert all(wait is not None and INTERVAL - SLACK < wait <= INTERVAL for wait in waits)


async def test_one_more_gets_in_after_one_interval_and_no_two(limited: Limited) -> None:
    """And all of the burst after the whole period, but never more than that."""
    await limited.admitted(20)
    await limited.pass_time(INTERVAL)
    assert await limited.admitted(10) == 1
    await limited.pass_time(3 * INTERVAL)
    assert await limited.admitted(10) == 3
    await limited.pass_time(timedelta(minutes=10))
    assert await limited.admitted(50) == 20
    await limited.pass_time(timedelta(days=365))
    assert await limited.admitted(50) == 20


async def test_who_comes_when_told_gets_in(limited: Limited) -> None:
    """To the moment."""
    await limited.admitted(20)
    wait = await limited.limiter.take(limited.key, RATE)
    assert wait is not None
    await limited.pass_time(wait)
    assert await limited.limiter.take(limited.key, RATE) is None


async def test_keys_do_not_disturb_each_other(limited: Limited) -> None:
    """Whatever is in them, however long they are."""
    odd = ["user:" + "x" * 100_000, "user:\x00", "user:\ud800", "user:", ""]
    assert await limited.admitted(50) == 20
    for key in odd:
        assert await limited.limiter.take(key, RATE) is None
    assert await limited.count() == 6


@pytest.mark.parametrize("burst", [1, 3, 7])
async def test_a_period_that_does_not_divide_admits_the_burst_all_the_same(
    limited: Limited, burst: int
) -> None:
    """Microseconds are rounded in nobody's disfavour."""
    assert await limited.admitted(20, Rate(burst, timedelta(hours=1, microseconds=1))) == burst


async def test_a_smaller_rate_counts_from_now_on(limited: Limited) -> None:
    """As after a change of the settings: nobody is locked out for longer than the old rate's period."""
    await limited.admitted(20)
    wait = await limited.limiter.take(limited.key, Rate(2, timedelta(minutes=10)))
    assert wait is not None
    assert wait <= RATE.period


async def test_rows_that_say_nothing_any_more_are_swept(limited: Limited) -> None:
    """By whichever request comes first in a minute; those that count stay."""
    for number in range(5):
        await limited.limiter.take(f"old:{number}", Rate(1, timedelta(minutes=1)))
    await limited.pass_time(timedelta(minutes=2))
    await limited.limiter.take("new", RATE)
    await limited.fresh().take("newest", RATE)
    assert await limited.count() == 2
    assert await limited.fresh().take("newest", Rate(1, timedelta(minutes=10))) is not None


@pytest.mark.postgres
async def test_a_database_that_does_not_answer_lets_nobody_through(
    emptied_postgres_url: str,
) -> None:
    """Unavailable, not a free pass."""
    engine = open_engine(emptied_postgres_url)
    limiter = postgres_store(engine, LeaseTerms(), within_s=0.2).rate_limiter
    async with await psycopg.AsyncConnection.connect(emptied_postgres_url) as blocking:
        await blocking.execute("LOCK TABLE rate_limits IN ACCESS EXCLUSIVE MODE")
        with pytest.raises(Unavailable):
            await limiter.take("anybody", RATE)
    assert await limiter.take("anybody", RATE) is None
    await engine.dispose()
