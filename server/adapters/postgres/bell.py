"""The bell: LISTEN on one connection of its own, which heals itself."""

from collections.abc import Callable

import anyio
import psycopg
import structlog

from server.adapters.postgres.engine import CONNECT, conninfo
from server.adapters.postgres.threads import CHANNEL

log = structlog.get_logger()

FIRST_WAIT_S = 0.1
LONGEST_WAIT_S = 5.0


class PostgresBell:
    """Needs a direct URL: LISTEN does not work through PgBouncer in transaction mode."""

    def __init__(self, direct_url: str) -> None:
        self._conninfo = conninfo(direct_url)

    async def listen(self, ring: Callable[[str], None]) -> None:
        """Rings `"*"` each time it has begun to listen, the first time too: what came before was not heard."""
        wait_s = FIRST_WAIT_S
        while True:
            try:
                connection = await psycopg.AsyncConnection.connect(
                    self._conninfo, autocommit=True, **CONNECT
                )
                try:
                    await connection.execute(f"LISTEN {CHANNEL}")
                    ring("*")
                    wait_s = FIRST_WAIT_S
                    async for notice in connection.notifies():
                        ring(notice.payload)
                finally:
                    # Not left to `async with`: that rolls back first, and whoever is cancelled there never hangs up.
                    with anyio.CancelScope(shield=True):
                        await connection.close()
            except psycopg.Error as error:
                log.warning("bell.lost", error=type(error).__name__, wait_s=wait_s)
            await anyio.sleep(wait_s)
            wait_s = min(2 * wait_s, LONGEST_WAIT_S)
