"""The process dies at every named place between two steps, on the turn and on the resume; another one goes on.

What must hold afterwards, wherever it was: no pause and no decision is lost, the card is charged at most once, and
what is not known is said to be in doubt.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import psycopg
import pytest

from tests.chaos.charging import charges
from tests.fakes.chat_backend import DONE, ChatBackend, Reply, delta, fragment, says
from tests.fakes.hook import SECRET, Hook
from tests.support.server import Guest, Server, until, visitor_token
from tests.support.twin import of_type, text_of

pytestmark = [pytest.mark.chaos, pytest.mark.postgres]

CALL = Reply(
    [fragment(0, '{"amount_cents": 500}', id="c", name="charge"), delta(finish="tool_calls"), DONE]
)
CLOSING = says("That is settled.")


@contextmanager
def doomed(
    folder: Path, url: str, place: str, *replies: Reply, hook: Hook | None = None
) -> Iterator[tuple[Server, Guest]]:
    """A server that will die there; `start` it again without DIE_AT and it lives. The hook is told of questions."""
    told = {"WEBHOOK_URL": hook.url, "WEBHOOK_SECRET": SECRET} if hook else {}
    with ChatBackend(*replies) as backend:
        running = Server(
            folder,
            {
                "DATABASE_URL": url,
                "MODEL_BASE_URL": backend.base_url,
                "MODEL_NAME": "fake",
                "LEASE_S": "1",
                "VERIFY": "off",  # what the answers say is not what this is about
                "DIE_AT": place,
                "PUBLIC_URL": "https://twin.example",
                **told,
            },
            program=("tests.chaos.doomed",),
        )
        try:
            running.start()
            visitor = Guest(running, "doomed")
            visitor.token = visitor_token()
            yield running, visitor
            running.stop()
        finally:
            if running.process and running.process.poll() is None:
                running.kill()


def come_back(running: Server) -> None:
    """The process is dead; start another one that lives."""
    running.wait_for_death()
    running.environment.pop("DIE_AT")
    running.start()


def try_to_decide(visitor: Guest, interrupt_id: str) -> None:
    """The owner's yes, on a connection that dies with the server."""
    try:
        visitor.decide(approved=True, interrupt_id=interrupt_id)
    except httpx.TransportError:
        return


@pytest.mark.parametrize(
    "place", ["start.saved:1", "drive.begin:1", "drive.paused:1", "drive.settled:1"]
)
def test_a_turn_is_driven_on_to_its_pause(tmp_path: Path, postgres_url: str, place: str) -> None:
    """Whatever the turn had reached: the question is listed once, nothing ran, and a yes charges once."""
    with doomed(tmp_path, postgres_url, place, *[CALL] * 2, CLOSING) as (running, visitor):
        list(visitor.hear("Charge me."))
        come_back(running)

        [card] = until("the question is listed", visitor.pending)
        assert charges(tmp_path) == []
        until("the thread waits", lambda: visitor.view()["status"] == "interrupted")
        log = visitor.log()
        assert len(of_type(log, "interrupt")) == 1
        assert [e["type"] for e in log[-3:]] == ["text", "approval", "done"]
        visitor.decide(approved=True, interrupt_id=card["interrupt_id"])
        assert len(charges(tmp_path)) == 1


def test_a_turn_that_was_not_saved_was_not_accepted(tmp_path: Path, postgres_url: str) -> None:
    """Died with the thread claimed and nothing written: the thread is free again, and empty."""
    with doomed(tmp_path, postgres_url, "start.claimed:1", says("Hello.")) as (running, visitor):
        assert list(visitor.hear("Hi")) == []
        come_back(running)

        assert text_of(visitor.say("Hi")) == "Hello."
        assert len(visitor.view()["messages"]) == 2


@pytest.mark.parametrize(
    ("place", "charged", "effect"),
    [
        ("settle.recorded:1", 1, "done"),
        ("drive.begin:2", 1, "done"),
        ("effect.begin:1", 1, "done"),
        ("effect.started:1", 0, "in_doubt"),
        ("effect.ran:1", 1, "in_doubt"),
        ("effect.finished:1", 1, "done"),
        ("drive.ended:1", 1, "done"),
        ("drive.settled:2", 1, "done"),
    ],
)
def test_a_recorded_yes_is_gone_on_with(
    tmp_path: Path, postgres_url: str, place: str, charged: int, effect: str
) -> None:
    """At most one charge; where it can't be known whether there was one, the ledger says so and nothing is repeated."""
    with doomed(tmp_path, postgres_url, place, CALL, CLOSING, CLOSING) as (running, visitor):
        visitor.say("Charge me.")
        [card] = visitor.pending()
        try_to_decide(visitor, card["interrupt_id"])
        come_back(running)

        until("the thread comes to rest", lambda: visitor.view()["status"] == "idle")
        assert len(charges(tmp_path)) == charged
        assert ledger(postgres_url) == [effect]
        assert visitor.pending() == []
        log = visitor.log()
        assert log[-1]["type"] == "done"
        assert shown(log).endswith("That is settled.")
        assert len(of_type(log, "approval")) == 2
        again = visitor.decide(approved=True, interrupt_id=card["interrupt_id"])
        assert again.status_code == 409
        assert len(charges(tmp_path)) == charged


def test_an_unrecorded_yes_leaves_the_question_open(tmp_path: Path, postgres_url: str) -> None:
    """Died before the decision was written: nothing ran, and the owner is asked still."""
    with doomed(tmp_path, postgres_url, "settle.claimed:1", CALL, CLOSING) as (running, visitor):
        visitor.say("Charge me.")
        [card] = visitor.pending()
        try_to_decide(visitor, card["interrupt_id"])
        come_back(running)

        assert visitor.pending() == [card]
        assert charges(tmp_path) == []
        answer = visitor.decide(approved=True, interrupt_id=card["interrupt_id"])
        assert answer.status_code == 200, answer.text
        assert len(charges(tmp_path)) == 1


def ledger(url: str) -> list[str]:
    """The status of every effect in the database."""
    with psycopg.connect(url) as connection:
        return [row[0] for row in connection.execute("SELECT status FROM effects")]


def shown(log: list[dict[str, object]]) -> str:
    """What a page shows after the log, retractions carried out."""
    kept: list[dict[str, object]] = []
    for event in log:
        if event["type"] == "retract":
            since = event["from_seq"]
            kept = [e for e in kept if e["seq"] < since]  # type: ignore[operator]
        elif event["type"] == "text":
            kept.append(event)
    return "".join(str(e["text"]) for e in kept)
