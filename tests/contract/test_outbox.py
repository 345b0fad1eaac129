"""The port Outbox: a notice is posted once, taken by one, tried until there is an end, and gone with its thread."""

from dataclasses import replace
from datetime import timedelta

from server.domain.notices import Notice
from tests.contract.samples import MS, NOW, Kept, all_at_once, hold_new, notice, write

LATER = NOW + timedelta(minutes=1)


async def post(kept: Kept, *notices: Notice, thread_id: str = "t") -> None:
    lease = await hold_new(kept.store, thread_id)
    await write(kept.store, lease, lambda w: w.post(notices))
    await write(kept.store, lease, lambda w: w.release("idle"))


async def test_what_is_due_is_taken_oldest_first_and_counts_an_attempt(kept: Kept) -> None:
    notices = [notice(f"n-{n}") for n in range(3)]
    await post(kept, *notices, notice("other", "mailto-1"))

    first = await kept.other.outbox.take("webhook", now=NOW, until=LATER, limit=2)

    assert first == [replace(one, attempts=1, next_at=LATER) for one in notices[:2]]
    rest = await kept.store.outbox.take("webhook", now=NOW, until=LATER, limit=2)
    assert [one.id for one in rest] == ["n-2"]
    assert await kept.store.outbox.take("webhook", now=LATER - MS, until=LATER, limit=2) == []
    again = await kept.store.outbox.take("webhook", now=LATER, until=LATER + MS, limit=1)
    assert [(one.id, one.attempts) for one in again] == [("n-0", 2)]


async def test_of_many_who_take_at_once_each_notice_goes_to_one(kept: Kept) -> None:
    await post(kept, *(notice(f"n-{n}") for n in range(20)))

    async def take(number: int) -> list[str]:
        outbox = (kept.store, kept.other)[number % 2].outbox
        found: list[str] = []
        while taken := await outbox.take("webhook", now=NOW, until=LATER, limit=3):
            found += [one.id for one in taken]
        return found

    shares = await all_at_once(6, take)
    assert sorted(id_ for share in shares for id_ in share) == sorted(f"n-{n}" for n in range(20))


async def test_posted_again_it_stays_as_it_is(kept: Kept) -> None:
    """Whoever does not know whether a transaction was committed says it all again; nothing is sent twice for it."""
    await post(kept, notice())
    [taken] = await kept.store.outbox.take("webhook", now=NOW, until=LATER, limit=9)
    assert await kept.store.outbox.settle(taken, "sent")
    await post(kept, notice())
    assert await kept.store.outbox.take("webhook", now=LATER, until=LATER, limit=9) == []
    assert [one.status for one in await kept.other.outbox.of_thread("t")] == ["sent"]


async def test_who_comes_too_late_changes_nothing(kept: Kept) -> None:
    """A process that slept while another one took the notice."""
    await post(kept, notice())
    [late] = await kept.store.outbox.take("webhook", now=NOW, until=NOW, limit=1)
    [taken] = await kept.other.outbox.take("webhook", now=NOW, until=LATER, limit=1)

    assert not await kept.store.outbox.put_off(late, NOW)
    assert not await kept.store.outbox.settle(late, "failed")

    assert await kept.store.outbox.of_thread("t") == [taken]
    assert await kept.other.outbox.settle(taken, "sent")
    assert not await kept.store.outbox.put_off(taken, NOW)
    assert not await kept.store.outbox.settle(taken, "failed")


async def test_what_is_put_off_is_due_at_that_time(kept: Kept) -> None:
    await post(kept, notice())
    [taken] = await kept.store.outbox.take("webhook", now=NOW, until=LATER, limit=1)
    assert await kept.store.outbox.put_off(taken, NOW + 5 * MS)
    assert await kept.store.outbox.take("webhook", now=NOW + 4 * MS, until=LATER, limit=1) == []
    [again] = await kept.store.outbox.take("webhook", now=NOW + 5 * MS, until=LATER, limit=1)
    assert again.attempts == 2


async def test_what_waits_too_long_is_given_up_whatever_its_channel(kept: Kept) -> None:
    await post(kept, notice(), notice(channel="a channel nobody has any more"))
    [taken] = await kept.store.outbox.take("webhook", now=NOW, until=LATER, limit=1)
    await kept.store.outbox.settle(taken, "moot")
    assert await kept.store.outbox.give_up(NOW) == 0
    assert await kept.store.outbox.give_up(NOW + MS) == 1
    statuses = [one.status for one in await kept.store.outbox.of_thread("t")]
    assert sorted(statuses) == ["failed", "moot"]


async def test_notices_go_with_their_thread(kept: Kept) -> None:
    await post(kept, notice())
    lease = await kept.store.threads.take_for_recovery("t", "a")
    assert lease is not None
    await kept.store.threads.delete(lease, [])
    assert await kept.store.outbox.take("webhook", now=LATER, until=LATER, limit=9) == []
    assert await kept.other.outbox.of_thread("t") == []
