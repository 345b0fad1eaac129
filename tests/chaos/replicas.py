"""Replicas on one database, visitors who may turn to any of them, and the database's own word on what happened."""

import json
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar
from uuid import uuid4

import httpx
import psycopg

from tests.chaos.charging import charges
from tests.chaos.doomed import FREEZE_AT
from tests.support.server import PATIENCE_S, Server, streamed, until, visitor_token
from tests.support.twin import OWNER_TOKEN, Event, events_in

OWNER = {"Authorization": f"Bearer {OWNER_TOKEN}"}
T = TypeVar("T")
TOKEN = visitor_token()
"""One visitor for all threads: who asks is not what these tests are about."""


@dataclass
class Replicas:
    """Servers on one database, with one folder for charges and gates."""

    folder: Path
    url: str
    servers: list[Server]
    client: httpx.Client
    facts: "Facts"

    def visitor(self, thread_id: str | None = None) -> "Visitor":
        """Somebody with a thread of their own."""
        return Visitor(self.client, self.servers[0], thread_id or f"t{uuid4().hex[:12]}")

    def freeze_at(self, place: str) -> None:
        """Whichever process gets there first stops, as with SIGSTOP."""
        (self.folder / FREEZE_AT).write_text(place)


@contextmanager
def replicas(
    folder: Path, *urls: str, respawn: bool = False, **settings: str
) -> Iterator[Replicas]:
    """One replica for each URL, started side by side; the first URL is the one that facts are read from."""
    common = {
        "LEASE_S": "4",
        "BUSY_WAIT_S": "120",  # fifty in a line on a busy machine
        "CHAOS_FOLDER": str(folder),
        # What the answers say and how many there are is not what these tests are about.
        "VERIFY": "off",
        "RATE_LIMIT": "off",
        **({"RESPAWN": "1"} if respawn else {}),
        **settings,
    }
    servers = []
    for number, url in enumerate(urls, 1):
        home = folder / f"replica{number}"
        home.mkdir(parents=True, exist_ok=True)
        settings_here = {**common, "DATABASE_URL": url}
        servers.append(Server(home, settings_here, program=("tests.chaos.doomed",)))
    with ExitStack() as stack:
        limits = httpx.Limits(max_connections=200, max_keepalive_connections=50)
        client = stack.enter_context(httpx.Client(timeout=PATIENCE_S, limits=limits))
        for running in servers:
            stack.callback(_end, running)
        at_once(*[running.start for running in servers])
        facts = stack.enter_context(closing(Facts(urls[0], folder)))
        yield Replicas(folder, urls[0], servers, client, facts)
        at_once(*[running.stop for running in servers])


def _end(running: Server) -> None:
    if running.process and running.process.poll() is None:
        running.signal(signal.SIGCONT)
        # The whole group: a parent that respawns must not leave its child.
        os.killpg(running.process.pid, signal.SIGKILL)
        running.process.wait(PATIENCE_S)


def at_once(*calls: Callable[[], T]) -> list[T]:
    """Every call in a thread of its own; what they gave, in order."""
    with ThreadPoolExecutor(len(calls)) as pool:
        return [future.result() for future in [pool.submit(call) for call in calls]]


def side_by_side(calls: Sequence[Callable[[], T]], threads: int = 8) -> list[T]:
    """The calls, a few at a time."""
    with ThreadPoolExecutor(threads) as pool:
        return [future.result() for future in [pool.submit(call) for call in calls]]


def is_frozen(running: Server) -> bool:
    """Whether the process is stopped, by the kernel's word."""
    assert running.process is not None
    stat = Path(f"/proc/{running.process.pid}/stat").read_text()
    return stat.rpartition(")")[2].split()[0] == "T"


