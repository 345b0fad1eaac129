"""The ports Turns and Runs: a thread's history, and the turn log."""

from dataclasses import replace
from datetime import timedelta, timezone

import pytest

from server.domain.conversation import Message, Usage
from tests.contract.samples import MS, NOW, ODD_TEXTS, Kept, hold_new, run, turn


async def test_a_turn_comes_back_as_it_was(kept: Kept) -> None:
    messages: list[Message] = [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "c", "name": "n", "arguments": {"b": 1.0, "a": None}}],
        },
        {"role": "tool", "content": "done", "tool_call_id": "c", "name": "n"},
    ]
    kept_turn = turn(messages=messages, partial=True)
    lease = await hold_new(kept.store)
    async with kept.store.units.hold(lease) as writes:
        await writes.save_turn(kept_turn)
    messages.clear()
    found = await kept.other.turns.get("turn-1")
    assert list(found.messages[0]["tool_calls"][0]["arguments"]) == ["b", "a"], "order is kept"
    assert found == replace(kept_turn, messages=found.messages)
    found.messages.clear()
    assert len((await kept.store.turns.get("turn-1")).messages) == 2, "what is kept is a copy"
    assert await kept.store.turns.get("unknown") is None


async def test_a_turn_saved_again_keeps_its_place(kept: Kept) -> None:
    lease = await hold_new(kept.store)
    async with kept.store.units.hold(lease) as writes:
        for number in range(5):
            await writes.save_turn(turn(f"turn-{number}", created_at=NOW - number * MS))
        await writes.save_turn(turn("turn-1", answer="changed"))
    found = await kept.other.turns.newest("t")
    assert [(one.id[-1], one.answer) for one in found] == [
        ("0", "hi"),
        ("1", "changed"),
        ("2", "hi"),
        ("3", "hi"),
        ("4", "hi"),
    ]
    assert [one.id for one in await kept.store.turns.newest("t", limit=2)] == ["turn-3", "turn-4"]
    assert await kept.store.turns.newest("unknown") == []


async def test_what_was_said_last_is_told_for_each_thread(kept: Kept) -> None:
    for thread_id in ("a", "b", "silent"):
        lease = await hold_new(kept.store, thread_id)
        async with kept.store.units.hold(lease) as writes:
            for number in range(0 if thread_id == "silent" else 3):
                said = f"{thread_id} {number}"
                # The place in the history counts, not the time.
                at = NOW - number * MS
                await writes.save_turn(turn(said, thread_id=thread_id, said=said, created_at=at))
    found = await kept.other.turns.last_said(["a", "b", "silent", "unknown"])
    assert found == {"a": "a 2", "b": "b 2"}
    assert await kept.other.turns.last_said(["b"]) == {"b": "b 2"}
    assert await kept.other.turns.last_said([]) == {}


@pytest.mark.parametrize("text", ODD_TEXTS)
async def test_any_text_can_be_said(kept: Kept, text: str) -> None:
    said = turn(said=text, answer=text, messages=[{"role": "user", "content": text}])
    lease = await hold_new(kept.store)
    async with kept.store.units.hold(lease) as writes:
        await writes.save_turn(said)
    assert await kept.other.turns.newest("t") == [said]


async def test_a_run_comes_back_as_it_was_and_can_be_replaced(kept: Kept) -> None:
    begun = run(
        usage=Usage(1, 2, 3), tools=("a", "b"), flags=("x",), cost_usd=0.1, resumes="r", beside=True
    )
    ended = replace(
        begun,
        status="error",
        outcome="error",
        ended_at=NOW + MS,
        latency_ms=5,
        ttft_ms=3,
        model="m",
        attempts=2,
        retry_at=NOW + 2 * MS,
    )
    lease = await hold_new(kept.store)
    for saved in (begun, ended):
        async with kept.store.units.hold(lease) as writes:
            await writes.save_run(saved)
        assert await kept.other.runs.get("run-1") == saved
    assert await kept.store.runs.newest() == [ended]
    assert await kept.store.runs.get("unknown") is None


async def test_times_come_back_in_utc(kept: Kept) -> None:
    there = NOW.astimezone(timezone(timedelta(hours=5, minutes=30)))
    lease = await hold_new(kept.store)
    async with kept.store.units.hold(lease) as writes:
        await writes.save_run(run(started_at=NOW, retry_at=there))
    found = await kept.other.runs.get("run-1")
    assert (found.started_at, found.retry_at) == (NOW, NOW)
    assert found.started_at.utcoffset() == timedelta(0)


async def test_newest_runs_come_first_and_page(kept: Kept) -> None:
    for thread_id in ("t", "other"):
        lease = await hold_new(kept.store, thread_id)
        async with kept.store.units.hold(lease) as writes:
            for number in range(3):
                started = NOW + number * MS
                await writes.save_run(run(f"{thread_id}-{number}", thread_id, started_at=started))
    newest = await kept.store.runs.newest(thread_id="t")
    assert [one.id for one in newest] == ["t-2", "t-1", "t-0"]
    older = await kept.store.runs.newest(before=NOW + MS)
    assert {one.id for one in older} == {"t-0", "other-0"}
    assert len(await kept.store.runs.newest(limit=4)) == 4


async def test_failed_runs_are_due_when_their_time_has_come_and_nobody_holds_the_thread(
    kept: Kept,
) -> None:
    lease = await hold_new(kept.store)
    async with kept.store.units.hold(lease) as writes:
        await writes.save_run(run("later", status="error", retry_at=NOW + MS))
        await writes.save_run(run("now", status="error", retry_at=NOW))
        await writes.save_run(run("before", status="error", retry_at=NOW - MS))
        await writes.save_run(run("over", status="success", retry_at=NOW))
        await writes.save_run(run("never", status="error"))
    assert await kept.store.runs.due(NOW, 10) == []
    async with kept.store.units.hold(lease) as writes:
        await writes.release("error")
    assert [one.id for one in await kept.store.runs.due(NOW, 10)] == ["before", "now"]
    assert [one.id for one in await kept.store.runs.due(NOW, 1)] == ["before"]
