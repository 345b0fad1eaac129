"""Counts over everything that is kept, in one statement."""

from datetime import date
from typing import Any

from sqlalchemy import text

from server.adapters.postgres.engine import Database
from server.domain.statistics import Counts, Span, Statistics

# Each part groups by day and once more over all days (`day` NULL): medians and distinct threads can't be added up.
_COUNTS = """
WITH
spoken AS (
    SELECT day, count(*) AS turns, count(DISTINCT thread_id) AS conversations
    FROM (SELECT CAST(created_at AT TIME ZONE :zone AS date) AS day, thread_id FROM turns
          WHERE created_at >= :begins AND created_at < :ends) AS dated
    GROUP BY GROUPING SETS ((day), ())
),
ran AS (
    SELECT day,
           count(*) FILTER (WHERE outcome = 'answered') AS answered,
           count(*) FILTER (WHERE outcome = 'refused') AS refused,
           count(*) FILTER (WHERE outcome = 'pending_approval') AS pending_approval,
           count(*) FILTER (WHERE outcome = 'cancelled') AS cancelled,
           count(*) FILTER (WHERE outcome = 'error') AS error,
           sum(cost_usd) AS cost_usd,
           CAST(sum(input_tokens) AS bigint) AS input_tokens,
           CAST(sum(output_tokens) AS bigint) AS output_tokens,
           CAST(sum(cached_tokens) AS bigint) AS cached_tokens,
           percentile_cont(0.5) WITHIN GROUP (ORDER BY ttft_ms) AS ttft_ms
    FROM (SELECT CAST(started_at AT TIME ZONE :zone AS date) AS day, runs.* FROM runs
          WHERE started_at >= :begins AND started_at < :ends) AS dated
    GROUP BY GROUPING SETS ((day), ())
),
questions AS (
    SELECT day, count(*) AS asked
    FROM (SELECT CAST(created_at AT TIME ZONE :zone AS date) AS day FROM approvals
          WHERE created_at >= :begins AND created_at < :ends) AS dated
    GROUP BY GROUPING SETS ((day), ())
),
decided AS (
    SELECT day,
           count(*) FILTER (WHERE status = 'approved') AS approved,
           count(*) FILTER (WHERE status = 'rejected') AS rejected,
           count(*) FILTER (WHERE status = 'cancelled') AS cleared,
           count(*) FILTER (WHERE status = 'expired') AS expired,
           count(*) FILTER (WHERE status = 'withdrawn') AS withdrawn,
           percentile_cont(0.5) WITHIN GROUP (ORDER BY CAST(extract(epoch FROM decided_at - created_at) AS float))
               FILTER (WHERE status IN ('approved', 'rejected', 'cancelled')) AS decide_s
    FROM (SELECT CAST(decided_at AT TIME ZONE :zone AS date) AS day, status, created_at, decided_at FROM approvals
          WHERE decided_at >= :begins AND decided_at < :ends) AS dated
    GROUP BY GROUPING SETS ((day), ())
),
judged AS (
    SELECT day, count(*) FILTER (WHERE verdict = 'up') AS up, count(*) FILTER (WHERE verdict = 'down') AS down
    FROM (SELECT CAST(said_at AT TIME ZONE :zone AS date) AS day, verdict FROM feedback
          WHERE said_at >= :begins AND said_at < :ends) AS dated
    GROUP BY GROUPING SETS ((day), ())
),
missed AS (
    SELECT day, count(*) AS gaps
    FROM (SELECT CAST(asked_at AT TIME ZONE :zone AS date) AS day FROM gaps
          WHERE asked_at >= :begins AND asked_at < :ends) AS dated
    GROUP BY GROUPING SETS ((day), ())
),
days AS (
    SELECT CAST(generate_series(CAST(:first AS timestamp), CAST(:last AS timestamp), interval '1 day') AS date) AS day
    UNION ALL SELECT NULL
)
SELECT days.day, conversations, turns, answered, refused, pending_approval, cancelled, error, cost_usd,
       input_tokens, output_tokens, cached_tokens, ttft_ms, asked, approved, rejected, cleared, expired, withdrawn,
       decide_s, up, down, gaps
FROM days
LEFT JOIN spoken ON spoken.day IS NOT DISTINCT FROM days.day
LEFT JOIN ran ON ran.day IS NOT DISTINCT FROM days.day
LEFT JOIN questions ON questions.day IS NOT DISTINCT FROM days.day
LEFT JOIN decided ON decided.day IS NOT DISTINCT FROM days.day
LEFT JOIN judged ON judged.day IS NOT DISTINCT FROM days.day
LEFT JOIN missed ON missed.day IS NOT DISTINCT FROM days.day
ORDER BY days.day NULLS FIRST
"""


class PostgresDailyNumbers:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def over(self, span: Span) -> Statistics:
        asked = {
            "zone": str(span.zone),
            "begins": span.begins,
            "ends": span.ends,
            "first": span.first,
            "last": span.last,
        }
        async with self._database.statement() as connection:
            rows = (await connection.execute(text(_COUNTS), asked)).mappings().all()
        total, *days = [_counts(dict(row)) for row in rows]
        return Statistics(total[1], tuple((day, counts) for day, counts in days if day is not None))


def _counts(row: dict[str, Any]) -> tuple[date | None, Counts]:
    day: date | None = row.pop("day")
    return day, Counts(**{name: value for name, value in row.items() if value is not None})
