"""The process that holds a thread stops for longer than its lease, another one takes over, and then it wakes up.

Whatever it still does is refused: events, approvals, effects, the checkpoint. The thread tells one story.
"""

import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.chaos.obedient import open_up, times_reached
from tests.chaos.replicas import (
    Replicas,
    Visitor,
    assert_one_story,
    is_frozen,
    locked,
    read_as_a_page,
    replicas,
)
from tests.support.server import Server, until
from tests.support.twin import of_type

pytestmark = [pytest.mark.chaos, pytest.mark.postgres]


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory, module_database: str) -> Iterator[Replicas]:
    """Two replicas that don't wait long for each other."""
    folder = tmp_path_factory.mktemp("frozen")
    with replicas(folder, module_database, module_database, LEASE_S="1") as running:
        yield running


def freeze(running: Server) -> None:
    """SIGSTOP, and it has stopped."""
    running.signal(signal.SIGSTOP)
    until("it has stopped", lambda: is_frozen(running))


def taken_over(pair: Replicas, visitor: Visitor, fence: int) -> None:
    """Somebody else holds the thread, or held it since."""
    until("another one takes over", lambda: pair.facts.thread(visitor.thread_id)["fence"] > fence)


def wake(pair: Replicas, running: Server) -> None:
    """SIGCONT, and it answers again."""
    running.signal(signal.SIGCONT)
    until("it answers", lambda: pair.client.get(f"{running.url}/readyz").status_code == 200)


@pytest.mark.parametrize("opened", ["before it wakes", "after it woke"])
def test_frozen_in_the_middle_of_an_answer(pair: Replicas, opened: str) -> None:
    """The other one takes half the answer back and gives it whole; the late half changes nothing."""
    here, there = pair.servers
    visitor = pair.visitor()
    held = f"answer-{visitor.thread_id}"
    with ThreadPoolExecutor(1) as pool:
        hearing = pool.submit(lambda: list(visitor.hear(f"hold {held}", here)))
        until("half is saved", lambda: of_type(pair.facts.log(visitor.thread_id), "text"))
        fence = pair.facts.thread(visitor.thread_id)["fence"]
        freeze(here)
        try:
            taken_over(pair, visitor, fence)
            until(
                "the other one is in the middle too", lambda: times_reached(pair.folder, held) == 2
            )
            if opened == "before it wakes":
                open_up(pair.folder, held)
                pair.facts.comes_to_rest(visitor.thread_id)
        finally:
            wake(pair, here)
        open_up(pair.folder, held)
        heard = hearing.result()

    pair.facts.comes_to_rest(visitor.thread_id)
    until("the late one has noticed", lambda: "run.lease_lost" in here.log)
    log = visitor.log(there)
    assert_one_story(log)
    assert len(of_type(log, "retract")) == 1
    assert read_as_a_page(log) == read_as_a_page(heard) == "Before it. After it."
    assert pair.facts.runs(visitor.thread_id) == ["success"]
    assert [m["content"] for m in visitor.view(here)["messages"]] == [
        f"hold {held}",
        "Before it. After it.",
    ]
    assert read_as_a_page(visitor.say("and now", here)) == "You said and now."


@pytest.mark.parametrize("opened", ["before it wakes", "after it woke"])
def test_frozen_in_the_middle_of_a_tool(pair: Replicas, opened: str) -> None:
    """The charge was made, and nobody can know: in doubt, not repeated; the late word on it is refused."""
    here, there = pair.servers
    visitor = pair.visitor()
    amount = 1000 if opened == "before it wakes" else 1001
    question = visitor.ask_for_a_charge(amount, here, tool="charge_slowly")
    with ThreadPoolExecutor(1) as pool:
        deciding = pool.submit(lambda: visitor.decide(here, approved=True, interrupt_id=question))
        until("the tool is at work", lambda: times_reached(pair.folder, str(amount)))
        fence = pair.facts.thread(visitor.thread_id)["fence"]
        freeze(here)
        try:
            taken_over(pair, visitor, fence)
            pair.facts.comes_to_rest(visitor.thread_id)
            if opened == "before it wakes":
                open_up(pair.folder, str(amount))
        finally:
            wake(pair, here)
        open_up(pair.folder, str(amount))
        assert deciding.result().json()["status"] == "approved"

    assert times_reached(pair.folder, str(amount)) == 1
    assert pair.facts.charged(visitor.thread_id) == 1
    assert pair.facts.effects(visitor.thread_id) == ["in_doubt"]
    assert pair.facts.approvals(visitor.thread_id) == ["approved"]
    log = visitor.log(here)
    assert_one_story(log)
    assert log == visitor.log(there) == pair.facts.log(visitor.thread_id)
    assert len(of_type(log, "approval")) == 2
    [result] = pair.facts.tool_results(visitor.thread_id)
    assert not result.startswith("charged")
    assert read_as_a_page(visitor.say("and now", here)) == "You said and now."


