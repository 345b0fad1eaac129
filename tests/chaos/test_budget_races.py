"""The daily budget while some settle and others reserve, and wherever a process dies or stands still."""

import signal
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from threading import Event as Flag

import httpx
import pytest

from tests.chaos.budgets import CENT, day, flags, holding, within
from tests.chaos.obedient import open_up, times_reached
from tests.chaos.replicas import Facts, Visitor, at_once, is_frozen, read_as_a_page, replicas
from tests.support.server import Server, until

pytestmark = [pytest.mark.chaos, pytest.mark.postgres]


def test_the_cap_holds_while_some_settle_and_others_reserve(
    tmp_path: Path, postgres_url: str
) -> None:
    """Four cents held back for a cent's worth: looked at all the while, reserved and charged together never pass the cap."""
    with (
        replicas(
            tmp_path, *[postgres_url] * 2, **within(cents=20, dearest=4, LEASE_S="60")
        ) as pair,
        closing(Facts(postgres_url, tmp_path)) as watching,
    ):
        most: list[int] = []
        over = Flag()

        def watch() -> None:
            while not over.is_set():
                most.append(sum(day(watching)))
                over.wait(0.005)

        with ThreadPoolExecutor(1) as watcher:
            looking = watcher.submit(watch)
            heard = at_once(
                *[
                    lambda n=n: pair.visitor().say("hello", pair.servers[n % 2])  # type: ignore[misc]
                    for n in range(50)
                ]
            )
            told = Counter(flags(events) for events in heard)
            while (last := flags(pair.visitor().say("hello"))) == "answered":
                told[last] += 1
            over.set()
            looking.result()

        assert max(most) <= 20 * CENT
        # With sixteen spent there is room for one more of four; with seventeen there is none.
        assert day(pair.facts) == (0, 17 * CENT)
        assert told["answered"] == 17
        assert set(told) == {"answered", "refused input:budget"}
        print(
            f"\nlooked {len(most)} times; most reserved and charged: {max(most) / CENT:g} of 20 cents"
        )


def test_a_process_that_stood_still_charges_nothing_twice(
    tmp_path: Path, postgres_url: str
) -> None:
    """Another one released what it had reserved, and paid for the answer; when it wakes there is nothing left to settle."""
    with replicas(tmp_path, *[postgres_url] * 2, **within(cents=1, dearest=1)) as pair:
        here, there = pair.servers
        with holding(pair, here) as (visitor, held):
            here.signal(signal.SIGSTOP)
            until("it stands still", lambda: is_frozen(here))
            until("it is asked again there", lambda: times_reached(tmp_path, held) == 2)
            open_up(tmp_path, held)
            pair.facts.comes_to_rest(visitor.thread_id)
            here.signal(signal.SIGCONT)
            until("the late one has noticed", lambda: "run.lease_lost" in here.log)

        assert read_as_a_page(visitor.log(there)) == "Before it. After it."
        assert day(pair.facts) == (0, CENT)


@pytest.mark.parametrize("place", ["model.reserved:1", "model.ended:1", "drive.ended:1"])
def test_wherever_it_dies_nothing_stays_reserved(
    tmp_path: Path, postgres_url: str, place: str
) -> None:
    """Before the call, after it, and when it was settled: there is money for one call, and one is what is charged."""
    settings = within(cents=1, dearest=1, LEASE_S="1", DATABASE_URL=postgres_url, VERIFY="off")
    running = Server(
        tmp_path,
        settings | {"CHAOS_FOLDER": str(tmp_path), "DIE_AT": place},
        program=("tests.chaos.doomed",),
    )
    with closing(Facts(postgres_url, tmp_path)) as facts, httpx.Client(timeout=60) as client:
        try:
            running.start()
            visitor = Visitor(client, running, "doomed")
            list(visitor.hear("hello"))
            running.wait_for_death()
            del running.environment["DIE_AT"]
            running.start()
            facts.comes_to_rest("doomed")

            assert read_as_a_page(visitor.log()) == "You said hello."
            assert day(facts) == (0, CENT)
            assert facts.rows("SELECT count(*) FROM budget_reservations") == [(0,)]
            assert facts.rows("SELECT cost_usd FROM runs") == [(0.01,)]
        finally:
            running.stop()
