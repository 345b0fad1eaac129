"""Prices and the budget: what can't be held stops the start, and says what to do."""

from datetime import UTC
from decimal import Decimal
from typing import Any

import pytest

from server.domain.errors import ConfigurationError
from server.settings import Settings, read_settings

MODEL = {"model_base_url": "https://api.example.com/v1", "model_name": "m"}
PRICES = {"model_price_input": "0.15", "model_price_output": "0.6"}


def read(**given: Any) -> Settings:
    """Without a file."""
    return read_settings(_env_file=None, **given)


@pytest.mark.parametrize(
    "name",
    ["daily_budget_usd", "model_price_input", "model_price_output", "model_price_cached"],
)
@pytest.mark.parametrize("value", ["-0.01", "nan", "inf", "-inf", "1e400", "a lot", "1,5"])
def test_a_sum_that_is_none_is_refused(name: str, value: str) -> None:
    """And the variable is named."""
    with pytest.raises(ConfigurationError, match=name.upper()):
        read(**MODEL, **PRICES | {name: value})


def test_a_budget_over_an_unknown_price_is_refused() -> None:
    """The message names what to set, and the way out."""
    with pytest.raises(ConfigurationError) as refused:
        read(**MODEL, daily_budget_usd="2")
    for name in ("DAILY_BUDGET_USD", "MODEL_PRICE_INPUT", "MODEL_PRICE_OUTPUT", "=0"):
        assert name in refused.value.detail


@pytest.mark.parametrize(
    "given",
    [
        {"model_price_input": "1"},
        {"model_price_output": "1"},
        {"model_price_cached": "1"},
        {"model_price_input": "1", "model_price_cached": "1"},
    ],
)
def test_half_a_price_is_refused(given: dict[str, str]) -> None:
    """Costs would be wrong without anybody noticing."""
    with pytest.raises(ConfigurationError, match="MODEL_PRICE"):
        read(**MODEL, **given)


@pytest.mark.parametrize("given", [{}, PRICES, {"model_price_input": 0, "model_price_output": 0}])
def test_a_budget_without_a_paid_model_is_fine(given: dict[str, Any]) -> None:
    """Quoting costs nothing; nothing is a price, too."""
    assert read(**given, daily_budget_usd="2").daily_budget_usd == 2
    if given:
        read(**MODEL, **given, daily_budget_usd="2")


def test_money_is_read_to_the_last_digit() -> None:
    """Not by way of a float."""
    assert read(daily_budget_usd="0.1").daily_budget_usd == Decimal("0.1")
    assert read(**PRICES).model_price_input == Decimal("0.15")


@pytest.mark.parametrize("zone", ["Mars/Olympus", "Europe", "../etc/passwd", "+02:00", "/", "."])
def test_a_zone_nobody_knows_is_refused(zone: str) -> None:
    """With an example of one."""
    with pytest.raises(ConfigurationError, match=r"BUDGET_TIMEZONE.*Europe/Amsterdam"):
        read(budget_timezone=zone)


def test_zones_have_their_iana_names() -> None:
    """UTC is there wherever this runs."""
    assert read().budget_timezone is UTC
    assert read(budget_timezone="UTC").budget_timezone is UTC
    assert str(read(budget_timezone="Europe/Amsterdam").budget_timezone) == "Europe/Amsterdam"


def test_with_a_budget_an_answer_has_an_end() -> None:
    """The owner's, or one of ours; without a budget the provider's."""
    assert read().output_limit() is None
    assert read(daily_budget_usd="1").output_limit() == 1024
    assert read(daily_budget_usd="1", model_max_output_tokens=300).output_limit() == 300
    assert read(model_max_output_tokens=300).output_limit() == 300
