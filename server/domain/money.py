"""Money in whole nano-dollars, so that sums are exact; what tokens cost; and what may be spent in a day."""

from dataclasses import dataclass
from datetime import date, datetime, tzinfo
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from server.domain.conversation import Usage

NANO = 1_000_000_000


def usd(nano: int) -> float:
    """US dollars, for showing. Never add these up."""
    return nano / NANO


def nano_usd(dollars: float) -> int:
    """What `usd` was given. Exact up to nine million dollars."""
    return round(dollars * NANO)


@dataclass(frozen=True, slots=True)
class Prices:
    """US dollars per million tokens. Cached tokens are part of the input tokens and have a price of their own."""

    input: Decimal = Decimal(0)
    output: Decimal = Decimal(0)
    cached: Decimal = Decimal(0)

    def cost(self, usage: Usage) -> int:
        """Nano-dollars for that usage, rounded up."""
        fresh = max(0, usage.input_tokens - usage.cached_tokens)
        micro = (
            fresh * self.input
            + usage.cached_tokens * self.cached
            + usage.output_tokens * self.output
        )
        return int((micro * 1000).to_integral_value(ROUND_CEILING))

    def most(self, input_tokens: int, output_tokens: int) -> int:
        """Nano-dollars for at most so many tokens, wherever the input comes from."""
        dearest = Prices(max(self.input, self.cached), self.output)
        return dearest.cost(Usage(input_tokens, output_tokens))


@dataclass(frozen=True, slots=True)
class DailyBudget:
    """What model calls may cost in a day, in nano-dollars, and where that day begins and ends."""

    cap: int
    zone: tzinfo

    @classmethod
    def of(cls, dollars: Decimal, zone: tzinfo) -> "DailyBudget":
        """A part of a nano-dollar is not there to be spent."""
        return cls(int((dollars * NANO).to_integral_value(ROUND_FLOOR)), zone)

    def day(self, now: datetime) -> date:
        """The day it is there."""
        return now.astimezone(self.zone).date()
