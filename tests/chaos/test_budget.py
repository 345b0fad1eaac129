"""The daily budget, with real processes: fifty turns at once near the cap, and one that dies with money reserved."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.chaos.budgets import CENT, day, flags, holding, within
from tests.chaos.obedient import open_up, times_reached
from tests.chaos.replicas import read_as_a_page, replicas
from tests.support.server import until

pytestmark = [pytest.mark.chaos, pytest.mark.postgres]


def test_of_fifty_calls_at_once_as_many_are_made_as_can_be_paid(
    tmp_path: Path, postgres_url: str
) -> None:
    """Twenty cents, a cent a call, fifty turns on two replicas: twenty are answered, thirty refused, to the nano-dollar."""
    with replicas(
        tmp_path, *[postgres_url] * 2, **within(cents=20, dearest=1, LEASE_S="60")
    ) as pair:
        visitors = [pair.visitor() for _ in range(50)]
        with ThreadPoolExecutor(50) as pool:
            turns = [
                pool.submit(visitor.say, "wait together", pair.servers[n % 2])
                for n, visitor in enumerate(visitors)
            ]
            until("thirty are refused", lambda: sum(turn.done() for turn in turns) == 30)
            until("twenty wait", lambda: times_reached(tmp_path, "together") == 20)
            assert day(pair.facts) == (20 * CENT, 0)
            open_up(tmp_path, "together")
            told = Counter(flags(turn.result()) for turn in turns)

        assert told == {"answered": 20, "refused input:budget": 30}
        assert times_reached(tmp_path, "together") == 20
        assert day(pair.facts) == (0, 20 * CENT)
        costs = [cost for (cost,) in pair.facts.rows("SELECT cost_usd FROM runs")]
        assert Counter(costs) == {0.01: 20, 0.0: 30}
        assert pair.facts.rows("SELECT count(*) FROM budget_reservations") == [(0,)]


def test_a_killed_runs_row_has_what_its_dead_process_had_paid(
    tmp_path: Path, postgres_url: str
) -> None:
    """Killed in its second call, of a cent each: both are made again, so the row and the day have three, and nothing is held back."""
    with replicas(tmp_path, *[postgres_url] * 2, **within(cents=9, dearest=1)) as pair:
        here, there = pair.servers
        visitor = pair.visitor()
        open_up(tmp_path, "first")
        with ThreadPoolExecutor(1) as pool:
            hearing = pool.submit(lambda: list(visitor.hear("look first second", here)))
            until("it is in its second call", lambda: times_reached(tmp_path, "second") == 1)
            assert day(pair.facts) == (CENT, CENT)
            here.kill()
            until("so is the one that took over", lambda: times_reached(tmp_path, "second") == 2)
            assert day(pair.facts) == (CENT, 2 * CENT)
            open_up(tmp_path, "second")
            hearing.result()
        pair.facts.comes_to_rest(visitor.thread_id)

        assert read_as_a_page(visitor.log(there)) == "Looking. Found it."
        assert day(pair.facts) == (0, 3 * CENT)
        assert pair.facts.rows(
            "SELECT status, cost_usd, input_tokens, output_tokens, model FROM runs WHERE thread_id = %s",
            visitor.thread_id,
        ) == [("success", 0.03, 30, 15, "obedient")]


def test_what_a_killed_run_reserved_is_released(tmp_path: Path, postgres_url: str) -> None:
    """There is money for one call. Its process is killed in the middle: the one that takes over can pay for it again."""
    with replicas(tmp_path, *[postgres_url] * 2, **within(cents=1, dearest=1)) as pair:
        here, there = pair.servers
        with holding(pair, here) as (visitor, held):
            assert flags(pair.visitor().say("hello", there)) == "refused input:budget"

            here.kill()

            until("it is asked again there", lambda: times_reached(tmp_path, held) == 2)
            assert day(pair.facts) == (CENT, 0)
            assert pair.facts.rows("SELECT count(*) FROM budget_reservations") == [(1,)]
        pair.facts.comes_to_rest(visitor.thread_id)

        assert read_as_a_page(visitor.log(there)) == "Before it. After it."
        assert day(pair.facts) == (0, CENT)
        assert pair.facts.rows(
            "SELECT status, cost_usd FROM runs WHERE thread_id = %s", visitor.thread_id
        ) == [("success", 0.01)]
