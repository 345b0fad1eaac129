"""The command line, against a real server."""

import os
import stat
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import httpx
import pytest

from tests.fakes.chat_backend import DONE, ChatBackend, Reply, delta, fragment, says
from tests.support.server import ROOT, Server, server, until
from tests.support.twin import OWNER_TOKEN

DRAFT = '{"subject": "A talk", "message": "In May?", "sender_contact": "eve@example.org"}'
ASKS = Reply(
    [fragment(0, DRAFT, id="c1", name="draft_contact_message"), delta(finish="tool_calls"), DONE]
)


class Terminal:
    """`sayso …` in a process of its own; what it prints can be looked at while it runs."""

    def __init__(self, folder: Path, *arguments: str, **environment: str) -> None:
        self.printed = ""
        self.process = subprocess.Popen(
            [sys.executable, "-u", "-m", "server", *arguments],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT), "ADMIN_TOKEN": OWNER_TOKEN, **environment},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        assert self.process.stdout is not None
        self._reader = threading.Thread(target=self._read, args=(self.process.stdout,), daemon=True)
        self._reader.start()

    def _read(self, output: IO[bytes]) -> None:
        while piece := os.read(output.fileno(), 4096):
            self.printed += piece.decode()

    def type(self, line: str) -> None:
        """One line, with Enter."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n".encode())
        self.process.stdin.flush()

    def shows(self, text: str) -> None:
        """Returns when the text is to be seen."""
        until(f"{text!r}; it shows:\n{self.printed}", lambda: text in self.printed)

    def end(self) -> int:
        """Closes its input and waits."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        code = self.process.wait(30)
        self._reader.join(10)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code


def run(folder: Path, *arguments: str, **environment: str) -> tuple[int, str]:
    """Exit code and output of a command that ends by itself."""
    terminal = Terminal(folder, *arguments, **environment)
    return terminal.end(), terminal.printed


@pytest.fixture
def twin(tmp_path: Path) -> Iterator[Server]:
    """A server in memory whose model asks for the contact tool, then answers."""
    with (
        ChatBackend(says("Hello there."), ASKS, says("It has been passed on.")) as backend,
        server(
            tmp_path / "twin", "--memory", MODEL_BASE_URL=backend.base_url, MODEL_NAME="fake"
        ) as running,
    ):
        yield running


def test_a_late_decision_arrives_in_the_terminal(twin: Server, tmp_path: Path) -> None:
    """`sayso chat` shows the pause; `sayso approvals` decides; the ending appears without a key pressed."""
    chat = Terminal(tmp_path, "chat", "--url", twin.url)
    chat.type("Hi")
    chat.shows("Hello there.")
    chat.type("Please pass on: in May?")
    chat.shows("[pending]")
    chat.shows("personal approval")

    code, listed = run(tmp_path, "approvals", "list", "--url", twin.url)
    thread_id = listed.split()[0]
    _, shown = run(tmp_path, "approvals", "show", thread_id, "--url", twin.url)
    approved = run(
        tmp_path, "approvals", "approve", thread_id, "--note", "Fine.", "--url", twin.url
    )

    assert code == 0
    assert "In May?" in shown
    assert "eve@example.org" in shown
    assert approved[0] == 0, approved
    assert "approved." in approved[1]
    assert "It has been passed on." in approved[1]
    chat.shows("[approved]")
    chat.shows("It has been passed on.")
    assert chat.end() == 0
    assert chat.printed.count("It has been passed on.") == 1
    _, empty = run(tmp_path, "approvals", "list", "--url", twin.url)
    assert "Nothing waits for you." in empty
    past = httpx.get(
        f"{twin.url}/api/admin/approvals?status=approved",
        headers={"Authorization": f"Bearer {OWNER_TOKEN}"},
    )
    assert [card["decided_via"] for card in past.json()["approvals"]] == ["terminal"]
    again = run(tmp_path, "approvals", "reject", thread_id, "--url", twin.url)
    assert again[0] == 1
    assert "404" in again[1]


def test_a_twin_that_is_not_there_is_said_plainly(tmp_path: Path) -> None:
    """One line that says what to do, no traceback."""
    code, printed = run(tmp_path, "approvals", "list", "--url", "http://127.0.0.1:9")

    assert code == 1
    assert "sayso serve" in printed
    assert "Traceback" not in printed


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({"MODEL_NAME": "x"}, "MODEL_NAME needs MODEL_BASE_URL"),
        ({"WHEN_PAUSED": "later"}, "WHEN_PAUSED"),
        ({"APPROVAL_TTL": "soon"}, "APPROVAL_TTL"),
        ({"KNOWLEDGE_DIR": "/nowhere"}, "KNOWLEDGE_DIR"),
        ({"ADMIN_TOKENS": "anna"}, "ADMIN_TOKENS"),
        ({"TOOLS": "no_such_shop:tool"}, "no_such_shop"),
        ({"WEBHOOK_URL": "https://hooks.example"}, "WEBHOOK_SECRET"),
        ({"NOTIFY_URLS": "nosuch://service", "PUBLIC_URL": "https://a.example"}, "NOTIFY_URLS"),
    ],
)
def test_a_wrong_setting_stops_the_start(
    tmp_path: Path, environment: dict[str, str], said: str
) -> None:
    """The message names the setting, and never repeats a secret."""
    code, printed = run(
        tmp_path, "serve", "--memory", "--port", "0", **{"SEMANTIC": "off"} | environment
    )

    assert code != 0
    assert said in printed
    assert OWNER_TOKEN not in printed


def test_serve_keeps_an_admin_token(tmp_path: Path) -> None:
    """Made once, for its owner's eyes only, and the same after a restart; the terminal finds it."""
    folder = tmp_path / "twin"
    tokens = []
    with server(folder, "--memory", ADMIN_TOKEN="") as running:
        for _ in range(2):
            kept = folder / ".sayso" / "admin-token"
            assert stat.S_IMODE(kept.stat().st_mode) == 0o600
            tokens.append(kept.read_text())
            code, printed = run(folder, "approvals", "list", "--url", running.url, ADMIN_TOKEN="")
            assert (code, printed) == (0, "Nothing waits for you.\n")
            assert tokens[0].strip() not in running.log
            running.stop()
            running.start()
    assert tokens[0] == tokens[1]
    assert len(tokens[0].strip()) >= 32


def test_knowledge_check_says_what_is_wrong(tmp_path: Path) -> None:
    """The demo folder is fine; an empty page is named and fails the check."""
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "empty.md").write_text("")

    fine = run(tmp_path, "knowledge", "check")
    wrong = run(tmp_path, "knowledge", "check", "pages")

    assert fine[0] == 0, fine
    assert "18 pages" in fine[1]
    assert wrong[0] == 1
    assert "empty.md" in wrong[1]


def test_text_of_others_does_not_steer_the_terminal() -> None:
    """Escape sequences and invisible characters are written out."""
    from server.cli.terminal import plain

    assert plain("a\x1b[2Jb\u202ec\nd") == "a\\u{1b}[2Jb\\u{202e}c\nd"
