"""The ports Effects and ContactMessages: a tool runs on a recorded yes, once."""

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from server.domain.approvals import Effect
from server.domain.conversation import Lease
from server.domain.errors import NotApproved
from server.domain.tools import ContactDraft
from server.ports import Store, Writes
from tests.contract.samples import (
    NOW,
    ODD_TEXTS,
    Kept,
    all_at_once,
    approval,
    hold_new,
    no,
    write,
    yes,
)

CALL: dict[str, str] = {
    "interrupt_id": "i-1",
    "tool_call_id": "call-i-1",
    "tool": "draft_contact_message",
    "digest": "d",
    "run_id": "run-2",
}


async def decided(kept: Kept, decision: Any | None) -> Lease:
    lease = await hold_new(kept.store)
    async with kept.store.units.hold(lease) as writes:
        await writes.open_approvals([approval(), approval("i-2")])
        if decision:
            assert await writes.settle("i-1", decision, NOW)
    return lease


async def begin(store: Store, lease: Lease, **changed: str) -> Effect:
    async with store.units.hold(lease) as writes:
        return await writes.begin_effect(**CALL | changed)


def finishing(effect_id: str, draft: ContactDraft) -> Callable[[Writes], Awaitable[None]]:
    return lambda writes: writes.finish_effect(effect_id, "done", "x", draft)


async def test_a_threads_effects_are_read_with_how_they_ended(kept: Kept) -> None:
    """Of that thread only; none of one that is not there."""
    lease = await decided(kept, yes())
    effect = await begin(kept.store, lease)
    assert [e.status for e in await kept.other.effects.of_thread("t")] == ["started"]

    await write(kept.store, lease, finishing(effect.id, ContactDraft("s", "m", "a@b.org")))

    assert [(e.id, e.status) for e in await kept.other.effects.of_thread("t")] == [
        (effect.id, "done")
    ]
    assert await kept.store.effects.of_thread("another") == []


async def test_an_approved_call_begins_once(kept: Kept) -> None:
    lease = await decided(kept, yes())
    first, second = await begin(kept.store, lease), await begin(kept.other, lease)
    assert first.fresh
    assert not second.fresh
    assert (first.id, first.idempotency_key) == (second.id, second.idempotency_key)
    assert (first.status, first.run_id, first.thread_id) == ("started", "run-2", "t")
    assert [one.id for one in await kept.store.effects.newest("started")] == [first.id]


async def test_of_twenty_beginnings_at_once_one_is_fresh(kept: Kept) -> None:
    lease = await decided(kept, yes())
    begun = await all_at_once(20, lambda n: begin((kept.store, kept.other)[n % 2], lease))
    assert sum(effect.fresh for effect in begun) == 1
    assert len(await kept.store.effects.newest(None)) == 1


@pytest.mark.parametrize(
    "status", [None, "rejected", "expired", "withdrawn", "cancelled", "orphaned"]
)
async def test_nothing_begins_without_a_yes(kept: Kept, status: Any) -> None:
    """Even if the digest and an answer that reads like a yes were recorded with the no."""
    decision = status and no(status, effective_digest="d", answer={"approved": True})
    lease = await decided(kept, decision)
    with pytest.raises(NotApproved):
        await begin(kept.store, lease)
    assert await kept.store.effects.newest(None) == []


@pytest.mark.parametrize("earlier", [False, True], ids=["first", "already begun"])
@pytest.mark.parametrize(
    "changed",
    [
        {"digest": "other"},
        {"digest": ""},
        {"interrupt_id": "i-2"},
        {"interrupt_id": "unknown"},
        {"tool_call_id": "call-i-2"},
        {"tool": "issue_refund"},
    ],
    ids=str,
)
async def test_a_yes_to_something_else_does_not_count(
    kept: Kept, changed: dict[str, str], earlier: bool
) -> None:
    lease = await decided(kept, yes())
    if earlier:
        await begin(kept.store, lease)
    with pytest.raises(NotApproved):
        await begin(kept.store, lease, **changed)
    assert len(await kept.store.effects.newest(None)) == int(earlier)


async def test_after_an_edit_only_the_edited_arguments_may_run(kept: Kept) -> None:
    lease = await decided(kept, yes(effective_digest="edited"))
    with pytest.raises(NotApproved):
        await begin(kept.store, lease)
    assert (await begin(kept.store, lease, digest="edited")).fresh


