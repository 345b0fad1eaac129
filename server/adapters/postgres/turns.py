"""The history of a thread."""

from collections.abc import Sequence
from dataclasses import asdict

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.ext.asyncio import AsyncConnection

from server.adapters.postgres.engine import Database
from server.adapters.postgres.tables import turns
from server.adapters.postgres.upsert import upsert
from server.domain.conversation import Turn

_TURN = [column for column in turns.c if column.name != "position"]


async def save_turn(connection: AsyncConnection, turn: Turn) -> None:
    """Adds or replaces the turn; its position stays that of the first saving."""
    await upsert(connection, turns, asdict(turn))


class PostgresTurns:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def get(self, turn_id: str) -> Turn | None:
        query = select(*_TURN).where(turns.c.id == turn_id)
        async with self._database.statement() as connection:
            row = (await connection.execute(query)).one_or_none()
        return None if row is None else Turn(**row._mapping)

    async def newest(self, thread_id: str, limit: int = 50) -> list[Turn]:
        query = (
            select(*_TURN)
            .where(turns.c.thread_id == thread_id)
            .order_by(turns.c.position.desc())
            .limit(limit)
        )
        async with self._database.statement() as connection:
            newest_first = [Turn(**row._mapping) for row in await connection.execute(query)]
        return newest_first[::-1]

    async def last_said(self, thread_ids: Sequence[str]) -> dict[str, str]:
        query = (
            select(turns.c.thread_id, turns.c.said)
            .ext(distinct_on(turns.c.thread_id))
            .where(turns.c.thread_id.in_(thread_ids))
            .order_by(turns.c.thread_id, turns.c.position.desc())
        )
        async with self._database.statement() as connection:
            return {row.thread_id: row.said for row in await connection.execute(query)}
