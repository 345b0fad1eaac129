"""The OpenAPI document tells the truth: a fuzzer that believes it finds no 500 and nothing undeclared."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.support.server import Guest, Server, server, visitor_token
from tests.support.twin import OWNER_TOKEN

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
    "ignored_auth",
)


@pytest.fixture(scope="module")
def twin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server in memory, without a model and without a rate limit."""
    with server(tmp_path_factory.mktemp("twin"), "--memory", RATE_LIMIT="off") as running:
        yield running


@pytest.mark.timeout(400)
@pytest.mark.parametrize("who", ["owner", "visitor"])
def test_a_fuzzer_finds_what_is_declared_and_nothing_else(
    twin: Server, tmp_path: Path, who: str
) -> None:
    """Every operation, generated and boundary values, with threads that wait; the same each time, so it can be repeated."""
    guest, other = Guest(twin, f"paused-{who}"), Guest(twin, f"doomed-{who}")
    guest.token = other.token = visitor_token()
    token = OWNER_TOKEN if who == "owner" else guest.token
    for thread in (guest, other):
        thread.say("Please pass on a message: there is a typo. I am eve@example.org.")
    [card] = guest.pending()
    config = tmp_path / "schemathesis.toml"
    text = (Path(__file__).parent / "schemathesis.toml").read_text()
    text = text.replace('"question"', f'"{card["interrupt_id"]}"')
    config.write_text(
        text.replace('"paused"', f'"paused-{who}"').replace('"doomed"', f'"doomed-{who}"')
    )

    found = subprocess.run(
        [
            str(Path(sys.executable).with_name("st")),
            "--config-file",
            str(config),
            "run",
            f"{twin.url}/openapi.json",
            "--header",
            f"Authorization: Bearer {token}",
            "--phases=examples,coverage,fuzzing",
            "--max-examples=5",
            "--seed=1",
            "--request-timeout=30",
            "--no-color",
            "--continue-on-failure",
            "--suppress-health-check=all",
            f"--checks={','.join(CHECKS)}",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert found.returncode == 0, found.stdout[-12000:] + found.stderr[-2000:]
    assert "Traceback" not in twin.log
    document = httpx.get(f"{twin.url}/openapi.json").json()
    operations = sum(len(methods) for methods in document["paths"].values())
    assert f"Tested: {operations}" in found.stdout, found.stdout[-3000:]
