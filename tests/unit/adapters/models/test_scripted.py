"""The model that ships for tests does exactly what it is told."""

import threading
from contextlib import aclosing

import anyio
import anyio.from_thread
import pytest

from server.adapters.models.scripted import Answer, Call, Gate, Scripted, ScriptEnded, call
from server.domain.conversation import Message, Usage
from server.domain.errors import ModelFailed, ModelUnavailable
from server.ports import Finished, ModelPart, ModelRequest, TextDelta, ToolCallRequested

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def ask(text: str = "Hi") -> ModelRequest:
    return ModelRequest(system="", messages=[{"role": "user", "content": text}])


async def parts_of(model: Scripted, request: ModelRequest | None = None) -> list[ModelPart]:
    return [part async for part in model.stream(request or ask())]


async def test_text_is_streamed_word_by_word() -> None:
    assert await parts_of(Scripted(" Good  evening,\nyou.")) == [
        TextDelta(" Good  "),
        TextDelta("evening,\n"),
        TextDelta("you."),
        Finished(),
    ]


async def test_calls_are_numbered_over_the_whole_script() -> None:
    model = Scripted(
        call("find", query="é", name="x"),
        ["One moment.", call("refund"), Call("refund", "{oops", id="mine")],
    )
    assert await parts_of(model) == [
        ToolCallRequested("call_1", "find", '{"name":"x","query":"é"}'),
        Finished(),
    ]
    assert await parts_of(model) == [
        TextDelta("One "),
        TextDelta("moment."),
        ToolCallRequested("call_2", "refund", "{}"),
        ToolCallRequested("mine", "refund", "{oops"),
        Finished(),
    ]


@pytest.mark.parametrize("answer", [ModelFailed(), ModelFailed])
async def test_an_exception_is_raised(answer: Answer) -> None:
    with pytest.raises(ModelFailed):
        await parts_of(Scripted(answer))


async def test_an_exception_comes_after_the_pieces_before_it() -> None:
    async with aclosing(Scripted(["I was", ModelUnavailable()]).stream(ask())) as parts:
        assert [await anext(parts), await anext(parts)] == [TextDelta("I "), TextDelta("was")]
        with pytest.raises(ModelUnavailable):
            await anext(parts)


async def test_a_function_answers_from_the_request() -> None:
    model = Scripted(then=lambda request: [request.messages[-1]["content"], call("f")])
    assert (await parts_of(model, ask("A")))[0] == TextDelta("A")
    assert (await parts_of(model, ask("B")))[0] == TextDelta("B")


async def test_parts_are_passed_on_and_usage_can_be_set() -> None:
    end = Finished(Usage(7, 3), truncated=True)
    assert await parts_of(Scripted([TextDelta("a b"), end])) == [TextDelta("a b"), end]


async def test_requests_are_kept_as_they_were() -> None:
    model = Scripted("One.", "Two.")
    messages: list[Message] = [{"role": "user", "content": "Hi"}]
    await parts_of(model, ModelRequest(system="s", messages=messages))
    messages[0]["content"] = "changed"
    assert model.requests == [
        ModelRequest(system="s", messages=[{"role": "user", "content": "Hi"}])
    ]
    assert model.remaining == 1


async def test_a_script_that_ends_says_so() -> None:
    model = Scripted("One.")
    await parts_of(model)
    with pytest.raises(ScriptEnded, match=r"answer 2 but was given 1.*Again"):
        await parts_of(model, ask("Again"))
    assert len(model.requests) == 2


async def test_a_gate_holds_an_answer_until_it_is_opened() -> None:
    gate = Gate()
    async with aclosing(Scripted(["One", gate, "two"]).stream(ask())) as parts:
        assert await anext(parts) == TextDelta("One")
        async with anyio.create_task_group() as tasks:
            with anyio.fail_after(5):
                tasks.start_soon(gate_opens, gate)
                assert await anext(parts) == TextDelta("two")


async def gate_opens(gate: Gate) -> None:
    await gate.reached()
    gate.open()


async def test_a_cancelled_answer_leaves_the_gate_to_others() -> None:
    gate = Gate()
    model = Scripted([gate, "a"], [gate, "b"])
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(parts_of, model)
        await gate.reached()
        tasks.cancel_scope.cancel()
    gate.open()
    assert await parts_of(model) == [TextDelta("b"), Finished()]


def test_a_gate_works_across_threads() -> None:
    gate = Gate()
    with anyio.from_thread.start_blocking_portal() as portal:
        answer = portal.start_task_soon(parts_of, Scripted([gate, "late"]))
        gate.wait_reached(5)
        assert not answer.done()
        gate.open()
        assert answer.result(5) == [TextDelta("late"), Finished()]


def test_many_threads_get_each_answer_once() -> None:
    model = Scripted(*map(str, range(50)))
    got: list[ModelPart] = []

    def take() -> None:
        for _ in range(5):
            got.append(anyio.run(parts_of, model)[0])

    threads = [threading.Thread(target=take) for _ in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(int(part.text) for part in got if isinstance(part, TextDelta)) == list(range(50))
    assert model.remaining == 0


def test_it_has_a_name() -> None:
    assert Scripted().name == "scripted"
    assert Scripted(name="m").name == "m"
