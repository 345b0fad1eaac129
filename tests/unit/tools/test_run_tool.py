"""Running a tool: whatever it does, a short outcome comes back."""

import asyncio
import enum
import itertools
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import anyio
import anyio.to_thread
import pytest
from pydantic import BaseModel

from server.domain.knowledge import Found
from server.domain.principals import Principal
from server.domain.tools import ContactDraft, Tool, ToolContext
from server.tools.run_tool import MAX_RESULT_CHARACTERS, ToolOutcome, run_tool

CONTEXT = ToolContext("t", "r", "c", "key", Principal("visitor", "v"))
OPEN = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}


def made(run: Callable[..., Any], **options: Any) -> Tool:
    return Tool("thing", "Does it.", OPEN, run=run, **options)


async def ran(run: Callable[..., Any], **options: Any) -> ToolOutcome:
    return await run_tool(made(run, **options), {}, CONTEXT)


def both_ways(act: Callable[[], Any]) -> list[Callable[[], Any]]:
    """The same as a sync and as an async function."""

    async def later() -> Any:
        return act()

    return [act, later]


async def test_a_sync_function_runs_in_a_thread_and_an_async_one_on_the_loop() -> None:
    """So that neither keeps the other visitors waiting."""
    threads = []
    for run in both_ways(lambda: threads.append(threading.current_thread())):
        assert (await ran(run)).text == "Done."
    assert threads[0] is not threading.current_thread()
    assert threads[1] is threading.current_thread()


async def test_arguments_come_by_name_and_context_only_if_wanted() -> None:
    """A function without that parameter is not given it."""
    seen: list[Any] = []
    await run_tool(made(lambda a, b: seen.append((a, b))), {"b": 2, "a": 1}, CONTEXT)
    await run_tool(made(lambda a, context: seen.append((a, context))), {"a": 1}, CONTEXT)
    assert seen == [(1, 2), (1, CONTEXT)]


class Colour(enum.Enum):
    RED = "red"


@dataclass
class Point:
    x: int
    colour: Colour


class Order(BaseModel):
    id: int
    paid: Decimal


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (None, "Done."),
        ("as it is", "as it is"),
        ("", "The answer is empty."),
        (" \n", "The answer is empty."),
        ({"b": 1, "a": [True, None, "é"]}, '{"a":[true,null,"é"],"b":1}'),
        ([], "[]"),
        ((), "[]"),
        ((1, 2), "[1,2]"),
        (0, "0"),
        (False, "false"),
        (Order(id=1, paid=Decimal("2.50")), '{"id":1,"paid":"2.50"}'),
        ([Order(id=1, paid=Decimal("2.50"))], '[{"id":1,"paid":"2.50"}]'),
        (Point(1, Colour.RED), '{"colour":"red","x":1}'),
        ({"at": datetime(2027, 1, 2, tzinfo=UTC)}, '{"at":"2027-01-02T00:00:00+00:00"}'),
        ({"tags": {"b", "a"}}, '{"tags":["a","b"]}'),
    ],
)
async def test_a_result_is_text_for_the_model(result: Any, text: str) -> None:
    """Text, JSON, nothing, dataclasses, models, enums, times."""
    for run in both_ways(lambda: result):
        assert await ran(run) == ToolOutcome(True, text)


def circle() -> Any:
    round_: list[Any] = []
    round_.append(round_)
    return round_


class Spiteful(BaseModel):
    def model_dump(self, **_: Any) -> Any:
        raise RuntimeError("secret")


@pytest.mark.parametrize(
    "result",
    [
        object(),
        b"bytes",
        float("nan"),
        {1: "a", "b": 2},
        {("a", "b"): 1},
        circle(),
        itertools.count(),
        Spiteful(),
        Order,
        {1, "a"},
    ],
)
async def test_a_result_that_is_no_json_is_an_honest_failure(result: Any) -> None:
    """Also an endless one, which is not begun."""
    outcome = await ran(lambda: result)
    assert outcome == ToolOutcome(False, "The tool gave a result that can't be shown.")


