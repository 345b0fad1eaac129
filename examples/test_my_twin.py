"""Tests of your own twin for CI: no network, no key, no database.

.venv/bin/python -m pytest examples/test_my_twin.py
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from starlette.testclient import TestClient

from examples import refunds
from server.adapters.models.scripted import Scripted, call
from server.main import create_app
from server.settings import Settings

OWNER = {"Authorization": "Bearer the-owners-token"}


@pytest.fixture
def model() -> Scripted:
    """Asks for the tool, then closes in words. One answer a model call, in order."""
    return Scripted(
        call("issue_refund", order_id="A-17", amount_cents=4500),
        lambda request: request.messages[-1]["content"],
    )


@pytest.fixture
def client(
    model: Scripted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[TestClient]:
    """The whole application, in memory."""
    monkeypatch.setattr(refunds, "LEDGER", tmp_path / "refunds.csv")
    (tmp_path / "about.md").write_text("# Shop\n\n## Refunds\n\nWe refund within two weeks.\n")
    settings = Settings(
        _env_file=None,  # nobody's .env
        database_url=None,  # in memory, whatever the environment says
        admin_token=SecretStr("the-owners-token"),
        knowledge_dir=tmp_path,
        state_dir=tmp_path / "state",
        semantic="off",
    )
    app = create_app(settings, model=model, tools=[refunds.issue_refund])
    with TestClient(app) as running:  # `with`: the twin lives in the lifespan
        yield running


def say(client: TestClient, message: str) -> list[dict[str, Any]]:
    """The run's events, read to the end."""
    answer = client.post("/api/chat", json={"message": message, "thread_id": "t"})
    assert answer.status_code == 200, answer.text
    return [
        json.loads(line.removeprefix("data: "))
        for line in answer.text.splitlines()
        if line.startswith("data: ")
    ]


def test_a_large_refund_waits_for_the_owner(client: TestClient, model: Scripted) -> None:
    """Nothing is paid, and the owner has the question."""
    events = say(client, "My money back for order A-17, please: 45.00")

    assert events[-2:] == [{"type": "approval", "status": "pending"}, {"type": "done"}]
    assert len(model.requests) == 1
    assert not refunds.LEDGER.exists()
    [card] = client.get("/api/admin/approvals", headers=OWNER).json()["pending"]
    assert card["message"] == "Refund 45.00 euros for order A-17?"


def test_a_yes_pays_once(client: TestClient) -> None:
    """The second yes is a conflict, and pays nothing."""
    say(client, "My money back for order A-17, please: 45.00")
    [card] = client.get("/api/admin/approvals", headers=OWNER).json()["pending"]
    yes = {"approved": True, "interrupt_id": card["interrupt_id"]}

    first = client.post("/api/admin/approvals/t", json=yes, headers=OWNER)
    second = client.post("/api/admin/approvals/t", json=yes, headers=OWNER)

    assert first.json()["answer"] == "Refunded 45.00 euros for order A-17."
    assert second.status_code == 409
    assert len(refunds.LEDGER.read_text().splitlines()) == 1


def test_a_no_pays_nothing(client: TestClient, model: Scripted) -> None:
    """The model is told, with the owner's note."""
    say(client, "My money back for order A-17, please: 45.00")
    no = {"approved": False, "note": "It was delivered."}

    answer = client.post("/api/admin/approvals/t", json=no, headers=OWNER)

    assert answer.json()["status"] == "rejected"
    assert "It was delivered." in model.requests[1].messages[-1]["content"]
    assert not refunds.LEDGER.exists()
