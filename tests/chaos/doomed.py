"""`sayso serve` with a death foretold: it kills itself the nth time it reaches a named place.

DIE_AT is `place:n`; without it this is just a server, with one more tool.
"""

import os
import signal
import sys
from collections import Counter

import uvicorn

from server.main import create_app
from server.settings import read_settings
from tests.chaos.charging import charge


def main() -> None:
    """Takes `--port N`."""
    place, _, count = os.environ.get("DIE_AT", "nowhere:1").partition(":")
    seen: Counter[str] = Counter()

    def reach(name: str) -> None:
        seen[name] += 1
        if name == place and seen[name] == int(count):
            os.kill(os.getpid(), signal.SIGKILL)

    app = create_app(read_settings(), tools=[charge()], reach=reach)
    port = int(sys.argv[sys.argv.index("--port") + 1])
    # uvicorn raises the signal that stopped it again when it is done.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning", timeout_graceful_shutdown=10)


if __name__ == "__main__":
    main()