@pytest.mark.parametrize("result", ["x" * 10_000, ["x" * 10_000]])
async def test_a_long_result_is_cut_and_says_so(result: Any) -> None:
    """The model knows that there is more."""
    outcome = await ran(lambda: result)
    assert outcome.ok
    assert len(outcome.text) == MAX_RESULT_CHARACTERS
    assert "the whole result has 100" in outcome.text[-80:]
    whole = "x" * MAX_RESULT_CHARACTERS
    assert (await ran(lambda: whole)).text == whole


async def test_passages_and_drafts_are_no_text() -> None:
    """They become evidence, and a row in the ledger's transaction."""
    draft = ContactDraft("s", "m", "c")
    assert (await ran(lambda: draft, high_risk=True)).draft == draft
    found = Found.__new__(Found)
    outcome = await ran(lambda: (found,))
    assert (outcome.text, outcome.passages) == ("", (found,))


@pytest.mark.parametrize("high_risk", [False, lambda: False])
async def test_a_draft_that_nobody_need_have_approved_is_a_failure(high_risk: Any) -> None:
    """Nothing is recorded for it, so nothing may say that it was."""
    outcome = await ran(lambda: ContactDraft("s", "m", "c"), high_risk=high_risk)
    assert outcome == ToolOutcome(False, "The tool failed.")


class OddError(BaseException):
    """Not an Exception."""


@pytest.mark.parametrize(
    "error",
    [
        ValueError("secret"),
        TimeoutError("secret"),
        StopIteration("secret"),
        OddError("secret"),
        SystemExit("secret"),
        KeyboardInterrupt("secret"),
        asyncio.CancelledError("secret"),
        BaseExceptionGroup("secret", [OddError("secret")]),
    ],
)
async def test_whatever_a_tool_raises_is_a_short_failure(error: BaseException) -> None:
    """Its text stays inside, the process stays up, and it is no timeout."""

    def act() -> None:
        raise error

    for run in both_ways(act):
        assert await ran(run) == ToolOutcome(False, "The tool failed.")


async def test_a_generator_exit_in_a_thread_is_a_failure_too() -> None:
    """On the loop it means that the coroutine is being closed, and is left alone."""

    def act() -> None:
        raise GeneratorExit

    assert not (await ran(act)).ok


async def test_a_slow_sync_tool_is_left_behind() -> None:
    """Its thread can't be stopped; the answer says that it is late, and comes before it ends."""
    go_on, ended = threading.Event(), threading.Event()

    def slow() -> None:
        go_on.wait()
        ended.set()

    outcome = await ran(slow, timeout_s=0.5)  # its thread must have begun by then
    assert not ended.is_set()
    go_on.set()
    assert outcome == ToolOutcome(False, "The tool did not answer within 0.5 seconds.", late=True)
    assert await anyio.to_thread.run_sync(ended.wait, 10)


async def test_a_slow_async_tool_is_cancelled() -> None:
    """And may tidy up."""
    tidied = []

    async def slow() -> None:
        try:
            await anyio.sleep_forever()
        finally:
            tidied.append(True)

    assert (await ran(slow, timeout_s=0.02)).late
    assert tidied == [True]


async def test_an_answer_that_comes_in_spite_of_the_timeout_counts() -> None:
    """A tool that catches everything, its own cancellation too, has still told how it went."""

    async def stubborn() -> str:
        try:
            await anyio.sleep_forever()
        except BaseException:
            return "went well"

    assert await ran(stubborn, timeout_s=0.02) == ToolOutcome(True, "went well")


async def test_a_cancellation_from_outside_goes_on_outside() -> None:
    """A run that is stopped stops its tool, whether anyio or asyncio says so; it is no failure of the tool."""
    begun = anyio.Event()

    async def slow() -> None:
        begun.set()
        await anyio.sleep_forever()

    outcomes = []

    async def run() -> None:
        outcomes.append(await ran(slow))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(run)
        await begun.wait()
        tasks.cancel_scope.cancel()
    begun = anyio.Event()
    task = asyncio.create_task(run())
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert outcomes == []


async def test_an_object_with_an_async_call_is_awaited() -> None:
    """What is called in a thread and gives a coroutine is finished on the loop."""

    class Caller:
        async def __call__(self) -> str:
            return threading.current_thread().name

    assert (await ran(Caller())).text == threading.current_thread().name
