"""Questions that were not answered, and verdicts on those that were."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime

from sqlalchemy import literal, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from server.adapters.postgres.engine import Database
from server.adapters.postgres.tables import feedback as verdicts
from server.adapters.postgres.tables import gaps, threads
from server.domain.feedback import Feedback
from server.domain.gaps import Gap, GapStatus


async def record_gap(connection: AsyncConnection, gap: Gap) -> None:
    """Adds the gap; the first one of a turn stays."""
    row = insert(gaps).values(asdict(gap))
    await connection.execute(row.on_conflict_do_nothing(index_elements=["thread_id", "turn_id"]))


class PostgresGaps:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, gap_id: str) -> Gap | None:
        query = select(gaps).where(gaps.c.id == gap_id)
        async with self._database.statement() as connection:
            row = (await connection.execute(query)).one_or_none()
        return None if row is None else Gap(**row._mapping)

    async def with_status(
        self, status: GapStatus, *, before: datetime | None = None, limit: int = 500
    ) -> list[Gap]:
        when = gaps.c.asked_at if status == "open" else gaps.c.settled_at
        query = select(gaps).where(gaps.c.status == status)
        if before is not None:
            query = query.where(when < before)
        query = query.order_by(when.desc(), gaps.c.id.desc()).limit(limit)
        async with self._database.statement() as connection:
            return [Gap(**row._mapping) for row in await connection.execute(query)]

    async def settle(
        self, gap_ids: Sequence[str], status: GapStatus, *, by: str, at: datetime, page: str | None
    ) -> list[str]:
        # Locked in one order first: two who settle overlapping groups wait for each other, and never both for ever.
        still_open = (
            select(gaps.c.id)
            .where(gaps.c.id.in_(gap_ids), gaps.c.status == "open")
            .order_by(gaps.c.id)
            .with_for_update()
            .cte("still_open")
        )
        settled = (
            update(gaps)
            .where(gaps.c.id == still_open.c.id)
            .values(status=status, settled_by=by, settled_at=at, page=page)
            .returning(gaps.c.id)
        )
        async with self._database.statement() as connection:
            return [row.id for row in await connection.execute(settled)]


class PostgresVerdicts:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def save(self, feedback: Feedback) -> bool:
        row = asdict(feedback)
        # From the thread's own row: one that is being forgotten gives none, and nothing is left of it.
        values = [threads.c.id.label("thread_id")] + [
            literal(value, verdicts.c[name].type).label(name)
            for name, value in row.items()
            if name != "thread_id"
        ]
        source = select(*values).where(threads.c.id == feedback.thread_id)
        saved = insert(verdicts).from_select(
            list(row), source.with_for_update(key_share=True, read=True)
        )
        replaced = {
            name: saved.excluded[name] for name in row if name not in ("thread_id", "run_id")
        }
        statement = saved.on_conflict_do_update(
            index_elements=["thread_id", "run_id"], set_=replaced
        ).returning(verdicts.c.run_id)
        async with self._database.statement() as connection:
            return (await connection.execute(statement)).one_or_none() is not None

    async def of_thread(self, thread_id: str) -> list[Feedback]:
        query = select(verdicts).where(verdicts.c.thread_id == thread_id).order_by(verdicts.c.seq)
        async with self._database.statement() as connection:
            return [Feedback(**row._mapping) for row in await connection.execute(query)]