async def test_the_outcome_is_kept_and_done_is_final(kept: Kept) -> None:
    lease = await decided(kept, yes())
    effect = await begin(kept.store, lease)
    for status, result in (("failed", "no"), ("done", "recorded \x00"), ("failed", "late")):
        async with kept.store.units.hold(lease) as writes:
            await writes.finish_effect(effect.id, status, result)
    found = await begin(kept.other, lease)
    assert (found.status, found.result, found.fresh) == ("done", "recorded \x00", False)
    assert found.ended_at >= found.started_at


async def test_an_effect_in_doubt_has_not_ended_and_can_still_be_settled(kept: Kept) -> None:
    lease = await decided(kept, yes())
    effect = await begin(kept.store, lease)
    async with kept.store.units.hold(lease) as writes:
        await writes.finish_effect(effect.id, "in_doubt", None)
    (doubt,) = await kept.store.effects.newest("in_doubt")
    assert doubt.ended_at is None
    async with kept.store.units.hold(lease) as writes:
        await writes.finish_effect(effect.id, "done", "by hand")
    assert await kept.store.effects.newest("in_doubt") == []


async def test_an_unknown_effect_or_another_threads_can_not_be_finished(kept: Kept) -> None:
    lease = await decided(kept, yes())
    effect = await begin(kept.store, lease)
    other = await hold_new(kept.store, "other")
    for effect_id, held in (("unknown", lease), (effect.id, other)):
        with pytest.raises(ValueError):
            await write(kept.store, held, finishing(effect_id, ContactDraft("a", "b", "c")))
    assert await kept.store.contact_messages.newest() == []
    assert len(await kept.store.effects.newest("started")) == 1


async def test_the_message_and_the_outcome_are_one(kept: Kept) -> None:
    """Both or neither; and finishing twice leaves one message."""
    lease = await decided(kept, yes())
    effect = await begin(kept.store, lease)
    draft = ContactDraft("Lunch", "On Friday?", "a@example.org")

    async def finish_and_fail(writes: Writes) -> None:
        await writes.finish_effect(effect.id, "done", "recorded", draft)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await write(kept.store, lease, finish_and_fail)
    assert await kept.store.contact_messages.newest() == []
    assert len(await kept.store.effects.newest("started")) == 1
    for _ in range(2):
        async with kept.store.units.hold(lease) as writes:
            await writes.finish_effect(effect.id, "done", "recorded", draft)
    (message,) = await kept.store.contact_messages.newest()
    assert (message.subject, message.message, message.sender_contact) == (
        "Lunch",
        "On Friday?",
        "a@example.org",
    )
    assert (message.thread_id, message.tool_call_id) == ("t", "call-i-1")
    assert await kept.store.contact_messages.newest(before=message.created_at) == []


@pytest.mark.parametrize("text", ODD_TEXTS)
async def test_a_message_is_passed_on_whatever_its_characters(kept: Kept, text: str) -> None:
    lease = await decided(kept, yes())
    effect = await begin(kept.store, lease)
    async with kept.store.units.hold(lease) as writes:
        await writes.finish_effect(effect.id, "done", text, ContactDraft(text, text, text))
    (message,) = await kept.other.contact_messages.newest()
    assert (message.subject, message.message, message.sender_contact) == (text, text, text)


async def test_an_effect_in_doubt_is_reopened_once(kept: Kept) -> None:
    """Of two who try it again, one may; what is not in doubt can't be reopened."""
    lease = await decided(kept, yes())
    effect = await begin(kept.store, lease)

    async def reopen() -> Effect | None:
        async with kept.store.units.hold(lease) as writes:
            return await writes.reopen_effect(effect.id, "run-3")

    assert await reopen() is None
    async with kept.store.units.hold(lease) as writes:
        await writes.finish_effect(effect.id, "in_doubt", "who knows")
    again = await reopen()
    assert again is not None
    assert again.fresh
    assert (again.status, again.run_id, again.result) == ("started", "run-3", None)
    assert again.idempotency_key == effect.idempotency_key
    assert await reopen() is None
    kept_effect = await kept.other.effects.get(effect.id)
    assert kept_effect is not None
    assert kept_effect.status == "started"
    assert await kept.store.effects.get("unknown") is None
