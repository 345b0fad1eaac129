"""Writes a run's events: numbered at once, shown at once, saved soon, in batches under the fence."""

from collections.abc import Awaitable, Callable

import anyio

from server.domain.conversation import Lease
from server.domain.events import Event, Text
from server.ports import LEASE_GAP, Units, Writes
from server.runs.feed import Feed, Numbered

BATCH_S = 0.15
"""How long text may be shown before it is saved, in seconds."""


class Journal:
    """One per run. Only whoever holds the lease may have one, so the numbers are its own to give.

    A takeover numbers on with a gap of `LEASE_GAP`; no more than half of that is ever shown unsaved.
    """

    def __init__(
        self, lease: Lease, feed: Feed, units: Units, *, last_seq: int, shown: str = ""
    ) -> None:
        self._lease = lease
        self._feed = feed
        self._units = units
        self._last_seq = last_seq
        self._pending: list[Numbered] = []
        self._saving = anyio.Lock()
        self._more = anyio.Event()
        self._room = anyio.Event()
        self.closing = False
        self.shown = shown

    @property
    def last_seq(self) -> int:
        """The newest number that was given."""
        return self._last_seq

    def number(self, events: list[Event]) -> list[Numbered]:
        """Gives events their places, in order."""
        numbered = list(enumerate(events, self._last_seq + 1))
        self._last_seq += len(events)
        for _, event in numbered:
            if isinstance(event, Text):
                self.shown += event.text
        return numbered

    async def add(self, *events: Event) -> None:
        """Shows the events now; they are saved within `BATCH_S`."""
        while len(self._pending) > LEASE_GAP // 2:
            self._room = anyio.Event()
            await self._room.wait()
        numbered = self.number(list(events))
        self._pending.extend(numbered)
        self._feed.publish(self._lease.thread_id, numbered)
        self._more.set()

    async def keep_saving(self) -> None:
        """Runs beside the graph until cancelled: the first events at once, then a batch every `BATCH_S`.

        Raises LeaseLost when somebody else holds the thread now.
        """
        while True:
            # What could not be saved is still pending: whoever calls this again need not wait for more.
            if not self._pending:
                self._more = anyio.Event()
                await self._more.wait()
            await self.save()
            await anyio.sleep(BATCH_S)

    async def save(self) -> None:
        """Saves what was added so far."""
        async with self._saving:
            if batch := list(self._pending):
                async with self._units.hold(self._lease) as held:
                    await held.append(batch)
                self._saved(batch)

    async def close(self, last: list[Numbered], write: Callable[[Writes], Awaitable[None]]) -> None:
        """Saves what is left, the last events and what `write` writes, all in one transaction.

        The last events are shown when it has committed: whoever reads `done` finds everything in place.
        """
        self.closing = True
        async with self._saving:
            batch = list(self._pending)
            async with self._units.hold(self._lease) as held:
                await held.append([*batch, *last])
                await write(held)
            self._saved(batch)
            self._feed.publish(self._lease.thread_id, last)
            self._feed.saved(self._lease.thread_id, self._last_seq)

    def _saved(self, batch: list[Numbered]) -> None:
        if batch:
            del self._pending[: len(batch)]
            self._room.set()
            self._feed.saved(self._lease.thread_id, batch[-1][0])
