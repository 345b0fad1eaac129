"""The ports Gaps and Verdicts: what was not answered, and what visitors think of what was."""

from datetime import timedelta

import pytest

from server.domain.gaps import Gap
from tests.contract.samples import (
    MS,
    NOW,
    ODD_TEXTS,
    Kept,
    all_at_once,
    gap,
    hold_new,
    run,
    verdict,
    write,
)


async def record(kept: Kept, *gaps: Gap) -> None:
    """Each thread's, under its own lease."""
    for thread_id in {one.thread_id for one in gaps}:
        lease = await hold_new(kept.store, thread_id)
        async with kept.store.units.hold(lease) as writes:
            for one in gaps:
                if one.thread_id == thread_id:
                    await writes.record_gap(one)


async def test_open_gaps_come_newest_first(kept: Kept) -> None:
    gaps = [gap(f"gap-{n}", f"t{n % 2}", asked_at=NOW + n * MS) for n in range(4)]
    await record(kept, *gaps)
    assert await kept.other.gaps.with_status("open") == gaps[::-1]
    assert await kept.store.gaps.with_status("open", limit=2) == gaps[:1:-1]
    assert await kept.store.gaps.with_status("open", before=gaps[1].asked_at) == gaps[:1]
    assert await kept.store.gaps.get("gap-2") == gaps[2]
    assert await kept.store.gaps.get("unknown") is None


async def test_a_turn_leaves_one_gap_however_often_it_is_said(kept: Kept) -> None:
    """Its end may be written again when nobody knows whether it was."""
    lease = await hold_new(kept.store)
    for id_ in ("first", "second"):
        await write(kept.store, lease, lambda w, i=id_: w.record_gap(gap(i, turn_id="turn-1")))
    assert [one.id for one in await kept.store.gaps.with_status("open")] == ["first"]


@pytest.mark.parametrize("text", ODD_TEXTS)
async def test_a_question_is_kept_whatever_its_characters(kept: Kept, text: str) -> None:
    await record(kept, gap(question=text))
    (found,) = await kept.other.gaps.with_status("open")
    assert found.question == text


async def test_a_gap_is_settled_once_and_only_those_named(kept: Kept) -> None:
    await record(kept, gap("a"), gap("b", "t2"), gap("c", "t2"))
    how = {"by": "ann", "at": NOW + MS, "page": "answers/a.md"}

    assert sorted(await kept.store.gaps.settle(["a", "b", "unknown"], "answered", **how)) == [
        "a",
        "b",
    ]
    assert await kept.store.gaps.settle(["a"], "dismissed", by="bob", at=NOW, page=None) == []

    assert [one.id for one in await kept.other.gaps.with_status("open")] == ["c"]
    answered = await kept.other.gaps.with_status("answered")
    assert {one.id for one in answered} == {"a", "b"}
    assert {(one.settled_by, one.settled_at, one.page) for one in answered} == {
        ("ann", NOW + MS, "answers/a.md")
    }
    assert await kept.store.gaps.with_status("answered", before=NOW + MS) == []
    assert await kept.store.gaps.with_status("dismissed") == []


async def test_of_many_who_settle_the_same_one_gets_all_of_it(kept: Kept) -> None:
    names = [f"gap-{n}" for n in range(6)]
    await record(kept, *(gap(name, f"t-{name}") for name in names))

    async def settle(number: int) -> list[str]:
        store = (kept.store, kept.other)[number % 2]
        order = names if number % 2 else names[::-1]
        return await store.gaps.settle(order, "answered", by=f"{number}", at=NOW, page="p")

    shares = await all_at_once(10, settle)
    assert sorted(len(share) for share in shares) == [0] * 9 + [6]


async def test_a_gap_and_a_verdict_go_with_their_thread(kept: Kept) -> None:
    lease = await hold_new(kept.store)
    await write(kept.store, lease, lambda w: w.record_gap(gap()))
    assert await kept.store.verdicts.save(verdict())
    await kept.store.threads.delete(lease, [])
    assert await kept.other.gaps.with_status("open") == []
    assert await kept.other.verdicts.of_thread("t") == []
    assert not await kept.store.verdicts.save(verdict())
    await kept.store.threads.open("t", "visitor:v")
    assert await kept.other.verdicts.of_thread("t") == []


async def test_a_verdict_said_again_replaces_and_another_runs_stands_beside(kept: Kept) -> None:
    await kept.store.threads.open("t", "visitor:v")
    again = verdict(verdict="down", comment="No \x00 \ud800.", seq=8, said_at=NOW + MS)
    for said in (verdict(), again, verdict("run-2", seq=3)):
        assert await kept.store.verdicts.save(said)
    assert await kept.other.verdicts.of_thread("t") == [verdict("run-2", seq=3), again]


async def test_the_run_of_an_event_is_the_last_one_begun_before_it(kept: Kept) -> None:
    lease = await hold_new(kept.store)
    first = run("run-1", first_seq=0)
    second = run("run-2", first_seq=9, started_at=NOW + timedelta(seconds=1))
    for one in (second, first):
        await write(kept.store, lease, lambda w, r=one: w.save_run(r))
    at = kept.other.runs.at
    assert await at("t", 0) is None
    assert await at("t", 1) == first
    assert await at("t", 9) == first
    assert await at("t", 10) == second
    assert await at("t", 10**15) == second
    assert await at("other", 1) is None
