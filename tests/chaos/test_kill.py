"""A server on its own embedded Postgres is killed with -9, and started again."""

from itertools import pairwise
from pathlib import Path

import httpx
import pytest

from server.adapters.models.scripted import Gate
from tests.fakes.chat_backend import DONE, ChatBackend, Reply, delta, fragment, says
from tests.support.server import Guest, server, streamed, until
from tests.support.twin import OWNER_TOKEN, Event, of_type, text_of

pytestmark = [pytest.mark.chaos, pytest.mark.postgres]
DRAFT = '{"subject": "A talk", "message": "In May?", "sender_contact": "eve@example.org"}'


def asks_for_a_message() -> Reply:
    """The model reaches for the contact tool."""
    return Reply(
        [
            fragment(0, DRAFT, id="c1", name="draft_contact_message"),
            delta(finish="tool_calls"),
            DONE,
        ]
    )


def settings(backend: ChatBackend) -> dict[str, str]:
    """A model at the fake provider, and a lease that a dead process does not hold for long."""
    return {
        "MODEL_BASE_URL": backend.base_url,
        "MODEL_NAME": "fake",
        "LEASE_S": "1",
        "VERIFY": "off",  # what the answers say is not what this is about
    }


def test_a_paused_thread_survives_kill_minus_nine(tmp_path: Path) -> None:
    """Killed while paused, started again on the same folder: the question is there, can be decided, and ends well."""
    with (
        ChatBackend(asks_for_a_message(), says("It has been passed on.")) as backend,
        server(tmp_path, **settings(backend)) as running,
    ):
        visitor = Guest(running, "survivor")
        paused = visitor.say("Please pass on: in May?")
        [before] = visitor.pending()

        running.kill()
        running.start()

        assert visitor.pending() == [before]
        assert visitor.view()["status"] == "interrupted"
        assert visitor.log()[-1] == paused[-1]
        answer = visitor.decide(approved=True, interrupt_id=before["interrupt_id"])
        assert answer.status_code == 200, answer.text
        assert answer.json()["answer"] == "It has been passed on."
        assert visitor.messages_recorded() == 1
        assert text_of(visitor.log()).endswith("It has been passed on.")
        assert visitor.view()["status"] == "idle"
        assert len(backend.requests) == 2


def test_a_killed_answer_is_taken_back_and_given_again(tmp_path: Path) -> None:
    """Killed in the middle of an answer: after the restart the half is retracted and the whole follows, unasked."""
    gate = Gate()
    half = Reply([delta(content="She was born in 1815. And "), gate])
    with (
        ChatBackend(half, says("She was born in 1815. In London.")) as backend,
        server(tmp_path, **settings(backend)) as running,
    ):
        visitor = Guest(running, "half")
        hearing = visitor.hear("When and where was she born?")
        seen = next(event for event in hearing if event["type"] == "text")
        until("the first text is saved", lambda: text_of(visitor_log_now(visitor)) != "")

        running.kill()
        rest = list(hearing)
        running.start()

        until("the run is driven to its end", lambda: visitor.view()["status"] == "idle")
        log = visitor.log()
        [retract] = of_type(log, "retract")
        assert retract["from_seq"] == seen["seq"]
        after = [e for e in log if e["seq"] > retract["from_seq"] and e["type"] == "text"]
        assert text_of(after[-2:]) == "She was born in 1815. In London."
        assert log[-1]["type"] == "done"
        assert len(of_type(log, "done")) == 1
        assert all(a["seq"] < b["seq"] for a, b in pairwise(log))
        assert not any(e["type"] == "done" for e in rest)
        assert [m["content"] for m in visitor.view()["messages"]] == [
            "When and where was she born?",
            "She was born in 1815. In London.",
        ]
        gate.open()


def test_a_decision_survives_kill_minus_nine(tmp_path: Path) -> None:
    """Killed after the yes was recorded and the tool had run: the closing answer still comes, the tool runs once."""
    gate = Gate()
    never_ends = Reply([delta(content="It has "), gate])
    with (
        ChatBackend(asks_for_a_message(), never_ends, says("It has been passed on.")) as backend,
        server(tmp_path, **settings(backend)) as running,
    ):
        visitor = Guest(running, "decided")
        visitor.say("Please pass on: in May?")
        [card] = visitor.pending()
        url = f"{running.url}/api/admin/approvals/decided"
        headers = {"Authorization": f"Bearer {OWNER_TOKEN}", "Prefer": "respond-async"}
        answer = httpx.post(url, json={"approved": True}, headers=headers, timeout=30)
        assert answer.status_code == 202
        until("the closing answer is on its way", lambda: len(backend.requests) == 2)
        assert visitor.messages_recorded() == 1

        running.kill()
        running.start()

        until("the thread comes to rest", lambda: visitor.view()["status"] == "idle")
        assert visitor.messages_recorded() == 1
        assert text_of(visitor.log()).endswith("It has been passed on.")
        again = visitor.decide(approved=True, interrupt_id=card["interrupt_id"])
        assert again.status_code == 409
        gate.open()


def visitor_log_now(visitor: Guest) -> list[Event]:
    """What is saved of the log while a run is active."""
    url = f"{visitor.server.url}/api/threads/{visitor.thread_id}/events"
    with httpx.stream("GET", url, headers=visitor.headers, timeout=10) as answer:
        found = []
        for event in streamed(answer):
            found.append(event)
            if event["type"] == "text":
                break
        return found
