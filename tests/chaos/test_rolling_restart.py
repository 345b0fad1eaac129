"""Two replicas are replaced one after the other while fifty runs are on their way."""

import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path

import httpx
import pytest

from tests.chaos.obedient import open_up, times_reached
from tests.chaos.replicas import (
    Facts,
    Replicas,
    Visitor,
    assert_one_story,
    read_as_a_page,
    replicas,
    side_by_side,
)
from tests.support.server import Guest, Server, server, until
from tests.support.twin import Event, of_type

pytestmark = [pytest.mark.chaos, pytest.mark.postgres]

RUNS = 50
SENTENCES = 60


def test_fifty_runs_over_a_rolling_restart(tmp_path: Path, postgres_url: str) -> None:
    """All end, none twice, exits are clean, and a reader who reconnects misses and repeats nothing."""
    with replicas(tmp_path, postgres_url, postgres_url) as pair:
        visitors = [pair.visitor() for _ in range(RUNS)]
        with ThreadPoolExecutor(RUNS) as pool:
            reading = [
                pool.submit(read_to_the_end, pair, visitor, number)
                for number, visitor in enumerate(visitors)
            ]
            until(
                "all are on their way",
                lambda: sum(times_reached(pair.folder, f"half{n}") for n in (0, 1)) == RUNS,
            )
            for number, replica in enumerate(pair.servers):
                open_up(pair.folder, f"half{number}")  # its runs go on, with half of it to say
                began = time.monotonic()
                replica.stop()  # asserts a clean exit
                print(f"\nstopped in {time.monotonic() - began:.1f} s")
                replica.start()
            read = [future.result() for future in reading]

        whole = "".join(f"This is {n}. " for n in range(1, SENTENCES + 1)).strip()
        reconnects = 0
        for visitor, (events, times) in zip(visitors, read, strict=True):
            log = visitor.log()
            # What was shown and never saved is taken back; everything else is read once, in order.
            assert [e for e in events if e in log] == log
            assert_one_story(log)
            assert read_as_a_page(log).strip() == read_as_a_page(events).strip() == whole
            assert len(of_type(log, "done")) == 1
            assert pair.facts.runs(visitor.thread_id) == ["success"]
            reconnects += times
        retracted = sum(bool(of_type(events, "retract")) for events, _ in read)
        print(f"{RUNS} runs, {reconnects} reconnects, {retracted} begun again on another replica")


def test_a_run_is_left_where_a_node_ends(tmp_path: Path, postgres_url: str) -> None:
    """Stopped in the first call of two, and the next one killed in the second: each process repeats only what it was cut off in."""
    with replicas(tmp_path, postgres_url, postgres_url) as pair, ThreadPoolExecutor(1) as pool:
        here, there = pair.servers
        visitor = pair.visitor()
        hearing = pool.submit(lambda: list(visitor.hear("look first second", here)))
        until("it is in its first call", lambda: times_reached(tmp_path, "first") == 1)
        here.signal(signal.SIGTERM)
        until("its runs are to leave", lambda: "runs.leaving" in here.log)
        began = time.monotonic()
        open_up(tmp_path, "first")
        here.stop()  # asserts a clean exit
        hearing.result()
        print(f"\ngone {time.monotonic() - began:.1f} s after the node could end")

        until("it goes on there", lambda: times_reached(tmp_path, "second") == 1)
        assert of_type(pair.facts.log(visitor.thread_id), "retract") == []
        there.kill()
        here.start()
        until("and here again", lambda: times_reached(tmp_path, "second") == 2)
        open_up(tmp_path, "second")
        pair.facts.comes_to_rest(visitor.thread_id)

        log = visitor.log(here)
        assert_one_story(log)
        assert read_as_a_page(log) == "Looking. Found it."
        assert times_reached(tmp_path, "first") == 1
        assert pair.facts.rows(
            "SELECT status, input_tokens FROM runs WHERE thread_id = %s", visitor.thread_id
        ) == [("success", 20)]
        there.start()


