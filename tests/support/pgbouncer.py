"""A real PgBouncer in transaction mode, before the tests' Postgres."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from sqlalchemy import make_url

from server.adapters.embedded_postgres import user_namespace
from tests.support.server import free_port, until

INSTALLED = shutil.which("pgbouncer") is not None
MISSING = "no pgbouncer here (Debian and Ubuntu: apt-get install pgbouncer)"

CONFIGURATION = """
[databases]
* = host={host} port={port} user={user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {listen}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 8
max_client_conn = 200
server_login_retry = 1
logfile = {folder}/pgbouncer.log
pidfile = {folder}/pgbouncer.pid
"""


@contextmanager
def pgbouncer(folder: Path, server: str) -> Iterator["Through"]:
    """Before the server of that URL, for every database on it; eight server connections each."""
    url = make_url(server)
    listen = free_port()
    (folder / "pgbouncer.ini").write_text(
        CONFIGURATION.format(
            host=url.query.get("host", url.host),
            port=url.query.get("port", url.port or 5432),
            user=url.username,
            listen=listen,
            folder=folder,
        )
    )
    # It refuses root, as Postgres does; the same disguise helps.
    command = [*user_namespace(), "pgbouncer", str(folder / "pgbouncer.ini")]
    with (folder / "output").open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, env=dict(os.environ))
    through = Through(f"postgresql://{url.username}@127.0.0.1:{listen}")

    def answers() -> bool:
        assert process.poll() is None, (folder / "output").read_text()
        try:
            with psycopg.connect(
                through.url(server), connect_timeout=2, prepare_threshold=None
            ) as connection:
                return connection.execute("SELECT 1").fetchone() == (1,)
        except psycopg.OperationalError:
            return False

    try:
        until("PgBouncer answers", answers)
        yield through
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(30)


class Through:
    """The way to a database through the pooler."""

    def __init__(self, base: str) -> None:
        self._base = base

    def url(self, direct: str) -> str:
        """That of the same database as the direct URL's."""
        return f"{self._base}/{make_url(direct).database}"
