"""A folder like a newcomer's, and the demo twin running in it: started once, for all tests of the documentation."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.docs.markdown import ROOT
from tests.support.server import Server, server

NOTHING_SET = {"ADMIN_TOKEN": "", "SECRET_KEY": "", "OWNER_NAME": ""}
"""The harness's own choices are taken back: this is what somebody gets who has set nothing."""


def newcomers_folder(folder: Path) -> Path:
    """Looks like a checkout after `make install`, as far as the documentation's lines go."""
    binaries = folder / ".venv" / "bin"
    binaries.mkdir(parents=True)
    (binaries / "python").symlink_to(sys.executable)
    command = binaries / "sayso"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m server "$@"\n')
    command.chmod(0o755)
    (folder / "examples").symlink_to(ROOT / "examples")
    return folder


def environment(**more: str) -> dict[str, str]:
    """What a command is started with; nothing of the caller's that could matter."""
    inherited = {k: v for k, v in os.environ.items() if k in ("PATH", "HOME", "LANG", "TMPDIR")}
    return inherited | {"PYTHONPATH": str(ROOT), "SEMANTIC": "off"} | more


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of this test's own."""
    return newcomers_folder(tmp_path)


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The demo twin, in memory, with a token that was made for it."""
    folder = newcomers_folder(tmp_path_factory.mktemp("newcomer"))
    with server(folder, "--memory", **NOTHING_SET) as running:
        yield running