def test_killed_while_it_leaves(tmp_path: Path, postgres_url: str) -> None:
    """Between its last checkpoint and its word that it leaves: no call is made again, and what it said is said again."""
    place, folder = "drive.left:1", {"CHAOS_FOLDER": str(tmp_path)}
    settings = {"DATABASE_URL": postgres_url, "LEASE_S": "1", "VERIFY": "off", "DIE_AT": place}
    running = Server(tmp_path, settings | folder, program=("tests.chaos.doomed",))
    with (
        closing(Facts(postgres_url, tmp_path)) as facts,
        httpx.Client(timeout=60) as client,
        ThreadPoolExecutor(1) as pool,
    ):
        try:
            running.start()
            visitor = Visitor(client, running, "killed")
            hearing = pool.submit(lambda: list(visitor.hear("look first second")))
            until("it is in its first call", lambda: times_reached(tmp_path, "first") == 1)
            running.signal(signal.SIGTERM)
            until("its runs are to leave", lambda: "runs.leaving" in running.log)
            open_up(tmp_path, "first")
            running.wait_for_death()
            hearing.result()
            del running.environment["DIE_AT"]
            open_up(tmp_path, "second")
            running.start()
            facts.comes_to_rest("killed")

            log = visitor.log()
            assert_one_story(log)
            assert read_as_a_page(log) == "Looking. Found it."
            assert len(of_type(log, "retract")) == 1
            assert times_reached(tmp_path, "first") == times_reached(tmp_path, "second") == 1
            assert facts.rows("SELECT status, input_tokens FROM runs") == [("success", 20)]
        finally:
            running.stop()


def read_to_the_end(pair: Replicas, visitor: Visitor, number: int) -> tuple[list[Event], int]:
    """Everything until `done`, over as many connections as it takes; and how many it took."""
    events: list[Event] = []
    times = 0
    stream = visitor.hear(f"march {SENTENCES} half{number % 2}", pair.servers[number % 2])
    while True:
        for event in stream:
            events.append(event)
            if event["type"] == "done":
                return events, times
        times += 1
        at = pair.servers[(number + times) % 2]
        until("somebody is there", lambda a=at: answers(a))
        stream = safely(visitor, at, events[-1]["seq"] if events else 0)


def safely(visitor: Visitor, at: Server, after: int) -> list[Event]:
    """What one more connection gives, until it is cut or the run is done."""
    got: list[Event] = []
    try:
        for event in visitor.follow(at, after=after):
            got.append(event)
            if event["type"] == "done":
                break
    except httpx.TransportError:
        pass
    return got


def answers(at: Server) -> bool:
    """Whether it is there."""
    try:
        return httpx.get(f"{at.url}/readyz", timeout=5).status_code == 200
    except httpx.TransportError:
        return False


def test_idle_streams_do_not_hold_a_shutdown_up(tmp_path: Path, postgres_url: str) -> None:
    """Five pages that only listen, on `sayso serve`: it is gone soon, cleanly, and they are told so by the end."""
    with (
        server(tmp_path, DATABASE_URL=postgres_url, RATE_LIMIT="off") as running,
        ExitStack() as pages,
    ):
        visitor = Guest(running, "listener")
        visitor.say("Hello?")
        url = f"{running.url}/api/threads/listener/events"
        opened = [
            pages.enter_context(httpx.stream("GET", url, headers=visitor.headers, timeout=60))
            for _ in range(5)
        ]
        lines = [page.iter_lines() for page in opened]
        for page in lines:
            assert next(page).startswith("id: ")
        began = time.monotonic()
        running.stop()
        took = time.monotonic() - began
        ends = side_by_side([lambda page=page: how_it_ends(page) for page in lines])
        print(f"\nshut down in {took:.1f} s with five idle streams; they ended: {set(ends)}")
        assert took < 10


def how_it_ends(lines: object) -> str:
    """`ended` as HTTP wants it, or `cut`."""
    try:
        for _ in lines:  # type: ignore[attr-defined]
            pass
    except httpx.TransportError:
        return "cut"
    return "ended"
