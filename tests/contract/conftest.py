"""Every contract test runs over memory and over Postgres."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest

from server.adapters.memory import MemorySaver, Records, memory_store
from server.adapters.postgres import PostgresBell, open_engine, postgres_saver, postgres_store
from server.adapters.serializer import StrictSerializer
from server.ports import LeaseTerms
from tests.contract.samples import Kept

TERMS = LeaseTerms()
OVER_AT_ONCE = LeaseTerms(lease=timedelta(seconds=-1), ticket=timedelta(seconds=-1))


@pytest.fixture(params=["memory", pytest.param("postgres", marks=pytest.mark.postgres)])
def database(request: pytest.FixtureRequest) -> str | None:
    """A migrated database's URL; None: keep it in memory."""
    if request.param == "memory":
        return None
    url: str = request.getfixturevalue("emptied_postgres_url")
    return url


@pytest.fixture
async def kept(database: str | None) -> AsyncIterator[Kept]:
    if database is None:
        yield _in_memory()
        return
    engine, other = open_engine(database), open_engine(database)
    async with postgres_saver(database, StrictSerializer()) as saver:
        yield Kept(
            store=postgres_store(engine, TERMS),
            other=postgres_store(other, TERMS),
            lapsing=postgres_store(engine, OVER_AT_ONCE),
            saver=saver,
            bell=PostgresBell(database),
        )
    await engine.dispose()
    await other.dispose()


def _in_memory() -> Kept:
    records = Records()

    def clock() -> datetime:
        return datetime.now(UTC)

    return Kept(
        store=memory_store(clock, TERMS, records),
        other=memory_store(clock, TERMS, records),
        lapsing=memory_store(clock, OVER_AT_ONCE, records),
        saver=MemorySaver(records, StrictSerializer()),
        bell=records,
    )
