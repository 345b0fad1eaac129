"""The audit trail, over a list."""

from datetime import datetime

from server.adapters.memory.records import Records
from server.domain.audit import AuditEntry


class MemoryAuditTrail:
    """Lines get their place when their transaction commits, so that the list is in order."""

    def __init__(self, records: Records) -> None:
        self._records = records

    async def read(
        self,
        *,
        after: int,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int,
    ) -> list[AuditEntry]:
        found = [
            entry
            for entry in self._records.audit
            if entry.position > after
            and (since is None or entry.at >= since)
            and (until is None or entry.at < until)
        ]
        return found[:limit]
