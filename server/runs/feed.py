"""Tells those who follow a thread in this process what is new, before it is saved and after."""

from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import anyio

from server.domain.events import Event

Numbered = tuple[int, Event]
QUEUE_LIMIT = 256
EVERYWHERE = "*"


class Feed:
    """One per process. Nobody is buffered for: whoever falls behind is sent to the log."""

    def __init__(self) -> None:
        self._followers: dict[str, set[Subscription]] = defaultdict(set)
        self._unsaved: dict[str, list[Numbered]] = {}

    @contextmanager
    def writing(self, thread_id: str) -> Iterator[None]:
        """While it lasts, all of the thread's events come through `publish`, so bells for it are ignored.

        A run that lost the thread may still be here when the next one begins: then the place is the next one's.
        """
        # What was written before this, the run's `thread` at least, had a bell that may come too late, or never.
        for follower in self._followers.get(thread_id, ()):
            follower.fall_behind()
        mine: list[Numbered] = []
        self._unsaved[thread_id] = mine
        try:
            yield
        finally:
            if self._unsaved.get(thread_id) is mine:
                del self._unsaved[thread_id]
                self.ring(thread_id)

    def publish(self, thread_id: str, events: Sequence[Numbered]) -> None:
        """Shows numbered events to followers before they are saved."""
        self._unsaved[thread_id].extend(events)
        for follower in self._followers.get(thread_id, ()):
            follower.offer(events)

    def saved(self, thread_id: str, seq: int) -> None:
        """Everything up to that seq can be read from the log now."""
        unsaved = self._unsaved[thread_id]
        unsaved[:] = [event for event in unsaved if event[0] > seq]
        for follower in self._followers.get(thread_id, ()):
            follower.wake_if_behind()

    def ring(self, thread_id: str) -> None:
        """The log of that thread, or of every thread for `*`, holds something new."""
        for known in list(self._followers) if thread_id == EVERYWHERE else [thread_id]:
            if known not in self._unsaved:
                for follower in self._followers.get(known, ()):
                    follower.fall_behind()

    def unsaved(self, thread_id: str) -> Sequence[Numbered]:
        """What was published and is not in the log yet."""
        return self._unsaved.get(thread_id, ())

    @contextmanager
    def subscribe(self, thread_id: str, *, rings_only: bool = False) -> Iterator["Subscription"]:
        """A place among the thread's followers; with `rings_only` for those who wait for the thread itself."""
        subscription = Subscription(self, thread_id, rings_only)
        self._followers[thread_id].add(subscription)
        try:
            yield subscription
        finally:
            self._followers[thread_id].discard(subscription)
            if not self._followers[thread_id]:
                del self._followers[thread_id]


class Subscription:
    """One follower's place: what is fresh, and whether the log has to be read first."""

    def __init__(self, feed: Feed, thread_id: str, rings_only: bool) -> None:
        self._feed = feed
        self._thread_id = thread_id
        self._rings_only = rings_only
        self._bell = anyio.Event()
        self._fresh: deque[Numbered] = deque()
        self.behind = True

    def offer(self, events: Sequence[Numbered]) -> None:
        """Takes fresh events; too many of them, and the follower falls behind instead."""
        if not self.behind:
            self._fresh.extend(events)
            self.behind = len(self._fresh) > QUEUE_LIMIT
            self._bell.set()

    def fall_behind(self) -> None:
        """The next look must be at the log."""
        self.behind = True
        self._bell.set()

    def wake_if_behind(self) -> None:
        """The log has more for those who read from it."""
        if self.behind and not self._rings_only:
            self._bell.set()

    def catch_up(self) -> None:
        """Call before reading the log: from here on, the log and what `take` gives leave no gap."""
        self.behind = False
        self._fresh = deque(self._feed.unsaved(self._thread_id))

    def take(self) -> list[Numbered]:
        """The fresh events, in order."""
        taken = list(self._fresh)
        self._fresh.clear()
        return taken

    async def wait(self, seconds: float) -> bool:
        """Whether something happened before the time was up."""
        with anyio.move_on_after(seconds):
            await self._bell.wait()
        happened = self._bell.is_set()
        self._bell = anyio.Event()
        return happened
