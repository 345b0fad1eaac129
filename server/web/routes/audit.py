"""The audit: what was decided and done, a line each."""

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import AwareDatetime, BaseModel

from server.domain import errors
from server.domain.approvals import Via
from server.domain.audit import AuditAction, AuditEntry
from server.domain.times import rfc3339
from server.web.dependencies import Owner, TheServices
from server.web.problems import responses

router = APIRouter(prefix="/api/admin/audit", tags=["owner"])


class AuditRow(BaseModel):
    """One line. `seq` is its place, `digest` of what was asked about, `effective_digest` of what may run. No text but the owner's note."""

    seq: int
    at: str
    what: AuditAction
    by: str | None
    via: Via | None
    thread_id: str | None
    thread_digest: str | None
    interrupt_id: str | None
    effect_id: str | None
    tool: str | None
    digest: str | None
    effective_digest: str | None
    edited: bool
    note: str | None


class AuditPage(BaseModel):
    """In the order it was written; `next` is the `after` of the next page, null when there is none yet."""

    audit: list[AuditRow]
    next: int | None


@router.get(
    "",
    summary="What was decided and done",
    responses=responses(
        errors.Unauthenticated, errors.AdminDisabled, errors.InvalidRequest, errors.Unavailable
    ),
)
async def read_audit(
    owner: Owner,
    services: TheServices,
    after: Annotated[int, Query(ge=0, le=2**53, description="Lines after this `seq`")] = 0,
    since: Annotated[AwareDatetime | None, Query(description="Not before this time")] = None,
    until: Annotated[AwareDatetime | None, Query(description="Before this time")] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> AuditPage:
    """No line ever appears before one that was read, so the last `seq` is all there is to remember."""
    page = await services.store.audit.read(after=after, since=since, until=until, limit=limit)
    more = page[-1].position if len(page) == limit else None
    return AuditPage(audit=[_row(entry) for entry in page], next=more)


def _row(entry: AuditEntry) -> AuditRow:
    known = asdict(entry)
    return AuditRow(**known | {"seq": known.pop("position"), "at": rfc3339(entry.at) or ""})
