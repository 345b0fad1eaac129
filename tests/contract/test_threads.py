"""The port Threads: who holds a thread, and who waits for it."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from server.domain.conversation import Lease
from server.domain.errors import LeaseLost, NotFound
from server.ports import LEASE_GAP, Heartbeat
from tests.contract.samples import (
    Kept,
    all_at_once,
    approval,
    hold_new,
    run,
    take_over,
    turn,
    write,
    yes,
)


async def test_a_thread_belongs_to_whoever_opened_it_first(kept: Kept) -> None:
    """Opening twice, at once even, makes one thread; the second principal changes nothing."""
    opened = await all_at_once(10, lambda n: kept.store.threads.open("t", f"visitor:{n}"))
    assert len(set(opened)) == 1
    assert await kept.other.threads.get("t") == opened[0]
    assert (opened[0].status, opened[0].last_seq, opened[0].active_run) == ("idle", 0, None)


async def test_an_unknown_thread_is_none_and_can_not_be_taken(kept: Kept) -> None:
    assert await kept.store.threads.get("t") is None
    assert await kept.store.threads.claim("t", "a", 1) is None
    assert await kept.store.threads.take_for_recovery("t", "a") is None
    assert await kept.store.threads.ask_cancel("t") is None


async def test_of_many_claims_at_once_one_gets_the_lease(kept: Kept) -> None:
    """Two replicas, forty claims: one lease."""
    await kept.store.threads.open("t", "visitor:v")

    async def claim(number: int) -> Lease | None:
        store = (kept.store, kept.other)[number % 2]
        return await store.threads.claim("t", f"holder-{number}", 0)

    leases = [lease for lease in await all_at_once(40, claim) if lease]
    assert len(leases) == 1
    assert await kept.store.threads.renew(leases[0]) == Heartbeat(alive=True, cancel=False)


async def test_the_smaller_ticket_goes_first(kept: Kept) -> None:
    threads = kept.store.threads
    await threads.open("t", "visitor:v")
    await threads.open("elsewhere", "visitor:v")
    first, second = await threads.enter_queue("t"), await threads.enter_queue("t")
    elsewhere = await threads.enter_queue("elsewhere")
    assert await threads.claim("t", "b", second) is None
    assert await threads.claim("elsewhere", "c", elsewhere)
    lease = await threads.claim("t", "a", first)
    assert lease
    await threads.leave_queue(first)
    assert await threads.claim("t", "b", second) is None, "held, whoever's turn it is"
    async with kept.store.units.hold(lease) as writes:
        await writes.release("idle")
    assert await threads.claim("t", "b", second)


async def test_a_ticket_nobody_keeps_alive_does_not_count(kept: Kept) -> None:
    await kept.store.threads.open("t", "visitor:v")
    dead = await kept.lapsing.threads.enter_queue("t")
    alive = await kept.store.threads.enter_queue("t")
    await kept.store.threads.keep_ticket(dead)
    assert await kept.store.threads.claim("t", "b", alive) is None
    await kept.lapsing.threads.keep_ticket(dead)
    assert await kept.store.threads.claim("t", "b", alive)


async def test_unknown_tickets_are_fine(kept: Kept) -> None:
    await kept.store.threads.leave_queue(12345)
    await kept.store.threads.keep_ticket(12345)


async def test_nobody_queues_up_for_a_thread_that_is_gone(kept: Kept) -> None:
    with pytest.raises(NotFound):
        await kept.store.threads.enter_queue("gone")


async def test_recovery_goes_ahead_of_everybody_but_takes_nothing_that_is_held(kept: Kept) -> None:
    threads = kept.store.threads
    await threads.open("t", "visitor:v")
    await threads.enter_queue("t")
    assert await threads.take_for_recovery("t", "r")
    assert await threads.take_for_recovery("t", "r") is None


async def test_a_released_thread_is_free_and_its_lease_is_void(kept: Kept) -> None:
    lease = await hold_new(kept.store)
    async with kept.store.units.hold(lease) as writes:
        await writes.activate("run-1")
    assert (await kept.store.threads.get("t")).status == "busy"
    async with kept.store.units.hold(lease) as writes:
        await writes.release("interrupted")
    thread = await kept.store.threads.get("t")
    assert (thread.status, thread.active_run) == ("interrupted", None)
    assert await kept.store.threads.renew(lease) == Heartbeat(alive=False, cancel=False)
    with pytest.raises(LeaseLost):
        await write(kept.store, lease, lambda writes: writes.activate("run-2"))


async def test_fences_grow(kept: Kept) -> None:
    first = await hold_new(kept.store)
    async with kept.store.units.hold(first) as writes:
        await writes.release("idle")
    second = await hold_new(kept.store)
    assert second.fence > first.fence


async def test_a_lapsed_lease_is_taken_over_with_a_gap_in_the_numbers(kept: Kept) -> None:
    late, lease = await take_over(kept)
    assert lease.fence > late.fence
    assert lease.last_seq == late.last_seq + LEASE_GAP
    assert (await kept.store.threads.get("t")).last_seq == lease.last_seq
    assert not (await kept.store.threads.renew(late)).alive
    assert (await kept.store.threads.renew(lease)).alive


async def test_of_many_takeovers_at_once_one_wins(kept: Kept) -> None:
    for number in range(3):
        await hold_new(kept.lapsing, f"t{number}")

    async def take(number: int) -> list[Lease]:
        return await (kept.store, kept.other)[number % 2].threads.take_lapsed(f"h{number}", 10)

    taken = [lease for leases in await all_at_once(10, take) for lease in leases]
    assert sorted(lease.thread_id for lease in taken) == ["t0", "t1", "t2"]


async def test_no_more_are_taken_over_than_asked_for(kept: Kept) -> None:
    for number in range(3):
        await hold_new(kept.lapsing, f"t{number}")
    assert len(await kept.store.threads.take_lapsed("b", 2)) == 2
    assert len(await kept.store.threads.take_lapsed("b", 2)) == 1


async def test_what_is_held_or_free_is_not_taken_over(kept: Kept) -> None:
    await hold_new(kept.store, "held")
    await kept.store.threads.open("free", "visitor:v")
    assert await kept.store.threads.take_lapsed("b", 10) == []


async def test_a_lapsed_lease_nobody_took_can_be_renewed(kept: Kept) -> None:
    lease = await hold_new(kept.lapsing)
    assert (await kept.store.threads.renew(lease)).alive
    assert await kept.store.threads.take_lapsed("b", 10) == []


async def test_nobody_is_taken_over_in_the_middle_of_a_transaction(kept: Kept) -> None:
    late = await hold_new(kept.lapsing)
    async with kept.store.units.hold(late) as writes:
        await writes.save_turn(turn())
        assert await kept.other.threads.take_lapsed("b", 10) == []
    assert len(await kept.other.threads.take_lapsed("b", 10)) == 1
    assert len(await kept.store.turns.newest("t")) == 1


async def test_cancelling_reaches_the_holder_of_the_active_run_only(kept: Kept) -> None:
    lease = await hold_new(kept.store)
    assert await kept.store.threads.ask_cancel("t") is None
    async with kept.store.units.hold(lease) as writes:
        await writes.activate("run-1")
    assert await kept.other.threads.ask_cancel("t") == "run-1"
    assert await kept.store.threads.renew(lease) == Heartbeat(alive=True, cancel=True)
    async with kept.store.units.hold(lease) as writes:
        await writes.activate("run-2")
    assert not (await kept.store.threads.renew(lease)).cancel, "the next run was not asked to stop"


async def test_newest_activity_comes_first(kept: Kept) -> None:
    for thread_id in ("t1", "t2", "t3"):
        await kept.store.threads.open(thread_id, "visitor:v")
    await kept.store.threads.open("other", "visitor:w")
    lease = await kept.store.threads.take_for_recovery("t2", "a")
    async with kept.store.units.hold(lease) as writes:
        await writes.activate("run-1")
    newest = await kept.store.threads.newest(principal="visitor:v", before=None, limit=10)
    assert [thread.id for thread in newest] == ["t2", "t3", "t1"]
    older = await kept.store.threads.newest(
        principal="visitor:v", before=newest[0].updated_at, limit=1
    )
    assert [thread.id for thread in older] == ["t3"]
    assert len(await kept.store.threads.newest(principal=None, before=None, limit=10)) == 4


async def test_a_deleted_thread_leaves_nothing_behind(kept: Kept) -> None:
    lease = await hold_new(kept.store)
    ticket = await kept.store.threads.enter_queue("t")
    async with kept.store.units.hold(lease) as writes:
        await writes.save_turn(turn())
        await writes.save_run(run())
        await writes.open_approvals([approval()])
        await writes.settle("i-1", yes(), approval().created_at)
    await kept.store.threads.delete(lease, [])
    assert await kept.store.threads.get("t") is None
    assert await kept.store.turns.get("turn-1") is None
    assert await kept.store.runs.get("run-1") is None
    assert await kept.store.approvals.get("i-1") is None
    assert await kept.store.approvals.unresumed(10) == []
    await kept.store.threads.open("t", "visitor:new")
    assert ticket < (later := await kept.store.threads.enter_queue("t"))
    assert await kept.store.threads.claim("t", "b", later), "the old ticket is gone"


async def test_only_the_holder_deletes(kept: Kept) -> None:
    late, _ = await take_over(kept)
    with pytest.raises(LeaseLost):
        await kept.store.threads.delete(late, [])
    assert await kept.store.threads.get("t")


async def test_a_thread_of_the_same_id_opened_again_knows_no_old_lease(kept: Kept) -> None:
    """Also when the new lease has the same holder: fences are never given twice."""
    old = await hold_new(kept.store)
    await kept.store.threads.delete(old, [])
    new = await hold_new(kept.store)
    assert new.fence != old.fence
    with pytest.raises(LeaseLost):
        await write(kept.store, old, lambda writes: writes.activate("run-2"))
    assert not (await kept.store.threads.renew(old)).alive


async def test_a_lease_that_is_let_go_is_taken_over_at_once(kept: Kept) -> None:
    """Handed over at a shutdown: nobody has to wait for the lease to run out."""
    lease = await hold_new(kept.store)
    assert await kept.other.threads.take_lapsed("b", 10) == []
    await kept.store.threads.let_lapse(lease)
    (taken,) = await kept.other.threads.take_lapsed("b", 10)
    assert taken.fence != lease.fence
    await kept.store.threads.let_lapse(lease)
    assert (await kept.other.threads.renew(taken)).alive
    assert await kept.other.threads.take_lapsed("c", 10) == []


async def test_idle_threads_are_those_that_wait_for_nothing(kept: Kept) -> None:
    """Not one that is held, not one with an open question, not a recent one."""
    for name in ("idle", "waiting", "held"):
        lease = await hold_new(kept.store, name)
        if name == "waiting":
            async with kept.store.units.hold(lease) as writes:
                await writes.open_approvals([replace(approval("i-9"), thread_id=name)])
        if name != "held":
            async with kept.store.units.hold(lease) as writes:
                await writes.release("idle")
    later = datetime.now(UTC) + timedelta(hours=1)
    assert await kept.store.threads.idle_since(later, 10) == ["idle"]
    assert await kept.store.threads.idle_since(later - timedelta(hours=2), 10) == []
