"""What can be asked of the records. Answers are copies: changing one changes nothing that is kept."""

from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from datetime import datetime
from typing import TypeVar

from server.adapters.memory.records import Record, Records
from server.domain.approvals import Approval, ApprovalStatus, ContactMessage, Effect, EffectStatus
from server.domain.conversation import Run, Turn
from server.domain.events import Event

T = TypeVar("T")


class MemoryLog:
    def __init__(self, records: Records) -> None:
        self._records = records

    async def read(self, thread_id: str, after: int, limit: int = 500) -> list[tuple[int, Event]]:
        record = self._records.threads.get(thread_id)
        events = record.events if record else []
        return deepcopy([entry for entry in events if entry[0] > after][:limit])

    async def first_kept(self, thread_id: str) -> int:
        record = self._records.threads.get(thread_id)
        return record.events[0][0] if record and record.events else 1


class MemoryTurns:
    def __init__(self, records: Records) -> None:
        self._records = records

    async def get(self, turn_id: str) -> Turn | None:
        turns = (record.turns for record in self._records.threads.values())
        return deepcopy(_get(turn_id, turns))

    async def newest(self, thread_id: str, limit: int = 50) -> list[Turn]:
        record = self._records.threads.get(thread_id)
        turns = list(record.turns.values()) if record else []
        return deepcopy(turns[max(0, len(turns) - limit) :])

    async def last_said(self, thread_ids: Sequence[str]) -> dict[str, str]:
        records = ((id, self._records.threads.get(id)) for id in thread_ids)
        return {
            id: list(record.turns.values())[-1].said
            for id, record in records
            if record and record.turns
        }


class MemoryRuns:
    def __init__(self, records: Records) -> None:
        self._records = records

    async def get(self, run_id: str) -> Run | None:
        return _get(run_id, (record.runs for record in self._records.threads.values()))

    async def newest(
        self, *, thread_id: str | None = None, before: datetime | None = None, limit: int = 50
    ) -> list[Run]:
        found = [
            run
            for record in self._records.threads.values()
            for run in record.runs.values()
            if thread_id in (None, run.thread_id) and (before is None or run.started_at < before)
        ]
        return sorted(found, key=lambda run: (run.started_at, run.id), reverse=True)[:limit]

    async def due(self, now: datetime, limit: int) -> list[Run]:
        found = [
            (run.retry_at, run)
            for record in self._records.threads.values()
            if record.holder is None
            for run in record.runs.values()
            if run.status == "error" and run.retry_at is not None and run.retry_at <= now
        ]
        return [run for _, run in sorted(found, key=lambda entry: entry[0])][:limit]

    async def at(self, thread_id: str, seq: int) -> Run | None:
        record = self._records.threads.get(thread_id)
        begun = [run for run in record.runs.values() if run.first_seq < seq] if record else []
        return max(begun, key=lambda run: (run.first_seq, run.started_at), default=None)


class MemoryApprovals:
    def __init__(self, records: Records) -> None:
        self._records = records

    def _all(self, wanted: Callable[[Approval], bool]) -> list[Approval]:
        records = self._records.threads.values()
        everything = (approval for record in records for approval in record.approvals.values())
        return deepcopy(
            sorted(
                (approval for approval in everything if wanted(approval)),
                key=lambda approval: approval.created_at,
            )
        )

    async def get(self, interrupt_id: str) -> Approval | None:
        approvals = (record.approvals for record in self._records.threads.values())
        return deepcopy(_get(interrupt_id, approvals))

    async def of_thread(self, thread_id: str) -> list[Approval]:
        record = self._records.threads.get(thread_id)
        return deepcopy(list(record.approvals.values())) if record else []

    async def with_status(
        self, status: ApprovalStatus, *, before: datetime | None = None, limit: int = 50
    ) -> list[Approval]:
        oldest_first = self._all(lambda approval: approval.status == status)
        if status == "pending":
            return oldest_first[:limit]
        earlier = [one for one in oldest_first if before is None or one.created_at < before]
        return earlier[::-1][:limit]

    async def expired(self, now: datetime, limit: int) -> list[Approval]:
        found = [
            (approval.expires_at, approval)
            for approval in self._all(lambda approval: approval.status == "pending")
            if approval.expires_at is not None and approval.expires_at <= now
        ]
        return [approval for _, approval in sorted(found, key=lambda entry: entry[0])][:limit]

    async def unresumed(self, limit: int) -> list[str]:
        waiting = [
            record.thread
            for record in self._records.threads.values()
            if record.holder is None and _is_to_resume(record)
        ]
        return [
            thread.id for thread in sorted(waiting, key=lambda thread: thread.updated_at)[:limit]
        ]


class MemoryEffects:
    def __init__(self, records: Records) -> None:
        self._records = records

    async def get(self, effect_id: str) -> Effect | None:
        effects = (e for record in self._records.threads.values() for e in record.effects.values())
        return next((effect for effect in effects if effect.id == effect_id), None)

    async def newest(self, status: EffectStatus | None, limit: int = 50) -> list[Effect]:
        found = [
            effect
            for record in self._records.threads.values()
            for effect in record.effects.values()
            if status in (None, effect.status)
        ]
        return sorted(found, key=lambda effect: effect.started_at, reverse=True)[:limit]

    async def of_thread(self, thread_id: str) -> list[Effect]:
        record = self._records.threads.get(thread_id)
        found = record.effects.values() if record else ()
        return sorted(found, key=lambda effect: (effect.started_at, effect.id))


class MemoryContactMessages:
    def __init__(self, records: Records) -> None:
        self._records = records

    async def newest(
        self, *, before: datetime | None = None, limit: int = 50
    ) -> list[ContactMessage]:
        found = [
            message
            for record in self._records.threads.values()
            for message in record.contact_messages.values()
            if before is None or message.created_at < before
        ]
        return sorted(found, key=lambda message: message.created_at, reverse=True)[:limit]


def _is_to_resume(record: Record) -> bool:
    approvals = record.approvals.values()
    still_open = {approval.run_id for approval in approvals if approval.status == "pending"}
    return any(
        approval.resumed_by is None
        and approval.status not in ("pending", "orphaned")
        and approval.run_id not in still_open
        for approval in approvals
    )


def _get(key: str, tables: Iterable[dict[str, T]]) -> T | None:
    return next((table[key] for table in tables if key in table), None)