@pytest.mark.parametrize(
    ("place", "charged", "effect"),
    [
        ("settle.recorded", 1, "done"),
        ("drive.begin", 1, "done"),
        ("effect.begin", 1, "done"),
        ("effect.started", 1, "in_doubt"),
        ("effect.ran", 1, "in_doubt"),
        ("effect.finished", 1, "done"),
        ("drive.ended", 1, "done"),
        ("drive.settled", 1, "done"),
    ],
)
def test_frozen_between_two_steps_of_a_resume(
    pair: Replicas, place: str, charged: int, effect: str
) -> None:
    """At every named place: one charge, one ending, and the ledger says what can be known."""
    visitor = pair.visitor()
    question = visitor.ask_for_a_charge(500, pair.servers[0])
    pair.freeze_at(place)
    with ThreadPoolExecutor(1) as pool:
        deciding = pool.submit(
            lambda: visitor.decide(pair.servers[0], approved=True, interrupt_id=question)
        )
        until("one has stopped there", lambda: any(map(is_frozen, pair.servers)))
        [frozen] = filter(is_frozen, pair.servers)
        try:
            pair.facts.comes_to_rest(visitor.thread_id)
        finally:
            wake(pair, frozen)
        answer = deciding.result()

    assert answer.status_code == 200, answer.text
    pair.facts.comes_to_rest(visitor.thread_id)
    until("what the late one still did is there", lambda: pair.facts.charged(visitor.thread_id))
    assert pair.facts.charged(visitor.thread_id) == charged
    assert pair.facts.effects(visitor.thread_id) == [effect]
    log = visitor.log(pair.servers[0])
    assert_one_story(log)
    assert len(of_type(log, "approval")) == 2
    assert read_as_a_page(log).count("I was told: ") == 1
    assert len(pair.facts.tool_results(visitor.thread_id)) == 1
    assert read_as_a_page(visitor.say("and now")) == "You said and now."


@pytest.mark.parametrize("place", ["start.saved", "drive.begin", "drive.paused", "drive.settled"])
def test_frozen_between_two_steps_of_a_turn(pair: Replicas, place: str) -> None:
    """At every named place: one question, listed once, that can be decided once."""
    visitor = pair.visitor()
    pair.freeze_at(place)
    with ThreadPoolExecutor(1) as pool:
        hearing = pool.submit(lambda: list(visitor.hear("charge 500", pair.servers[0])))
        until("one has stopped there", lambda: any(map(is_frozen, pair.servers)))
        [frozen] = filter(is_frozen, pair.servers)
        try:
            pair.facts.comes_to_rest(visitor.thread_id, "interrupted")
        finally:
            wake(pair, frozen)
        hearing.result()

    [card] = visitor.pending()
    assert pair.facts.approvals(visitor.thread_id) == ["pending"]
    assert pair.facts.effects(visitor.thread_id) == []
    answer = visitor.decide(approved=True, interrupt_id=card["interrupt_id"])
    assert answer.status_code == 200, answer.text
    assert pair.facts.charged(visitor.thread_id) == 1
    assert_one_story(visitor.log())


def test_frozen_before_anything_was_written(pair: Replicas) -> None:
    """With the thread claimed and no more: it is told that somebody else has it, and nothing happened."""
    here, there = pair.servers
    visitor = pair.visitor()
    visitor.say("hello", here)
    for place, ask in (
        ("start.claimed", lambda: visitor.try_to_say("charge 500", here)),
        ("settle.claimed", lambda: visitor.decide(here, approved=True)),
    ):
        pair.freeze_at(place)
        with ThreadPoolExecutor(1) as pool:
            asking = pool.submit(ask)
            until("it has stopped there", lambda: is_frozen(here))
            try:
                until(
                    "the thread is free", lambda: not pair.facts.thread(visitor.thread_id)["holder"]
                )
            finally:
                wake(pair, here)
            answer = asking.result()
        assert (answer.status_code, answer.json()["code"]) == (409, "thread_busy"), answer.text
        if place == "start.claimed":
            assert pair.facts.runs(visitor.thread_id) == ["success"]
            visitor.ask_for_a_charge(500, there)
    assert pair.facts.approvals(visitor.thread_id) == ["pending"]
    assert pair.facts.effects(visitor.thread_id) == []
    assert visitor.decide(here, approved=True).status_code == 200
    assert pair.facts.charged(visitor.thread_id) == 1


def test_frozen_inside_a_transaction(pair: Replicas) -> None:
    """It holds the thread's row locked while it sleeps. The lock goes with its patience, not with its sleep."""
    here, _ = pair.servers
    visitor = pair.visitor()
    visitor.say("hello")
    held = f"transaction-{visitor.thread_id}"
    with ThreadPoolExecutor(1) as pool:
        hearing = pool.submit(lambda: list(visitor.hear(f"hold {held}", here)))
        until("half is saved", lambda: len(of_type(pair.facts.log(visitor.thread_id), "text")) == 2)
        fence = pair.facts.thread(visitor.thread_id)["fence"]
        with locked(pair.url, "LOCK TABLE events IN EXCLUSIVE MODE"):
            open_up(pair.folder, held)
            until("it waits inside its transaction", lambda: waits_for_a_lock(pair))
            freeze(here)
        began = time.monotonic()
        try:
            taken_over(pair, visitor, fence)
            pair.facts.comes_to_rest(visitor.thread_id)
            print(f"\ntaken over after {time.monotonic() - began:.1f} s")
        finally:
            wake(pair, here)
        hearing.result()
    assert_one_story(visitor.log())
    assert read_as_a_page(visitor.log()).endswith("Before it. After it.")


