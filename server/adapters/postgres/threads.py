"""Threads, who waits for them and who holds them. Leases run by the database's clock."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    Interval,
    Row,
    and_,
    column,
    delete,
    exists,
    func,
    insert,
    literal,
    select,
    table,
    update,
)
from sqlalchemy.dialects.postgresql import insert as insert_or
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from server.adapters.postgres.audit import note
from server.adapters.postgres.engine import Database
from server.adapters.postgres.tables import approvals, fences, thread_queue, threads
from server.domain.audit import AuditEntry
from server.domain.conversation import Lease, Thread
from server.domain.errors import LeaseLost, NotFound
from server.ports import LEASE_GAP, Heartbeat, LeaseTerms

CHANNEL = "sayso"
CHECKPOINT_TABLES = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")

FORGOTTEN_AFTER = timedelta(minutes=10)
"""How long the ticket of a process that died stays in the queue, counting for nothing."""

_THREAD = (
    threads.c.id,
    threads.c.principal,
    threads.c.status,
    threads.c.last_seq,
    threads.c.created_at,
    threads.c.updated_at,
    threads.c.active_run,
)


async def ring(connection: AsyncConnection, thread_id: str) -> None:
    """Rings the bell when the transaction commits."""
    await connection.execute(select(func.pg_notify(CHANNEL, thread_id)))


def held_under(lease: Lease) -> Any:
    """The thread's row, as long as the lease holds: nobody took over, and it was not given back."""
    return and_(
        threads.c.id == lease.thread_id,
        threads.c.fence == lease.fence,
        threads.c.holder.is_not(None),
    )


def _from_now(length: timedelta) -> Any:
    # Not now(), which is when the statement or transaction began: it may have waited for a lock since.
    return func.clock_timestamp() + literal(length, Interval())


