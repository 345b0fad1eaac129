"""An owner of an embedded Postgres, to be killed: prints the URL, leaves when its stdin ends.

With SAYSO_TEST_ADOPT set it becomes the parent of the orphans below it and buries none, as a server
that is a container's first process does.
"""

import asyncio
import ctypes
import os
import sys
from pathlib import Path

import structlog

from server.adapters.embedded_postgres import embedded_postgres

PR_SET_CHILD_SUBREAPER = 36


async def own(folder: Path) -> None:
    async with embedded_postgres(folder) as url:
        print(url, flush=True)
        ended = asyncio.Event()
        asyncio.get_running_loop().add_reader(sys.stdin, ended.set)
        await ended.wait()


if __name__ == "__main__":
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    if "SAYSO_TEST_ADOPT" in os.environ:
        assert ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
    asyncio.run(own(Path(sys.argv[1])))
