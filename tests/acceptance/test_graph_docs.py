"""docs/graph-api.md, typed line by line into a shell against a real server."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.markdown import ROOT, blocks
from tests.docs.shown import missing
from tests.support.graph import JWT_SECRET
from tests.support.server import free_port, server

PAGE = ROOT / "docs" / "graph-api.md"


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_page_can_be_typed(tmp_path: Path) -> None:
    """What each marked block prints is what the page shows after it; `…` stands for what differs."""
    every = list(blocks(PAGE))
    model = subprocess.Popen(
        [sys.executable, str(ROOT / "examples" / "stand_in_model.py"), str(port := free_port())],
        stdout=subprocess.DEVNULL,
    )
    try:
        with server(
            tmp_path,
            "--memory",
            JWT_SECRET=JWT_SECRET,
            TOOLS="examples.confirmed_refunds:issue_refund",
            MODEL_BASE_URL=f"http://127.0.0.1:{port}/v1",
            MODEL_NAME="stand-in",
        ) as running:
            script = ["set -euo pipefail"]
            marked = [n for n, block in enumerate(every) if block.mark == "runs"]
            for place, n in enumerate(marked):
                text = every[n].text.replace(".venv/bin/python", sys.executable)
                text = text.replace("http://127.0.0.1:8000", running.url)
                script += [text, f"echo; echo '--- end of {place}'"]
            done = subprocess.run(
                ["bash", "-c", "\n".join(script)],
                env={"PATH": os.environ["PATH"], "JWT_SECRET": JWT_SECRET},
                capture_output=True,
                text=True,
                timeout=60,
            )
    finally:
        model.kill()
        model.wait()

    assert done.returncode == 0, done.stderr
    rest = done.stdout
    for place, n in enumerate(marked):
        came, _, rest = rest.partition(f"--- end of {place}\n")
        if n + 1 < len(every) and every[n + 1].language == "text":
            assert missing(every[n + 1].text, came) is None, f"{every[n].place} printed:\n{came}"
