"""The entries of a thread's log: a union told apart by `type`, typed once, here."""

from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal, get_args

from server.domain.approvals import ApprovalStatus
from server.domain.conversation import Outcome

ToolStatus = Literal["started", "done", "failed", "declined"]


@dataclass(frozen=True, slots=True)
class ThreadOpened:
    """First, always. The visitor token is added in flight by the route that minted it, never logged."""

    type: ClassVar[str] = "thread"
    thread_id: str
    run_id: str
    visitor_token: str | None = None


@dataclass(frozen=True, slots=True)
class Text:
    """A piece of answer that has passed verification."""

    type: ClassVar[str] = "text"
    text: str


@dataclass(frozen=True, slots=True)
class Citation:
    """Before or with the first text that relies on it."""

    type: ClassVar[str] = "citation"
    n: int
    title: str
    source: str
    quote: str
    url: str | None = None


@dataclass(frozen=True, slots=True)
class ToolProgress:
    """A tool call's progress."""

    type: ClassVar[str] = "tool"
    name: str
    tool_call_id: str
    status: ToolStatus


@dataclass(frozen=True, slots=True)
class Retract:
    """Text already shown since that seq (included) is taken back."""

    type: ClassVar[str] = "retract"
    from_seq: int


@dataclass(frozen=True, slots=True)
class InterruptChanged:
    """One per question: when it opens, and again when it is settled. `approver` is there when the visitor's own word is asked for."""

    type: ClassVar[str] = "interrupt"
    interrupt_id: str
    status: ApprovalStatus
    tool: str
    arguments: dict[str, Any]
    message: str
    expires_at: str | None = None
    note: str | None = None
    approver: Literal["user"] | None = None


@dataclass(frozen=True, slots=True)
class ApprovalChanged:
    """`pending` once when the run pauses; the outcome once when the whole pause is settled."""

    type: ClassVar[str] = "approval"
    status: ApprovalStatus | Literal["mixed"]


@dataclass(frozen=True, slots=True)
class Meta:
    """Once per run. Times in milliseconds, cost in US dollars."""

    type: ClassVar[str] = "meta"
    run_id: str
    outcome: Outcome
    model: str | None = None
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost_usd: float = 0.0
    latency_ms: int = 0
    ttft_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Trace:
    """Once per run. `nodes` is a list of `{node, ms}`; `withheld` counts sentences not shown."""

    type: ClassVar[str] = "trace"
    nodes: list[dict[str, Any]] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    withheld: int = 0


@dataclass(frozen=True, slots=True)
class Failed:
    """The run failed. The message is for the visitor, never internals."""

    type: ClassVar[str] = "error"
    code: str
    message: str
    retryable: bool


@dataclass(frozen=True, slots=True)
class Reset:
    """The cursor is older than what is kept: the client reloads the thread. Never stored."""

    type: ClassVar[str] = "reset"


@dataclass(frozen=True, slots=True)
class Done:
    """Always the last event of a run."""

    type: ClassVar[str] = "done"


Event = (
    ThreadOpened
    | Text
    | Citation
    | ToolProgress
    | Retract
    | InterruptChanged
    | ApprovalChanged
    | Meta
    | Trace
    | Failed
    | Reset
    | Done
)

_BY_TYPE: dict[str, type[Event]] = {kind.type: kind for kind in get_args(Event)}
_OPTIONAL = {"visitor_token", "url", "expires_at", "note", "approver"}


def as_json(event: Event) -> dict[str, Any]:
    """The event as the client sees it. Optional fields that are empty are left out, required nulls stay."""
    body: dict[str, Any] = {"type": event.type}
    for name in (f.name for f in fields(event)):
        value = getattr(event, name)
        if value is not None or name not in _OPTIONAL:
            body[name] = value
    return body


def from_json(body: dict[str, Any]) -> Event:
    """The event a stored body stands for. Unknown fields are ignored, so that an older version can read on.

    Raises KeyError for an unknown type.
    """
    kind = _BY_TYPE[body["type"]]
    known = {f.name for f in fields(kind)}
    return kind(**{name: value for name, value in body.items() if name in known})
