"""What visitors asked that was not answered: the owner reads it, answers it, or takes it off the list."""

from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query
from pydantic import BaseModel, ConfigDict, Field

from server.domain import errors
from server.domain.gaps import GapGroup, GapStatus
from server.domain.times import rfc3339
from server.runs.list_gaps import answered_gaps, open_gaps
from server.runs.settle_gap import answer_gap, dismiss_gap
from server.web.dependencies import Owner, TheServices
from server.web.problems import responses
from server.web.strict_json import StrictRoute

router = APIRouter(prefix="/api/admin/gaps", tags=["owner"], route_class=StrictRoute)
_refusals = responses(
    errors.Unauthenticated, errors.AdminDisabled, errors.InvalidRequest, errors.Unavailable
)
MOST_EXAMPLES = 5


class Example(BaseModel):
    """One visitor's words."""

    question: str
    thread_id: str
    asked_at: str


class GapRow(BaseModel):
    """Questions that ask the same. `id` is the first one's; `examples` the newest few; `page` where the answer stands."""

    id: str
    question: str
    count: int
    first_asked_at: str
    last_asked_at: str
    examples: list[Example]
    languages: list[str]
    status: GapStatus
    answered_at: str | None
    answered_by: str | None
    page: str | None


class GapPage(BaseModel):
    """Newest first; `next` is the `before` of the next page."""

    gaps: list[GapRow]
    next: str | None


class AnswerGap(BaseModel):
    """The answer, in Markdown; it becomes a page that visitors are answered from. `title` is the question itself when left out."""

    model_config = ConfigDict(extra="forbid")

    answer: str = Field(min_length=1, max_length=4000, pattern=r"\S")
    title: str | None = Field(default=None, min_length=1, max_length=150, pattern=r"\S")


class DismissGap(BaseModel):
    """Takes the question off the list, unanswered."""

    model_config = ConfigDict(extra="forbid")

    dismiss: Literal[True]


@router.get("", summary="What visitors asked that was not answered", responses=_refusals)
async def list_gaps(
    owner: Owner,
    services: TheServices,
    status: Literal["open", "answered"] = "open",
    before: Annotated[
        datetime | None, Query(description="Last asked, or answered, before this time")
    ] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> GapPage:
    """Questions that ask the same are one row. Of open ones the newest 500 are looked at."""
    if status == "answered":
        groups = await answered_gaps(services, before)
    else:
        groups = [g for g in await open_gaps(services) if before is None or _when(g) < before]
    page = groups[:limit]
    more = rfc3339(_when(page[-1])) if len(groups) > limit else None
    return GapPage(gaps=[_row(group) for group in page], next=more)


@router.post(
    "/{gap_id}",
    summary="Answer a question, or take it off the list",
    responses=_refusals | responses(errors.NotFound, errors.AlreadyDecided, errors.AnswerNotKept),
)
async def settle_gap(
    owner: Owner,
    gap_id: Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,64}$")],
    body: AnswerGap | DismissGap,
    services: TheServices,
) -> GapRow:
    """The answer becomes a page of the knowledge folder; all who asked the same are settled with it."""
    if isinstance(body, AnswerGap):
        group = await answer_gap(services, gap_id, body.answer, body.title, by=owner)
    else:
        group = await dismiss_gap(services, gap_id, by=owner)
    return _row(group)


def _when(group: GapGroup) -> datetime:
    return group.first.settled_at or group.last.asked_at


def _row(group: GapGroup) -> GapRow:
    first = group.first
    return GapRow(
        id=first.id,
        question=first.question,
        count=len(group.gaps),
        first_asked_at=rfc3339(first.asked_at) or "",
        last_asked_at=rfc3339(group.last.asked_at) or "",
        examples=[
            Example(
                question=gap.question,
                thread_id=gap.thread_id,
                asked_at=rfc3339(gap.asked_at) or "",
            )
            for gap in group.gaps[: -MOST_EXAMPLES - 1 : -1]
        ],
        languages=sorted({gap.language for gap in group.gaps}),
        status=first.status,
        answered_at=rfc3339(first.settled_at) if first.status == "answered" else None,
        answered_by=first.settled_by if first.status == "answered" else None,
        page=first.page,
    )
