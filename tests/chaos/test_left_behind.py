"""States that only a crash leaves behind, made by hand, and what recovery makes of them."""

from collections.abc import Iterator

import pytest

from tests.chaos.obedient import open_up, times_reached
from tests.chaos.replicas import (
    Replicas,
    Visitor,
    assert_one_story,
    read_as_a_page,
    replicas,
    unsaved,
)
from tests.support.server import until
from tests.support.twin import of_type

pytestmark = [pytest.mark.chaos, pytest.mark.postgres]


@pytest.fixture(scope="module")
def twin(tmp_path_factory: pytest.TempPathFactory, module_database: str) -> Iterator[Replicas]:
    """One process that looks around four times a second."""
    with replicas(tmp_path_factory.mktemp("left"), module_database, LEASE_S="1") as running:
        yield running


def died_after_its_checkpoint(twin: Replicas, visitor: Visitor) -> None:
    """As if the process had been killed with the pause saved and nothing after it written."""
    twin.facts.rows(
        """
        WITH paused AS (DELETE FROM approvals WHERE thread_id = %(id)s RETURNING run_id),
             again AS (UPDATE runs SET status = 'running', ended_at = NULL, outcome = NULL
                       WHERE id IN (SELECT run_id FROM paused) RETURNING id),
             cut AS (DELETE FROM events WHERE thread_id = %(id)s AND first_seq > 1)
        UPDATE threads SET status = 'busy', holder = 'the dead', fence = nextval('fences'),
               lease_until = now() - interval '1 s', active_run = (SELECT id FROM again), last_seq = 1
        WHERE id = %(id)s
        """.replace("%(id)s", f"'{visitor.thread_id}'")
    )


def decided_once(twin: Replicas, visitor: Visitor) -> None:
    """The question is listed once, and a yes charges once."""
    twin.facts.comes_to_rest(visitor.thread_id, "interrupted")
    [card] = until("it is listed", visitor.pending)
    assert twin.facts.approvals(visitor.thread_id) == ["pending"]
    log = visitor.log()
    assert_one_story(log)
    assert len(of_type(log, "interrupt")) == 1
    assert [e["type"] for e in log[-3:]] == ["text", "approval", "done"]
    answer = visitor.decide(approved=True, interrupt_id=card["interrupt_id"])
    assert answer.status_code == 200, answer.text
    assert twin.facts.charged(visitor.thread_id) == 1
    assert twin.facts.effects(visitor.thread_id) == ["done"]
    assert_one_story(visitor.log())


def test_paused_and_not_listed(twin: Replicas) -> None:
    """The checkpoint holds the pause, the owner's list does not: it is listed, once."""
    visitor = twin.visitor()
    visitor.ask_for_a_charge()
    died_after_its_checkpoint(twin, visitor)
    decided_once(twin, visitor)


def test_the_third_state(twin: Replicas) -> None:
    """The checkpoint is saved and the writes of its interrupts are not: it goes on, and asks again, once."""
    visitor = twin.visitor()
    visitor.ask_for_a_charge()
    gone = twin.facts.rows(
        "DELETE FROM checkpoint_writes WHERE thread_id = %s RETURNING channel", visitor.thread_id
    )
    assert ("__interrupt__",) in gone
    died_after_its_checkpoint(twin, visitor)
    decided_once(twin, visitor)


def test_decided_and_not_resumed(twin: Replicas) -> None:
    """A yes is recorded and nobody went on with it: somebody does, unasked, and it charges once."""
    visitor = twin.visitor()
    question = visitor.ask_for_a_charge()
    twin.facts.rows(
        """
        UPDATE approvals SET status = 'approved', decided_by = 'owner', decided_via = 'api',
               decided_at = now(), effective_digest = digest,
               answer = json_build_object('approved', true, 'status', 'approved',
                   'interrupt_id', interrupt_id, 'digest', digest, 'note', null, 'arguments', null)
        WHERE interrupt_id = %s
        """,
        question,
    )
    until("somebody goes on", lambda: twin.facts.effects(visitor.thread_id) == ["done"])
    twin.facts.comes_to_rest(visitor.thread_id)
    assert twin.facts.charged(visitor.thread_id) == 1
    log = visitor.log()
    assert_one_story(log)
    assert read_as_a_page(log).endswith("I was told: charged")
    assert visitor.decide(approved=True, interrupt_id=question).status_code == 409


def test_cancel_when_the_owner_of_the_run_is_dead(twin: Replicas) -> None:
    """The thread is held by a process that is no more; whoever takes over stops instead of going on."""
    [server] = twin.servers
    visitor = twin.visitor()
    held = f"dead-{visitor.thread_id}"
    hearing = visitor.hear(f"hold {held}")
    next(event for event in hearing if event["type"] == "text")
    server.kill()
    list(hearing)
    server.start()
    visitor.cancel()

    twin.facts.comes_to_rest(visitor.thread_id)
    assert twin.facts.runs(visitor.thread_id) == ["cancelled"]
    assert_one_story(visitor.log())
    assert times_reached(twin.folder, held) <= 2
    open_up(twin.folder, held)
    assert read_as_a_page(visitor.say("go on")) == "You said go on."


@pytest.mark.parametrize("taken_before", [False, True])
def test_half_an_answer_that_was_shown_and_never_saved_is_taken_back(
    twin: Replicas, taken_before: bool
) -> None:
    """Killed between showing and saving: the page shows the answer once after it has reconnected."""
    [server] = twin.servers
    visitor = twin.visitor()
    held = f"shown-{visitor.thread_id}"
    hearing = visitor.hear(f"wait {held}")
    read = [next(hearing)]
    until("the model is asked", lambda: times_reached(twin.folder, held))
    with unsaved(twin.url, visitor.thread_id):
        open_up(twin.folder, held)
        read.append(next(hearing))
        assert read[-1]["type"] == "text"
        assert read[-1]["seq"] > twin.facts.thread(visitor.thread_id)["last_seq"]
        server.kill()
    if taken_before:  # by a process that died before it wrote anything
        twin.facts.rows(
            "UPDATE threads SET fence = nextval('fences'), last_seq = last_seq + 1000 WHERE id = %s",
            visitor.thread_id,
        )
    server.start()
    twin.facts.comes_to_rest(visitor.thread_id)
    rest = [e for e in visitor.log() if e["seq"] > read[-1]["seq"]]
    assert read_as_a_page([*read, *rest]) == "First. Second."


def test_a_checkpoint_that_cannot_be_read_does_not_hold_others_up(twin: Replicas) -> None:
    """Its own run ends as failed; the runs of other threads are taken over as ever."""
    broken, sound = twin.visitor(), twin.visitor()
    for visitor in (broken, sound):
        visitor.ask_for_a_charge()
    twin.facts.rows(
        "UPDATE checkpoint_blobs SET type = 'pickle', blob = '\\x00' WHERE thread_id = %s",
        broken.thread_id,
    )
    twin.facts.rows(
        "UPDATE checkpoint_writes SET type = 'pickle', blob = '\\x00' WHERE thread_id = %s",
        broken.thread_id,
    )
    died_after_its_checkpoint(twin, broken)
    died_after_its_checkpoint(twin, sound)
    decided_once(twin, sound)
    twin.facts.comes_to_rest(broken.thread_id, "error", seconds=20)
    assert twin.facts.runs(broken.thread_id) == ["error"]
