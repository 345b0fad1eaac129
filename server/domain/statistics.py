"""What a stretch of time adds up to. Numbers only: nothing anybody wrote."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo


@dataclass(frozen=True, slots=True)
class Counts:
    """Of one day, or of several together.

    `conversations` are threads with a turn. Outcomes count runs: a turn that paused has one `pending_approval` and
    then another. Decisions count on the day they were made. `decide_s` is the median time from question to the owner's decision
    in seconds, `ttft_ms` the median time to the first words in milliseconds; None without any.
    """

    conversations: int = 0
    turns: int = 0
    answered: int = 0
    refused: int = 0
    pending_approval: int = 0
    cancelled: int = 0
    error: int = 0
    cost_usd: float = 0.0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    ttft_ms: float | None = None
    asked: int = 0
    approved: int = 0
    rejected: int = 0
    cleared: int = 0
    expired: int = 0
    withdrawn: int = 0
    decide_s: float | None = None
    up: int = 0
    down: int = 0
    gaps: int = 0


@dataclass(frozen=True, slots=True)
class Span:
    """Whole days, `first` to `last` and both included, where the owner lives."""

    first: date
    last: date
    zone: tzinfo

    @classmethod
    def until(cls, now: datetime, days: int, zone: tzinfo) -> "Span":
        """The last `days` days, today included."""
        today = now.astimezone(zone).date()
        return cls(today - timedelta(days=days - 1), today, zone)

    @property
    def days(self) -> list[date]:
        """Each of them, in order."""
        return [self.first + timedelta(days=n) for n in range((self.last - self.first).days + 1)]

    @property
    def begins(self) -> datetime:
        """The first moment."""
        return datetime.combine(self.first, time(), self.zone)

    @property
    def ends(self) -> datetime:
        """The first moment after."""
        return datetime.combine(self.last + timedelta(days=1), time(), self.zone)

    def day_of(self, moment: datetime) -> date | None:
        """The day of a moment; None outside."""
        day = moment.astimezone(self.zone).date()
        return day if self.first <= day <= self.last else None


@dataclass(frozen=True, slots=True)
class Statistics:
    """All of a span, and each of its days in order. Medians and distinct threads of the whole are not sums of the days."""

    total: Counts
    per_day: tuple[tuple[date, Counts], ...]