class PostgresThreads:
    def __init__(self, database: Database, terms: LeaseTerms) -> None:
        self._database = database
        self._terms = terms

    async def open(self, thread_id: str, principal: str) -> Thread:
        while (thread := await self.get(thread_id)) is None:
            row = insert_or(threads).values(id=thread_id, principal=principal)
            async with self._database.statement() as connection:
                await connection.execute(row.on_conflict_do_nothing())
        return thread

    async def get(self, thread_id: str) -> Thread | None:
        query = select(*_THREAD).where(threads.c.id == thread_id)
        async with self._database.statement() as connection:
            row = (await connection.execute(query)).one_or_none()
        return None if row is None else Thread(**row._mapping)

    async def newest(
        self, *, principal: str | None, before: datetime | None, limit: int
    ) -> list[Thread]:
        query = select(*_THREAD).order_by(threads.c.updated_at.desc(), threads.c.id).limit(limit)
        if principal is not None:
            query = query.where(threads.c.principal == principal)
        if before is not None:
            query = query.where(threads.c.updated_at < before)
        async with self._database.statement() as connection:
            return [Thread(**row._mapping) for row in await connection.execute(query)]

    async def enter_queue(self, thread_id: str) -> int:
        ticket = (
            insert(thread_queue)
            .values(thread_id=thread_id, alive_until=_from_now(self._terms.ticket))
            .returning(thread_queue.c.ticket)
        )
        long_dead = delete(thread_queue).where(
            thread_queue.c.thread_id == thread_id,
            thread_queue.c.alive_until < func.now() - FORGOTTEN_AFTER,
        )
        try:
            async with self._database.transaction() as connection:
                await connection.execute(long_dead)
                return int((await connection.execute(ticket)).scalar_one())
        except IntegrityError as error:
            raise NotFound from error

    async def keep_ticket(self, ticket: int) -> None:
        kept = update(thread_queue).where(thread_queue.c.ticket == ticket)
        async with self._database.statement() as connection:
            await connection.execute(kept.values(alive_until=_from_now(self._terms.ticket)))

    async def leave_queue(self, ticket: int) -> None:
        async with self._database.statement() as connection:
            await connection.execute(delete(thread_queue).where(thread_queue.c.ticket == ticket))

    def _taken_by(self, holder: str) -> dict[str, Any]:
        return {
            "fence": fences.next_value(),
            "holder": holder,
            "lease_until": _from_now(self._terms.lease),
        }

    async def claim(self, thread_id: str, holder: str, ticket: int) -> Lease | None:
        somebody_is_first = exists().where(
            thread_queue.c.thread_id == thread_id,
            thread_queue.c.ticket < ticket,
            thread_queue.c.alive_until > func.now(),
        )
        return await self._take_free(thread_id, holder, ~somebody_is_first)

    async def take_for_recovery(self, thread_id: str, holder: str) -> Lease | None:
        return await self._take_free(thread_id, holder)

    async def _take_free(self, thread_id: str, holder: str, *conditions: Any) -> Lease | None:
        # Two at once: the second waits for the first's row lock, looks again, and finds the thread held.
        taken = (
            update(threads)
            .where(threads.c.id == thread_id, threads.c.lease_until.is_(None), *conditions)
            .values(self._taken_by(holder))
            .returning(threads.c.id, threads.c.fence, threads.c.holder, threads.c.last_seq)
        )
        async with self._database.statement() as connection:
            row = (await connection.execute(taken)).one_or_none()
        return None if row is None else _lease(row)

    async def take_lapsed(self, holder: str, limit: int) -> list[Lease]:
        lapsed = (
            select(threads.c.id)
            .where(threads.c.lease_until < func.now())
            .order_by(threads.c.lease_until)
            .limit(limit)
            .with_for_update(skip_locked=True, key_share=True)
            .cte("lapsed")
        )
        taken = (
            update(threads)
            .where(threads.c.id == lapsed.c.id)
            .values(last_seq=threads.c.last_seq + LEASE_GAP, **self._taken_by(holder))
            .returning(threads.c.id, threads.c.fence, threads.c.holder, threads.c.last_seq)
        )
        async with self._database.statement() as connection:
            return [_lease(row) for row in await connection.execute(taken)]

    async def let_lapse(self, lease: Lease) -> None:
        lapsed = update(threads).where(held_under(lease))
        async with self._database.transaction() as connection:
            await connection.execute(lapsed.values(lease_until=func.now()))
            await ring(connection, lease.thread_id)

    async def idle_since(self, before: datetime, limit: int) -> list[str]:
        waits = exists().where(
            approvals.c.thread_id == threads.c.id, approvals.c.status == "pending"
        )
        query = (
            select(threads.c.id)
            .where(threads.c.lease_until.is_(None), threads.c.updated_at < before, ~waits)
            .order_by(threads.c.updated_at)
            .limit(limit)
        )
        async with self._database.statement() as connection:
            return list((await connection.execute(query)).scalars())

    async def renew(self, lease: Lease) -> Heartbeat:
        renewed = (
            update(threads)
            .where(held_under(lease))
            .values(lease_until=_from_now(self._terms.lease))
            .returning(threads.c.cancel_requested == threads.c.active_run)
        )
        async with self._database.statement() as connection:
            row = (await connection.execute(renewed)).one_or_none()
        return Heartbeat(alive=row is not None, cancel=row is not None and row[0] is True)

    async def ask_cancel(self, thread_id: str) -> str | None:
        asked = (
            update(threads)
            .where(threads.c.id == thread_id, threads.c.active_run.is_not(None))
            .values(cancel_requested=threads.c.active_run)
            .returning(threads.c.active_run)
        )
        async with self._database.transaction() as connection:
            run_id: str | None = (await connection.execute(asked)).scalar_one_or_none()
            if run_id is not None:
                await ring(connection, thread_id)
        return run_id

    async def delete(
        self, lease: Lease, checkpoint_keys: Sequence[str], noted: AuditEntry | None = None
    ) -> None:
        async with self._database.transaction() as connection:
            gone = await connection.execute(delete(threads).where(held_under(lease)))
            if not gone.rowcount:
                raise LeaseLost
            for name in CHECKPOINT_TABLES:
                # LangGraph's tables, in the same transaction: a thread without its checkpoint could still be decided.
                of_thread = column("thread_id").in_(list(checkpoint_keys))
                await connection.execute(delete(table(name)).where(of_thread))
            if noted is not None:
                await note(connection, noted)
            await ring(connection, lease.thread_id)


def _lease(row: Row[Any]) -> Lease:
    return Lease(thread_id=row.id, fence=row.fence, holder=row.holder, last_seq=row.last_seq)
