"""The ledger: what high-risk tools did, and the messages that are an effect of ours."""

from datetime import datetime
from typing import Any
from uuid import uuid4

from sqlalchemy import and_, func, literal, select, update
from sqlalchemy.dialects.postgresql import insert as insert_or
from sqlalchemy.ext.asyncio import AsyncConnection

from server.adapters.postgres.approvals import APPROVAL, as_approval
from server.adapters.postgres.audit import note
from server.adapters.postgres.columns import AnyText, Time
from server.adapters.postgres.engine import Database
from server.adapters.postgres.tables import approvals, contact_messages, effects
from server.domain.approvals import ContactMessage, Effect, EffectStatus, Via
from server.domain.audit import AuditAction, of_effect
from server.domain.errors import NotApproved
from server.domain.tools import ContactDraft

_now = func.clock_timestamp(type_=Time())


async def begin_effect(
    connection: AsyncConnection,
    thread_id: str,
    *,
    interrupt_id: str,
    tool_call_id: str,
    tool: str,
    digest: str,
    run_id: str,
) -> Effect:
    """Writes `started` if, and only if, this call is approved for exactly these arguments. One wins."""
    approved = and_(
        approvals.c.interrupt_id == interrupt_id,
        approvals.c.thread_id == thread_id,
        approvals.c.tool_call_id == tool_call_id,
        approvals.c.tool == tool,
        approvals.c.status == "approved",
        approvals.c.effective_digest == digest,
    )
    effect_id = uuid4().hex
    started = {
        "id": _text(effect_id),
        "thread_id": approvals.c.thread_id,
        "tool_call_id": approvals.c.tool_call_id,
        "tool": approvals.c.tool,
        "digest": approvals.c.effective_digest,
        "status": _text("started"),
        "idempotency_key": _text(effect_id),
        "run_id": _text(run_id),
        "started_at": _now,
    }
    fresh = (
        insert_or(effects)
        .from_select(list(started), select(*started.values()).where(approved))
        .on_conflict_do_nothing(index_elements=["thread_id", "tool_call_id"])
        .returning(*effects.c)
    )
    if row := (await connection.execute(fresh)).one_or_none():
        return Effect(**row._mapping, fresh=True)
    earlier = select(effects).join(
        approvals,
        and_(
            approved,
            effects.c.thread_id == approvals.c.thread_id,
            effects.c.tool_call_id == approvals.c.tool_call_id,
            effects.c.digest == approvals.c.effective_digest,
        ),
    )
    if row := (await connection.execute(earlier)).one_or_none():
        return Effect(**row._mapping)
    raise NotApproved


async def finish_effect(
    connection: AsyncConnection,
    thread_id: str,
    effect_id: str,
    status: EffectStatus,
    result: str | None,
    draft: ContactDraft | None,
    *,
    by: str | None,
    via: Via | None,
) -> None:
    """Writes how it ended, and notes it. What is `done` stays as it is. Raises ValueError for an unknown effect."""
    this = and_(effects.c.id == effect_id, effects.c.thread_id == thread_id)
    ended = _now if status in ("done", "failed") else None
    finished = (
        update(effects)
        .where(this, effects.c.status != "done")
        .values(status=status, result=result, ended_at=ended)
        .returning(*effects.c)
    )
    if row := (await connection.execute(finished)).one_or_none():
        await _note(connection, Effect(**row._mapping), _ENDED[status], by=by, via=via)
    tool_call_id = (
        await connection.execute(select(effects.c.tool_call_id).where(this))
    ).scalar_one_or_none()
    if tool_call_id is None:
        raise ValueError("no such effect in this thread")
    if draft is not None:
        message = insert_or(contact_messages).values(
            id=uuid4().hex,
            thread_id=thread_id,
            tool_call_id=tool_call_id,
            subject=draft.subject,
            message=draft.message,
            sender_contact=draft.sender_contact,
            created_at=_now,
        )
        await connection.execute(message.on_conflict_do_nothing())


_ENDED: dict[EffectStatus, AuditAction] = {
    "done": "effect_done",
    "failed": "effect_failed",
    "in_doubt": "effect_in_doubt",
}


async def _note(
    connection: AsyncConnection,
    effect: Effect,
    what: AuditAction,
    *,
    by: str | None,
    via: Via | None,
) -> None:
    question = select(*APPROVAL).where(
        approvals.c.thread_id == effect.thread_id, approvals.c.tool_call_id == effect.tool_call_id
    )
    row = (await connection.execute(question)).first()
    asked = as_approval(row) if row else None
    at = effect.ended_at or (await connection.execute(select(_now))).scalar_one()
    await note(connection, of_effect(effect, what, asked, at=at, by=by, via=via))


async def reopen_effect(
    connection: AsyncConnection,
    thread_id: str,
    effect_id: str,
    run_id: str,
    *,
    by: str | None,
    via: Via | None,
) -> Effect | None:
    """Back to `started`, under the same key. One wins; with `by` it is noted."""
    this = and_(effects.c.id == effect_id, effects.c.thread_id == thread_id)
    reopened = (
        update(effects)
        .where(this, effects.c.status == "in_doubt")
        .values(status="started", run_id=run_id, result=None, started_at=_now)
        .returning(*effects.c)
    )
    row = (await connection.execute(reopened)).one_or_none()
    if row is None:
        return None
    effect = Effect(**row._mapping, fresh=True)
    if by is not None:
        await _note(connection, effect, "effect_retried", by=by, via=via)
    return effect


def _text(value: str) -> Any:
    return literal(value, AnyText())


class PostgresEffects:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, effect_id: str) -> Effect | None:
        query = select(effects).where(effects.c.id == effect_id)
        async with self._database.statement() as connection:
            row = (await connection.execute(query)).one_or_none()
        return None if row is None else Effect(**row._mapping)

    async def newest(self, status: EffectStatus | None, limit: int = 50) -> list[Effect]:
        query = select(effects).order_by(effects.c.started_at.desc(), effects.c.id).limit(limit)
        if status is not None:
            query = query.where(effects.c.status == status)
        async with self._database.statement() as connection:
            return [Effect(**row._mapping) for row in await connection.execute(query)]

    async def of_thread(self, thread_id: str) -> list[Effect]:
        query = select(effects).where(effects.c.thread_id == thread_id)
        async with self._database.statement() as connection:
            rows = await connection.execute(query.order_by(effects.c.started_at, effects.c.id))
            return [Effect(**row._mapping) for row in rows]


class PostgresContactMessages:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def newest(
        self, *, before: datetime | None = None, limit: int = 50
    ) -> list[ContactMessage]:
        query = select(contact_messages).order_by(contact_messages.c.created_at.desc()).limit(limit)
        if before is not None:
            query = query.where(contact_messages.c.created_at < before)
        async with self._database.statement() as connection:
            return [ContactMessage(**row._mapping) for row in await connection.execute(query)]
