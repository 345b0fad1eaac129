"""The owner's questions: see them, answer them."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Header, Query, Response
from pydantic import BaseModel

from server.domain import errors
from server.domain.approvals import Approval, ApprovalStatus, OwnersVia
from server.domain.errors import InvalidRequest, NoPendingApproval
from server.domain.times import rfc3339
from server.domain.tools import Tool
from server.runs.decide import decide
from server.web.dependencies import Owner, TheServices, ThreadId
from server.web.problems import responses
from server.web.routes.threads import ShownMessage, shown
from server.web.strict_json import StrictRoute

router = APIRouter(prefix="/api/admin/approvals", tags=["owner"], route_class=StrictRoute)
_refusals = responses(
    errors.Unauthenticated, errors.AdminDisabled, errors.InvalidRequest, errors.Unavailable
)


_EXAMPLES: dict[str, Any] = {
    "approve": {"value": {"approved": True}},
    "approve with changes": {"value": {"approved": True, "arguments": {"city": "London"}}},
    "decline": {"value": {"approved": False, "note": "Not this week."}},
    "cancel": {"value": {"resume": None}},
}


class AskedCall(BaseModel):
    """The tool call a question is about. `parameters` is the tool's JSON Schema, as long as the tool is there."""

    id: str
    name: str
    input: dict[str, Any]
    parameters: dict[str, Any] | None = None


class Card(BaseModel):
    """Everything the owner needs to decide, and later what was decided.

    `approver` `user`: the visitor is asked to confirm their own action. The owner may answer in their place.
    """

    thread_id: str
    interrupt_id: str
    status: ApprovalStatus
    tool_calls: list[AskedCall]
    visitor_message: str
    message: str
    reason: str
    approver: Literal["owner", "user"]
    response_schema: dict[str, Any]
    digest: str
    warnings: list[str]
    created_at: str
    expires_at: str | None
    decided_by: str | None = None
    decided_via: str | None = None
    decided_at: str | None = None
    note: str | None = None
    edited_arguments: dict[str, Any] | None = None


class PendingCards(BaseModel):
    """What waits, oldest first."""

    pending: list[Card]


class PastCards(BaseModel):
    """What was settled, newest first; `next` is the `before` of the next page."""

    approvals: list[Card]
    next: str | None


class ThreadCards(BaseModel):
    """The open questions of a thread, with its transcript."""

    thread_id: str
    pending: list[Card]
    transcript: list[ShownMessage]


class Decided(BaseModel):
    """What was recorded. `answer` is the model's closing text, empty while questions remain or when it failed."""

    status: ApprovalStatus
    thread_id: str
    interrupt_id: str
    answer: str
    remaining: list[str]
    run_id: str | None


def card(approval: Approval, tools: Mapping[str, Tool]) -> Card:
    """An approval as the owner sees it."""
    tool = tools.get(approval.tool)
    return Card(
        **{k: v for k, v in asdict(approval).items() if k in Card.model_fields and k not in _TIMES},
        tool_calls=[
            AskedCall(
                id=approval.tool_call_id,
                name=approval.tool,
                input=approval.arguments,
                parameters=dict(tool.parameters) if tool else None,
            )
        ],
        created_at=rfc3339(approval.created_at) or "",
        expires_at=rfc3339(approval.expires_at),
        decided_at=rfc3339(approval.decided_at),
    )


_TIMES = {"created_at", "expires_at", "decided_at"}


@router.get("", summary="What waits for you, or what was settled", responses=_refusals)
async def list_approvals(
    owner: Owner,
    services: TheServices,
    status: ApprovalStatus = "pending",
    before: Annotated[datetime | None, Query(description="Created before this time")] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> PendingCards | PastCards:
    """Pending ones come whole, oldest first; others page, newest first."""
    if status == "pending":
        pending = await services.store.approvals.with_status("pending", limit=500)
        return PendingCards(pending=[card(a, services.tools) for a in pending])
    page = await services.store.approvals.with_status(status, before=before, limit=limit)
    more = rfc3339(page[-1].created_at) if len(page) == limit else None
    return PastCards(approvals=[card(a, services.tools) for a in page], next=more)


@router.get(
    "/{thread_id}",
    summary="The open questions of a thread",
    responses=_refusals | responses(errors.NoPendingApproval),
)
async def show_approvals(owner: Owner, thread_id: ThreadId, services: TheServices) -> ThreadCards:
    """With everything that was said."""
    approvals = await services.store.approvals.of_thread(thread_id)
    pending = [card(a, services.tools) for a in approvals if a.status == "pending"]
    if not pending:
        raise NoPendingApproval
    turns = await services.store.turns.newest(thread_id, 200)
    return ThreadCards(thread_id=thread_id, pending=pending, transcript=shown(turns))


@router.post(
    "/{thread_id}",
    summary="Decide",
    responses={202: {"model": Decided, "description": "Recorded; the thread goes on"}}
    | _refusals
    | responses(
        errors.InvalidAnswer,
        errors.NoPendingApproval,
        errors.StaleInterrupt,
        errors.AmbiguousInterrupt,
        errors.AlreadyDecided,
        errors.Expired,
        errors.Orphaned,
        errors.ThreadBusy,
        errors.Draining,
    ),
)
async def decide_approval(
    owner: Owner,
    thread_id: ThreadId,
    body: Annotated[dict[str, Any], Body(openapi_examples=_EXAMPLES)],
    services: TheServices,
    response: Response,
    prefer: Annotated[str | None, Header()] = None,
    sayso_via: Annotated[
        OwnersVia, Header(description="What decides, for `decided_via`: the inbox says `web`")
    ] = "api",
) -> Decided:
    """`{"approved": true}`, with `note`, `arguments` (edit and approve) and `interrupt_id` as needed; or
    `{"resume": <any JSON>}`, where `null` cancels without judging."""
    interrupt_id, answer = parse_decision(body)
    settled = await decide(
        services, thread_id, answer, by=owner, interrupt_id=interrupt_id, via=sayso_via
    )
    text = ""
    if settled.run and "respond-async" in (prefer or ""):
        response.status_code = 202
    elif settled.run and (result := await settled.run.wait()):
        text = result.answer
    return Decided(
        status=settled.approval.status,
        thread_id=thread_id,
        interrupt_id=settled.approval.interrupt_id,
        answer=text,
        remaining=list(settled.remaining),
        run_id=settled.run.run_id if settled.run else None,
    )


def parse_decision(body: dict[str, Any]) -> tuple[str | None, Any]:
    """The interrupt that is named, if any, and the answer: what `resume` holds, or the body itself.

    Raises InvalidRequest. Whether the answer fits the question is not looked at here.
    """
    answer: Any = dict(body)
    interrupt_id = answer.pop("interrupt_id", None)
    if interrupt_id is not None and not isinstance(interrupt_id, str):
        raise _malformed("$.interrupt_id: expected string")
    if "resume" in answer:
        if len(answer) > 1:
            raise _malformed("$: 'resume' stands alone or with 'interrupt_id'")
        answer = answer["resume"]
    return interrupt_id, answer


def _malformed(problem: str) -> InvalidRequest:
    return InvalidRequest(problem, problems=[problem])
