"""What the days add up to."""

from dataclasses import asdict
from datetime import date
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel

from server.domain import errors
from server.domain.statistics import Counts, Span
from server.web.dependencies import Owner, TheServices
from server.web.problems import responses

router = APIRouter(prefix="/api/admin/stats", tags=["owner"])


class Outcomes(BaseModel):
    """How runs ended. One that goes on after a decision is a run of its own."""

    answered: int
    refused: int
    pending_approval: int
    cancelled: int
    error: int


class Approvals(BaseModel):
    """Questions by the day they were asked, endings by the day they came."""

    asked: int
    approved: int
    rejected: int
    cancelled: int
    expired: int
    withdrawn: int


class Verdicts(BaseModel):
    """What visitors thought of answers."""

    up: int
    down: int


class Numbers(BaseModel):
    """Medians are null where there is nothing to take one of; `decide_s` is the owner's own time, in seconds."""

    conversations: int
    turns: int
    outcomes: Outcomes
    cost_usd: float
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    median_ttft_ms: float | None
    approvals: Approvals
    median_decide_s: float | None
    feedback: Verdicts
    gaps: int


class Day(Numbers):
    """One day."""

    day: date


class Stats(BaseModel):
    """Whole days in that time zone, the last one today."""

    timezone: str
    total: Numbers
    days: list[Day]


@router.get(
    "",
    summary="Counts and cost per day",
    responses=responses(
        errors.Unauthenticated, errors.AdminDisabled, errors.InvalidRequest, errors.Unavailable
    ),
)
async def read_stats(
    owner: Owner,
    services: TheServices,
    days: Annotated[int, Query(ge=1, le=366, description="How many, today included")] = 30,
) -> Stats:
    """Every day is there, also those without anything. No message text."""
    zone = services.rules.zone
    found = await services.store.daily_numbers.over(Span.until(services.clock(), days, zone))
    return Stats(
        timezone=str(zone),
        total=Numbers(**_numbers(found.total)),
        days=[Day(day=day, **_numbers(counts)) for day, counts in found.per_day],
    )


def _numbers(counts: Counts) -> dict[str, Any]:
    known = asdict(counts)
    return known | {
        "outcomes": {name: known[name] for name in Outcomes.model_fields},
        "approvals": {name: known[name] for name in Approvals.model_fields}
        | {"cancelled": counts.cleared},
        "feedback": {"up": counts.up, "down": counts.down},
        "cost_usd": round(counts.cost_usd, 8),
        "median_ttft_ms": counts.ttft_ms,
        "median_decide_s": counts.decide_s,
    }
