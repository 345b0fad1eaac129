"""Every Python block that is marked to run runs, in a folder of its own, without network."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.conftest import environment
from tests.docs.markdown import OWNED, ROOT, Block, blocks
from tests.support.server import Guest, Server

PYTHON = [b for page in OWNED for b in blocks(page) if b.language == "python"]
COPIED, MARKED = "same as: ", "run"


NOWHERE = {
    # Nobody listens there: whatever would go out fails.
    "HTTP_PROXY": "http://127.0.0.1:9",
    "HTTPS_PROXY": "http://127.0.0.1:9",
    "NO_PROXY": "127.0.0.1",
}


def run(arguments: list[str], folder: Path, **more: str) -> str:
    """Python with these arguments; gives what it printed."""
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment(**NOWHERE, **more),
        capture_output=True,
        text=True,
        timeout=90,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_python_block_says_what_it_is() -> None:
    """A block runs, or is the same as a file that is run. A block that is neither would rot."""
    loose = [b.place for b in PYTHON if not b.mark.startswith((MARKED, COPIED))]
    assert not loose, f"mark these with '<!-- run -->' or '<!-- same as: FILE -->': {loose}"


@pytest.mark.parametrize(
    "block", [b for b in PYTHON if b.mark.startswith(COPIED)], ids=lambda b: b.place
)
def test_a_copied_block_is_the_file(block: Block) -> None:
    """Letter by letter; copy the file into the page when it changes."""
    path = block.mark.removeprefix(COPIED)
    assert block.text == (ROOT / path).read_text("utf-8"), f"{block.place} is not {path} any more"


EMBEDDED = """
from starlette.testclient import TestClient
from examples.embedded import app

with TestClient(app) as client:
    assert client.get("/").json() == {"talk to": "/twin/api/chat"}
    assert client.get("/twin/readyz").json()["ready"] is True
    answer = client.post("/twin/api/chat", json={"message": "What is Note G?"})
    assert answer.text.rstrip().endswith('{"type":"done"}'), answer.text
    assert client.get("/twin/api/admin/approvals").status_code == 403
"""
TESTS = f"""
import pytest

arguments = ["-q", "-p", "no:cacheprovider", "-c", {str(ROOT / "pyproject.toml")!r}, "--rootdir", {str(ROOT)!r}]
assert pytest.main([*arguments, {str(ROOT / "examples" / "test_my_twin.py")!r}]) == 0
"""


def test_the_marked_blocks_and_the_examples_run(tmp_path: Path) -> None:
    """The blocks, the host application with a twin in it, and the file of tests for CI.

    All in one process, each with names of its own: starting one for each would take most of the time.
    """
    marked = {b.place: b.text for b in PYTHON if b.mark == MARKED}
    assert marked
    # pytest first: it wants to be there before what it looks into.
    texts = {"examples/test_my_twin.py": TESTS, "examples/embedded.py": EMBEDDED} | marked
    script = tmp_path / "all.py"
    script.write_text(
        "\n".join(
            f"exec(compile({text!r}, {place!r}, 'exec'), {{'__name__': 'block'}})"
            for place, text in texts.items()
        )
    )
    assert "3 passed" in run([str(script)], tmp_path)


def test_the_script_that_decides_decides(demo: Server) -> None:
    """The block of approve-from-anywhere, against a server with a paused thread."""
    [block] = [b for b in PYTHON if b.mark == "run: with a paused twin"]
    token = (demo.folder / ".sayso" / "admin-token").read_text().strip()
    visitor = Guest(demo, "paused")
    visitor.say("Can you pass on a message: I would like to hear more. eve@example.org")
    printed = run(["-c", block.text], demo.folder, SAYSO_URL=demo.url, ADMIN_TOKEN=token)
    assert printed.rstrip().endswith("→ approved")
    assert visitor.view()["approvals"] == []
    assert "has been recorded" in visitor.view()["messages"][-1]["content"]
