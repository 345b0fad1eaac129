"""The port DailyNumbers: the same sums over memory and over Postgres."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from server.domain.conversation import Usage
from server.domain.statistics import Counts, Span
from tests.contract.samples import (
    MS,
    Kept,
    approval,
    gap,
    hold_new,
    no,
    run,
    turn,
    verdict,
    yes,
)

NOON = datetime(2027, 3, 3, 12, 0, tzinfo=UTC)
DAY = timedelta(days=1)
UTC_ZONE = ZoneInfo("UTC")


def span(days: int = 3, zone: ZoneInfo = UTC_ZONE) -> Span:
    return Span.until(NOON, days, zone)


async def test_days_on_which_nothing_happened_are_there_with_zeros(kept: Kept) -> None:
    found = await kept.store.daily_numbers.over(span(4))
    assert found.total == Counts()
    assert [(day.isoformat(), counts) for day, counts in found.per_day] == [
        (f"2027-{day}", Counts()) for day in ("02-28", "03-01", "03-02", "03-03")
    ]


async def test_everything_is_counted_on_its_day_and_once_in_the_whole(kept: Kept) -> None:
    """Two conversations over two days; the third day's are outside."""
    for thread_id in ("a", "b"):
        lease = await hold_new(kept.store, thread_id)
        async with kept.store.units.hold(lease) as writes:
            for number, ago in enumerate((0, 1, 5)):
                at = NOON - ago * DAY
                named = f"{thread_id}{number}"
                await writes.save_turn(turn(named, thread_id, created_at=at))
                outcome = ("answered", "refused", "error")[number]
                usage = Usage(100, 10, 50)
                more = {
                    "outcome": outcome,
                    "cost_usd": 0.25,
                    "usage": usage,
                    "ttft_ms": 100 * number,
                }
                await writes.save_run(run(named, thread_id, started_at=at, **more))
            await writes.record_gap(gap(f"g{thread_id}", thread_id, asked_at=NOON - DAY))
        await kept.store.verdicts.save(verdict("r", thread_id, said_at=NOON, verdict="up"))
    await kept.store.verdicts.save(verdict("s", "b", said_at=NOON, verdict="down"))

    found = await kept.other.daily_numbers.over(span(2))

    yesterday, today = (counts for _, counts in found.per_day)
    one_day = {"conversations": 2, "turns": 2, "cost_usd": 0.5, "input_tokens": 200}
    one_day |= {"output_tokens": 20, "cached_tokens": 100}
    assert today == Counts(**one_day, answered=2, up=2, down=1, ttft_ms=0.0)
    assert yesterday == Counts(**one_day, refused=2, gaps=2, ttft_ms=100.0)
    whole = {name: 2 * n for name, n in one_day.items()} | {"conversations": 2}
    assert found.total == Counts(**whole, answered=2, refused=2, up=2, down=1, gaps=2, ttft_ms=50.0)


async def test_questions_count_when_asked_and_decisions_when_made(kept: Kept) -> None:
    """The median is of the owner's decisions: neither the clock's nor the visitor's."""
    lease = await hold_new(kept.store)
    settlings = {
        "yes": (yes(), 10),
        "no": (no(), 30),
        "cleared": (no("cancelled"), 20),
        "late": (no("expired", by=None, via="clock"), 80_000),
        "back": (no("withdrawn", via="visitor"), 1),
    }
    asked_at = NOON - DAY
    async with kept.store.units.hold(lease) as writes:
        await writes.open_approvals([approval("open", created_at=asked_at)])
        for name, (decision, seconds) in settlings.items():
            at = asked_at + timedelta(seconds=seconds)
            asked = approval(name, created_at=asked_at, expires_at=None)
            await writes.open_approvals([asked])
            assert await writes.settle(name, decision, at)

    found = await kept.store.daily_numbers.over(span(2))

    yesterday, today = (counts for _, counts in found.per_day)
    decided = {"approved": 1, "rejected": 1, "cleared": 1, "withdrawn": 1, "decide_s": 20.0}
    assert yesterday == Counts(asked=6, **decided)
    assert today == Counts(expired=1)
    assert found.total == Counts(asked=6, expired=1, **decided)


@pytest.mark.parametrize(
    ("zone", "days"),
    [("UTC", ["2027-03-27", "2027-03-27"]), ("Europe/Amsterdam", ["2027-03-28", "2027-03-27"])],
)
async def test_a_day_begins_at_midnight_where_the_owner_lives(
    kept: Kept, zone: str, days: list[str]
) -> None:
    """On the night when the clocks go forward, too."""
    lease = await hold_new(kept.store)
    late, early = (
        datetime(2027, 3, 27, 23, 30, tzinfo=UTC),
        datetime(2027, 3, 27, 22, 59, 59, tzinfo=UTC),
    )
    async with kept.store.units.hold(lease) as writes:
        for number, at in enumerate((late, early)):
            await writes.save_turn(turn(f"{number}", created_at=at + MS))
    around = Span.until(datetime(2027, 3, 28, 12, tzinfo=UTC), 3, ZoneInfo(zone))

    found = await kept.store.daily_numbers.over(around)

    counted = {day.isoformat(): counts.turns for day, counts in found.per_day if counts.turns}
    assert counted == {day: days.count(day) for day in days}
    assert found.total.turns == 2
