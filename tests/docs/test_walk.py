"""The README, walked as a newcomer walks it: its own lines, typed into a shell, against a real server."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from starlette.testclient import TestClient

from server.cli import main
from server.main import create_app
from server.settings import Settings
from tests.docs.conftest import NOTHING_SET, environment
from tests.docs.markdown import ROOT, Block, blocks
from tests.docs.shown import missing
from tests.docs.terminal import Terminal
from tests.support.server import Server, free_port, server, until

README = ROOT / "README.md"
pytestmark = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")


def marked(name: str) -> list[Block]:
    """The README's blocks `<!-- walk… -->` of that name, each with the block that shows its result."""
    return [b for b in blocks(README) if b.mark == name]


def shown_after(block: Block) -> str:
    """The text block right after a shell block: what the page says comes of it. Empty if none does."""
    every = list(blocks(README))
    following = every[every.index(block) + 1 :][:1]
    return next((b.text for b in following if b.language == "text" and not b.mark), "")


def shell(text: str, folder: Path, port: int) -> str:
    """Runs a block; gives what it printed. SAYSO_URL stands in for the port 8000."""
    done = subprocess.run(
        ["bash", "-ec", at_port(text, port)],
        cwd=folder,
        env=environment(SAYSO_URL=f"http://127.0.0.1:{port}"),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def at_port(text: str, port: int) -> str:
    """The same lines for a server at another port."""
    return text.replace("localhost:8000", f"127.0.0.1:{port}")


def gives(block: Block, folder: Path, port: int) -> None:
    """Runs the block; it gives what the page says."""
    came = shell(block.text, folder, port)
    lost = missing(shown_after(block), came)
    assert lost is None, f"{block.place} does not give the line\n{lost}\nbut\n{came}"


def test_the_first_conversation(demo: Server) -> None:
    """Ask, ask in Dutch, request a message, list, approve; the ending arrives on the page that was kept open."""
    steps = [b for b in blocks(README) if b.mark in ("walk", "walk: page")]
    page: subprocess.Popen[bytes] | None = None
    seen = demo.folder / "page.txt"
    try:
        for block in steps:
            if block.mark == "walk: page":
                with seen.open("wb") as output:
                    page = subprocess.Popen(
                        ["bash", "-ec", "exec " + at_port(block.text, demo.port)],
                        cwd=demo.folder,
                        stdout=output,
                    )
                until(
                    "the page shows the pause", lambda: b'"status":"pending"}' in seen.read_bytes()
                )
                continue
            gives(block, demo.folder, demo.port)
        [after] = marked("walk: page shows")
        until(
            f"the page shows what {after.place} says",
            lambda: missing(after.text, seen.read_text()) is None,
            10,
        )
    finally:
        if page is not None:
            page.kill()
            page.wait()


def test_the_recorded_conversation(demo: Server) -> None:
    """`sayso chat` and `sayso approvals` on a terminal show what the README's recording shows."""
    recording = next(b for b in blocks(README) if "visitor │" in b.text).text
    sides: dict[str, list[str]] = {"visitor": [], "owner": []}
    for line in recording.splitlines():
        who, _, said = line.partition("│")
        if who.strip():
            sides[who.strip()].append(said.removeprefix(" "))
    prompt = "you  >"
    typed = [
        line.removeprefix(prompt).strip() for line in sides["visitor"] if line.startswith(prompt)
    ]
    sayso = str(demo.folder / ".venv" / "bin" / "sayso")
    at_demo = environment(SAYSO_URL=demo.url)
    chat = Terminal([sayso, "chat"], demo.folder, at_demo)
    try:
        for number, line in enumerate(typed, 1):
            chat.wait_for(prompt, times=number)
            if line:
                chat.type(line)
        came = ""
        for line in (line for line in sides["owner"] if line.startswith("$ ")):
            _, *arguments = line.removeprefix("$ .venv/bin/").split(" ", 3)
            thread_id = came.split(" ")[0]
            command = [sayso, *arguments[:2]]
            if arguments[2:]:
                command += [thread_id, "--note", arguments[2].split('"')[1]]
            done = subprocess.run(
                command, cwd=demo.folder, env=at_demo, capture_output=True, text=True
            )
            assert done.returncode == 0, done.stderr
            came += done.stdout
        chat.wait_for(sides["visitor"][-1])
    finally:
        chat.end()
    shown = [line for line in sides["visitor"] if not line.startswith("$ ")]
    assert missing("\n".join(shown), chat.screen) is None, chat.screen
    # The thread's id and the time are another one's.
    told = [line.split("Z  ")[-1] for line in sides["owner"] if not line.startswith("$ ")]
    assert missing("\n".join(told), came) is None, came


def test_a_folder_of_ones_own(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The pages the README writes are clean, and asked about, they answer."""
    pages, check, ask = marked("walk: folder")
    shell(pages.text, folder, 0)
    monkeypatch.chdir(folder)
    checked = CliRunner().invoke(main, check.text.split()[1:])
    assert missing(shown_after(check), checked.output) is None, checked.output
    [body] = re.findall(r"-d '(.*)'", ask.text)
    # In this process: the .env the README writes is read as `sayso serve` reads it.
    with TestClient(create_app(Settings(semantic="off", database_url=None))) as client:
        came = client.post("/api/chat", json=json.loads(body)).text
    assert missing(shown_after(ask), came) is None, came


def test_a_tool_of_ones_own(folder: Path) -> None:
    """A small refund is made at once, a large one after a yes in the terminal."""
    [model] = marked("walk: tool model")
    [serve] = marked("walk: tool serve")
    settings = dict(word.split("=", 1) for word in serve.text.split() if "=" in word)
    port = free_port()
    settings["MODEL_BASE_URL"] = settings["MODEL_BASE_URL"].replace("9009", str(port))
    with subprocess.Popen(
        ["bash", "-ec", f"exec {model.text.strip()} {port}"],
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
    ) as stand_in:
        try:
            assert stand_in.stdout is not None
            assert stand_in.stdout.readline() == f"MODEL_BASE_URL={settings['MODEL_BASE_URL']}\n"
            with server(folder, "--memory", **NOTHING_SET, **settings) as running:
                for block in marked("walk: tool"):
                    gives(block, folder, running.port)
        finally:
            stand_in.kill()


def test_the_owners_commands_are_there() -> None:
    """Each line of the README's list of commands is one, with those options."""
    [listed] = marked("walk: help")
    for line in listed.text.splitlines():
        _, group, command = line.split()[:3]
        helped = CliRunner().invoke(main, [group, command, "--help"])
        assert helped.exit_code == 0, line
        assert all(word in helped.output for word in line.split() if word.startswith("--")), line


def test_a_wrong_value_stops_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It says which, and what was expected."""
    [block] = marked("walk: wrong")
    setting, _, command = block.text.split()
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, [command], env=dict([setting.split("=")]))
    assert done.exit_code != 0
    assert missing(shown_after(block), done.output) is None, done.output
