"""What a holder may write: into a copy of the thread's record, which takes its place when all went well."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from copy import copy, deepcopy
from dataclasses import replace
from datetime import datetime
from itertools import pairwise
from typing import Any
from uuid import uuid4

from server.adapters.memory.records import Record, Records
from server.domain.approvals import Approval, ContactMessage, Decision, Effect, EffectStatus, Via
from server.domain.audit import AuditAction, AuditEntry, of_decision, of_effect
from server.domain.conversation import Lease, Run, ThreadStatus, Turn
from server.domain.errors import NotApproved
from server.domain.events import Event
from server.domain.gaps import Gap
from server.domain.notices import Notice
from server.domain.tools import ContactDraft
from server.ports import Clock, Writes

_CONTAINERS = (
    "events",
    "turns",
    "runs",
    "approvals",
    "effects",
    "contact_messages",
    "gaps",
    "notices",
)


_ENDED: dict[EffectStatus, AuditAction] = {
    "done": "effect_done",
    "failed": "effect_failed",
    "in_doubt": "effect_in_doubt",
}


class MemoryUnits:
    def __init__(self, records: Records, clock: Clock) -> None:
        self._records = records
        self._clock = clock

    @asynccontextmanager
    async def hold(self, lease: Lease) -> AsyncIterator[Writes]:
        async with self._records.held(lease) as record:
            draft = copy(record)
            for name in _CONTAINERS:
                setattr(draft, name, copy(getattr(record, name)))
            writes = MemoryWrites(draft, self._clock)
            yield writes
            self._records.threads[lease.thread_id] = draft
            for entry in writes.noted:
                self._records.note(entry)
            for reservation_id, charge in writes.charges:
                self._records.settle_charge(reservation_id, charge)
        if writes.rings:
            self._records.ring(lease.thread_id)


class MemoryWrites:
    """Bound to one open transaction; of no use after it."""

    def __init__(self, record: Record, clock: Clock) -> None:
        self.rings = False
        self.noted: list[AuditEntry] = []
        self.charges: list[tuple[str, int]] = []
        self._record = record
        self._clock = clock

    async def append(self, events: Sequence[tuple[int, Event]]) -> None:
        new = [(seq, event) for seq, event in events if seq > self._record.thread.last_seq]
        if not new:
            return
        if any(after[0] <= before[0] for before, after in pairwise(new)):
            raise ValueError("events are numbered upward")
        self._record.events += deepcopy(new)
        self._set(last_seq=new[-1][0])
        self.rings = True

    async def save_turn(self, turn: Turn) -> None:
        self._own(turn.thread_id)
        self._record.turns[turn.id] = deepcopy(turn)

    async def save_run(self, run: Run) -> None:
        self._own(run.thread_id)
        self._record.runs[run.id] = run

    async def activate(self, run_id: str) -> None:
        self._set(status="busy", active_run=run_id)

    async def open_approvals(self, approvals: Sequence[Approval]) -> None:
        for approval in approvals:
            self._own(approval.thread_id)
            self._record.approvals.setdefault(approval.interrupt_id, deepcopy(approval))

    async def settle(self, interrupt_id: str, decision: Decision, now: datetime) -> Approval | None:
        asked = self._record.approvals.get(interrupt_id)
        if asked is None or asked.status != "pending":
            return None
        in_time = asked.expires_at is None or asked.expires_at > now
        if decision.status == "approved" and not in_time:
            return None
        settled = replace(
            asked,
            status=decision.status,
            decided_by=decision.by,
            decided_via=decision.via,
            decided_at=now,
            note=decision.note,
            edited_arguments=deepcopy(decision.edited_arguments),
            effective_digest=decision.effective_digest,
            answer=deepcopy(decision.answer),
        )
        self._record.approvals[interrupt_id] = settled
        self.noted.append(of_decision(settled))
        return deepcopy(settled)

    async def mark_resumed(self, interrupt_ids: Sequence[str], run_id: str) -> None:
        for interrupt_id in interrupt_ids:
            if settled := self._record.approvals.get(interrupt_id):
                self._record.approvals[interrupt_id] = replace(settled, resumed_by=run_id)

    async def begin_effect(
        self, *, interrupt_id: str, tool_call_id: str, tool: str, digest: str, run_id: str
    ) -> Effect:
        asked = self._record.approvals.get(interrupt_id)
        if asked is None or asked.status != "approved":
            raise NotApproved
        if (asked.tool_call_id, asked.tool, asked.effective_digest) != (tool_call_id, tool, digest):
            raise NotApproved
        if earlier := self._record.effects.get(tool_call_id):
            if earlier.digest != digest:
                raise NotApproved
            return earlier
        effect_id = uuid4().hex
        started = Effect(
            id=effect_id,
            thread_id=self._record.thread.id,
            tool_call_id=tool_call_id,
            tool=tool,
            digest=digest,
            status="started",
            idempotency_key=effect_id,
            run_id=run_id,
            started_at=self._clock(),
        )
        self._record.effects[tool_call_id] = started
        return replace(started, fresh=True)

    async def finish_effect(
        self,
        effect_id: str,
        status: EffectStatus,
        result: str | None,
        draft: ContactDraft | None = None,
        *,
        by: str | None = None,
        via: Via | None = None,
    ) -> None:
        effects = self._record.effects
        found = next((effect for effect in effects.values() if effect.id == effect_id), None)
        if found is None:
            raise ValueError("no such effect in this thread")
        now = self._clock()
        if found.status != "done":
            ended_at = now if status in ("done", "failed") else None
            finished = replace(found, status=status, result=result, ended_at=ended_at)
            effects[found.tool_call_id] = finished
            self._note(finished, _ENDED[status], by=by, via=via)
        if draft is not None:
            message = ContactMessage(
                id=uuid4().hex,
                thread_id=found.thread_id,
                tool_call_id=found.tool_call_id,
                subject=draft.subject,
                message=draft.message,
                sender_contact=draft.sender_contact,
                created_at=now,
            )
            self._record.contact_messages.setdefault(found.tool_call_id, message)

    async def reopen_effect(
        self, effect_id: str, run_id: str, *, by: str | None = None, via: Via | None = None
    ) -> Effect | None:
        effects = self._record.effects
        found = next((effect for effect in effects.values() if effect.id == effect_id), None)
        if found is None or found.status != "in_doubt":
            return None
        reopened = replace(
            found, status="started", run_id=run_id, result=None, started_at=self._clock()
        )
        effects[found.tool_call_id] = reopened
        if by is not None:
            self._note(reopened, "effect_retried", by=by, via=via)
        return replace(reopened, fresh=True)

    async def settle_charge(self, reservation_id: str, charge: int) -> None:
        self.charges.append((reservation_id, charge))

    async def record_gap(self, gap: Gap) -> None:
        self._own(gap.thread_id)
        self._record.gaps.setdefault(gap.turn_id, gap)

    async def post(self, notices: Sequence[Notice]) -> None:
        for notice in notices:
            self._own(notice.thread_id)
            self._record.notices.setdefault((notice.id, notice.channel), notice)

    async def prune_events(self, before: int) -> None:
        self._record.events = [event for event in self._record.events if event[0] >= before]

    async def release(self, status: ThreadStatus) -> None:
        self._set(status=status, active_run=None)
        self._record.holder = self._record.lease_until = self._record.cancel_requested = None
        self.rings = True

    def _note(self, effect: Effect, what: AuditAction, *, by: str | None, via: Via | None) -> None:
        approvals = self._record.approvals.values()
        asked = next((a for a in approvals if a.tool_call_id == effect.tool_call_id), None)
        self.noted.append(of_effect(effect, what, asked, at=self._clock(), by=by, via=via))

    def _set(self, **fields: Any) -> None:
        self._record.thread = replace(self._record.thread, updated_at=self._clock(), **fields)

    def _own(self, thread_id: str) -> None:
        if thread_id != self._record.thread.id:
            raise ValueError("this belongs to another thread than the one that is held")
