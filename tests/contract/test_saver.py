"""Checkpoints: real LangGraph runs over each saver; written under a lease only, and read back strictly."""

import operator
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

import ormsgpack
import pytest
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Send, interrupt

from server.adapters.serializer import StrictSerializer, UnsafeCheckpoint
from server.domain.errors import LeaseLost
from server.domain.events import Done
from tests.contract.samples import ODD_TEXTS, Kept, hold_new, run_config, take_over

DURABILITIES = ["exit", "async", "sync"]


class State(TypedDict, total=False):
    said: str
    calls: list[dict[str, Any]]
    answers: Annotated[list[Any], operator.add]
    done: list[Any]


def ask(state: dict[str, Any]) -> State:
    return {"answers": [interrupt({"call": state["call"]})]}


def graph_over(kept: Kept) -> Any:
    """Asks once a call, then joins."""
    builder = StateGraph(State)
    builder.add_node("prepare", lambda state: {"calls": [{"id": "a"}, {"id": "b"}]})
    builder.add_node("ask", ask)
    builder.add_node("other", lambda state: {})
    builder.add_node("join", lambda state: {"done": [state["said"], *state["answers"]]})
    builder.add_edge(START, "prepare")
    builder.add_edge(START, "other")
    builder.add_conditional_edges(
        "prepare", lambda state: [Send("ask", {"call": call}) for call in state["calls"]], ["ask"]
    )
    builder.add_edge(["ask", "other"], "join")
    builder.add_edge("join", END)
    return builder.compile(checkpointer=kept.saver)


@pytest.mark.parametrize("durability", DURABILITIES)
@pytest.mark.parametrize("text", [ODD_TEXTS[0], *ODD_TEXTS[2:]])
async def test_a_pause_outlives_the_lease_it_was_made_under(
    kept: Kept, durability: str, text: str
) -> None:
    """Fan-out, join, bare strings with any character: all is there when another holder goes on."""
    graph = graph_over(kept)
    lease = await hold_new(kept.store)
    await graph.ainvoke({"said": text}, run_config(lease), durability=durability)
    async with kept.store.units.hold(lease) as writes:
        await writes.release("interrupted")
    later = await hold_new(kept.store)
    state = await graph.aget_state(run_config(later))
    answers = {one.id: {"v": one.value["call"]["id"]} for one in state.interrupts}
    assert len(answers) == 2
    ended = await graph.ainvoke(Command(resume=answers), run_config(later), durability=durability)
    assert ended["done"] == [text, {"v": "a"}, {"v": "b"}]
    assert (await graph.aget_state(run_config(later))).values["said"] == text


@pytest.mark.parametrize("durability", DURABILITIES)
async def test_a_late_run_can_not_write_a_checkpoint(kept: Kept, durability: str) -> None:
    """LangGraph hands the refusal on to whoever runs it, and nothing of the late run is kept."""
    graph = graph_over(kept)
    late, lease = await take_over(kept)
    with pytest.raises(LeaseLost):
        await graph.ainvoke({"said": "late"}, run_config(late), durability=durability)
    assert await kept.saver.aget_tuple(run_config(lease)) is None
    await graph.ainvoke({"said": "in time"}, run_config(lease), durability=durability)
    assert len((await graph.aget_state(run_config(lease))).interrupts) == 2


@pytest.mark.parametrize("why", ["taken over", "released", "deleted", "no lease", "other thread"])
async def test_checkpoint_and_writes_are_each_refused(kept: Kept, why: str) -> None:
    graph = graph_over(kept)
    lease = await hold_new(kept.lapsing)
    await graph.ainvoke({"said": "x"}, run_config(lease), durability="exit")
    before = await kept.saver.aget_tuple(run_config(lease))
    configurable = before.config["configurable"] | run_config(lease)["configurable"]
    if why == "taken over":
        await kept.store.threads.take_lapsed("b", 1)
    elif why == "released":
        async with kept.store.units.hold(lease) as writes:
            await writes.release("idle")
    elif why == "deleted":
        await kept.store.threads.delete(lease, [])
    elif why == "no lease":
        del configurable["fence"], configurable["lease_thread"]
    else:
        await hold_new(kept.store, "elsewhere")
        configurable["lease_thread"] = "elsewhere"
    config: Any = {"configurable": configurable}
    versions = dict.fromkeys(before.checkpoint["channel_values"], "99.0")
    with pytest.raises(LeaseLost):
        await kept.saver.aput(config, before.checkpoint, {"source": "loop"}, versions)
    with pytest.raises(LeaseLost):
        await kept.saver.aput_writes(config, [("answers", ["forged"])], "task-1")
    assert await kept.saver.aget_tuple(run_config(lease)) == before


async def test_a_saved_thread_may_carry_a_suffix(kept: Kept) -> None:
    """A turn beside a pause has checkpoints of its own, under the lease of the same thread."""
    graph = graph_over(kept)
    lease = await hold_new(kept.store)
    beside = run_config(lease, thread_id="t.beside")
    await graph.ainvoke({"said": "beside"}, beside, durability="exit")
    assert (await graph.aget_state(beside)).values["said"] == "beside"
    assert await kept.saver.aget_tuple(run_config(lease)) is None


