"""Threads, who waits for them and who holds them."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from server.adapters.memory.records import Record, Records, Ticket
from server.domain.audit import AuditEntry
from server.domain.conversation import Lease, Thread
from server.domain.errors import NotFound
from server.ports import LEASE_GAP, Clock, Heartbeat, LeaseTerms


class MemoryThreads:
    def __init__(self, records: Records, clock: Clock, terms: LeaseTerms) -> None:
        self._records = records
        self._clock = clock
        self._terms = terms

    async def open(self, thread_id: str, principal: str) -> Thread:
        now = self._clock()
        fresh = Thread(thread_id, principal, "idle", 0, created_at=now, updated_at=now)
        return self._records.threads.setdefault(thread_id, Record(fresh)).thread

    async def get(self, thread_id: str) -> Thread | None:
        record = self._records.threads.get(thread_id)
        return record.thread if record else None

    async def newest(
        self, *, principal: str | None, before: datetime | None, limit: int
    ) -> list[Thread]:
        found = [
            record.thread
            for record in self._records.threads.values()
            if principal in (None, record.thread.principal)
            and (before is None or record.thread.updated_at < before)
        ]
        return sorted(found, key=lambda thread: thread.updated_at, reverse=True)[:limit]

    async def enter_queue(self, thread_id: str) -> int:
        if thread_id not in self._records.threads:
            raise NotFound
        ticket = next(self._records.next_ticket)
        self._records.tickets[ticket] = Ticket(thread_id, self._clock() + self._terms.ticket)
        return ticket

    async def keep_ticket(self, ticket: int) -> None:
        if kept := self._records.tickets.get(ticket):
            kept.alive_until = self._clock() + self._terms.ticket

    async def leave_queue(self, ticket: int) -> None:
        self._records.tickets.pop(ticket, None)

    async def claim(self, thread_id: str, holder: str, ticket: int) -> Lease | None:
        async with self._records.locked(thread_id) as record:
            now = self._clock()
            somebody_is_first = any(
                number < ticket and waits.thread_id == thread_id and waits.alive_until > now
                for number, waits in self._records.tickets.items()
            )
            return None if somebody_is_first else self._take_free(record, holder)

    async def take_for_recovery(self, thread_id: str, holder: str) -> Lease | None:
        async with self._records.locked(thread_id) as record:
            return self._take_free(record, holder)

    async def take_lapsed(self, holder: str, limit: int) -> list[Lease]:
        taken: list[Lease] = []
        for thread_id, record in list(self._records.threads.items()):
            if len(taken) == limit:
                break
            if self._has_lapsed(record) and not self._records.is_locked(thread_id):
                last_seq = record.thread.last_seq + LEASE_GAP
                record.thread = replace(record.thread, last_seq=last_seq)
                taken.append(self._take(record, holder))
        return taken

    def _has_lapsed(self, record: Record) -> bool:
        return record.lease_until is not None and record.lease_until < self._clock()

    def _take_free(self, record: Record | None, holder: str) -> Lease | None:
        if record is None or record.holder is not None:
            return None
        return self._take(record, holder)

    def _take(self, record: Record, holder: str) -> Lease:
        record.fence = next(self._records.next_fence)
        record.holder = holder
        record.lease_until = self._clock() + self._terms.lease
        return Lease(record.thread.id, record.fence, holder, record.thread.last_seq)

    async def renew(self, lease: Lease) -> Heartbeat:
        async with self._records.locked(lease.thread_id) as record:
            if record is None or not record.is_held_under(lease.fence):
                return Heartbeat(alive=False, cancel=False)
            record.lease_until = self._clock() + self._terms.lease
            active = record.thread.active_run
            cancel = active is not None and record.cancel_requested == active
            return Heartbeat(alive=True, cancel=cancel)

    async def let_lapse(self, lease: Lease) -> None:
        async with self._records.locked(lease.thread_id) as record:
            if record is not None and record.is_held_under(lease.fence):
                record.lease_until = self._clock() - timedelta(microseconds=1)
        self._records.ring(lease.thread_id)

    async def idle_since(self, before: datetime, limit: int) -> list[str]:
        idle = [
            record.thread
            for record in self._records.threads.values()
            if record.holder is None
            and record.thread.updated_at < before
            and all(asked.status != "pending" for asked in record.approvals.values())
        ]
        return [thread.id for thread in sorted(idle, key=lambda t: t.updated_at)[:limit]]

    async def ask_cancel(self, thread_id: str) -> str | None:
        async with self._records.locked(thread_id) as record:
            if record is None or record.thread.active_run is None:
                return None
            record.cancel_requested = record.thread.active_run
        self._records.ring(thread_id)
        return record.cancel_requested

    async def delete(
        self, lease: Lease, checkpoint_keys: Sequence[str], noted: AuditEntry | None = None
    ) -> None:
        async with self._records.held(lease):
            for key in checkpoint_keys:
                self._records.forget_checkpoints(key)
            del self._records.threads[lease.thread_id]
            self._records.audit = [
                entry for entry in self._records.audit if entry.thread_id != lease.thread_id
            ]
            if noted is not None:
                self._records.note(noted)
            for number, waits in list(self._records.tickets.items()):
                if waits.thread_id == lease.thread_id:
                    del self._records.tickets[number]
        self._records.ring(lease.thread_id)
