"""Notices on their way to the owner, over the threads' records."""

from dataclasses import replace
from datetime import datetime
from typing import Any

from server.adapters.memory.records import Records
from server.domain.notices import Notice, NoticeStatus


class MemoryOutbox:
    """Whoever writes to a thread works on a copy of its record, so that notices are changed only when nobody does."""

    def __init__(self, records: Records) -> None:
        self._records = records

    async def take(
        self, channel: str, *, now: datetime, until: datetime, limit: int
    ) -> list[Notice]:
        def is_due(notice: Notice) -> bool:
            in_time = notice.next_at is None or notice.next_at <= now
            return notice.channel == channel and notice.status == "waiting" and in_time

        taken: list[Notice] = []
        for notice in sorted(filter(is_due, self._all()), key=lambda notice: notice.since):
            if len(taken) == limit:
                break
            mine = replace(notice, attempts=notice.attempts + 1, next_at=until)
            if await self._change(notice, attempts=mine.attempts, next_at=until):
                taken.append(mine)
        return taken

    async def settle(self, notice: Notice, status: NoticeStatus) -> bool:
        return await self._change(notice, status=status, next_at=None)

    async def put_off(self, notice: Notice, until: datetime) -> bool:
        return await self._change(notice, next_at=until)

    async def give_up(self, before: datetime) -> int:
        old = [n for n in self._all() if n.status == "waiting" and n.since < before]
        return sum([await self.settle(notice, "failed") for notice in old])

    async def of_thread(self, thread_id: str) -> list[Notice]:
        record = self._records.threads.get(thread_id)
        return list(record.notices.values()) if record else []

    async def _change(self, notice: Notice, **fields: Any) -> bool:
        key = (notice.id, notice.channel)
        async with self._records.locked(notice.thread_id) as record:
            now = record.notices.get(key) if record else None
            # The number of attempts is the fence: whoever took it later counted one more.
            if record is None or now is None or now.status != "waiting":
                return False
            if now.attempts != notice.attempts:
                return False
            record.notices[key] = replace(now, **fields)
            return True

    def _all(self) -> list[Notice]:
        records = self._records.threads.values()
        return [notice for record in records for notice in record.notices.values()]
