"""Reads along: what a thread's log holds after a place, and what comes after that, in order, once each."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

import anyio

from server.domain.errors import Unavailable
from server.domain.events import Done, Reset, ThreadOpened
from server.ports import Log, Runs, Store
from server.runs.feed import Feed, Numbered

AWAY_S = 1.0
"""While the database is away a follower looks this often, in seconds."""
POLL_S = 5.0
"""The net under the bell: a follower looks at the log this often, in seconds, even when nothing rings."""


async def follow(
    log: Log, feed: Feed, thread_id: str, after: int
) -> AsyncGenerator[Numbered | Reset | None, None]:
    """The thread's events with a seq above `after`, for ever; `None` when it was quiet for `POLL_S`.

    One code path for the first turn, a reconnect, a second tab, and the push after a late decision. `Reset` comes
    first when the cursor points before what is kept.
    """
    last = after
    if after and await _is_gone(log, thread_id, after + 1):
        yield Reset()
    with feed.subscribe(thread_id) as subscription:
        while True:
            while subscription.behind:
                subscription.catch_up()
                more = True
                while more:
                    try:
                        rows = await log.read(thread_id, last)
                    except Unavailable:
                        # Nobody is sent away for that: what was missed is read when the database is back.
                        subscription.fall_behind()
                        yield None
                        await anyio.sleep(AWAY_S)
                        break
                    for seq, event in rows:
                        yield seq, event
                        last = seq
                    more = bool(rows)
            for seq, event in subscription.take():
                if seq > last:
                    yield seq, event
                    last = seq
            if not await subscription.wait(POLL_S):
                subscription.fall_behind()
                yield None


async def _is_gone(log: Log, thread_id: str, seq: int) -> bool:
    """Whether that number is not kept any more. Waits while the database is away."""
    while True:
        try:
            return seq < await log.first_kept(thread_id)
        except Unavailable:
            await anyio.sleep(AWAY_S)


async def follow_run(
    store: Store, feed: Feed, thread_id: str, run_id: str, after: int
) -> AsyncGenerator[Numbered | None, None]:
    """The events of one run, from its `thread` to its `done`; other runs' events are passed over. None now and then while it is quiet.

    Ends without `done` when the thread was forgotten, by another tab or replica.
    """
    inside = False
    async with aclosing(follow(store.log, feed, thread_id, after)) as events:
        async for item in events:
            if item is None:
                if await _forgotten(store.runs, run_id):
                    return
                yield None
                continue
            if isinstance(item, Reset):
                continue
            match item[1]:
                case ThreadOpened(run_id=opened):
                    inside = opened == run_id
            if inside:
                yield item
                if isinstance(item[1], Done):
                    return


async def _forgotten(runs: Runs, run_id: str) -> bool:
    try:
        return await runs.get(run_id) is None
    except Unavailable:
        return False  # Nobody knows, so nobody is sent away.