@dataclass
class Visitor:
    """A visitor and the owner of one thread, at whichever replica they are sent to."""

    client: httpx.Client
    server: Server
    thread_id: str
    headers: dict[str, str] = field(default_factory=lambda: {"Authorization": f"Bearer {TOKEN}"})

    def try_to_say(self, message: str, at: Server | None = None) -> httpx.Response:
        """The bare response, read to its end."""
        return self.client.post(
            f"{(at or self.server).url}/api/chat",
            json={"message": message, "thread_id": self.thread_id},
            headers=self.headers,
        )

    def say(self, message: str, at: Server | None = None) -> list[Event]:
        """The events of the run, read to the end."""
        answer = self.try_to_say(message, at)
        assert answer.status_code == 200, answer.text
        events = events_in(answer.text)
        assert events[-1]["type"] == "done", events
        return events

    def hear(self, message: str, at: Server | None = None) -> Iterator[Event]:
        """The run's events as they come; ends without an error when the connection does."""
        body = {"message": message, "thread_id": self.thread_id}
        url = f"{(at or self.server).url}/api/chat"
        with self.client.stream("POST", url, json=body, headers=self.headers) as answer:
            assert answer.status_code == 200, answer.read()
            yield from until_cut(answer)

    def follow(
        self, at: Server | None = None, *, after: int = 0, idle: bool = False
    ) -> Iterator[Event]:
        """The thread's events as they come; ends without an error when the connection does."""
        with self.client.stream(
            "GET",
            f"{(at or self.server).url}/api/threads/{self.thread_id}/events",
            params={"until": "idle"} if idle else {},
            headers=self.headers | ({"Last-Event-ID": str(after)} if after else {}),
        ) as answer:
            assert answer.status_code == 200, answer.read()
            yield from until_cut(answer)

    def log(self, at: Server | None = None) -> list[Event]:
        """All events, once no run is active."""
        return list(self.follow(at, idle=True))

    def try_to_view(self, at: Server | None = None) -> httpx.Response:
        """The bare response."""
        return self._thread("GET", "", at)

    def view(self, at: Server | None = None) -> dict[str, Any]:
        """The thread as the visitor sees it."""
        answer = self.try_to_view(at)
        assert answer.status_code == 200, answer.text
        view: dict[str, Any] = answer.json()
        return view

    def cancel(self, at: Server | None = None) -> bool:
        """Whether there was a run to stop."""
        answer = self._thread("POST", "/cancel", at)
        assert answer.status_code == 202, answer.text
        running: bool = answer.json()["running"]
        return running

    def withdraw(self, interrupt_id: str, at: Server | None = None) -> httpx.Response:
        """Takes the request back."""
        return self._thread("POST", f"/approvals/{interrupt_id}/withdraw", at)

    def _thread(self, method: str, path: str, at: Server | None) -> httpx.Response:
        url = f"{(at or self.server).url}/api/threads/{self.thread_id}{path}"
        return self.client.request(method, url, headers=self.headers)

    def owner(
        self, method: str, path: str, at: Server | None = None, **options: Any
    ) -> httpx.Response:
        """A request of the owner's."""
        url = f"{(at or self.server).url}/api/admin{path}"
        return self.client.request(method, url, headers=OWNER, **options)

    def pending(self, at: Server | None = None) -> list[dict[str, Any]]:
        """The owner's queue for this thread."""
        cards = self.owner("GET", "/approvals", at).json()["pending"]
        return [card for card in cards if card["thread_id"] == self.thread_id]

    def decide(self, at: Server | None = None, **body: Any) -> httpx.Response:
        """The owner's decision."""
        return self.owner("POST", f"/approvals/{self.thread_id}", at, json=body)

    def ask_for_a_charge(
        self, amount: int = 500, at: Server | None = None, tool: str = "charge"
    ) -> str:
        """Has the twin pause; gives the id of the question."""
        events = self.say(f"{tool} {amount}", at)
        [question] = [e for e in events if e["type"] == "interrupt"]
        interrupt_id: str = question["interrupt_id"]
        return interrupt_id


def until_cut(answer: httpx.Response) -> Iterator[Event]:
    """The stream's events, until it ends one way or another."""
    try:
        yield from streamed(answer)
    except httpx.TransportError:
        return


