"""The audit over HTTP and as JSON lines: every decision and every effect, who and when, and nothing of what visitors said."""

import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import anyio
import psycopg
import pytest
from alembic import command
from pydantic import SecretStr

from server.adapters.models.scripted import Scripted, call
from server.adapters.postgres.migrate import alembic_config, migrate
from server.domain.audit import thread_digest
from server.domain.tools import Tool
from server.runs.expire import expire
from server.settings import Settings
from tests.acceptance.conftest import OpenTwin
from tests.browser.live import LiveTwin, live_twin
from tests.contract.test_migrations import engine_for
from tests.support.server import ROOT, Guest, Server
from tests.support.twin import OWNER_TOKEN, RunningTwin, Visitor, running_twin

PASS_ON = call(
    "draft_contact_message",
    subject="About my diagnosis",
    message="Please call my doctor",
    sender_contact="eve@example.org",
)
NO_ARGUMENTS = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}


def audit(twin: RunningTwin, **query: Any) -> list[dict[str, Any]]:
    answer = twin.owner("GET", "/audit", params=query)
    assert answer.status_code == 200, answer.text
    rows: list[dict[str, Any]] = answer.json()["audit"]
    return rows


def paused(twin: RunningTwin) -> Visitor:
    visitor = twin.visitor()
    visitor.say("Tell her about my diagnosis. I am eve@example.org.")
    return visitor


def told(rows: list[dict[str, Any]]) -> list[tuple[str, str | None, str | None]]:
    return [(row["what"], row["by"], row["via"]) for row in rows]


def test_every_decision_is_a_line_and_no_visitors_word_is_in_any(open_twin: OpenTwin) -> None:
    """Edited and approved, declined, taken back, forgotten."""
    twin = open_twin(Scripted(*[PASS_ON, "Settled."] * 3))
    edited = paused(twin)
    edit = {"subject": "s", "message": "m", "sender_contact": "a@b.org"}
    assert twin.decide(
        str(edited.thread_id), approved=True, arguments=edit, note="Gladly."
    ).is_success
    declined = paused(twin)
    assert twin.decide(str(declined.thread_id), approved=False).is_success
    withdrawn = paused(twin)
    interrupt_id = twin.pending()[0]["interrupt_id"]
    assert withdrawn.post(f"/approvals/{interrupt_id}/withdraw").is_success

    rows = audit(twin)

    assert [(what, via) for what, _, via in told(rows)] == [
        ("approved", "api"),
        ("effect_done", None),
        ("rejected", "api"),
        ("withdrawn", "visitor"),
    ]
    approved, done = rows[:2]
    assert (approved["by"], approved["note"], approved["edited"]) == ("owner", "Gladly.", True)
    assert approved["digest"] != approved["effective_digest"] == done["effective_digest"]
    assert (approved["thread_id"], approved["tool"]) == (edited.thread_id, "draft_contact_message")
    assert approved["interrupt_id"] == done["interrupt_id"]
    assert rows[3]["by"].startswith("visitor:")
    text = json.dumps(rows)
    assert not [word for word in ("diagnosis", "doctor", "eve@", "a@b.org") if word in text]

    path = f"/api/threads/{edited.thread_id}"
    twin.client.cookies.clear()
    assert twin.client.delete(path, headers=edited.headers).status_code == 204
    rows = audit(twin)
    assert told(rows)[1:] == [
        ("withdrawn", rows[1]["by"], "visitor"),
        ("forgotten", "visitor", "visitor"),
    ]
    assert rows[2]["thread_digest"] == thread_digest(str(edited.thread_id))
    assert str(edited.thread_id) not in json.dumps(rows)


async def _never() -> None:
    await anyio.sleep_forever()


def test_who_settles_an_effect_in_doubt_is_a_line(open_twin: OpenTwin) -> None:
    charge = Tool("charge", "Charge.", NO_ARGUMENTS, _never, timeout_s=0.1, high_risk=True)
    twin = open_twin(Scripted(call("charge"), "I don't know."), tools=[charge])
    visitor = paused(twin)
    twin.decide(str(visitor.thread_id), approved=True)
    [effect] = twin.owner("GET", "/effects?status=in_doubt").json()["effects"]
    path = f"/effects/{effect['id']}"
    assert twin.owner("POST", path, json={"settle": "retry"}).is_success
    headers = {"Authorization": f"Bearer {OWNER_TOKEN}", "Sayso-Via": "web"}
    settled = twin.client.post(f"/api/admin{path}", json={"settle": "done"}, headers=headers)
    assert settled.is_success
    rows = audit(twin)
    assert told(rows)[1:] == [
        ("effect_in_doubt", None, None),
        ("effect_retried", "owner", None),
        ("effect_in_doubt", None, None),
        ("effect_done", "owner", "web"),
    ]
    assert {row["effect_id"] for row in rows[1:]} == {effect["id"]}


def test_time_is_nobody(open_twin: OpenTwin) -> None:
    """A question that ran out."""
    now = [datetime(2026, 12, 1, tzinfo=UTC)]
    twin = open_twin(
        Scripted(PASS_ON, "Too late."),
        clock=lambda: now[0],
        approval_ttl=timedelta(hours=1),
    )
    visitor = paused(twin)
    now[0] += timedelta(hours=1)
    twin.call(expire, twin.services)
    visitor.log()
    assert told(audit(twin)) == [("expired", None, "clock")]


