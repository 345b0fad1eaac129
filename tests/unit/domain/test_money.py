"""Money is whole nano-dollars, never rounded in anybody's favour but the cap's."""

from datetime import UTC, date, datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest

from server.domain.conversation import Usage
from server.domain.money import DailyBudget, Prices, usd

PRICES = Prices(Decimal("0.15"), Decimal("0.6"), Decimal("0.0375"))


@pytest.mark.parametrize(
    ("usage", "nano"),
    [
        (Usage(), 0),
        (Usage(1, 0, 0), 150),
        (Usage(0, 1, 0), 600),
        (Usage(1, 0, 1), 38),  # 37.5, rounded up
        (Usage(2, 0, 2), 75),
        (Usage(1000, 100, 400), 90_000 + 15_000 + 60_000),
        (Usage(5, 0, 9), 338),  # more cached than sent: what is said to be cached counts
    ],
)
def test_tokens_cost_what_they_cost(usage: Usage, nano: int) -> None:
    """Cached ones at their own price; a part of a nano-dollar counts as a whole one."""
    assert PRICES.cost(usage) == nano


@pytest.mark.parametrize("cached", ["0", "0.15", "3"])
def test_the_dearest_call_is_never_too_cheap(cached: str) -> None:
    """Whichever part of the input turns out to be cached, at whatever price."""
    prices = Prices(Decimal("0.15"), Decimal("0.6"), Decimal(cached))
    for part in range(0, 1001, 100):
        assert prices.cost(Usage(1000, 50, part)) <= prices.most(1000, 50)


def test_sums_are_exact() -> None:
    """A tenth of a cent a million times is a thousand dollars."""
    tenth = Prices(output=Decimal("0.1")).cost(Usage(0, 10_000, 0))
    assert sum(tenth for _ in range(1_000_000)) == DailyBudget.of(Decimal(1000), UTC).cap
    assert usd(tenth) == 0.001


def test_a_budget_is_never_rounded_up() -> None:
    """What is not a whole nano-dollar is not there."""
    assert DailyBudget.of(Decimal("0.0000000019"), UTC).cap == 1


def test_the_day_begins_at_midnight_there() -> None:
    """Across the change to summer time, too."""
    budget = DailyBudget(1, ZoneInfo("Europe/Amsterdam"))
    assert budget.day(datetime(2026, 3, 28, 22, 59, 59, tzinfo=UTC)) == date(2026, 3, 28)
    assert budget.day(datetime(2026, 3, 28, 23, 0, tzinfo=UTC)) == date(2026, 3, 29)
    assert budget.day(datetime(2026, 3, 29, 21, 59, 59, tzinfo=UTC)) == date(2026, 3, 29)
    assert budget.day(datetime(2026, 3, 29, 22, 0, tzinfo=UTC)) == date(2026, 3, 30)
