"""The event log: a row is a batch of numbered events."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import delete, func, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from server.adapters.postgres.engine import Database
from server.adapters.postgres.tables import events
from server.domain.events import Event, as_json, from_json

_LARGEST_SEQ = 2**63 - 1
_ROWS_AT_ONCE = 100


async def append_batch(
    connection: AsyncConnection, thread_id: str, batch: Sequence[tuple[int, Event]]
) -> None:
    """Adds the batch as one row."""
    row = {
        "thread_id": thread_id,
        "first_seq": batch[0][0],
        "last_seq": batch[-1][0],
        "events": [[seq, as_json(event)] for seq, event in batch],
    }
    await connection.execute(insert(events).values(row))


async def prune_batches(connection: AsyncConnection, thread_id: str, before: int) -> None:
    """Removes the rows that end before that seq."""
    old = (events.c.thread_id == thread_id, events.c.last_seq < before)
    await connection.execute(delete(events).where(*old))


class PostgresLog:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def read(self, thread_id: str, after: int, limit: int = 500) -> list[tuple[int, Event]]:
        found: list[tuple[int, Event]] = []
        seen = min(after, _LARGEST_SEQ)
        more = True
        async with self._database.statement() as connection:
            while more and len(found) < limit:
                rows = await connection.execute(
                    select(events.c.last_seq, events.c.events)
                    .where(events.c.thread_id == thread_id, events.c.last_seq > seen)
                    .order_by(events.c.last_seq)
                    .limit(min(_ROWS_AT_ONCE, limit - len(found)))
                )
                more = False
                for last_seq, batch in rows:
                    if len(found) >= limit:
                        break
                    found += [
                        (seq, event)
                        for seq, body in batch
                        if seq > after and (event := _known(body)) is not None
                    ]
                    seen, more = last_seq, True
        return found

    async def first_kept(self, thread_id: str) -> int:
        query = select(func.min(events.c.first_seq)).where(events.c.thread_id == thread_id)
        async with self._database.statement() as connection:
            return (await connection.execute(query)).scalar_one() or 1


def _known(body: dict[str, Any]) -> Event | None:
    # During a rolling deploy a newer replica may have written a type this one has not heard of.
    try:
        return from_json(body)
    except KeyError:
        return None