def test_pages_follow_each_other_and_end(open_twin: OpenTwin) -> None:
    twin = open_twin(Scripted(*[PASS_ON, "No."] * 5))
    for _ in range(5):
        twin.decide(str(paused(twin).thread_id), approved=False)
    every = audit(twin)
    assert len(every) == 5
    first = twin.owner("GET", "/audit?limit=2").json()
    assert first["audit"] == every[:2]
    assert first["next"] == every[1]["seq"]
    second = twin.owner("GET", f"/audit?limit=3&after={first['next']}").json()
    assert (second["audit"], second["next"]) == (every[2:], every[4]["seq"])
    last = twin.owner("GET", f"/audit?after={second['next']}").json()
    assert last == {"audit": [], "next": None}
    since, until = every[1]["at"], every[3]["at"]
    assert audit(twin, since=since, until=until) == [r for r in every if since <= r["at"] < until]


@pytest.mark.parametrize(
    "query",
    ["after=-1", "after=x", "limit=0", "limit=501", "since=soon", "since=2026-12-01T00:00:00"],
)
def test_a_query_that_can_not_be_meant_is_refused(open_twin: OpenTwin, query: str) -> None:
    """A time without a zone too."""
    twin = open_twin(Scripted())
    assert twin.owner("GET", f"/audit?{query}").status_code == 422


def export(folder: Path, twin: LiveTwin, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "server", "export-audit", "--url", twin.url, *arguments],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "ADMIN_TOKEN": OWNER_TOKEN},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.fixture
def served(memory_settings: Settings) -> Iterator[LiveTwin]:
    with live_twin(memory_settings, Scripted(*[PASS_ON, "No."] * 9)) as twin:
        yield twin


def decline(twin: LiveTwin, *names: str) -> None:
    for name in names:
        guest = Guest(Server(Path(), port=twin.port), name)
        guest.say("Pass it on.")
        assert guest.decide(approved=False, note="Né.").status_code == 200


def test_it_is_exported_line_by_line_and_gone_on_with(served: LiveTwin, tmp_path: Path) -> None:
    """To the screen, to a file, and later to the end of that file; times without a zone are in UTC."""
    decline(served, "a", "b")
    screen = export(tmp_path, served)
    assert screen.returncode == 0, screen.stderr
    rows = [json.loads(line) for line in screen.stdout.splitlines()]
    assert [(row["thread_id"], row["what"], row["note"]) for row in rows] == [
        ("a", "rejected", "Né."),
        ("b", "rejected", "Né."),
    ]
    assert screen.stderr.strip() == f"--after {rows[1]['seq']}"

    filed = export(tmp_path, served, "--out", "audit.jsonl")
    assert (filed.returncode, filed.stdout) == (0, "")
    again = export(tmp_path, served, "--out", "audit.jsonl")
    assert again.returncode == 1
    assert "is there already" in again.stderr and "Traceback" not in again.stderr
    decline(served, "c")
    more = export(tmp_path, served, "--out", "audit.jsonl", "--after", str(rows[1]["seq"]))
    assert more.returncode == 0
    lines = (tmp_path / "audit.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["thread_id"] for line in lines] == ["a", "b", "c"]
    nothing = export(tmp_path, served, "--after", str(json.loads(lines[-1])["seq"]))
    assert (nothing.stdout, nothing.returncode) == ("", 0)

    today = f"{datetime.now(UTC):%Y-%m-%d}"
    assert len(export(tmp_path, served, "--since", today).stdout.splitlines()) == 3
    assert export(tmp_path, served, "--until", today).stdout == ""
    wrong = export(tmp_path, served, "--since", "yesterday")
    assert wrong.returncode == 2 and "2026-12-01" in wrong.stderr


@pytest.mark.postgres
async def test_the_trail_begins_with_what_was_decided_before_there_was_one(
    memory_settings: Settings, postgres_url: str
) -> None:
    """A database from before the table: decisions and effects are lines, in the order of their time."""
    settings = memory_settings.model_copy(update={"database_url": SecretStr(postgres_url)})
    before = await anyio.to_thread.run_sync(_decide_twice, settings)
    engine = engine_for(postgres_url)
    with engine.begin() as connection:
        command.downgrade(alembic_config(connection), "0005")
    engine.dispose()
    with psycopg.connect(postgres_url) as connection:
        assert connection.execute("SELECT to_regclass('audit')").fetchone() == (None,)
    await migrate(postgres_url)
    after = await anyio.to_thread.run_sync(_rows, settings)
    assert [_without_place(row) for row in after] == [_without_place(row) for row in before]
    assert len(after) == 3


def _decide_twice(settings: Settings) -> list[dict[str, Any]]:
    with running_twin(settings, Scripted(*[PASS_ON, "Settled."] * 2)) as twin:
        twin.decide(str(paused(twin).thread_id), approved=True, note="Fine.")
        twin.decide(str(paused(twin).thread_id), approved=False)
        return audit(twin)


def _rows(settings: Settings) -> list[dict[str, Any]]:
    with running_twin(settings, Scripted()) as twin:
        return audit(twin)


def _without_place(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "seq"}
