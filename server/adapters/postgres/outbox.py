"""Notices on their way to the owner: written by whoever holds the thread, taken by whoever sends."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import and_, or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from server.adapters.postgres.engine import Database
from server.adapters.postgres.tables import notices
from server.domain.notices import Notice, NoticeStatus

_NOTICE = [column for column in notices.c if column.name != "position"]


async def post(connection: AsyncConnection, posted: Sequence[Notice]) -> None:
    """Adds the notices; those that are there already are left as they are."""
    if posted:
        rows = insert(notices).values([asdict(notice) for notice in posted])
        await connection.execute(rows.on_conflict_do_nothing(index_elements=["id", "channel"]))


class PostgresOutbox:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def take(
        self, channel: str, *, now: datetime, until: datetime, limit: int
    ) -> list[Notice]:
        due = (
            select(notices.c.id)
            .where(
                notices.c.channel == channel,
                notices.c.status == "waiting",
                or_(notices.c.next_at.is_(None), notices.c.next_at <= now),
            )
            .order_by(notices.c.position)
            .limit(limit)
            .with_for_update(skip_locked=True)
            .cte("due")
        )
        taken = (
            update(notices)
            .where(notices.c.id == due.c.id, notices.c.channel == channel)
            .values(attempts=notices.c.attempts + 1, next_at=until)
            .returning(*notices.c)
        )
        async with self._database.statement() as connection:
            rows = (await connection.execute(taken)).all()
        return [_notice(row) for row in sorted(rows, key=lambda row: row.position)]

    async def settle(self, notice: Notice, status: NoticeStatus) -> bool:
        return await self._change(notice, status=status, next_at=None)

    async def put_off(self, notice: Notice, until: datetime) -> bool:
        return await self._change(notice, next_at=until)

    async def _change(self, notice: Notice, **columns: Any) -> bool:
        # The number of attempts is the fence: whoever took it later counted one more.
        taken = and_(
            notices.c.id == notice.id,
            notices.c.channel == notice.channel,
            notices.c.status == "waiting",
            notices.c.attempts == notice.attempts,
        )
        async with self._database.statement() as connection:
            changed = await connection.execute(update(notices).where(taken).values(**columns))
        return changed.rowcount > 0

    async def give_up(self, before: datetime) -> int:
        old = update(notices).where(notices.c.status == "waiting", notices.c.since < before)
        async with self._database.statement() as connection:
            return (await connection.execute(old.values(status="failed", next_at=None))).rowcount

    async def of_thread(self, thread_id: str) -> list[Notice]:
        query = select(*_NOTICE).where(notices.c.thread_id == thread_id)
        async with self._database.statement() as connection:
            rows = await connection.execute(query.order_by(notices.c.position))
            return [Notice(**row._mapping) for row in rows]


def _notice(row: Any) -> Notice:
    return Notice(**{column.name: getattr(row, column.name) for column in _NOTICE})
