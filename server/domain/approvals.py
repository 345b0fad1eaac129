"""The questions put to the owner, their answers, and the one predicate that lets a tool run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from server.domain.principals import Principal

ApprovalStatus = Literal[
    "pending", "approved", "rejected", "cancelled", "withdrawn", "expired", "orphaned"
]
EffectStatus = Literal["started", "done", "failed", "in_doubt"]
Via = Literal["api", "web", "link", "terminal", "visitor", "clock"]

OwnersVia = Literal["api", "web", "terminal"]
"""What a client of the owner's may say it is."""

APPROVAL_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "approved": {"type": "boolean"},
        "note": {"type": "string", "maxLength": 500},
        "arguments": {"type": "object"},
    },
    "required": ["approved"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Approval:
    """The owner-facing record of an interrupt and what became of it.

    A projection of the checkpoint while `pending`; the truth about the decision once settled. `digest` binds it
    to the arguments that were shown; `effective_digest` to those that may run (they differ after an edit).
    `answer` is what the graph is resumed with.
    """

    interrupt_id: str
    thread_id: str
    run_id: str
    turn_id: str
    node: str
    tool_call_id: str
    tool: str
    arguments: dict[str, Any]
    digest: str
    message: str
    reason: str
    response_schema: dict[str, Any]
    approver: Literal["owner", "user"]
    visitor_message: str
    warnings: tuple[str, ...]
    graph_version: str
    tool_schema_digest: str
    created_at: datetime
    expires_at: datetime | None
    status: ApprovalStatus = "pending"
    decided_by: str | None = None
    decided_via: Via | None = None
    decided_at: datetime | None = None
    note: str | None = None
    edited_arguments: dict[str, Any] | None = None
    effective_digest: str | None = None
    answer: dict[str, Any] = field(default_factory=dict)
    resumed_by: str | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """A settling of one question: the new status, by whom, how, and the answer the graph goes on with."""

    status: ApprovalStatus
    by: str | None
    via: Via
    note: str | None = None
    edited_arguments: dict[str, Any] | None = None
    effective_digest: str | None = None
    answer: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Effect:
    """One execution of a high-risk tool, in the ledger. Unique by thread and tool call.

    `fresh` is true only for whoever just wrote `started`, and means: you run it.
    """

    id: str
    thread_id: str
    tool_call_id: str
    tool: str
    digest: str
    status: EffectStatus
    idempotency_key: str
    run_id: str
    started_at: datetime
    ended_at: datetime | None = None
    result: str | None = None
    fresh: bool = False


@dataclass(frozen=True, slots=True)
class ContactMessage:
    """A message for the owner that the owner let through."""

    id: str
    thread_id: str
    tool_call_id: str
    subject: str
    message: str
    sender_contact: str
    created_at: datetime


def may_decide(principal: Principal, approval: Approval, thread_principal: str) -> bool:
    """The owner may answer every question; whoever opened the thread only those that ask for their own word."""
    if principal.kind == "owner":
        return True
    return approval.approver == "user" and principal.key == thread_principal


def is_approved(answer: object, *, digest: str) -> bool:
    """True only for an explicit, valid yes to exactly this question. Anything else is a no.

    `answer` is what the graph was resumed with; `digest` that of the arguments about to run.
    """
    return (
        isinstance(answer, dict)
        and answer.get("approved") is True
        and digest != ""
        and answer.get("digest") == digest
    )
