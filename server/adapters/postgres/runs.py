"""The turn log."""

from dataclasses import asdict
from datetime import datetime
from typing import Any

from sqlalchemy import Row, select
from sqlalchemy.ext.asyncio import AsyncConnection

from server.adapters.postgres.engine import Database
from server.adapters.postgres.tables import runs, threads
from server.adapters.postgres.upsert import upsert
from server.domain.conversation import Run, Usage

_USAGE = ("input_tokens", "output_tokens", "cached_tokens")


async def save_run(connection: AsyncConnection, run: Run) -> None:
    """Adds or replaces the run."""
    row = asdict(run)
    row |= row.pop("usage")
    await upsert(connection, runs, row)


def _run(row: Row[Any]) -> Run:
    fields = dict(row._mapping)
    usage = Usage(**{name: fields.pop(name) for name in _USAGE})
    fields |= {"tools": tuple(fields["tools"]), "flags": tuple(fields["flags"])}
    return Run(usage=usage, **fields)


class PostgresRuns:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def _all(self, query: Any) -> list[Run]:
        async with self._database.statement() as connection:
            return [_run(row) for row in await connection.execute(query)]

    async def get(self, run_id: str) -> Run | None:
        found = await self._all(select(runs).where(runs.c.id == run_id))
        return found[0] if found else None

    async def newest(
        self, *, thread_id: str | None = None, before: datetime | None = None, limit: int = 50
    ) -> list[Run]:
        query = select(runs).order_by(runs.c.started_at.desc(), runs.c.id.desc()).limit(limit)
        if thread_id is not None:
            query = query.where(runs.c.thread_id == thread_id)
        if before is not None:
            query = query.where(runs.c.started_at < before)
        return await self._all(query)

    async def at(self, thread_id: str, seq: int) -> Run | None:
        query = (
            select(runs)
            .where(runs.c.thread_id == thread_id, runs.c.first_seq < seq)
            .order_by(runs.c.first_seq.desc(), runs.c.started_at.desc())
            .limit(1)
        )
        found = await self._all(query)
        return found[0] if found else None

    async def due(self, now: datetime, limit: int) -> list[Run]:
        return await self._all(
            select(runs)
            .join(threads, threads.c.id == runs.c.thread_id)
            .where(
                runs.c.status == "error", runs.c.retry_at <= now, threads.c.lease_until.is_(None)
            )
            .order_by(runs.c.retry_at)
            .limit(limit)
        )
