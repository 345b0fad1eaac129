"""A tool is data: what it is called, what it takes, how risky it is, and the function that runs it."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal

from server.domain.principals import Principal


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a tool may know about the call it serves; passed when `run` has a parameter `context`.

    `idempotency_key` is the same for every attempt at one tool call: give it to whoever you call.
    """

    thread_id: str
    run_id: str
    tool_call_id: str
    idempotency_key: str
    principal: Principal


@dataclass(frozen=True, slots=True)
class Tool:
    """Something the twin can do.

    `parameters` is a JSON Schema object that lists every property and allows no others. `run` takes the
    arguments by name, sync (run in a thread) or async, and returns text, JSON or `ContactDraft`. `high_risk` is a flag or
    a function of the arguments, evaluated once, before the question; an exception in it means high-risk.
    `timeout_s` is in seconds. `expires_after` overrides APPROVAL_TTL for this tool's questions; it must be above zero.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    run: Callable[..., Any]
    timeout_s: float = 5.0
    high_risk: bool | Callable[..., bool] = False
    approver: Literal["owner", "user"] = "owner"
    idempotent: bool = False
    message: str | Callable[..., str] | None = None
    reason: str = "tool_approval"
    expires_after: timedelta | None = None


@dataclass(frozen=True, slots=True)
class ContactDraft:
    """What a tool returns to leave a message for the owner: the ledger writes it as a row of ours.

    The row and the effect's `done` are one transaction, so it is there exactly once or not at all.
    """

    subject: str
    message: str
    sender_contact: str


def is_high_risk(tool: Tool, arguments: Mapping[str, Any]) -> bool:
    """Whether this call must be approved. In doubt it must."""
    if not callable(tool.high_risk):
        return tool.high_risk is not False
    try:
        return tool.high_risk(**arguments) is not False
    except BaseException:  # also what tries to leave the process: in doubt it must be approved
        return True


def canonical_json(value: Any) -> str:
    """One text per JSON value: sorted keys, no spaces, no escapes beyond the needed ones."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def digest(name: str, arguments: Mapping[str, Any]) -> str:
    """SHA-256 over the canonical JSON of tool name and arguments, as hex. What is shown is what runs."""
    text = canonical_json({"name": name, "arguments": dict(arguments)})
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def schema_digest(tool: Tool) -> str:
    """Tells whether a tool still takes what it took when a question about it was asked."""
    return digest(tool.name, tool.parameters)
