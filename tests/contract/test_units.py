"""The port Units: one transaction under a lease, all of it or nothing, and nothing for a late writer."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from server.domain.errors import LeaseLost
from server.domain.events import Done, Text
from server.domain.tools import ContactDraft
from server.ports import Writes
from tests.contract.samples import (
    NOW,
    Kept,
    approval,
    gap,
    hold_new,
    notice,
    run,
    take_over,
    turn,
    write,
    yes,
)

EVERY_WRITE: dict[str, Callable[[Writes], Awaitable[Any]]] = {
    "append": lambda w: w.append([(1, Done())]),
    "save_turn": lambda w: w.save_turn(turn()),
    "save_run": lambda w: w.save_run(run()),
    "activate": lambda w: w.activate("run-1"),
    "open_approvals": lambda w: w.open_approvals([approval("new")]),
    "settle": lambda w: w.settle("asked", yes(), NOW),
    "mark_resumed": lambda w: w.mark_resumed(["answered"], "run-2"),
    "begin_effect": lambda w: w.begin_effect(
        interrupt_id="answered",
        tool_call_id="call-answered",
        tool="draft_contact_message",
        digest="d",
        run_id="run-1",
    ),
    "finish_effect": lambda w: w.finish_effect(
        "unknown", "done", "ok", ContactDraft("a", "b", "c")
    ),
    "reopen_effect": lambda w: w.reopen_effect("unknown", "run-2"),
    "settle_charge": lambda w: w.settle_charge("unknown", 1),
    "record_gap": lambda w: w.record_gap(gap()),
    "post": lambda w: w.post([notice()]),
    "prune_events": lambda w: w.prune_events(10),
    "release": lambda w: w.release("idle"),
}


def test_every_write_is_listed_above() -> None:
    assert set(EVERY_WRITE) == {name for name in vars(Writes) if not name.startswith("_")}


async def everything(kept: Kept) -> object:
    """All that can be read of the thread `t`."""
    store = kept.other
    return (
        await store.threads.get("t"),
        await store.log.read("t", 0),
        await store.turns.newest("t"),
        await store.runs.newest(thread_id="t"),
        await store.approvals.of_thread("t"),
        await store.effects.newest(None),
        await store.contact_messages.newest(),
        await store.gaps.with_status("open"),
        await store.outbox.of_thread("t"),
        await store.audit.read(after=0, limit=100),
    )


@pytest.mark.parametrize("name", EVERY_WRITE)
@pytest.mark.parametrize("why", ["taken over", "released", "deleted"])
async def test_a_late_writer_is_refused(kept: Kept, name: str, why: str) -> None:
    """Whatever it wants to write, and however it lost the thread."""
    late = await hold_new(kept.lapsing)
    async with kept.store.units.hold(late) as writes:
        await writes.open_approvals([approval("asked"), approval("answered")])
        await writes.settle("answered", yes(), NOW)
    if why == "released":
        async with kept.store.units.hold(late) as writes:
            await writes.release("idle")
    elif why == "deleted":
        await kept.store.threads.delete(late, [])
    else:
        assert await kept.store.threads.take_lapsed("b", 1)
    before = await everything(kept)
    with pytest.raises(LeaseLost):
        await write(kept.store, late, EVERY_WRITE[name])
    assert await everything(kept) == before


async def test_an_error_takes_all_of_it_back(kept: Kept) -> None:
    lease = await hold_new(kept.store)
    async with kept.store.units.hold(lease) as writes:
        await writes.open_approvals([approval("asked"), approval("answered")])
        await writes.settle("answered", yes(), NOW)
    before = await everything(kept)

    async def write_all_and_fail(writes: Writes) -> None:
        for name, act in EVERY_WRITE.items():
            if name != "finish_effect":
                await act(writes)
        effect = await EVERY_WRITE["begin_effect"](writes)
        await writes.finish_effect(effect.id, "done", "ok", ContactDraft("a", "b", "c"))
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await write(kept.store, lease, write_all_and_fail)
    assert await everything(kept) == before
    assert (await kept.store.threads.renew(lease)).alive


async def test_nobody_sees_half_of_it(kept: Kept) -> None:
    lease = await hold_new(kept.store)
    before = await everything(kept)
    async with kept.store.units.hold(lease) as writes:
        await writes.save_turn(turn())
        await writes.append([(1, Text("a"))])
        assert await everything(kept) == before
    assert await everything(kept) != before


async def test_a_holder_writes_only_to_its_own_thread(kept: Kept) -> None:
    await hold_new(kept.store, "theirs")
    lease = await hold_new(kept.store)
    for act in (
        lambda w: w.save_turn(turn(thread_id="theirs")),
        lambda w: w.save_run(run(thread_id="theirs")),
        lambda w: w.open_approvals([approval(thread_id="theirs")]),
        lambda w: w.record_gap(gap(thread_id="theirs")),
        lambda w: w.post([notice(thread_id="theirs")]),
    ):
        with pytest.raises(ValueError):
            await write(kept.store, lease, act)


async def test_another_threads_questions_can_not_be_touched(kept: Kept) -> None:
    theirs = await hold_new(kept.store, "theirs")
    async with kept.store.units.hold(theirs) as writes:
        await writes.open_approvals([approval(thread_id="theirs")])
    ours = await hold_new(kept.store)
    async with kept.store.units.hold(ours) as writes:
        assert await writes.settle("i-1", yes(), NOW) is None
        await writes.mark_resumed(["i-1"], "run-9")
    asked = await kept.store.approvals.get("i-1")
    assert (asked.status, asked.resumed_by) == ("pending", None)


async def test_the_new_holder_goes_on_where_the_late_one_was_stopped(kept: Kept) -> None:
    _, lease = await take_over(kept)
    async with kept.store.units.hold(lease) as writes:
        await writes.append([(lease.last_seq + 1, Done())])
    assert await kept.store.log.read("t", 0) == [(lease.last_seq + 1, Done())]
