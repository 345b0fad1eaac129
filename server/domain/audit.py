"""What was decided and done, line by line: who, when, about what. Nothing a visitor wrote is in it."""

import hashlib
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from server.domain.approvals import Approval, Effect, Via
from server.domain.principals import Principal

AuditAction = Literal[
    "approved",
    "rejected",
    "cancelled",
    "withdrawn",
    "expired",
    "orphaned",
    "effect_done",
    "effect_failed",
    "effect_in_doubt",
    "effect_retried",
    "forgotten",
]


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One line. It goes with its thread, but for the one that says that a thread was forgotten.

    `by` is an owner's name, a link's, a principal's key, or None for time and for the twin itself. `digest` is of the
    arguments that were asked about, `effective_digest` of those that may run; `edited` says that a person changed them.
    `position` is its place in the whole trail; 0: not kept yet.
    """

    at: datetime
    what: AuditAction
    by: str | None = None
    via: Via | None = None
    thread_id: str | None = None
    thread_digest: str | None = None
    interrupt_id: str | None = None
    effect_id: str | None = None
    tool: str | None = None
    digest: str | None = None
    effective_digest: str | None = None
    edited: bool = False
    note: str | None = None
    position: int = 0


def of_decision(settled: Approval) -> AuditEntry:
    """How a question was settled. Raises ValueError for one that is not."""
    if settled.status == "pending" or settled.decided_at is None:
        raise ValueError("nothing was decided")
    return AuditEntry(
        at=settled.decided_at,
        what=settled.status,
        by=settled.decided_by,
        via=settled.decided_via,
        thread_id=settled.thread_id,
        interrupt_id=settled.interrupt_id,
        tool=settled.tool,
        digest=settled.digest,
        effective_digest=settled.effective_digest,
        edited=settled.edited_arguments is not None,
        note=None if _is_visitor(settled.decided_by) else settled.note,
    )


def of_effect(
    effect: Effect,
    what: AuditAction,
    asked: Approval | None,
    *,
    at: datetime,
    by: str | None,
    via: Via | None,
) -> AuditEntry:
    """How an effect ended, or that it is tried again; `by` None: so says the twin, from what the tool did."""
    return AuditEntry(
        at=at,
        what=what,
        by=by,
        via=via,
        thread_id=effect.thread_id,
        interrupt_id=asked.interrupt_id if asked else None,
        effect_id=effect.id,
        tool=effect.tool,
        digest=asked.digest if asked else None,
        effective_digest=effect.digest,
        edited=asked is not None and asked.edited_arguments is not None,
    )


def of_forgetting(thread_id: str, *, at: datetime, by: Principal | None, via: Via) -> AuditEntry:
    """All that stays of a thread: when it was removed, and a mark of its id. Of who asked for it, only the kind."""
    return AuditEntry(
        at=at,
        what="forgotten",
        by=by.kind if by else None,
        via=via,
        thread_digest=thread_digest(thread_id),
    )


def thread_digest(thread_id: str) -> str:
    """A mark of a thread's id, by which it can be found again by whoever knows the id."""
    return hashlib.sha256(thread_id.encode()).hexdigest()[:16]


def _is_visitor(by: str | None) -> bool:
    try:
        return by is not None and Principal.from_key(by).kind != "owner"
    except ValueError:
        return False
