"""A real server: `sayso serve` in a process of its own, which can be killed."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from server.runs.clock import utc_now
from server.web.auth import Authenticator
from tests.support.twin import OWNER_TOKEN, Event, events_in

ROOT = Path(__file__).parents[2]
PATIENCE_S = 60.0
SECRET_KEY = "a secret key for tests, long enough"


def free_port() -> int:
    """A port on loopback nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def until(what: str, condition: Any, seconds: float = PATIENCE_S) -> Any:
    """The first truthy value of the condition. Raises AssertionError when the time is up."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if value := condition():
            return value
        time.sleep(0.02)  # between looks at something another process does
    raise AssertionError(f"not within {seconds} s: {what}")


@dataclass
class Server:
    """One `sayso serve`. Start it, kill it, start it again: the folder stays."""

    folder: Path
    environment: dict[str, str] = field(default_factory=dict)
    port: int = field(default_factory=free_port)
    arguments: tuple[str, ...] = ()
    program: tuple[str, ...] = ("server", "serve")
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        """What it wrote so far."""
        return (self.folder / "server.log").read_text(errors="replace")

    def start(self) -> "Server":
        """Returns when it is ready."""
        inherited = {k: v for k, v in os.environ.items() if k in ("PATH", "HOME", "LANG", "TMPDIR")}
        environment = {
            "PYTHONPATH": str(ROOT),
            "ADMIN_TOKEN": OWNER_TOKEN,
            "SECRET_KEY": SECRET_KEY,
            "SEMANTIC": "off",
            "RATE_LIMIT": "off",
            "OWNER_NAME": "Ada",
            **self.environment,
        }
        with (self.folder / "server.log").open("ab") as output:
            self.process = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    *self.program,
                    "--port",
                    str(self.port),
                    *self.arguments,
                ],
                cwd=self.folder,
                env=inherited | environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        until(f"the server is ready; it says:\n{self.log}", self._ready)
        return self

    def wait_for_death(self) -> None:
        """Returns when the process has ended by itself."""
        assert self.process is not None
        assert self.process.wait(PATIENCE_S) == -signal.SIGKILL, self.log

    def kill(self) -> None:
        """kill -9."""
        self.signal(signal.SIGKILL)
        assert self.process is not None
        self.process.wait(PATIENCE_S)

    def stop(self) -> None:
        """The polite way; the exit must be clean."""
        if self.process is None or self.process.poll() is not None:
            return
        self.signal(signal.SIGTERM)
        assert self.process.wait(PATIENCE_S) == 0, self.log

    def signal(self, number: int) -> None:
        """Sends a signal to the server process."""
        assert self.process is not None
        self.process.send_signal(number)

    def _ready(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None, f"the server ended:\n{self.log}"
        try:
            return httpx.get(f"{self.url}/readyz", timeout=5).status_code == 200
        except httpx.TransportError:
            return False


class Guest:
    """A visitor over real HTTP, and the owner's view of their thread."""

    def __init__(self, server: Server, thread_id: str) -> None:
        self.server = server
        self.thread_id = thread_id
        self.token: str | None = None

    @property
    def headers(self) -> dict[str, str]:
        """The visitor's credentials."""
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    def say(self, message: str) -> list[Event]:
        """The run's events, read to the end."""
        events = list(self.hear(message))
        assert events[-1]["type"] == "done"
        return events

    def hear(self, message: str) -> Iterator[Event]:
        """The run's events as they come; ends without an error when the server dies."""
        body = {"message": message, "thread_id": self.thread_id}
        url = f"{self.server.url}/api/chat"
        try:
            with httpx.stream(
                "POST", url, json=body, headers=self.headers, timeout=PATIENCE_S
            ) as answer:
                if answer.status_code != 200:
                    raise AssertionError(f"{answer.status_code}: {answer.read().decode()}")
                for event in streamed(answer):
                    self.token = event.get("visitor_token", self.token)
                    yield event
        except httpx.TransportError:
            return

    def log(self) -> list[Event]:
        """The whole log, once no run is active."""
        answer = httpx.get(
            f"{self.server.url}/api/threads/{self.thread_id}/events",
            params={"until": "idle"},
            headers=self.headers,
            timeout=PATIENCE_S,
        )
        assert answer.status_code == 200, answer.text
        return events_in(answer.text)

    def view(self) -> dict[str, Any]:
        """The thread as the visitor sees it."""
        answer = httpx.get(
            f"{self.server.url}/api/threads/{self.thread_id}",
            headers=self.headers,
            timeout=PATIENCE_S,
        )
        assert answer.status_code == 200, answer.text
        view: dict[str, Any] = answer.json()
        return view

    def owner(self, method: str, path: str, **options: Any) -> httpx.Response:
        """A request with the owner's token."""
        headers = {"Authorization": f"Bearer {OWNER_TOKEN}"}
        return httpx.request(
            method,
            f"{self.server.url}/api/admin{path}",
            headers=headers,
            timeout=PATIENCE_S,
            **options,
        )

    def pending(self) -> list[dict[str, Any]]:
        """The owner's queue for this thread."""
        cards = self.owner("GET", "/approvals").json()["pending"]
        return [card for card in cards if card["thread_id"] == self.thread_id]

    def decide(self, **body: Any) -> httpx.Response:
        """The owner's decision."""
        return self.owner("POST", f"/approvals/{self.thread_id}", json=body)

    def messages_recorded(self) -> int:
        """The effects: rows in contact_messages."""
        rows = self.owner("GET", "/contact-messages").json()["contact_messages"]
        return sum(row["thread_id"] == self.thread_id for row in rows)


def streamed(answer: httpx.Response) -> Iterator[Event]:
    """Events of an open stream, each with its `id` as `seq`."""
    seq = None
    for line in answer.iter_lines():
        if line.startswith("id: "):
            seq = int(line[4:])
        elif line.startswith("data: "):
            yield json.loads(line[6:]) | ({} if seq is None else {"seq": seq})
            seq = None


def visitor_token() -> str:
    """A visitor's token that every server of these tests takes."""
    return Authenticator(SECRET_KEY, {}).mint_visitor(utc_now())[1]


@contextmanager
def server(folder: Path, *arguments: str, **environment: str) -> Iterator[Server]:
    """A started server, stopped at the end if it still runs."""
    folder.mkdir(parents=True, exist_ok=True)
    running = Server(folder, environment, arguments=arguments)
    try:
        yield running.start()
        running.stop()
    finally:
        if running.process and running.process.poll() is None:
            running.kill()
