"""Threads, turns, runs and the messages in them."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, NotRequired, TypedDict

ThreadStatus = Literal["idle", "busy", "interrupted", "error"]
RunStatus = Literal["running", "interrupted", "success", "error", "cancelled"]
Outcome = Literal["answered", "refused", "pending_approval", "cancelled", "error"]
OnBusy = Literal["wait", "cancel", "reject"]


class ToolCall(TypedDict):
    """The model's request to run a tool. Arguments are parsed; what could not be parsed never gets here."""

    id: str
    name: str
    arguments: dict[str, Any]


class Message(TypedDict):
    """One message of a turn as the model sees it. Plain JSON, so that checkpoints hold nothing else."""

    role: Literal["user", "assistant", "tool"]
    content: str
    tool_calls: NotRequired[list[ToolCall]]
    tool_call_id: NotRequired[str]
    name: NotRequired[str]


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to write to a thread, until somebody claims it with a higher fence.

    `last_seq` is the thread's newest event at the time of the claim; the holder numbers on from there.
    """

    thread_id: str
    fence: int
    holder: str
    last_seq: int


@dataclass(frozen=True, slots=True)
class Thread:
    """One conversation. `principal` is the key of whoever opened it."""

    id: str
    principal: str
    status: ThreadStatus
    last_seq: int
    created_at: datetime
    updated_at: datetime
    active_run: str | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """What a visitor says plus what the twin answers, in the order of the thread.

    `messages` is what the model is shown of it later; `answer` is what the visitor saw. A turn whose tool
    calls are still open is closed with placeholder results when it is shown to a model (`valid_history`).
    """

    id: str
    thread_id: str
    said: str
    messages: list[Message]
    answer: str
    created_at: datetime
    partial: bool = False


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of the model calls of one run."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
        )


@dataclass(frozen=True, slots=True)
class Run:
    """One execution of the graph on a thread: the first run of a turn, or a resume. Holds no message text.

    `first_seq` is the log position before the run's first event; `resumes` is the run whose pause this one
    ends; `beside` says that it ran next to a pause. Times are in milliseconds, cost in US dollars. While it runs, usage and cost are
    those of its model calls so far, of every process that drove it. `kept_seq`: its checkpoint holds all that it showed up to there.
    """

    id: str
    thread_id: str
    turn_id: str
    status: RunStatus
    started_at: datetime
    first_seq: int
    resumes: str | None = None
    beside: bool = False
    ended_at: datetime | None = None
    outcome: Outcome | None = None
    model: str | None = None
    usage: Usage = field(default_factory=Usage)
    cost_usd: float = 0.0
    latency_ms: int | None = None
    ttft_ms: int | None = None
    tools: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    attempts: int = 1
    retry_at: datetime | None = None
    kept_seq: int | None = None


def said_since(known: list[Message], messages: list[Message]) -> list[str]:
    """What the twin says in a turn's messages beyond those that were known; an answer may have been added to."""
    texts = []
    if known and len(messages) >= len(known):
        before, now = known[-1], messages[len(known) - 1]
        if now["role"] == "assistant" and now["content"].startswith(before["content"]):
            texts.append(now["content"].removeprefix(before["content"]))
    texts += [m["content"] for m in messages[len(known) :] if m["role"] == "assistant"]
    return [text for text in texts if text]


NOT_COMPLETED = "not completed: the run ended before this tool call did"
AWAITING_DECISION = "waiting for a decision; nothing has happened yet"


def tool_result(call: ToolCall, content: str) -> Message:
    """The message that answers a tool call."""
    return {"role": "tool", "tool_call_id": call["id"], "name": call["name"], "content": content}


def valid_history(messages: list[Message], *, missing: str = NOT_COMPLETED) -> list[Message]:
    """The messages with exactly one result for every tool call, right after it, in the order of the calls.

    Providers refuse anything else. Results nobody asked for and repeated ones are dropped, missing ones get
    the text `missing`.
    """
    results: dict[str, Message] = {}
    for message in messages:
        if message["role"] == "tool":
            results.setdefault(message.get("tool_call_id", ""), message)
    history: list[Message] = []
    for message in messages:
        if message["role"] == "tool":
            continue
        history.append(message)
        for call in message.get("tool_calls", ()):
            placeholder = tool_result(call, missing)
            history.append(results.pop(call["id"], placeholder))
    return history
