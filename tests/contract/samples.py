"""Things to keep, with what a test does not care about filled in; and ways to hold a thread."""

import math
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver

from server.domain.approvals import Approval, Decision
from server.domain.conversation import Lease, Run, Turn
from server.domain.feedback import Feedback
from server.domain.gaps import Gap
from server.domain.notices import Notice
from server.ports import Bell, Store, Writes

T = TypeVar("T")

NOW = datetime(2027, 3, 1, 12, 0, 0, 123456, tzinfo=UTC)
MS = timedelta(milliseconds=1)
ODD_TEXTS = [
    "NUL \x00 inside",
    "lone \ud800 surrogate",
    "looks escaped: \x1a0000 \\u0000",
    "😀 é \u202e right to left",
    '{"lc": 2, "type": "constructor", "id": ["os", "system"]}',
]


@dataclass
class Kept:
    """One place where things are kept, and the ways to it."""

    store: Store
    other: Store
    """The same as another replica sees it."""
    lapsing: Store
    """The same, with leases and tickets that are over as soon as they are given."""
    saver: BaseCheckpointSaver[Any]
    bell: Bell


def turn(id_: str = "turn-1", thread_id: str = "t", **fields: Any) -> Turn:
    said = {"said": "hello", "messages": [], "answer": "hi", "created_at": NOW}
    return Turn(id=id_, thread_id=thread_id, **said | fields)


def run(id_: str = "run-1", thread_id: str = "t", **fields: Any) -> Run:
    begun = {"turn_id": "turn-1", "status": "running", "started_at": NOW, "first_seq": 0}
    return Run(id=id_, thread_id=thread_id, **begun | fields)


def approval(id_: str = "i-1", thread_id: str = "t", **fields: Any) -> Approval:
    asked = {
        "run_id": "run-1",
        "turn_id": "turn-1",
        "node": "request_approval",
        "tool_call_id": f"call-{id_}",
        "tool": "draft_contact_message",
        "arguments": {"subject": "Lunch", "n": 1e22},
        "digest": "d",
        "message": "Send this?",
        "reason": "tool_approval",
        "response_schema": {"type": "object"},
        "approver": "owner",
        "visitor_message": "please",
        "warnings": ("hidden characters",),
        "graph_version": "1",
        "tool_schema_digest": "s",
        "created_at": NOW,
        "expires_at": NOW + timedelta(days=7),
    }
    return Approval(interrupt_id=id_, thread_id=thread_id, **asked | fields)


def gap(id_: str = "gap-1", thread_id: str = "t", **fields: Any) -> Gap:
    asked = {"turn_id": f"turn-{id_}", "question": "What is her shoe size?", "language": "en"}
    return Gap(id=id_, thread_id=thread_id, **asked | {"asked_at": NOW} | fields)


def notice(id_: str = "notice-1", channel: str = "webhook", thread_id: str = "t") -> Notice:
    return Notice(id_, channel, thread_id, "approval.opened", "i-1", "issue_refund", NOW)


def verdict(run_id: str = "run-1", thread_id: str = "t", **fields: Any) -> Feedback:
    said = {"seq": 7, "verdict": "up", "comment": None, "said_at": NOW}
    return Feedback(thread_id=thread_id, run_id=run_id, **said | fields)


def yes(**fields: Any) -> Decision:
    said = {"by": "ann", "via": "web", "effective_digest": "d", "answer": {"approved": True}}
    return Decision(status="approved", **said | fields)


def no(status: Any = "rejected", **fields: Any) -> Decision:
    return Decision(status=status, **{"by": "ann", "via": "web", "answer": {}} | fields)


async def hold_new(store: Store, thread_id: str = "t") -> Lease:
    """Opens the thread and takes it."""
    await store.threads.open(thread_id, "visitor:v")
    lease = await store.threads.take_for_recovery(thread_id, "a")
    assert lease is not None
    return lease


async def write(store: Store, lease: Lease, act: Callable[[Writes], Awaitable[T]]) -> T:
    """What `act` gave, in one transaction."""
    async with store.units.hold(lease) as writes:
        return await act(writes)


async def take_over(kept: Kept, thread_id: str = "t") -> tuple[Lease, Lease]:
    """A lease that ran out, and that of who took the thread over."""
    late = await hold_new(kept.lapsing, thread_id)
    (lease,) = await kept.store.threads.take_lapsed("b", 10)
    return late, lease


def run_config(lease: Lease, **configurable: Any) -> RunnableConfig:
    """What a run under that lease gives LangGraph."""
    named = {"thread_id": lease.thread_id, "lease_thread": lease.thread_id, "fence": lease.fence}
    return {"configurable": named | configurable}


async def all_at_once(times: int, act: Callable[[int], Awaitable[T]]) -> list[T]:
    """What `act` gave, called that many times concurrently."""
    results: list[T] = []

    async def one(number: int) -> None:
        results.append(await act(number))

    async with anyio.create_task_group() as tasks:
        for number in range(times):
            tasks.start_soon(one, number)
    return results


@asynccontextmanager
async def listening(bell: Bell) -> AsyncIterator[MemoryObjectReceiveStream[str]]:
    """The rings, from when somebody listens."""
    send, receive = anyio.create_memory_object_stream[str](math.inf)
    async with anyio.create_task_group() as tasks, send, receive:
        tasks.start_soon(bell.listen, send.send_nowait)
        with anyio.fail_after(20):
            assert await receive.receive() == "*"
            yield receive
        tasks.cancel_scope.cancel()
