"""`sayso serve` with a death foretold: it kills itself the nth time it reaches a named place.

DIE_AT is `place:n`; without it this is just a server, with one more tool. In CHAOS_FOLDER it has the obedient model
and a slow tool too, charges are noted there, and `freeze_at` there may name a place: who gets to it first stops there
until SIGCONT. With RESPAWN it is a parent whose child serves and is replaced whenever it is killed; `PORT.pid` in
CHAOS_FOLDER holds the child's pid.
"""

import os
import signal
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path
from types import FrameType

import uvicorn

from server.main import create_app
from server.settings import read_settings
from tests.chaos.charging import charge, charge_slowly
from tests.chaos.obedient import Obedient

FREEZE_AT = "freeze_at"


def main() -> None:
    """Takes `--port N`."""
    port = int(sys.argv[sys.argv.index("--port") + 1])
    if "RESPAWN" in os.environ:
        respawn(port)
    else:
        serve(port)


def serve(port: int) -> None:
    """Until SIGTERM, or the place to die at."""
    place, _, count = os.environ.get("DIE_AT", "nowhere:1").partition(":")
    given = os.environ.get("CHAOS_FOLDER")
    folder = Path(given or ".")
    seen: Counter[str] = Counter()

    def reach(name: str) -> None:
        seen[name] += 1
        if name == place and seen[name] == int(count):
            os.kill(os.getpid(), signal.SIGKILL)
        if given and freezes_here(folder, name):
            os.kill(os.getpid(), signal.SIGSTOP)

    app = create_app(
        read_settings(),
        model=Obedient(folder) if given else None,
        tools=[charge(folder=folder), charge_slowly(folder)],
        reach=reach,
    )
    # uvicorn raises the signal that stopped it again when it is done.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning", timeout_graceful_shutdown=10)


def freezes_here(folder: Path, name: str) -> bool:
    """Whether this is the place, and nobody was here before."""
    wanted = folder / FREEZE_AT
    try:
        if wanted.read_text() != name:
            return False
        wanted.unlink()
    except FileNotFoundError:
        return False
    return True


def respawn(port: int) -> None:
    """Forks after everything is imported, so that a new server costs a fraction of a first one."""
    child = 0

    def pass_on(_signal: int, _frame: FrameType | None) -> None:
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGTERM)

    noted = Path(os.environ["CHAOS_FOLDER"]) / f"{port}.pid"
    while True:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        child = os.fork()
        if child == 0:
            serve(port)
            sys.exit(0)
        signal.signal(signal.SIGTERM, pass_on)
        beside = noted.with_suffix(".new")
        beside.write_text(str(child))
        beside.replace(noted)
        _, status = os.waitpid(child, 0)
        if not os.WIFSIGNALED(status):
            sys.exit(os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main()
