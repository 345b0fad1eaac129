"""Adding or replacing a row that belongs to a thread."""

from typing import Any

from sqlalchemy import Table
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection


async def upsert(connection: AsyncConnection, table: Table, row: dict[str, Any]) -> None:
    """Adds the row, or replaces the one with its `id`. Raises ValueError when that one is another thread's."""
    replaced = {name: value for name, value in row.items() if name not in ("id", "thread_id")}
    saved = await connection.execute(
        insert(table)
        .values(row)
        .on_conflict_do_update(
            index_elements=[table.c.id],
            set_=replaced,
            where=table.c.thread_id == row["thread_id"],
        )
    )
    if not saved.rowcount:
        raise ValueError(f"this id in {table.name} belongs to another thread")
