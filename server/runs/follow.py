"""Reads along: what a thread's log holds after a place, and what comes after that, in order, once each."""

from collections.abc import AsyncGenerator
from contextlib import aclosing

import anyio

from server.domain.errors import Unavailable
from server.domain.events import Done, Reset, ThreadOpened
from server.ports import Log
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
    if after and after + 1 < await log.first_kept(thread_id):
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


async def follow_run(
    log: Log, feed: Feed, thread_id: str, run_id: str, after: int
) -> AsyncGenerator[Numbered | None, None]:
    """The events of one run, from its `thread` to its `done`; other runs' events are passed over."""
    inside = False
    async with aclosing(follow(log, feed, thread_id, after)) as events:
        async for item in events:
            if item is None:
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
