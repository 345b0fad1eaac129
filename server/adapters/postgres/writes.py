"""What a holder may write: every transaction begins by locking the thread's row under the fence."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from itertools import pairwise
from typing import Any

from sqlalchemy import func, literal_column, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from server.adapters.postgres.approvals import mark_resumed, open_approvals, settle
from server.adapters.postgres.budget import settle_charge
from server.adapters.postgres.effects import begin_effect, finish_effect, reopen_effect
from server.adapters.postgres.engine import LET_GO, Database
from server.adapters.postgres.gaps import record_gap
from server.adapters.postgres.log import append_batch, prune_batches
from server.adapters.postgres.outbox import post
from server.adapters.postgres.runs import save_run
from server.adapters.postgres.tables import threads
from server.adapters.postgres.threads import held_under, ring
from server.adapters.postgres.turns import save_turn
from server.domain.approvals import Approval, Decision, Effect, EffectStatus, Via
from server.domain.conversation import Lease, Run, ThreadStatus, Turn
from server.domain.errors import LeaseLost
from server.domain.events import Event
from server.domain.gaps import Gap
from server.domain.notices import Notice
from server.domain.tools import ContactDraft
from server.ports import Writes


class PostgresUnits:
    def __init__(self, database: Database) -> None:
        self._database = database

    @asynccontextmanager
    async def hold(self, lease: Lease) -> AsyncIterator[Writes]:
        # NO KEY UPDATE: whoever only queues up refers to this row, and need not wait for the transaction.
        held = (
            select(threads.c.last_seq, literal_column(LET_GO))
            .where(held_under(lease))
            .with_for_update(key_share=True)
        )
        async with self._database.transaction() as connection:
            last_seq = (await connection.execute(held)).scalar_one_or_none()
            if last_seq is None:
                raise LeaseLost
            yield PostgresWrites(connection, lease.thread_id, last_seq)


class PostgresWrites:
    """Bound to one open transaction; of no use after it."""

    def __init__(self, connection: AsyncConnection, thread_id: str, last_seq: int) -> None:
        self._connection = connection
        self._thread_id = thread_id
        self._last_seq = last_seq

    async def append(self, events: Sequence[tuple[int, Event]]) -> None:
        new = [(seq, event) for seq, event in events if seq > self._last_seq]
        if not new:
            return
        if any(after[0] <= before[0] for before, after in pairwise(new)):
            raise ValueError("events are numbered upward")
        await append_batch(self._connection, self._thread_id, new)
        self._last_seq = new[-1][0]
        await self._set(last_seq=self._last_seq)
        await ring(self._connection, self._thread_id)

    async def save_turn(self, turn: Turn) -> None:
        self._own(turn.thread_id)
        await save_turn(self._connection, turn)

    async def save_run(self, run: Run) -> None:
        self._own(run.thread_id)
        await save_run(self._connection, run)

    async def activate(self, run_id: str) -> None:
        await self._set(status="busy", active_run=run_id)

    async def open_approvals(self, approvals: Sequence[Approval]) -> None:
        for approval in approvals:
            self._own(approval.thread_id)
        await open_approvals(self._connection, approvals)

    async def settle(self, interrupt_id: str, decision: Decision, now: datetime) -> Approval | None:
        return await settle(self._connection, self._thread_id, interrupt_id, decision, now)

    async def mark_resumed(self, interrupt_ids: Sequence[str], run_id: str) -> None:
        await mark_resumed(self._connection, self._thread_id, interrupt_ids, run_id)

    async def begin_effect(
        self, *, interrupt_id: str, tool_call_id: str, tool: str, digest: str, run_id: str
    ) -> Effect:
        return await begin_effect(
            self._connection,
            self._thread_id,
            interrupt_id=interrupt_id,
            tool_call_id=tool_call_id,
            tool=tool,
            digest=digest,
            run_id=run_id,
        )

    async def finish_effect(
        self,
        effect_id: str,
        status: EffectStatus,
        result: str | None,
        draft: ContactDraft | None = None,
        *,
        by: str | None = None,
        via: Via | None = None,
    ) -> None:
        await finish_effect(
            self._connection, self._thread_id, effect_id, status, result, draft, by=by, via=via
        )

    async def reopen_effect(
        self, effect_id: str, run_id: str, *, by: str | None = None, via: Via | None = None
    ) -> Effect | None:
        return await reopen_effect(
            self._connection, self._thread_id, effect_id, run_id, by=by, via=via
        )

    async def settle_charge(self, reservation_id: str, charge: int) -> None:
        await settle_charge(self._connection, reservation_id, charge)

    async def record_gap(self, gap: Gap) -> None:
        self._own(gap.thread_id)
        await record_gap(self._connection, gap)

    async def post(self, notices: Sequence[Notice]) -> None:
        for notice in notices:
            self._own(notice.thread_id)
        await post(self._connection, notices)

    async def prune_events(self, before: int) -> None:
        await prune_batches(self._connection, self._thread_id, before)

    async def release(self, status: ThreadStatus) -> None:
        await self._set(
            status=status, holder=None, lease_until=None, active_run=None, cancel_requested=None
        )
        await ring(self._connection, self._thread_id)

    async def _set(self, **columns: Any) -> None:
        this = update(threads).where(threads.c.id == self._thread_id)
        await self._connection.execute(this.values(updated_at=func.clock_timestamp(), **columns))

    def _own(self, thread_id: str) -> None:
        if thread_id != self._thread_id:
            raise ValueError("this belongs to another thread than the one that is held")
