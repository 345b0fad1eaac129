"""The main scenarios through a real PgBouncer in transaction mode: with a direct URL for the bell, and without."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.runs.follow import POLL_S
from tests.chaos.obedient import open_up, times_reached
from tests.chaos.replicas import (
    Replicas,
    assert_one_story,
    at_once,
    read_as_a_page,
    replicas,
)
from tests.support.pgbouncer import INSTALLED, MISSING, pgbouncer
from tests.support.server import Server, until
from tests.support.twin import Event, of_type

pytestmark = [
    pytest.mark.chaos,
    pytest.mark.postgres,
    pytest.mark.skipif(not INSTALLED, reason=MISSING),
]


@pytest.fixture(scope="module")
def bouncer(tmp_path_factory: pytest.TempPathFactory, module_database: str) -> Iterator[str]:
    """A URL that goes through PgBouncer, with fewer server connections than the replicas have clients."""
    with pgbouncer(tmp_path_factory.mktemp("bouncer"), module_database) as through:
        yield through.url(module_database)


@pytest.fixture(scope="module")
def pair(
    tmp_path_factory: pytest.TempPathFactory, bouncer: str, module_database: str
) -> Iterator[Replicas]:
    """Two replicas; facts come from the database itself."""
    folder = tmp_path_factory.mktemp("through")
    with replicas(folder, bouncer, bouncer, DATABASE_DIRECT_URL=module_database) as running:
        running.facts.url = module_database
        yield running


def test_a_turn_a_pause_and_a_yes(pair: Replicas) -> None:
    """Answered, asked, approved on the other replica, charged once, and told."""
    here, there = pair.servers
    visitor = pair.visitor()
    assert read_as_a_page(visitor.say("hello", here)) == "You said hello."
    question = visitor.ask_for_a_charge(500, here)
    answer = visitor.decide(there, approved=True, interrupt_id=question, note="Fine.")
    assert answer.status_code == 200, answer.text
    assert answer.json()["answer"] == "I was told: charged"
    assert visitor.decide(here, approved=True, interrupt_id=question).status_code == 409
    assert pair.facts.effects(visitor.thread_id) == ["done"]
    assert pair.facts.charged(visitor.thread_id) == 1
    assert visitor.log(here) == visitor.log(there)
    assert_one_story(visitor.log())


def test_a_no_and_a_withdrawal_run_nothing(pair: Replicas) -> None:
    """Each is told to the model, and nothing is charged."""
    visitor = pair.visitor()
    question = visitor.ask_for_a_charge(501)
    assert visitor.decide(approved=False, interrupt_id=question).status_code == 200
    question = visitor.ask_for_a_charge(502)
    assert visitor.withdraw(question, pair.servers[1]).status_code == 200
    pair.facts.comes_to_rest(visitor.thread_id)
    assert pair.facts.approvals(visitor.thread_id) == ["rejected", "withdrawn"]
    assert pair.facts.effects(visitor.thread_id) == []


def test_a_turn_beside_a_pause(pair: Replicas) -> None:
    """The chat lives on, and the pause stays what it was."""
    visitor = pair.visitor()
    question = visitor.ask_for_a_charge(503)
    assert read_as_a_page(visitor.say("meanwhile", pair.servers[1])) == "You said meanwhile."
    [card] = visitor.pending()
    assert card["interrupt_id"] == question
    assert visitor.decide(approved=True).status_code == 200
    assert pair.facts.charged(visitor.thread_id) == 1


def test_twenty_decisions_at_once(pair: Replicas) -> None:
    """With more clients than server connections: one counts."""
    visitor = pair.visitor()
    question = visitor.ask_for_a_charge(504)
    answers = at_once(
        *[
            lambda at=pair.servers[n % 2]: visitor.decide(at, approved=True, interrupt_id=question)
            for n in range(20)
        ]
    )
    assert sorted(a.status_code for a in answers) == [200] + [409] * 19
    assert pair.facts.charged(visitor.thread_id) == 1


def test_cancel_and_forget(pair: Replicas) -> None:
    """A run elsewhere is stopped, and a thread leaves nothing behind."""
    here, there = pair.servers
    visitor = pair.visitor()
    stream = visitor.hear(f"hold bounced-{visitor.thread_id}", here)
    heard = [next(event for event in stream if event["type"] == "text")]
    assert visitor.cancel(there)
    heard += list(stream)
    assert [e["outcome"] for e in of_type(heard, "meta")] == ["cancelled"]
    assert visitor._thread("DELETE", "", there).status_code == 204
    for table in ("threads", "events", "runs", "turns", "checkpoints", "checkpoint_blobs"):
        column = "id" if table == "threads" else "thread_id"
        sql = f"SELECT 1 FROM {table} WHERE {column} = %s"
        assert not pair.facts.rows(sql, visitor.thread_id), table


def test_a_killed_replica_is_taken_over(pair: Replicas) -> None:
    """The lease is a row, and rows work through a pooler."""
    here, _ = pair.servers
    visitor = pair.visitor()
    held = f"bounced-{visitor.thread_id}"
    stream = visitor.hear(f"hold {held}", here)
    next(event for event in stream if event["type"] == "text")
    here.kill()
    list(stream)
    until("the other one is in the middle of it", lambda: times_reached(pair.folder, held) == 2)
    open_up(pair.folder, held)
    pair.facts.comes_to_rest(visitor.thread_id)
    here.start()
    assert read_as_a_page(visitor.log(here)) == "Before it. After it."


def delays(pair: Replicas, here: Server, there: Server) -> list[float]:
    """How long after they were shown here the events of a run are seen there, in seconds."""
    visitor = pair.visitor()
    visitor.say("hello", here)
    before = len(visitor.log(here))
    seen: dict[str, list[tuple[float, Event]]] = {here.url: [], there.url: []}

    def watch(at: Server) -> None:
        for event in visitor.follow(at):
            seen[at.url].append((time.monotonic(), event))
            if len(of_type([e for _, e in seen[at.url]], "done")) == 2:
                return

    def speak() -> None:
        until("both follow", lambda: all(len(events) >= before for events in seen.values()))
        visitor.say("count 20", here)

    at_once(lambda: watch(here), lambda: watch(there), speak)
    assert [e for _, e in seen[here.url]] == [e for _, e in seen[there.url]]
    pairs = zip(seen[here.url][before:], seen[there.url][before:], strict=True)
    return [there - here for (here, _), (there, _) in pairs]


def test_the_bell_rings_on_its_direct_url(pair: Replicas) -> None:
    """Events reach the other replica at once."""
    late = delays(pair, *pair.servers)
    print(f"\nwith a direct URL: {1000 * max(late):.0f} ms at most")
    assert max(late) < POLL_S / 2


def test_without_a_direct_url_the_poll_carries_it(
    tmp_path: Path, bouncer: str, module_database: str
) -> None:
    """The bell is dead behind a pooler: events still arrive, in order and once, a poll later."""
    with replicas(tmp_path, bouncer, bouncer) as pair:
        pair.facts.url = module_database
        late = delays(pair, *pair.servers)
        print(
            f"\nwithout a direct URL: {max(late):.1f} s at most; the poll is every {POLL_S:.0f} s"
        )
        assert max(late) < POLL_S + 2
        visitor = pair.visitor()
        question = visitor.ask_for_a_charge(505, pair.servers[0])
        began = time.monotonic()
        answer = visitor.decide(pair.servers[1], approved=True, interrupt_id=question)
        assert answer.status_code == 200
        assert time.monotonic() - began < POLL_S
        assert pair.facts.charged(visitor.thread_id) == 1
