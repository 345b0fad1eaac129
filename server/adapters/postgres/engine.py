"""The way to the database: connection settings, transactions, and the one place where "it can't be reached" is said."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import anyio
import psycopg
from sqlalchemy import exc, make_url, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from server.adapters.postgres.columns import dump_json
from server.domain.errors import InvalidRequest, Unavailable

ANSWER_WITHIN_S = 10.0
"""Longest that a statement or transaction may take, waiting for a connection and for locks included."""

LET_GO = f"set_config('idle_in_transaction_session_timeout', '{ANSWER_WITHIN_S:.0f}s', true)"
"""SQL, for the statement that locks a thread's row: a process that is frozen from then on keeps the lock no longer
than it would have waited itself, and not for as long as it sleeps. Ends with the transaction, so poolers bear it."""

CONNECT: dict[str, Any] = {
    # No prepared statements: behind PgBouncer in transaction mode the next one may meet another server.
    "prepare_threshold": None,
    "connect_timeout": 5,
    # A peer that vanished without a word is noticed within half a minute.
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
}


def conninfo(url: str) -> str:
    """The URL as libpq takes it: without the driver SQLAlchemy wants to see."""
    return make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)


def open_engine(url: str, *, connections: int = 10) -> AsyncEngine:
    """An engine for a `postgresql://` URL, connecting when first used. Whoever opens it disposes of it."""
    return create_async_engine(
        make_url(url).set(drivername="postgresql+psycopg"),
        pool_pre_ping=True,
        pool_size=connections,
        max_overflow=0,
        pool_timeout=ANSWER_WITHIN_S,
        connect_args=CONNECT,
        json_serializer=dump_json,
        hide_parameters=True,  # errors end up in logs; what visitors wrote does not
    )


@contextmanager
def translating() -> Iterator[None]:
    """Says in our words what the drivers say: Unavailable, or InvalidRequest for a value Postgres can't keep.

    After Unavailable it is not known whether a commit under way took place.
    """
    try:
        yield
    except exc.DataError as error:
        raise InvalidRequest("A value is out of the range that can be stored.") from error
    except (
        exc.OperationalError,
        exc.InterfaceError,
        exc.InternalError,
        exc.TimeoutError,
        psycopg.OperationalError,
        psycopg.InterfaceError,
        psycopg.InternalError,
    ) as error:
        raise Unavailable from error


@contextmanager
def reachable(within_s: float = ANSWER_WITHIN_S) -> Iterator[None]:
    """Like `translating`, and Unavailable too when what is done inside takes longer than that.

    Shielded: what was begun is ended before a cancellation is heard. One that arrives while a connection is handed out or
    given back can strand it: the pool waits for it for ever. So nobody may wait inside for anything but the database.
    """
    with translating():
        with anyio.move_on_after(within_s, shield=True) as scope:
            yield
        if scope.cancelled_caught:
            raise Unavailable


class Database:
    """The engine, spoken to in two ways. Both raise as `reachable` does."""

    def __init__(self, engine: AsyncEngine, within_s: float = ANSWER_WITHIN_S) -> None:
        self._within_s = within_s
        self._engine = engine
        self._autocommit = engine.execution_options(isolation_level="AUTOCOMMIT")

    @asynccontextmanager
    async def statement(self) -> AsyncIterator[AsyncConnection]:
        """For one statement that stands for itself: it is committed, or seen, at once."""
        with reachable(self._within_s):
            async with self._autocommit.connect() as connection:
                yield connection

    @asynccontextmanager
    async def transaction(self) -> AsyncIterator[AsyncConnection]:
        """All or nothing."""
        with reachable(self._within_s):
            async with self._engine.begin() as connection:
                yield connection

    async def check(self) -> None:
        """Returns when the database answers."""
        async with self.statement() as connection:
            await connection.execute(text("SELECT 1"))
