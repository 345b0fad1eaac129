"""What the tests of the daily budget share."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from tests.chaos.obedient import open_up, times_reached
from tests.chaos.replicas import Facts, Replicas, Visitor
from tests.support.server import Server, until
from tests.support.twin import Event, of_type

CENT = 10_000_000
"""In nano-dollars. The obedient model reports five output tokens a call: with these prices, one cent."""
PRICES = {"MODEL_PRICE_INPUT": "0", "MODEL_PRICE_OUTPUT": "2000"}


def within(*, cents: int, dearest: int, **more: str) -> dict[str, str]:
    """Settings with that much for today, where a call costs one cent and that many at most.

    Where nothing dies a lease had better be long: a turn that a busy machine has driven twice is paid twice.
    """
    return PRICES | {
        "DAILY_BUDGET_USD": f"{cents / 100:.2f}",
        "MODEL_MAX_OUTPUT_TOKENS": str(5 * dearest),
        **more,
    }


def day(facts: Facts) -> tuple[int, int]:
    """Reserved and charged, in nano-dollars."""
    rows = facts.rows("SELECT reserved_nano_usd, charged_nano_usd FROM budget_days")
    assert len(rows) <= 1, "the test ran over midnight: try again"
    return (rows[0][0], rows[0][1]) if rows else (0, 0)


def flags(events: list[Event]) -> str:
    """Outcome and flags of the run."""
    [meta], [trace] = of_type(events, "meta"), of_type(events, "trace")
    return " ".join([meta["outcome"], *trace["flags"]])


@contextmanager
def holding(pair: Replicas, at: Server) -> Iterator[tuple[Visitor, str]]:
    """A visitor whose call has all of the budget reserved and hangs in the middle."""
    visitor = pair.visitor()
    held = f"held-{visitor.thread_id}"
    with ThreadPoolExecutor(1) as pool:
        hearing = pool.submit(lambda: list(visitor.hear(f"hold {held}", at)))
        until("it hangs", lambda: times_reached(pair.folder, held) == 1)
        assert day(pair.facts) == (CENT, 0)
        try:
            yield visitor, held
        finally:
            open_up(pair.folder, held)
        hearing.result()
