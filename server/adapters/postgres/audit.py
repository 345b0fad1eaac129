"""The audit trail: lines are added in the transactions they tell of, and never changed."""

from dataclasses import asdict
from datetime import datetime

from sqlalchemy import insert, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from server.adapters.postgres.engine import Database
from server.adapters.postgres.tables import audit
from server.domain.audit import AuditEntry


async def note(connection: AsyncConnection, entry: AuditEntry) -> None:
    """Adds a line; its place is given here."""
    row = {name: value for name, value in asdict(entry).items() if name != "position"}
    await connection.execute(insert(audit).values(row))


class PostgresAuditTrail:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def read(
        self,
        *,
        after: int,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int,
    ) -> list[AuditEntry]:
        query = select(audit).where(audit.c.position > after).order_by(audit.c.position)
        if since is not None:
            query = query.where(audit.c.at >= since)
        if until is not None:
            query = query.where(audit.c.at < until)
        async with self._database.transaction() as connection:
            # Places are given before commits: without this, a line could appear before one that was read. Writers hold
            # the table's lock from before they get their place until they have committed, so this waits for them.
            await connection.execute(text("SET LOCAL lock_timeout = '2s'"))
            await connection.execute(text("LOCK TABLE audit IN SHARE MODE"))
            rows = await connection.execute(query.limit(limit))
            return [AuditEntry(**row._mapping) for row in rows]
