"""The port Log: numbered events, kept in batches, read from anywhere."""

from typing import get_args

import pytest

from server.domain.events import (
    ApprovalChanged,
    Citation,
    Done,
    Event,
    Failed,
    InterruptChanged,
    Meta,
    Reset,
    Retract,
    Text,
    ThreadOpened,
    ToolProgress,
    Trace,
)
from tests.contract.samples import ODD_TEXTS, Kept, hold_new

ONE_OF_EACH: list[Event] = [
    ThreadOpened("t", "run-1"),
    Text("hello"),
    Citation(1, "About", "about.md#me", "I am", url=None),
    ToolProgress("search_knowledge", "call-1", "done"),
    Retract(2),
    InterruptChanged("i-1", "pending", "refund", {"cents": 100, "why": None}, "Refund?"),
    ApprovalChanged("mixed"),
    Meta("run-1", "answered", model="m", cost_usd=0.25, ttft_ms=None),
    Trace([{"node": "generate", "ms": 3}], ["x"], 1),
    Failed("model_unavailable", "Sorry", True),
    Reset(),
    Done(),
]


async def write(kept: Kept, *batches: list[int]) -> None:
    lease = await hold_new(kept.store)
    for batch in batches:
        async with kept.store.units.hold(lease) as writes:
            await writes.append([(seq, Text(str(seq))) for seq in batch])


async def seqs(kept: Kept, after: int, limit: int = 500) -> list[int]:
    return [seq for seq, _ in await kept.other.log.read("t", after, limit)]


async def test_every_kind_of_event_comes_back_as_it_was(kept: Kept) -> None:
    assert {type(event) for event in ONE_OF_EACH} == set(get_args(Event))
    lease = await hold_new(kept.store)
    numbered = list(enumerate(ONE_OF_EACH, 1))
    async with kept.store.units.hold(lease) as writes:
        await writes.append(numbered)
    assert await kept.other.log.read("t", 0) == numbered
    assert (await kept.other.threads.get("t")).last_seq == len(numbered)


async def test_reading_begins_anywhere_also_inside_a_batch(kept: Kept) -> None:
    await write(kept, [1, 2, 3], [4], [6, 9])
    everything = [1, 2, 3, 4, 6, 9]
    for after in range(-1, 11):
        assert await seqs(kept, after) == [seq for seq in everything if seq > after]
    assert await seqs(kept, 10**30) == []


async def test_a_limited_read_can_be_gone_on_with(kept: Kept) -> None:
    """At most a few more than asked for, never none while there are some, and no gap between reads."""
    await write(kept, *([seq, seq + 1] for seq in range(1, 101, 2)))
    found: list[int] = []
    while page := await seqs(kept, found[-1] if found else 0, 7):
        assert 7 <= len(page) <= 8 or page[-1] == 100
        found += page
    assert found == list(range(1, 101))
    assert len(await seqs(kept, 0, 500)) == 100


async def test_events_said_again_are_kept_once(kept: Kept) -> None:
    """Who does not know whether a transaction was committed says it all again, with what came since."""
    lease = await hold_new(kept.store)
    for batch in ([(1, Text("a")), (2, Text("b"))], [(1, Text("a")), (2, Text("b")), (3, Done())]):
        async with kept.store.units.hold(lease) as writes:
            await writes.append(batch)
    async with kept.store.units.hold(lease) as writes:
        await writes.append([])
    assert await kept.store.log.read("t", 0) == [(1, Text("a")), (2, Text("b")), (3, Done())]


@pytest.mark.parametrize("batch", [[2, 1], [1, 1]])
async def test_events_are_numbered_upward(kept: Kept, batch: list[int]) -> None:
    with pytest.raises(ValueError):
        await write(kept, batch)
    assert await seqs(kept, 0) == []


async def test_the_first_kept_is_one_for_an_empty_log(kept: Kept) -> None:
    assert await kept.store.log.first_kept("unknown") == 1
    await write(kept, [5, 6], [7])
    assert await kept.store.log.first_kept("t") == 5


async def test_threads_have_logs_of_their_own(kept: Kept) -> None:
    await write(kept, [1])
    lease = await hold_new(kept.store, "other")
    async with kept.store.units.hold(lease) as writes:
        await writes.append([(1, Done())])
    assert await kept.store.log.read("t", 0) == [(1, Text("1"))]


@pytest.mark.parametrize("text", ODD_TEXTS)
async def test_any_text_can_be_logged(kept: Kept, text: str) -> None:
    event = InterruptChanged("i", "pending", "tool", {"key": [text]}, text)
    lease = await hold_new(kept.store)
    async with kept.store.units.hold(lease) as writes:
        await writes.append([(1, Text(text)), (2, event)])
    assert await kept.other.log.read("t", 0) == [(1, Text(text)), (2, event)]


async def test_old_batches_are_forgotten_whole(kept: Kept) -> None:
    """A batch goes when all of it is older; what is kept can be read on from any place in it."""
    lease = await hold_new(kept.store)
    for numbers in ((1, 2), (3, 4, 5), (6,)):
        async with kept.store.units.hold(lease) as writes:
            await writes.append([(seq, Text(str(seq))) for seq in numbers])
    async with kept.store.units.hold(lease) as writes:
        await writes.prune_events(3)
    assert [seq for seq, _ in await kept.store.log.read("t", 0)] == [3, 4, 5, 6]
    assert await kept.store.log.first_kept("t") == 3
