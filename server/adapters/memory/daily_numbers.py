"""Counts over everything that is kept."""

from collections.abc import Callable, Iterable
from datetime import date, datetime
from statistics import median
from typing import TypeVar

from server.adapters.memory.records import Records
from server.domain.approvals import Approval
from server.domain.conversation import Run, Turn
from server.domain.feedback import Feedback
from server.domain.gaps import Gap
from server.domain.statistics import Counts, Span, Statistics

T = TypeVar("T")


class MemoryDailyNumbers:
    def __init__(self, records: Records) -> None:
        self._records = records

    async def over(self, span: Span) -> Statistics:
        records = list(self._records.threads.values())
        turns = [turn for record in records for turn in record.turns.values()]
        runs = [run for record in records for run in record.runs.values()]
        asked = [approval for record in records for approval in record.approvals.values()]
        verdicts = [verdict for record in records for verdict in record.verdicts.values()]
        gaps = [gap for record in records for gap in record.gaps.values()]

        def counts(is_in: Callable[[date], bool]) -> Counts:
            def within(rows: Iterable[T], when: Callable[[T], datetime | None]) -> list[T]:
                dated = ((row, when(row)) for row in rows)
                days = ((row, span.day_of(at)) for row, at in dated if at is not None)
                return [row for row, day in days if day is not None and is_in(day)]

            return _counts(
                within(turns, lambda turn: turn.created_at),
                within(runs, lambda run: run.started_at),
                within(asked, lambda approval: approval.created_at),
                within(asked, lambda approval: approval.decided_at),
                within(verdicts, lambda verdict: verdict.said_at),
                within(gaps, lambda gap: gap.asked_at),
            )

        per_day = tuple((day, counts(day.__eq__)) for day in span.days)
        return Statistics(counts(lambda _: True), per_day)


def _counts(
    turns: list[Turn],
    runs: list[Run],
    asked: list[Approval],
    decided: list[Approval],
    verdicts: list[Feedback],
    gaps: list[Gap],
) -> Counts:
    outcomes = [run.outcome for run in runs]
    statuses = [approval.status for approval in decided]
    first_words = [run.ttft_ms for run in runs if run.ttft_ms is not None]
    took = [
        (approval.decided_at - approval.created_at).total_seconds()
        for approval in decided
        if approval.decided_at and approval.status in ("approved", "rejected", "cancelled")
    ]
    return Counts(
        conversations=len({turn.thread_id for turn in turns}),
        turns=len(turns),
        answered=outcomes.count("answered"),
        refused=outcomes.count("refused"),
        pending_approval=outcomes.count("pending_approval"),
        cancelled=outcomes.count("cancelled"),
        error=outcomes.count("error"),
        cost_usd=sum(run.cost_usd for run in runs),
        input_tokens=sum(run.usage.input_tokens for run in runs),
        output_tokens=sum(run.usage.output_tokens for run in runs),
        cached_tokens=sum(run.usage.cached_tokens for run in runs),
        ttft_ms=float(median(first_words)) if first_words else None,
        asked=len(asked),
        approved=statuses.count("approved"),
        rejected=statuses.count("rejected"),
        cleared=statuses.count("cancelled"),
        expired=statuses.count("expired"),
        withdrawn=statuses.count("withdrawn"),
        decide_s=median(took) if took else None,
        up=sum(verdict.verdict == "up" for verdict in verdicts),
        down=sum(verdict.verdict == "down" for verdict in verdicts),
        gaps=len(gaps),
    )
