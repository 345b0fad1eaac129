"""Migrations: safe with several replicas at once, reversible, and what `tables` says."""

import anyio
import psycopg
import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine, make_url

from server.adapters.postgres.migrate import alembic_config, migrate, pending
from server.adapters.postgres.tables import metadata

pytestmark = pytest.mark.postgres

SHAPE = """
    SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint
    WHERE connamespace = 'public'::regnamespace
    UNION ALL
    SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public'
    UNION ALL
    SELECT table_name, column_name, concat_ws(' ', data_type, is_nullable, column_default, is_identity)
    FROM information_schema.columns WHERE table_schema = 'public'
    UNION ALL
    SELECT sequencename, data_type::text, increment_by::text FROM pg_sequences
    ORDER BY 1, 2, 3
"""


def engine_for(url: str):
    return create_engine(make_url(url).set(drivername="postgresql+psycopg"))


def shape(url: str) -> list[tuple[str, ...]]:
    """Everything about our tables that Postgres knows."""
    with psycopg.connect(url) as connection:
        rows = connection.execute(SHAPE).fetchall()
    return [row for row in rows if not row[0].startswith(("checkpoint", "alembic"))]


async def test_four_replicas_may_migrate_at_once(empty_postgres_url: str) -> None:
    assert await pending(empty_postgres_url)
    async with anyio.create_task_group() as replicas:
        for _ in range(4):
            replicas.start_soon(migrate, empty_postgres_url)
    assert not await pending(empty_postgres_url)
    await migrate(empty_postgres_url)


async def test_down_and_up_again(empty_postgres_url: str) -> None:
    await migrate(empty_postgres_url)
    engine = engine_for(empty_postgres_url)
    with engine.begin() as connection:
        command.downgrade(alembic_config(connection), "base")
    assert shape(empty_postgres_url) == []
    assert await pending(empty_postgres_url)
    await migrate(empty_postgres_url)
    assert not await pending(empty_postgres_url)
    engine.dispose()


async def test_a_database_without_langgraphs_tables_is_behind(postgres_url: str) -> None:
    with psycopg.connect(postgres_url) as connection:
        connection.execute("DELETE FROM checkpoint_migrations WHERE v > 3")
    assert await pending(postgres_url)
    await migrate(postgres_url)
    assert not await pending(postgres_url)


def test_alembic_finds_no_difference(postgres_url: str) -> None:
    engine = engine_for(postgres_url)
    with engine.connect() as connection:
        command.check(alembic_config(connection))
        context = MigrationContext.configure(connection, opts={"compare_server_default": True})
        ours = {table.name for table in metadata.tables.values()}
        differences = compare_metadata(context, metadata)
    engine.dispose()
    assert ours
    removed = {d[1].name for d in differences if d[0] == "remove_table"}
    assert all(name.startswith("checkpoint") for name in removed)


def test_migrated_tables_are_those_of_the_metadata_to_the_last_check(
    postgres_url: str, empty_postgres_url: str
) -> None:
    """What alembic does not compare, too: CHECKs, partial indexes, identities, sequences."""
    engine = engine_for(empty_postgres_url)
    metadata.create_all(engine)
    engine.dispose()
    assert shape(postgres_url) == shape(empty_postgres_url)