def waits_for_a_lock(pair: Replicas) -> bool:
    """Whether a transaction in this database waits to add events."""
    return bool(
        pair.facts.rows(
            "SELECT 1 FROM pg_stat_activity WHERE datname = current_database()"
            " AND wait_event_type = 'Lock' AND query ILIKE 'INSERT INTO events%%'"
        )
    )


def test_a_late_run_does_not_disturb_the_next_one_on_the_same_thread(pair: Replicas) -> None:
    """The one that woke up is still waiting for its tool when the thread's next run begins beside it."""
    here, _ = pair.servers
    visitor = pair.visitor()
    question = visitor.ask_for_a_charge(1002, here, tool="charge_slowly")
    held = f"next-{visitor.thread_id}"
    with ThreadPoolExecutor(2) as pool:
        deciding = pool.submit(lambda: visitor.decide(here, approved=True, interrupt_id=question))
        until("the tool is at work", lambda: times_reached(pair.folder, "1002"))
        fence = pair.facts.thread(visitor.thread_id)["fence"]
        freeze(here)
        try:
            taken_over(pair, visitor, fence)
            pair.facts.comes_to_rest(visitor.thread_id)
        finally:
            wake(pair, here)
        hearing = pool.submit(lambda: list(visitor.hear(f"hold {held}", here)))
        until("the next run is in the middle", lambda: times_reached(pair.folder, held))
        open_up(pair.folder, "1002")
        assert deciding.result().json()["status"] == "approved"
        open_up(pair.folder, held)
        heard = hearing.result()

    assert read_as_a_page(heard) == "Before it. After it."
    assert [e["outcome"] for e in of_type(heard, "meta")] == ["answered"]
    assert pair.facts.runs(visitor.thread_id) == ["interrupted", "success", "success"]
    assert_one_story(visitor.log())


def test_a_tool_slower_than_the_lease_keeps_it(pair: Replicas) -> None:
    """The lease is renewed while the tool works: one execution, and nobody takes over."""
    visitor = pair.visitor()
    question = visitor.ask_for_a_charge(1003, tool="charge_slowly")
    with ThreadPoolExecutor(1) as pool:
        deciding = pool.submit(lambda: visitor.decide(approved=True, interrupt_id=question))
        until("the tool is at work", lambda: times_reached(pair.folder, "1003"))
        before = pair.facts.thread(visitor.thread_id)
        until(
            "three leases have passed",
            lambda: (
                (
                    pair.facts.thread(visitor.thread_id)["lease_until"] - before["lease_until"]
                ).total_seconds()
                > 3
            ),
        )
        assert pair.facts.thread(visitor.thread_id)["fence"] == before["fence"]
        open_up(pair.folder, "1003")
        answer = deciding.result()

    assert answer.json()["answer"] == "I was told: charged"
    assert times_reached(pair.folder, "1003") == 1
    assert pair.facts.charged(visitor.thread_id) == 1
    assert pair.facts.effects(visitor.thread_id) == ["done"]


@pytest.fixture
def alone(tmp_path: Path, postgres_url: str) -> Iterator[Replicas]:
    """One process, and nobody who could take over."""
    with replicas(tmp_path, postgres_url, LEASE_S="1") as running:
        yield running


def test_a_process_that_slept_past_its_lease_with_nobody_else_around(alone: Replicas) -> None:
    """A laptop that was closed: it may take over from itself, and must not trip over itself."""
    [only] = alone.servers
    for number in range(6):
        visitor = alone.visitor()
        held = f"alone-{number}"
        with ThreadPoolExecutor(1) as pool:
            hearing = pool.submit(lambda v=visitor, h=held: list(v.hear(f"hold {h}")))
            until("it is in the middle", lambda h=held: times_reached(alone.folder, h))
            freeze(only)
            until(
                "its lease has run out",
                lambda v=visitor: alone.facts.rows(
                    "SELECT 1 FROM threads WHERE id = %s AND lease_until < now()", v.thread_id
                ),
            )
            wake(alone, only)
            open_up(alone.folder, held)
            hearing.result()
        alone.facts.comes_to_rest(visitor.thread_id)
        log = visitor.log()
        assert_one_story(log)
        assert read_as_a_page(log) == "Before it. After it."
        assert alone.facts.runs(visitor.thread_id) == ["success"]
        assert read_as_a_page(visitor.say("and now")) == "You said and now."
