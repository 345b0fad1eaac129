"""Brings a database up to date: our tables and LangGraph's, in one transaction, one replica at a time."""

from pathlib import Path

import anyio.to_thread
from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from langgraph.checkpoint.postgres.base import MIGRATIONS as CHECKPOINT_MIGRATIONS
from sqlalchemy import Connection, Engine, create_engine, func, inspect, make_url, select, text
from sqlalchemy.pool import NullPool

from server.adapters.postgres.engine import CONNECT, translating

_LOCK = 0x5A_75_0  # any number, as long as every replica takes the same


async def migrate(url: str) -> None:
    """Upgrades to the newest version; waits while another replica does. Raises Unavailable."""
    await anyio.to_thread.run_sync(_upgrade, url)


async def pending(url: str) -> bool:
    """Whether the database is behind this version of the code. Raises Unavailable."""
    return await anyio.to_thread.run_sync(_is_behind, url)


def alembic_config(connection: Connection) -> Config:
    """What alembic's commands need to work on that connection, without an ini file."""
    config = Config()
    folder = str(Path(__file__).with_name("migrations")).replace("%", "%%")
    config.set_main_option("script_location", folder)
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


def _upgrade(url: str) -> None:
    with translating(), _engine(url).begin() as connection:
        connection.execute(text("SET LOCAL lock_timeout = '60s'"))
        # A transaction's lock, not a session's: it holds behind PgBouncer too, and ends with us.
        connection.execute(select(func.pg_advisory_xact_lock(_LOCK)))
        command.upgrade(alembic_config(connection), "head")
        _set_up_checkpoints(connection)


def _is_behind(url: str) -> bool:
    with translating(), _engine(url).begin() as connection:
        newest = ScriptDirectory.from_config(alembic_config(connection)).get_current_head()
        if MigrationContext.configure(connection).get_current_revision() != newest:
            return True
        return _checkpoint_version(connection) < len(CHECKPOINT_MIGRATIONS) - 1


def _engine(url: str) -> Engine:
    driver = make_url(url).set(drivername="postgresql+psycopg")
    return create_engine(driver, poolclass=NullPool, connect_args=CONNECT)


def _checkpoint_version(connection: Connection) -> int:
    if not inspect(connection).has_table("checkpoint_migrations"):
        return -1
    newest = connection.execute(text("SELECT max(v) FROM checkpoint_migrations")).scalar_one()
    return -1 if newest is None else int(newest)


def _set_up_checkpoints(connection: Connection) -> None:
    """What the saver's `setup()` does. That one can't run in a transaction, nor beside others: it builds its
    indexes CONCURRENTLY, which waits for every transaction around, those that wait for our lock included."""
    for version in range(_checkpoint_version(connection) + 1, len(CHECKPOINT_MIGRATIONS)):
        statement = CHECKPOINT_MIGRATIONS[version].replace(" CONCURRENTLY ", " ")
        connection.exec_driver_sql(statement)
        connection.execute(
            text("INSERT INTO checkpoint_migrations (v) VALUES (:v)"), {"v": version}
        )
