"""Fixtures for all tests: the event loop they run on, and a Postgres, started once, with a database for each test."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from anyio.from_thread import start_blocking_portal
from sqlalchemy import make_url

from server.adapters.embedded_postgres import EmbeddedPostgresUnavailable, embedded_postgres
from server.adapters.postgres.migrate import migrate
from tests.support.pgbouncer import INSTALLED, MISSING, pgbouncer

Pooled = Callable[[str], str]


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def postgres_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A URL to make databases through: TEST_DATABASE_URL's, or an embedded server's."""
    if given := os.environ.get("TEST_DATABASE_URL"):
        yield given
        return
    folder: Path = tmp_path_factory.mktemp("postgres")
    with start_blocking_portal() as portal:
        server = portal.wrap_async_context_manager(embedded_postgres(folder))
        try:
            url = server.__enter__()
        except EmbeddedPostgresUnavailable as error:
            pytest.skip(str(error))
        try:
            # What a power cut would lose is no loss here.
            with psycopg.connect(url, autocommit=True) as connection:
                connection.execute("ALTER SYSTEM SET fsync = off")
                connection.execute("SELECT pg_reload_conf()")
            yield url
        finally:
            server.__exit__(None, None, None)


@pytest.fixture(scope="session")
def migrated_template(postgres_server: str) -> Iterator[str]:
    """The name of a migrated database to copy; nobody connects to it."""
    with new_database(postgres_server) as url:
        with start_blocking_portal() as portal:
            portal.call(migrate, url)
        yield str(make_url(url).database)


@pytest.fixture(scope="session")
def pooled(postgres_server: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pooled]:
    """The way tests take to their database: through PgBouncer in transaction mode with TEST_PGBOUNCER=1, else straight."""
    if not os.environ.get("TEST_PGBOUNCER"):
        yield lambda url: url
        return
    assert INSTALLED, MISSING
    with pgbouncer(tmp_path_factory.mktemp("pgbouncer"), postgres_server) as through:
        yield through.url


@pytest.fixture
def postgres_url(postgres_server: str, migrated_template: str, pooled: Pooled) -> Iterator[str]:
    """The URL of a migrated database of this test's own."""
    with new_database(postgres_server, template=migrated_template) as url:
        yield pooled(url)


@pytest.fixture(scope="session")
def _shared_postgres_url(postgres_server: str, migrated_template: str) -> Iterator[str]:
    with new_database(postgres_server, template=migrated_template) as url:
        yield url


@pytest.fixture
def emptied_postgres_url(_shared_postgres_url: str) -> Iterator[str]:
    """The URL of a migrated database that is shared, but empty when each test begins.

    Ten times faster than one of its own, for tests that change rows only.
    """
    yield _shared_postgres_url
    with psycopg.connect(_shared_postgres_url, autocommit=True) as connection:
        for table in (
            "threads",
            "audit",
            "budget_days",
            "checkpoints",
            "checkpoint_blobs",
            "checkpoint_writes",
        ):
            connection.execute(f"DELETE FROM {table}")


@pytest.fixture
def empty_postgres_url(postgres_server: str) -> Iterator[str]:
    """The URL of a database without tables, of this test's own."""
    with new_database(postgres_server) as url:
        yield url


@contextmanager
def new_database(server: str, *, template: str = "template1") -> Iterator[str]:
    """A database that is dropped at the end, whoever is still connected to it."""
    name = f"sayso_test_{uuid4().hex[:12]}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        try:
            yield make_url(server).set(database=name).render_as_string(hide_password=False)
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")
