"""The port Approvals, and how questions are opened and settled: one wins, and never too late."""

from dataclasses import replace
from typing import Any

import pytest

from server.domain.approvals import Approval
from tests.contract.samples import (
    MS,
    NOW,
    ODD_TEXTS,
    Kept,
    all_at_once,
    approval,
    hold_new,
    no,
    yes,
)


async def ask(kept: Kept, *asked: Approval, thread_id: str = "t") -> Any:
    """Opens the questions and gives the lease."""
    lease = await hold_new(kept.store, thread_id)
    async with kept.store.units.hold(lease) as writes:
        await writes.open_approvals(asked)
    return lease


async def settle(kept: Kept, lease: Any, decision: Any, at: Any = NOW, id_: str = "i-1") -> Any:
    async with kept.store.units.hold(lease) as writes:
        return await writes.settle(id_, decision, at)


async def test_a_question_comes_back_as_it_was(kept: Kept) -> None:
    """Arguments exactly: the digest is taken over the spelling of numbers too."""
    await ask(kept, approval())
    found = await kept.other.approvals.get("i-1")
    assert found == approval()
    assert type(found.arguments["n"]) is float
    assert await kept.store.approvals.get("unknown") is None


async def test_questions_opened_again_are_left_as_they_are(kept: Kept) -> None:
    lease = await ask(kept, approval())
    await settle(kept, lease, yes())
    async with kept.store.units.hold(lease) as writes:
        await writes.open_approvals([approval(message="other"), approval("i-2")])
    first, second = await kept.store.approvals.of_thread("t")
    assert (first.status, first.message) == ("approved", "Send this?")
    assert (second.interrupt_id, second.status) == ("i-2", "pending")


async def test_a_decision_is_recorded_whole(kept: Kept) -> None:
    lease = await ask(kept, approval())
    decision = yes(note="fine \x00", edited_arguments={"city": "London"}, effective_digest="e")
    settled = await settle(kept, lease, decision, NOW + MS)
    assert settled == replace(
        approval(),
        status="approved",
        decided_by="ann",
        decided_via="web",
        decided_at=NOW + MS,
        note="fine \x00",
        edited_arguments={"city": "London"},
        effective_digest="e",
        answer={"approved": True},
    )
    assert await kept.other.approvals.get("i-1") == settled


async def test_of_twenty_decisions_at_once_one_counts(kept: Kept) -> None:
    """Yes and no mixed, over two replicas: what is recorded is what one of them said."""
    lease = await ask(kept, approval())

    async def decide(number: int) -> Approval | None:
        store = (kept.store, kept.other)[number % 2]
        decision = yes(note=str(number)) if number % 3 else no(note=str(number))
        async with store.units.hold(lease) as writes:
            return await writes.settle("i-1", decision, NOW)

    settled = [one for one in await all_at_once(20, decide) if one]
    assert len(settled) == 1
    assert await kept.store.approvals.get("i-1") == settled[0]


@pytest.mark.parametrize("late", [0 * MS, MS])
async def test_nothing_is_approved_once_expired(kept: Kept, late: Any) -> None:
    """Not at the very moment either; and the question stays as it was."""
    lease = await ask(kept, approval(expires_at=NOW))
    assert await settle(kept, lease, yes(), NOW + late) is None
    assert (await kept.store.approvals.get("i-1")).status == "pending"


async def test_approving_in_the_last_moment_counts(kept: Kept) -> None:
    lease = await ask(kept, approval(expires_at=NOW))
    assert (await settle(kept, lease, yes(), NOW - MS)).status == "approved"


@pytest.mark.parametrize("status", ["rejected", "withdrawn", "cancelled", "expired", "orphaned"])
async def test_everything_but_a_yes_may_come_after_expiry(kept: Kept, status: Any) -> None:
    lease = await ask(kept, approval(expires_at=NOW))
    settled = await settle(kept, lease, no(status, by=None, via="clock"), NOW + MS)
    assert (settled.status, settled.decided_by) == (status, None)


async def test_a_question_without_expiry_can_be_approved_any_time(kept: Kept) -> None:
    lease = await ask(kept, approval(expires_at=None))
    assert await settle(kept, lease, yes(), NOW.replace(year=2090))


async def test_an_unknown_question_is_not_settled(kept: Kept) -> None:
    lease = await ask(kept)
    assert await settle(kept, lease, yes()) is None