class Facts:
    """Counts effects where they are: in the database, and in the file of charges. From any thread."""

    def __init__(self, url: str, folder: Path) -> None:
        self.url = url
        self.folder = folder
        self._connection: psycopg.Connection[Any] | None = None
        self._turn = Lock()

    def rows(self, sql: str, *values: Any) -> list[tuple[Any, ...]]:
        """What a query gives."""
        with self._turn:
            try:
                return self._asked(sql, values)
            except psycopg.OperationalError:  # cut, by a test of that
                return self._asked(sql, values)

    def _asked(self, sql: str, values: tuple[Any, ...]) -> list[tuple[Any, ...]]:
        if self._connection is None or self._connection.closed:
            self._connection = psycopg.connect(self.url, autocommit=True)
        found = self._connection.execute(sql, values)
        return found.fetchall() if found.description else []

    def close(self) -> None:
        """Asks no more."""
        if self._connection is not None:
            self._connection.close()

    def thread(self, thread_id: str) -> dict[str, Any]:
        """The thread's row."""
        columns = "status", "fence", "holder", "lease_until", "active_run", "last_seq"
        [row] = self.rows(f"SELECT {', '.join(columns)} FROM threads WHERE id = %s", thread_id)
        return dict(zip(columns, row, strict=True))

    def status(self, thread_id: str) -> str:
        """Of the thread."""
        status: str = self.thread(thread_id)["status"]
        return status

    def effects(self, thread_id: str) -> list[str]:
        """The status of each effect of the thread."""
        sql = "SELECT status FROM effects WHERE thread_id = %s ORDER BY started_at"
        return [row[0] for row in self.rows(sql, thread_id)]

    def charged(self, thread_id: str) -> int:
        """How many lines the file of charges holds for the thread's effects."""
        keys = self.rows("SELECT idempotency_key FROM effects WHERE thread_id = %s", thread_id)
        made = [line.split()[0] for line in charges(self.folder)]
        return sum(made.count(key) for (key,) in keys)

    def approvals(self, thread_id: str) -> list[str]:
        """The status of each question of the thread, in order."""
        sql = "SELECT status FROM approvals WHERE thread_id = %s ORDER BY position"
        return [row[0] for row in self.rows(sql, thread_id)]

    def runs(self, thread_id: str) -> list[str]:
        """The status of each run of the thread, in order."""
        sql = "SELECT status FROM runs WHERE thread_id = %s ORDER BY started_at"
        return [row[0] for row in self.rows(sql, thread_id)]

    def log(self, thread_id: str) -> list[Event]:
        """The events as they are written down."""
        rows = self.rows(
            "SELECT events FROM events WHERE thread_id = %s ORDER BY last_seq", thread_id
        )
        return [body | {"seq": seq} for (batch,) in rows for seq, body in batch]

    def tool_results(self, thread_id: str) -> list[str]:
        """The results that tool calls got, in the history the model sees."""
        rows = self.rows(
            "SELECT messages FROM turns WHERE thread_id = %s ORDER BY position", thread_id
        )
        return [m["content"] for (messages,) in rows for m in messages if m["role"] == "tool"]

    def comes_to_rest(self, thread_id: str, *statuses: str, seconds: float = PATIENCE_S) -> str:
        """Waits until nobody holds the thread and it is idle, or in one of the given statuses; gives that."""
        wanted = statuses or ("idle",)

        def rested() -> str | None:
            thread = self.thread(thread_id)
            return thread["status"] if thread["status"] in wanted and not thread["holder"] else None

        status: str = until(f"{thread_id} comes to rest", rested, seconds)
        return status


def read_as_a_page(events: Sequence[Event]) -> str:
    """What a page shows after these events, retractions carried out."""
    kept: list[Event] = []
    for event in events:
        if event["type"] == "retract":
            kept = [e for e in kept if e["seq"] < event["from_seq"]]
        elif event["type"] == "text":
            kept.append(event)
    return "".join(str(e["text"]) for e in kept)


def assert_one_story(log: Sequence[Event]) -> None:
    """Numbers rise; each run opens once and is done once, none inside another; each question opens once. A log whose beginning was
    given up (takeovers leave gaps, and so many numbers are kept) is read from its first whole run."""
    assert all(a["seq"] < b["seq"] for a, b in pairwise(log)), json.dumps(log)
    if log and log[0]["seq"] > 1:
        log = log[next((n for n, event in enumerate(log) if event["type"] == "thread"), len(log)) :]
    opened: list[str] = []
    inside = False
    for event in log:
        if event["type"] == "thread":
            assert not inside, log
            inside = True
            opened.append(event["run_id"])
        elif event["type"] == "done":
            assert inside, log
            inside = False
    assert not inside, log
    assert len(opened) == len(set(opened))
    asked = [
        e["interrupt_id"] for e in log if e["type"] == "interrupt" and e["status"] == "pending"
    ]
    assert len(asked) == len(set(asked)), log


@contextmanager
def locked(url: str, sql: str, *values: Any) -> Iterator[psycopg.Connection[Any]]:
    """Holds what the statement locks, until the block ends or the connection given is rolled back."""
    with psycopg.connect(url) as connection:
        connection.execute(sql, values)
        try:
            yield connection
        finally:
            connection.rollback()


@contextmanager
def unsaved(url: str, thread_id: str) -> Iterator[psycopg.Connection[Any]]:
    """Inside, nothing that the thread's holder shows gets saved."""
    with locked(url, "SELECT 1 FROM threads WHERE id = %s FOR UPDATE", thread_id) as connection:
        yield connection
