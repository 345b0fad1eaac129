"""Who asked how often: the generic cell rate algorithm (GCRA), one row a key, one statement a request."""

import hashlib
import time
from datetime import timedelta

from sqlalchemy import Interval, case, delete, func, literal, select, type_coerce
from sqlalchemy.dialects.postgresql import insert

from server.adapters.postgres.engine import Database
from server.adapters.postgres.tables import rate_limits
from server.ports import Rate

SWEEP_EVERY_S = 60.0
SWEEP_AT_MOST = 10_000


class PostgresRateLimiter:
    """Time is the database's, so that replicas agree. A row whose `tat` is past says nothing and is swept."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._sweep_at = 0.0

    async def take(self, key: str, rate: Rate) -> timedelta | None:
        if time.monotonic() >= self._sweep_at:
            self._sweep_at = time.monotonic() + SWEEP_EVERY_S
            await self._sweep()
        interval = literal(rate.interval, Interval())
        tolerance = literal(rate.interval * (rate.burst - 1), Interval())
        row = insert(rate_limits).values(
            key=_fixed_length(key), tat=func.clock_timestamp() + interval, admitted=True
        )
        now = row.excluded.tat - interval
        tat = rate_limits.c.tat
        fits = tat <= now + tolerance
        wait = type_coerce(tat - tolerance - func.clock_timestamp(), Interval())
        # Two at once: the second waits for the first's row lock and then reckons with what the first left.
        taken = row.on_conflict_do_update(
            index_elements=["key"],
            set_={
                "tat": case((fits, func.greatest(tat, now) + interval), else_=tat),
                "admitted": fits,
            },
        ).returning(rate_limits.c.admitted, wait)
        async with self._database.statement() as connection:
            admitted, how_long = (await connection.execute(taken)).one()
        return None if admitted else max(how_long, timedelta(0))

    async def _sweep(self) -> None:
        old = (
            select(rate_limits.c.key)
            .where(rate_limits.c.tat < func.now())
            .limit(SWEEP_AT_MOST)
            .with_for_update(skip_locked=True)
            .cte("old")
        )
        swept = delete(rate_limits).where(rate_limits.c.key == old.c.key)
        async with self._database.statement() as connection:
            await connection.execute(swept)


def _fixed_length(key: str) -> str:
    # A user's id is as long as their token's issuer likes; an index entry is not.
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()
