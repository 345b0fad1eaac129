"""The TypeScript client against this server, and what is committed against its sources. Needs Node and `npm ci` in clients/."""

import json
import os
import shutil
import subprocess
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any, get_args

import pytest

from server.domain.approvals import ApprovalStatus
from server.domain.conversation import Outcome
from server.domain.events import _OPTIONAL, Event, ToolStatus
from server.settings import Settings
from tests.browser.live import live_twin
from tests.support.twin import OWNER_TOKEN

CLIENTS = Path(__file__).parents[2] / "clients"


@pytest.fixture(autouse=True)
def _node() -> None:
    if shutil.which("node") is None:
        pytest.skip("no Node")
    if not (CLIENTS / "node_modules" / "esbuild").exists():
        pytest.skip("clients/node_modules is not installed (npm ci --prefix clients)")


def run(*command: str, **environment: str) -> str:
    """What it printed; its error when it failed."""
    done = subprocess.run(
        command,
        cwd=CLIENTS,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=110,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_clients_events_are_the_servers_events() -> None:
    """Every type, every field, which of them may be missing, and every word an enumeration allows."""
    run("npm", "run", "--silent", "build", "-w", "sayso-client")
    script = (
        "import * as c from 'sayso-client'; const { eventShapes, approvalStatuses, outcomes, toolStatuses } = c;"
        "console.log(JSON.stringify({ eventShapes, approvalStatuses, outcomes, toolStatuses }))"
    )
    theirs = json.loads(run("node", "--input-type=module", "-e", script))
    ours: dict[str, Any] = {}
    for kind in get_args(Event):
        shape = {"type": "required"}
        for field in fields(kind):
            assert field.default is not MISSING or field.name not in _OPTIONAL
            shape[field.name] = "optional" if field.name in _OPTIONAL else "required"
        ours[kind.type] = shape

    assert theirs["eventShapes"] == ours
    assert theirs["approvalStatuses"] == list(get_args(ApprovalStatus))
    assert theirs["outcomes"] == list(get_args(Outcome))
    assert theirs["toolStatuses"] == list(get_args(ToolStatus))


def test_types_compile_and_the_committed_bundle_is_what_the_sources_make() -> None:
    run("npm", "run", "--silent", "check")


def test_the_client_works_in_node_and_its_documented_example_runs(settings: Settings) -> None:
    """Streams cut at every byte, errors, run routes; and the approval flow against a twin without a language model."""
    with live_twin(settings) as twin:
        printed = run("npm", "test", SAYSO_URL=twin.url, ADMIN_TOKEN=OWNER_TOKEN)
    assert "skipped 0" in printed


def test_the_documentation_shows_the_example_that_runs() -> None:
    example = (CLIENTS / "sayso-client" / "examples" / "approval-flow.ts").read_text("utf-8")
    page = (CLIENTS.parent / "docs" / "client.md").read_text("utf-8")
    assert example[example.index("import ") :].strip() in page