async def test_two_threads_are_saved_side_by_side_with_other_writes(kept: Kept) -> None:
    graph = graph_over(kept)
    leases = [await hold_new(kept.store, f"t{number}") for number in range(4)]
    for lease in leases:
        await graph.ainvoke({"said": lease.thread_id}, run_config(lease), durability="async")
        async with kept.store.units.hold(lease) as writes:
            await writes.append([(1, Done())])
    for lease in leases:
        assert (await graph.aget_state(run_config(lease))).values["said"] == lease.thread_id


async def test_forgotten_and_pruned_checkpoints(kept: Kept) -> None:
    """Pruning keeps an open question; forgetting keeps nothing."""
    graph = graph_over(kept)
    lease = await hold_new(kept.store)
    await graph.ainvoke({"said": "x"}, run_config(lease), durability="async")
    history = [state async for state in graph.aget_state_history(run_config(lease))]
    assert len(history) > 1
    await kept.saver.aprune(["t"], strategy="keep_latest")
    history = [state async for state in graph.aget_state_history(run_config(lease))]
    assert [len(state.interrupts) for state in history] == [2]
    await kept.saver.adelete_thread("t")
    assert await kept.saver.aget_tuple(run_config(lease)) is None


async def test_a_state_that_could_not_be_read_back_is_not_written(kept: Kept) -> None:
    """The run fails, and the thread stays readable."""
    graph = graph_over(kept)
    lease = await hold_new(kept.store)
    await graph.ainvoke({"said": "x"}, run_config(lease), durability="exit")
    before = await kept.saver.aget_tuple(run_config(lease))
    with pytest.raises(UnsafeCheckpoint):
        await graph.aupdate_state(run_config(lease), {"done": [Opaque()]}, as_node="other")
    assert await kept.saver.aget_tuple(run_config(lease)) == before


@dataclass
class Opaque:
    """Not plain JSON."""


class Touch:
    """Makes a file when it is built."""

    def __init__(self, path: str) -> None:
        self.path = path
        with open(path, "w"):  # noqa: PTH123
            pass

    def model_dump(self) -> dict[str, str]:
        return {"path": self.path}


def crafted(code: int, *named: Any) -> bytes:
    return ormsgpack.packb(ormsgpack.Ext(code, ormsgpack.packb(named)))


def crafted_values(path: str) -> list[tuple[str, bytes]]:
    """Bytes that make a file when LangGraph's default serializer reads them, or that it never wrote."""
    return [
        ("msgpack", crafted(0, "pathlib", "PosixPath.touch", path)),
        ("msgpack", crafted(0, __name__, "Touch", path)),
        ("msgpack", crafted(1, __name__, "Touch", [path])),
        ("msgpack", crafted(2, __name__, "Touch", {"path": path})),
        ("msgpack", crafted(3, __name__, "Touch", path, "__call__")),
        ("msgpack", crafted(4, __name__, "Touch", {"path": path})),
        ("msgpack", crafted(5, __name__, "Touch", {"path": path}, "model_validate_json")),
        ("msgpack", crafted(1, "os", "system", [f"touch {path}"])),
        ("msgpack", crafted(1, "langgraph.types", "Send", ["x", Nested(path).ext])),
        ("msgpack", crafted(6, "<f8", [1], "C", b"\0" * 8)),
        ("msgpack", crafted(0, "too", "short")),
        ("json", b'{"lc": 1, "type": "constructor", "id": ["langchain_core", "load"]}'),
        ("pickle", b"cos\nsystem\n(S'touch'\ntR."),
    ]


class Nested:
    def __init__(self, path: str) -> None:
        self.ext = ormsgpack.Ext(2, ormsgpack.packb((__name__, "Touch", {"path": path})))


def test_bytes_that_name_anything_else_are_refused_without_side_effect(tmp_path: Any) -> None:
    target = tmp_path / "made"
    for value in crafted_values(str(target)):
        with pytest.raises(UnsafeCheckpoint):
            StrictSerializer().loads_typed(value)
        assert not target.exists(), value


def test_the_crafted_bytes_would_have_an_effect_otherwise(tmp_path: Any) -> None:
    """Shows that the test above tests something."""
    target = tmp_path / "made"
    value = crafted(1, "os", "mkdir", [str(target)])
    JsonPlusSerializer(allowed_msgpack_modules=True).loads_typed(("msgpack", value))
    assert target.exists()
    target.rmdir()
    with pytest.raises(UnsafeCheckpoint):
        StrictSerializer().loads_typed(("msgpack", value))
    assert not target.exists()


async def test_a_thread_goes_with_its_checkpoints(kept: Kept) -> None:
    """Forgetting removes what the saver keeps under each of the keys, under the same fence, and nobody else's."""
    graph = graph_over(kept)
    lease, other = await hold_new(kept.store), await hold_new(kept.store, "elsewhere")
    beside = run_config(lease)
    beside["configurable"] = beside["configurable"] | {"thread_id": f"{lease.thread_id}~beside"}
    for config in (run_config(lease), beside, run_config(other)):
        await graph.ainvoke({"said": "x"}, config, durability="exit")

    await kept.store.threads.delete(lease, [lease.thread_id, f"{lease.thread_id}~beside"])

    assert await kept.saver.aget_tuple(run_config(lease)) is None
    assert await kept.saver.aget_tuple(beside) is None
    assert await kept.saver.aget_tuple(run_config(other)) is not None
