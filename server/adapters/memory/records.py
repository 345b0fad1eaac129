"""What is kept, one record a thread, and the locks that stand for row locks."""

from collections import defaultdict
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from itertools import count
from weakref import WeakValueDictionary

import anyio

from server.domain.approvals import Approval, ContactMessage, Effect
from server.domain.audit import AuditEntry
from server.domain.conversation import Lease, Run, Thread, Turn
from server.domain.errors import LeaseLost
from server.domain.events import Event
from server.domain.feedback import Feedback
from server.domain.gaps import Gap
from server.domain.notices import Notice
from server.ports import Reservation


@dataclass(slots=True)
class Record:
    """A thread with all its rows. Effects and messages are kept by tool call, gaps by turn, verdicts by run, notices by id and channel, the rest by id."""

    thread: Thread
    fence: int = 0
    holder: str | None = None
    lease_until: datetime | None = None
    cancel_requested: str | None = None
    events: list[tuple[int, Event]] = field(default_factory=list)
    turns: dict[str, Turn] = field(default_factory=dict)
    runs: dict[str, Run] = field(default_factory=dict)
    approvals: dict[str, Approval] = field(default_factory=dict)
    effects: dict[str, Effect] = field(default_factory=dict)
    contact_messages: dict[str, ContactMessage] = field(default_factory=dict)
    gaps: dict[str, Gap] = field(default_factory=dict)
    verdicts: dict[str, Feedback] = field(default_factory=dict)
    notices: dict[tuple[str, str], Notice] = field(default_factory=dict)

    def is_held_under(self, fence: int) -> bool:
        """Whether nobody took over since that claim, and the thread was not given back."""
        return self.fence == fence and self.holder is not None


@dataclass(slots=True)
class Ticket:
    """A place in a thread's queue; counts while alive."""

    thread_id: str
    alive_until: datetime


@dataclass(slots=True)
class BudgetDay:
    """What a day's model calls may cost, and what they did, in nano-dollars."""

    reserved: int = 0
    charged: int = 0


class Records:
    """The threads of one process, and the bell that tells of their changes."""

    def __init__(self) -> None:
        self.threads: dict[str, Record] = {}
        self.tickets: dict[int, Ticket] = {}
        self.arrivals: dict[str, datetime] = {}
        self.budget_days: defaultdict[date, BudgetDay] = defaultdict(BudgetDay)
        self.reservations: dict[str, tuple[Lease, Reservation]] = {}
        self.audit: list[AuditEntry] = []
        self.next_ticket = count(1)
        self.next_audit = count(1)
        self.next_fence = count(1)
        self._locks: WeakValueDictionary[str, anyio.Lock] = WeakValueDictionary()
        self._listeners: list[Callable[[str], None]] = []
        self._forgetters: list[Callable[[str], None]] = []

    @asynccontextmanager
    async def locked(self, thread_id: str) -> AsyncIterator[Record | None]:
        """Alone with the thread, None if there is none. Don't nest for the same thread."""
        lock = self._locks.setdefault(thread_id, anyio.Lock())
        async with lock:
            yield self.threads.get(thread_id)

    def is_locked(self, thread_id: str) -> bool:
        """Whether somebody is in the middle of a transaction."""
        lock = self._locks.get(thread_id)
        return lock is not None and lock.locked()

    @asynccontextmanager
    async def held(self, lease: Lease) -> AsyncIterator[Record]:
        """Alone with the thread as long as the lease holds; else raises LeaseLost."""
        async with self.locked(lease.thread_id) as record:
            if record is None or not record.is_held_under(lease.fence):
                raise LeaseLost
            yield record

    def note(self, entry: AuditEntry) -> None:
        """Adds a line to the audit."""
        self.audit.append(replace(entry, position=next(self.next_audit)))

    def settle_charge(self, reservation_id: str, charge: int) -> None:
        """Puts the charge in the reservation's place, if that is still there."""
        if found := self.reservations.pop(reservation_id, None):
            _, reservation = found
            day = self.budget_days[reservation.day]
            day.reserved -= reservation.nano_usd
            day.charged += charge

    def on_forget(self, forget: Callable[[str], None]) -> None:
        """Whoever keeps checkpoints is told the keys of those to remove."""
        self._forgetters.append(forget)

    def forget_checkpoints(self, key: str) -> None:
        """Removes what is kept under a saver's thread id."""
        for forget in self._forgetters:
            forget(key)

    def ring(self, thread_id: str) -> None:
        """Tells every listener."""
        for listener in list(self._listeners):
            listener(thread_id)

    async def listen(self, ring: Callable[[str], None]) -> None:
        """The port `Bell`."""
        self._listeners.append(ring)
        try:
            ring("*")
            await anyio.sleep_forever()
        finally:
            self._listeners.remove(ring)