async def test_expired_questions_are_found_oldest_expiry_first(kept: Kept) -> None:
    lease = await ask(
        kept,
        approval("later", expires_at=NOW + MS),
        approval("now", expires_at=NOW),
        approval("before", expires_at=NOW - MS),
        approval("never", expires_at=None),
        approval("settled", expires_at=NOW - MS),
    )
    await settle(kept, lease, no(), id_="settled")
    assert [one.interrupt_id for one in await kept.store.approvals.expired(NOW, 9)] == [
        "before",
        "now",
    ]
    assert len(await kept.store.approvals.expired(NOW, 1)) == 1


async def test_pending_questions_come_oldest_first_settled_ones_newest_first(kept: Kept) -> None:
    asked = [approval(f"i-{n}", created_at=NOW + n * MS) for n in (2, 0, 1)]
    same_moment = [approval(f"x-{n}", created_at=NOW + 5 * MS) for n in range(3)]
    lease = await ask(kept, *asked, *same_moment)

    async def ids(status: Any, **page: Any) -> list[str]:
        found = await kept.store.approvals.with_status(status, **page)
        return [one.interrupt_id for one in found]

    in_order = ["i-0", "i-1", "i-2", "x-0", "x-1", "x-2"]
    assert await ids("pending") == in_order
    assert await ids("pending", before=NOW, limit=2) == ["i-0", "i-1"]
    for id_ in in_order:
        await settle(kept, lease, yes(), id_=id_)
    assert await ids("approved") == in_order[::-1]
    assert await ids("approved", before=NOW + 2 * MS, limit=1) == ["i-1"]
    assert await ids("pending") == []


async def test_a_settled_pause_is_unresumed_until_a_run_goes_on_with_it(kept: Kept) -> None:
    lease = await ask(kept, approval("a"), approval("b"))
    store = kept.store

    async def released() -> list[str]:
        nonlocal lease
        async with store.units.hold(lease) as writes:
            await writes.release("interrupted")
        found = await store.approvals.unresumed(10)
        lease = await hold_new(store)
        return found

    assert await released() == []
    await settle(kept, lease, yes(), id_="a")
    assert await store.approvals.unresumed(10) == []
    assert await released() == [], "one question of the pause is still open"
    await settle(kept, lease, no(), id_="b")
    assert await store.approvals.unresumed(10) == [], "somebody holds it"
    assert await released() == ["t"]
    async with store.units.hold(lease) as writes:
        await writes.mark_resumed(["a", "b"], "run-2")
    assert await released() == []
    assert (await store.approvals.get("a")).resumed_by == "run-2"


async def test_an_earlier_pause_is_not_held_up_by_a_later_question(kept: Kept) -> None:
    lease = await ask(kept, approval("a"), approval("b", run_id="run-2"))
    async with kept.store.units.hold(lease) as writes:
        await writes.settle("a", yes(), NOW)
        await writes.release("interrupted")
    assert await kept.store.approvals.unresumed(10) == ["t"]


async def test_orphaned_questions_are_never_resumed(kept: Kept) -> None:
    lease = await ask(kept, approval("a"))
    async with kept.store.units.hold(lease) as writes:
        await writes.settle("a", no("orphaned"), NOW)
        await writes.release("idle")
    assert await kept.store.approvals.unresumed(10) == []


async def test_unresumed_gives_at_most_that_many(kept: Kept) -> None:
    for thread_id in ("t1", "t2", "t3"):
        lease = await ask(kept, approval(thread_id, thread_id), thread_id=thread_id)
        async with kept.store.units.hold(lease) as writes:
            await writes.settle(thread_id, yes(), NOW)
            await writes.release("interrupted")
    assert await kept.store.approvals.unresumed(2) == ["t1", "t2"]


@pytest.mark.parametrize("text", ODD_TEXTS)
async def test_what_is_approved_is_what_was_asked_whatever_the_characters(
    kept: Kept, text: str
) -> None:
    asked = approval(arguments={text: text}, message=text, visitor_message=text)
    lease = await ask(kept, asked)
    settled = await settle(kept, lease, yes(note=text, edited_arguments={"a": text}))
    assert settled.arguments == {text: text}
    assert (settled.note, settled.edited_arguments) == (text, {"a": text})
    assert await kept.other.approvals.of_thread("t") == [settled]
