"""The port AuditTrail: a line for each thing that was decided or done, in an order that stays, gone with its thread but for one."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import anyio
import pytest

from server.domain.audit import AuditEntry, of_forgetting, thread_digest
from server.domain.errors import Unavailable
from server.domain.principals import Principal
from server.ports import Writes
from tests.contract.samples import (
    MS,
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


async def trail(kept: Kept, after: int = 0, **within: Any) -> list[AuditEntry]:
    return await kept.other.audit.read(after=after, limit=100, **within)


def told(entries: Sequence[AuditEntry]) -> list[tuple[str, str | None, str | None]]:
    return [(entry.what, entry.by, entry.via) for entry in entries]


async def began(writes: Writes, id_: str = "i-1") -> str:
    """An effect of an approved question, begun."""
    await writes.open_approvals([approval(id_)])
    await writes.settle(id_, yes(note="Fine."), NOW)
    effect = await writes.begin_effect(
        interrupt_id=id_,
        tool_call_id=f"call-{id_}",
        tool="draft_contact_message",
        digest="d",
        run_id="run-1",
    )
    return effect.id


async def test_each_settling_of_a_question_is_a_line(kept: Kept) -> None:
    lease = await hold_new(kept.store)
    async with kept.store.units.hold(lease) as writes:
        await writes.open_approvals([approval(f"i-{n}") for n in range(4)])
        await writes.settle(
            "i-0", yes(note="Gladly.", edited_arguments={"n": 2}, effective_digest="e"), NOW
        )
        await writes.settle("i-1", no("withdrawn", by="visitor:v", via="visitor"), NOW + MS)
        await writes.settle("i-2", no("expired", by=None, via="clock"), NOW + 2 * MS)
        await writes.settle("i-3", no(via="link", by="link:webhook"), NOW + 3 * MS)
        assert await writes.settle("i-3", yes(), NOW) is None

    lines = await trail(kept)

    assert told(lines) == [
        ("approved", "ann", "web"),
        ("withdrawn", "visitor:v", "visitor"),
        ("expired", None, "clock"),
        ("rejected", "link:webhook", "link"),
    ]
    assert lines[0] == AuditEntry(
        at=NOW,
        what="approved",
        by="ann",
        via="web",
        thread_id="t",
        interrupt_id="i-0",
        tool="draft_contact_message",
        digest="d",
        effective_digest="e",
        edited=True,
        note="Gladly.",
        position=lines[0].position,
    )
    positions = [line.position for line in lines]
    assert positions == sorted(set(positions)) and positions[0] > 0


@pytest.mark.parametrize("text", ODD_TEXTS)
async def test_an_owners_note_is_kept_and_a_visitors_is_not(kept: Kept, text: str) -> None:
    lease = await hold_new(kept.store)
    async with kept.store.units.hold(lease) as writes:
        await writes.open_approvals([approval("a"), approval("b"), approval("c")])
        await writes.settle("a", no(note=text), NOW)
        await writes.settle("b", no(note=text, by="visitor:v"), NOW)
        await writes.settle("c", no(note=text, by="user:eve"), NOW)
    assert [line.note for line in await trail(kept)] == [text, None, None]


async def test_each_end_of_an_effect_is_a_line_with_its_question(kept: Kept) -> None:
    lease = await hold_new(kept.store)
    async with kept.store.units.hold(lease) as writes:
        effect_id = await began(writes)
        await writes.finish_effect(effect_id, "in_doubt", "?")
        await writes.reopen_effect(effect_id, "run-2", by="bob", via="terminal")
        await writes.finish_effect(effect_id, "done", "ok")
        await writes.finish_effect(effect_id, "failed", "what is done stays done")

    lines = (await trail(kept))[1:]

    assert told(lines) == [
        ("effect_in_doubt", None, None),
        ("effect_retried", "bob", "terminal"),
        ("effect_done", None, None),
    ]
    for line in lines:
        assert (line.effect_id, line.interrupt_id, line.digest) == (effect_id, "i-1", "d")
        assert (line.effective_digest, line.note) == ("d", None)


async def test_an_owner_who_says_that_it_was_done_is_one_line(kept: Kept) -> None:
    lease = await hold_new(kept.store)
    async with kept.store.units.hold(lease) as writes:
        effect_id = await began(writes)
        await writes.finish_effect(effect_id, "in_doubt", "?")
        await writes.reopen_effect(effect_id, "run-2")
        await writes.finish_effect(effect_id, "done", "seen", by="ann", via="web")
    assert told((await trail(kept))[2:]) == [("effect_done", "ann", "web")]


async def test_of_a_forgotten_thread_one_line_stays(kept: Kept) -> None:
    """With a mark of the id, and of who asked for it only the kind."""
    mine, other = await hold_new(kept.store), await hold_new(kept.store, "other")
    await write(kept.store, mine, began)
    await write(kept.store, other, lambda w: w.open_approvals([approval("o", "other")]))
    await write(kept.store, other, lambda w: w.settle("o", no(), NOW))
    noted = of_forgetting("t", at=NOW, by=Principal("visitor", "v"), via="visitor")

    await kept.store.threads.delete(mine, [], noted)

    lines = await trail(kept)
    assert told(lines) == [("rejected", "ann", "web"), ("forgotten", "visitor", "visitor")]
    assert (lines[1].thread_id, lines[1].thread_digest) == (None, thread_digest("t"))


async def test_it_is_read_on_from_any_line_and_within_times(kept: Kept) -> None:
    lease = await hold_new(kept.store)
    async with kept.store.units.hold(lease) as writes:
        await writes.open_approvals([approval(f"i-{n}") for n in range(5)])
        for n in range(5):
            await writes.settle(f"i-{n}", no(), NOW + n * timedelta(hours=1))
    lines = await trail(kept)
    assert await trail(kept, lines[1].position) == lines[2:]
    assert await kept.store.audit.read(after=lines[1].position, limit=2) == lines[2:4]
    hour = timedelta(hours=1)
    assert await trail(kept, since=NOW + hour, until=NOW + 3 * hour) == lines[1:3]
    assert await trail(kept, lines[-1].position) == []


async def test_no_line_appears_before_one_that_was_read(kept: Kept) -> None:
    """Twenty write at once, in transactions that overlap, while another reads on and on: it gets each line once, in order."""
    leases = [await hold_new(kept.store, f"t{n}") for n in range(20)]
    read: list[AuditEntry] = []
    written = anyio.Event()

    async def follow() -> None:
        while True:
            last_look = written.is_set()
            more = await trail(kept, read[-1].position if read else 0)
            read.extend(more)
            if last_look and not more:
                return
            await anyio.lowlevel.checkpoint()

    async def settle(number: int) -> None:
        thread = f"t{number}"
        async with (kept.store, kept.other)[number % 2].units.hold(leases[number]) as writes:
            await writes.open_approvals([approval(f"i-{number}", thread)])
            await writes.settle(f"i-{number}", no(), NOW)
            await anyio.lowlevel.checkpoint()

    with anyio.fail_after(60):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(follow)
            await all_at_once(20, settle)
            written.set()
    assert sorted(line.interrupt_id or "" for line in read) == sorted(f"i-{n}" for n in range(20))
    assert read == await trail(kept)


async def test_what_was_taken_back_left_no_line(kept: Kept) -> None:
    lease = await hold_new(kept.store)

    async def begin_and_fail(writes: Writes) -> None:
        await began(writes)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await write(kept.store, lease, begin_and_fail)
    assert await trail(kept) == []


@pytest.mark.postgres
async def test_a_reader_waits_for_whoever_is_writing(kept: Kept, database: str | None) -> None:
    """A line that has its place already and is not committed yet; nothing written after it is given out before it."""
    if database is None:
        pytest.skip("in memory a line gets its place when it is committed")
    slow, fast = await hold_new(kept.store), await hold_new(kept.store, "fast")
    async with kept.store.units.hold(slow) as writes:
        await writes.open_approvals([approval()])
        await writes.settle("i-1", no(), NOW)
        async with kept.other.units.hold(fast) as others:
            await others.open_approvals([approval("f", "fast")])
            await others.settle("f", no(), NOW)
        with pytest.raises(Unavailable):
            await trail(kept)
    assert [line.interrupt_id for line in await trail(kept)] == ["i-1", "f"]
