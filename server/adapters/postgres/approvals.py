"""The questions and their answers."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import Row, exists, or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from server.adapters.postgres.audit import note
from server.adapters.postgres.engine import Database
from server.adapters.postgres.tables import approvals, threads
from server.domain.approvals import Approval, ApprovalStatus, Decision
from server.domain.audit import of_decision

APPROVAL = [column for column in approvals.c if column.name != "position"]


def as_approval(row: Row[Any]) -> Approval:
    """From a row whose columns are `APPROVAL`."""
    fields = dict(row._mapping)
    return Approval(**fields | {"warnings": tuple(fields["warnings"])})


async def open_approvals(connection: AsyncConnection, opened: Sequence[Approval]) -> None:
    """Adds the questions; those that are there already are left as they are."""
    for approval in opened:
        row = insert(approvals).values(asdict(approval))
        await connection.execute(row.on_conflict_do_nothing(index_elements=["interrupt_id"]))


async def settle(
    connection: AsyncConnection,
    thread_id: str,
    interrupt_id: str,
    decision: Decision,
    now: datetime,
) -> Approval | None:
    """Settles a pending question in one statement: of many at once, exactly one gets the approval back, and is noted."""
    statement = (
        update(approvals)
        .where(
            approvals.c.interrupt_id == interrupt_id,
            approvals.c.thread_id == thread_id,
            approvals.c.status == "pending",
        )
        .values(
            status=decision.status,
            decided_by=decision.by,
            decided_via=decision.via,
            decided_at=now,
            note=decision.note,
            edited_arguments=decision.edited_arguments,
            effective_digest=decision.effective_digest,
            answer=decision.answer,
        )
        .returning(*APPROVAL)
    )
    if decision.status == "approved":
        in_time = or_(approvals.c.expires_at.is_(None), approvals.c.expires_at > now)
        statement = statement.where(in_time)
    row = (await connection.execute(statement)).one_or_none()
    if row is None:
        return None
    settled = as_approval(row)
    await note(connection, of_decision(settled))
    return settled


async def mark_resumed(
    connection: AsyncConnection, thread_id: str, interrupt_ids: Sequence[str], run_id: str
) -> None:
    """Notes which run goes on with these answers."""
    await connection.execute(
        update(approvals)
        .where(approvals.c.thread_id == thread_id, approvals.c.interrupt_id.in_(interrupt_ids))
        .values(resumed_by=run_id)
    )


class PostgresApprovals:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def _all(self, query: Any) -> list[Approval]:
        async with self._database.statement() as connection:
            return [as_approval(row) for row in await connection.execute(query)]

    async def get(self, interrupt_id: str) -> Approval | None:
        query = select(*APPROVAL).where(approvals.c.interrupt_id == interrupt_id)
        found = await self._all(query)
        return found[0] if found else None

    async def of_thread(self, thread_id: str) -> list[Approval]:
        query = select(*APPROVAL).where(approvals.c.thread_id == thread_id)
        return await self._all(query.order_by(approvals.c.position))

    async def with_status(
        self, status: ApprovalStatus, *, before: datetime | None = None, limit: int = 50
    ) -> list[Approval]:
        query = select(*APPROVAL).where(approvals.c.status == status).limit(limit)
        oldest_first = approvals.c.created_at, approvals.c.position
        if status == "pending":
            return await self._all(query.order_by(*oldest_first))
        if before is not None:
            query = query.where(approvals.c.created_at < before)
        return await self._all(query.order_by(*(column.desc() for column in oldest_first)))

    async def expired(self, now: datetime, limit: int) -> list[Approval]:
        query = select(*APPROVAL).where(
            approvals.c.status == "pending", approvals.c.expires_at <= now
        )
        return await self._all(query.order_by(approvals.c.expires_at).limit(limit))

    async def unresumed(self, limit: int) -> list[str]:
        settled, sibling = approvals.alias("settled"), approvals.alias("sibling")
        still_open = exists().where(
            sibling.c.thread_id == settled.c.thread_id,
            sibling.c.run_id == settled.c.run_id,
            sibling.c.status == "pending",
        )
        to_resume = exists().where(
            settled.c.thread_id == threads.c.id,
            settled.c.resumed_by.is_(None),
            settled.c.status.not_in(["pending", "orphaned"]),
            ~still_open,
        )
        query = select(threads.c.id).where(threads.c.lease_until.is_(None), to_resume)
        async with self._database.statement() as connection:
            rows = await connection.execute(query.order_by(threads.c.updated_at).limit(limit))
            return [row.id for row in rows]
