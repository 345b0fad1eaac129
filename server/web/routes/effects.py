"""The ledger, and the effects that are in doubt."""

from dataclasses import asdict
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Path, Query
from pydantic import BaseModel, ConfigDict, Field

from server.domain import errors
from server.domain.approvals import Effect, EffectStatus, OwnersVia
from server.domain.times import rfc3339
from server.runs.settle_effect import settle_effect
from server.web.dependencies import Owner, TheServices
from server.web.problems import responses
from server.web.strict_json import StrictRoute

router = APIRouter(prefix="/api/admin/effects", tags=["owner"], route_class=StrictRoute)
_refusals = responses(
    errors.Unauthenticated, errors.AdminDisabled, errors.InvalidRequest, errors.Unavailable
)


class EffectRow(BaseModel):
    """One execution of a high-risk tool."""

    id: str
    thread_id: str
    tool_call_id: str
    tool: str
    digest: str
    status: EffectStatus
    run_id: str
    result: str | None
    started_at: str
    ended_at: str | None


class EffectPage(BaseModel):
    """Newest first."""

    effects: list[EffectRow]


class Settle(BaseModel):
    """`done`: you looked, and it was carried out; `result` is what the ledger keeps. `retry`: run it once more."""

    model_config = ConfigDict(extra="forbid")

    settle: Literal["done", "retry"]
    result: str | None = Field(default=None, min_length=1, max_length=2000)


@router.get("", summary="What high-risk tools did", responses=_refusals)
async def list_effects(
    owner: Owner,
    services: TheServices,
    status: EffectStatus | None = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> EffectPage:
    """`?status=in_doubt` lists those that need you: nobody knows whether they were carried out."""
    effects = await services.store.effects.newest(status, limit)
    return EffectPage(effects=[_row(effect) for effect in effects])


@router.post(
    "/{effect_id}",
    summary="Settle an effect in doubt",
    responses=_refusals
    | responses(
        errors.NotFound, errors.NotInDoubt, errors.Orphaned, errors.ThreadBusy, errors.Draining
    ),
)
async def settle(
    owner: Owner,
    effect_id: Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,64}$")],
    body: Settle,
    services: TheServices,
    sayso_via: Annotated[
        OwnersVia | None, Header(description="What settles it, for the audit")
    ] = None,
) -> EffectRow:
    """A retry runs the tool with the approved arguments and the same idempotency key, once."""
    settled = await settle_effect(
        services, effect_id, body.settle, body.result, by=owner, via=sayso_via
    )
    return _row(settled)


def _row(effect: Effect) -> EffectRow:
    known: dict[str, Any] = {k: v for k, v in asdict(effect).items() if k in EffectRow.model_fields}
    known |= {"started_at": rfc3339(effect.started_at), "ended_at": rfc3339(effect.ended_at)}
    return EffectRow(**known)
