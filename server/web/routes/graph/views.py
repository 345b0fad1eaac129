"""Threads, turns and questions as this dialect shows them. Pure."""

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import BaseModel

from server.domain.approvals import Approval
from server.domain.conversation import Message, Thread, Turn, Usage, valid_history
from server.runs.history import MAX_CHARACTERS

END = "__end__"
"""Where a thread stands that waits for nothing."""
Status = Literal["running", "interrupted_before", "completed", "error"]


class CallView(BaseModel):
    """The model's request to run a tool."""

    id: str
    name: str
    args: dict[str, Any]


class UsageView(BaseModel):
    """Tokens of the model calls of one run."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    cache_read_input_tokens: int


class MessageView(BaseModel):
    """One message. `content` holds blocks: `text`, `tool_call`, `tool_result`. Never what a provider sent, as it was.

    `timestamp` is in seconds since 1970. `usages` are those of the whole run, on the last message it wrote. `delta` is
    there in a stream only: true for a piece of an answer that is being written; the whole message, with its id, follows.
    """

    message_id: str | None
    role: Literal["user", "assistant", "tool"]
    content: list[dict[str, Any]]
    tools_calls: list[CallView] | None
    timestamp: float
    metadata: dict[str, Any]
    usages: UsageView | None
    delta: bool = False


class InterruptView(BaseModel):
    """An open question. `value` is what the tool will be run with."""

    id: str
    key: str
    node: str
    value: Any
    message: str
    reason: str
    response_schema: dict[str, Any]
    tool_call_id: str


class InterruptData(BaseModel):
    """The first open question; `interrupts` is there when there are several, and lists all."""

    interrupt: InterruptView
    interrupts: list[InterruptView] | None = None


class ExecutionMeta(BaseModel):
    """Where the thread stands."""

    current_node: str | None
    status: Status
    interrupted_node: str | None
    interrupt_reason: str | None
    interrupt_data: InterruptData | None
    thread_id: str


class StateView(BaseModel):
    """`context` is what the model is shown of the thread."""

    context: list[MessageView]
    context_summary: str | None
    execution_meta: ExecutionMeta


class ThreadRecord(BaseModel):
    """A thread in the list."""

    thread_id: str
    thread_name: str | None
    user_id: str
    metadata: dict[str, Any]
    created_at: str
    updated_at: str
    run_id: str | None


def open_questions(approvals: Sequence[Approval]) -> list[InterruptView]:
    """Those that wait for an answer, in the order they were asked."""
    return [
        InterruptView(
            id=asked.interrupt_id,
            # A tool call of ours asks once, so it is always the first of that call.
            key=f"tool:{asked.tool_call_id}:0",
            node=asked.node,
            value=asked.arguments,
            message=asked.message,
            reason=asked.reason,
            response_schema=asked.response_schema,
            tool_call_id=asked.tool_call_id,
        )
        for asked in approvals
        if asked.status == "pending"
    ]


def interrupt_data(questions: Sequence[InterruptView]) -> InterruptData | None:
    """The pause, None when nothing is open."""
    if not questions:
        return None
    if len(questions) == 1:
        return InterruptData(interrupt=questions[0])
    return InterruptData(interrupt=questions[0], interrupts=list(questions))


def thread_state(thread: Thread, turns: Sequence[Turn], approvals: Sequence[Approval]) -> StateView:
    """The thread as at `full`. A reload finds the same open questions, with the same ids."""
    questions = open_questions(approvals)
    first = questions[0] if questions else None
    status: Status = "completed"
    if first:
        status = "interrupted_before"
    elif thread.active_run:
        status = "running"
    elif thread.status == "error":
        status = "error"
    meta = ExecutionMeta(
        current_node=first.node if first else (None if thread.active_run else END),
        status=status,
        interrupted_node=first.node if first else None,
        interrupt_reason=first.reason if first else None,
        interrupt_data=interrupt_data(questions),
        thread_id=thread.id,
    )
    return StateView(context=context(turns, approvals), context_summary=None, execution_meta=meta)


def context(turns: Sequence[Turn], approvals: Sequence[Approval]) -> list[MessageView]:
    """What the model is shown: the newest turns that fit whole, those that were cut off made valid."""
    waiting = {asked.turn_id for asked in approvals if asked.status == "pending"}
    kept: list[list[MessageView]] = []
    room = MAX_CHARACTERS
    for turn in reversed(turns):
        messages = turn.messages if turn.id in waiting else valid_history(turn.messages)
        room -= sum(len(message["content"]) for message in messages)
        if room < 0 and kept:
            break
        kept.append([message_view(turn, message) for message in messages])
    return [message for messages in reversed(kept) for message in messages]


def messages_of(turn: Turn, *, known: int = 0, usage: Usage | None = None) -> list[MessageView]:
    """The turn's messages after the first `known` ones; `usage` goes to the last of them."""
    views = [message_view(turn, message) for message in turn.messages[known:]]
    if usage is not None and views and views[-1].role == "assistant":
        views[-1].usages = UsageView(
            prompt_tokens=usage.input_tokens,
            completion_tokens=usage.output_tokens,
            total_tokens=usage.input_tokens + usage.output_tokens,
            cache_read_input_tokens=usage.cached_tokens,
        )
    return views


def message_view(turn: Turn, message: Message) -> MessageView:
    """One message of the turn. Its id stays the same for good; one that is not kept has none."""
    calls = [
        CallView(id=call["id"], name=call["name"], args=call["arguments"])
        for call in message.get("tool_calls", ())
    ]
    place = next((n for n, kept in enumerate(turn.messages) if kept is message), None)
    content: list[dict[str, Any]] = []
    if message["role"] == "tool":
        call_id = message.get("tool_call_id")
        content.append({"type": "tool_result", "call_id": call_id, "output": message["content"]})
    elif message["content"]:
        content.append({"type": "text", "text": message["content"]})
    content += [{"type": "tool_call", **call.model_dump()} for call in calls]
    return MessageView(
        message_id=None if place is None else f"{turn.id}-{place}",
        role=message["role"],
        content=content,
        tools_calls=calls or None,
        timestamp=turn.created_at.timestamp(),
        metadata={"partial": True} if turn.partial and message is turn.messages[-1] else {},
        usages=None,
    )
