"""`sayso serve`: the twin, on the database that is set, an embedded one, or none."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import anyio
import click
import uvicorn
from anyio.from_thread import start_blocking_portal
from pydantic import SecretStr

from server.adapters.embedded_postgres import embedded_postgres
from server.adapters.postgres.migrate import migrate
from server.bootstrap import check_channels
from server.cli.errors import told_plainly
from server.cli.kept import ADMIN_TOKEN, with_kept_secrets
from server.domain.errors import ConfigurationError, Unavailable
from server.main import create_app
from server.settings import Settings, read_settings
from server.telemetry import set_up_logging
from server.tools.catalog import Catalog
from server.tools.loading import load_tools

GRACEFUL_S = 25
"""How long open streams may hold a shutdown up, in seconds; clients reconnect elsewhere."""


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535))
@click.option("--memory", is_flag=True, help="Keep everything in memory: nothing survives.")
@click.option("--workers", default=1, show_default=True, type=click.IntRange(1, 64))
def serve(host: str, port: int, memory: bool, workers: int) -> None:
    """Start the twin.

    With DATABASE_URL it uses that database; without, it starts a Postgres of its own under .sayso/, whose
    data survives.
    """
    with told_plainly():
        settings = read_settings()
        if memory and workers > 1:
            raise click.UsageError("--memory works with one worker only: nothing is shared.")
        if memory:
            settings = settings.model_copy(update={"database_url": None})
        set_up_logging(settings.log_format)
        settings = with_kept_secrets(settings)
        with _quits_on_sigterm(), _database(settings, memory=memory) as settings:
            _check(settings)
            _announce(settings, host, port, memory=memory)
            _serve(settings, host, port, workers)


def _serve(settings: Settings, host: str, port: int, workers: int) -> None:
    options: dict[str, object] = {
        "host": host,
        "port": port,
        "timeout_graceful_shutdown": GRACEFUL_S,
        "log_config": None,
        "server_header": False,
        # Who is believed about addresses is ours to say: TRUSTED_PROXIES.
        "proxy_headers": False,
    }
    if workers == 1:
        uvicorn.run(create_app(settings), **options)  # type: ignore[arg-type]  # one dict of mixed options
        return
    # Workers are processes of their own: what was found out here reaches them as their environment.
    for name in ("database_url", "admin_token", "secret_key"):
        value = getattr(settings, name)
        if value is not None:
            os.environ[name.upper()] = value.get_secret_value()
    uvicorn.run("server.main:app_from_environment", factory=True, workers=workers, **options)  # type: ignore[arg-type]


def _check(settings: Settings) -> None:
    """What would stop the application from starting stops it here, in one line instead of a traceback."""
    Catalog(load_tools(settings.tools))
    check_channels(settings)
    url = settings.database_direct_url or settings.database_url
    if url is None:
        return
    try:
        anyio.run(migrate, url.get_secret_value())
    except Unavailable:
        raise ConfigurationError(
            "DATABASE_URL: this database can't be reached, or does not let us in."
        ) from None


@contextmanager
def _database(settings: Settings, *, memory: bool) -> Iterator[Settings]:
    if memory or settings.database_url is not None:
        yield settings
        return
    folder = settings.state_dir / "postgres"
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(embedded_postgres(folder)) as url,
    ):
        yield settings.model_copy(update={"database_url": SecretStr(url)})


@contextmanager
def _quits_on_sigterm() -> Iterator[None]:
    """uvicorn raises the signal that stopped it again when it is done; the database must still be stopped then."""

    def quit_(_signal: int, _frame: FrameType | None) -> None:
        sys.exit(0)

    before = signal.signal(signal.SIGTERM, quit_)
    try:
        yield
    except KeyboardInterrupt:
        pass
    finally:
        signal.signal(signal.SIGTERM, before)


def _announce(settings: Settings, host: str, port: int, *, memory: bool) -> None:
    model = settings.model_name or "none connected (answers are quotes from your pages)"
    where = "memory only: nothing survives" if memory else _place(settings)
    everywhere = host in ("0.0.0.0", "::")  # noqa: S104  compared, not bound
    click.echo(f"Sayso         http://{'127.0.0.1' if everywhere else host}:{port}")
    click.echo(f"Knowledge     {settings.knowledge_dir or 'the demo twin (Ada Lovelace)'}")
    click.echo(f"Model         {model}")
    click.echo(f"Data          {where}")
    kept: Path = settings.state_dir / ADMIN_TOKEN
    configured = read_settings().owner_tokens()
    click.echo(f"Admin token   {'as configured' if configured else kept}")


def _place(settings: Settings) -> str:
    configured = read_settings().database_url is not None
    return (
        "DATABASE_URL" if configured else f"embedded Postgres in {settings.state_dir / 'postgres'}"
    )
