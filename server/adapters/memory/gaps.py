"""Questions that were not answered, and verdicts on those that were: written beside the thread's lease, not under it."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from server.adapters.memory.records import Records
from server.domain.feedback import Feedback
from server.domain.gaps import Gap, GapStatus


class MemoryGaps:
    def __init__(self, records: Records) -> None:
        self._records = records

    async def get(self, gap_id: str) -> Gap | None:
        return next((gap for gap in self._all() if gap.id == gap_id), None)

    async def with_status(
        self, status: GapStatus, *, before: datetime | None = None, limit: int = 500
    ) -> list[Gap]:
        found = [
            gap
            for gap in self._all()
            if gap.status == status and (before is None or _when(gap) < before)
        ]
        return sorted(found, key=lambda gap: (_when(gap), gap.id), reverse=True)[:limit]

    async def settle(
        self, gap_ids: Sequence[str], status: GapStatus, *, by: str, at: datetime, page: str | None
    ) -> list[str]:
        wanted = {gap.id: gap.thread_id for gap in self._all() if gap.id in gap_ids}
        settled: list[str] = []
        for thread_id in sorted(set(wanted.values())):
            async with self._records.locked(thread_id) as record:
                for turn_id, gap in record.gaps.items() if record else ():
                    if gap.id in wanted and gap.status == "open" and record is not None:
                        record.gaps[turn_id] = replace(
                            gap, status=status, settled_by=by, settled_at=at, page=page
                        )
                        settled.append(gap.id)
        return settled

    def _all(self) -> list[Gap]:
        return [gap for record in self._records.threads.values() for gap in record.gaps.values()]


class MemoryVerdicts:
    def __init__(self, records: Records) -> None:
        self._records = records

    async def save(self, feedback: Feedback) -> bool:
        record = self._records.threads.get(feedback.thread_id)
        if record is None:
            return False
        record.verdicts[feedback.run_id] = feedback
        return True

    async def of_thread(self, thread_id: str) -> list[Feedback]:
        record = self._records.threads.get(thread_id)
        verdicts = record.verdicts.values() if record else ()
        return sorted(verdicts, key=lambda feedback: feedback.seq)


def _when(gap: Gap) -> datetime:
    return gap.settled_at or gap.asked_at
