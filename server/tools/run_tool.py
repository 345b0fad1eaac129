"""Runs one tool call; whatever happens is a short outcome, never an exception."""

import asyncio
import dataclasses
import enum
import inspect
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any
from uuid import UUID

import anyio
import anyio.to_thread
import structlog

from server.domain.approvals import EffectStatus
from server.domain.errors import InvalidAnswer
from server.domain.knowledge import Found
from server.domain.tools import ContactDraft, Tool, ToolContext
from server.tools.catalog import takes_context

log = structlog.get_logger(__name__)

MAX_RESULT_CHARACTERS = 8_000


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """What a tool gave: `text` for the model, and what the run has to do with it.

    `ok` is false for a timeout or an exception; `late` is true for a timeout, when the tool may still be working.
    """

    ok: bool
    text: str
    passages: tuple[Found, ...] = ()
    draft: ContactDraft | None = None
    late: bool = False


@dataclass(frozen=True, slots=True)
class _Raised:
    """What a function in a thread raised, as a value: on the loop a GeneratorExit would mean something else."""

    error: BaseException


def effect_status(outcome: ToolOutcome) -> EffectStatus:
    """What the ledger says of an outcome. A tool that is late may still be at it."""
    if outcome.late:
        return "in_doubt"
    return "done" if outcome.ok else "failed"


async def run_tool(tool: Tool, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
    """Calls the tool's function with the arguments by name, within its time limit.

    A sync function runs in a thread, which can't be stopped: after its timeout it is left behind. An async one is
    cancelled, and waited for until it ends. Only a cancellation from outside comes out of here as an exception.
    """
    given = {**arguments, "context": context} if takes_context(tool) else dict(arguments)
    try:
        with anyio.move_on_after(tool.timeout_s) as limit:
            result = await _call(tool, given)
        if limit.cancelled_caught:
            log.warning("tool.timeout", tool=tool.name, timeout_s=tool.timeout_s)
            return ToolOutcome(
                False, f"The tool did not answer within {tool.timeout_s:g} seconds.", late=True
            )
    except GeneratorExit:
        raise
    except BaseException as error:
        if isinstance(error, asyncio.CancelledError) and _is_cancelled():
            raise
        return _failed(tool, error)
    return _failed(tool, result.error) if isinstance(result, _Raised) else _outcome(tool, result)


def _failed(tool: Tool, error: BaseException) -> ToolOutcome:
    if isinstance(error, InvalidAnswer):
        return ToolOutcome(False, f"Not run: the arguments are wrong. {error.detail}")
    # Its text may hold internals or somebody's data; the type is enough to find it in the tool's own logs.
    log.warning("tool.failed", tool=tool.name, error=type(error).__name__)
    return ToolOutcome(False, "The tool failed.")


async def _call(tool: Tool, given: dict[str, Any]) -> Any:
    if inspect.iscoroutinefunction(tool.run):
        return await tool.run(**given)

    def run() -> Any:
        try:
            return tool.run(**given)
        except BaseException as error:
            return _Raised(error)

    result = await anyio.to_thread.run_sync(run, abandon_on_cancel=True)
    return await result if inspect.isawaitable(result) else result


def _is_cancelled() -> bool:
    """Whether somebody wants this task to end, as opposed to a tool that raises CancelledError by itself."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _outcome(tool: Tool, result: Any) -> ToolOutcome:
    match result:
        case ContactDraft() if tool.high_risk is not True:
            # Its row is written with an approval in the ledger; here nothing was approved and nothing recorded.
            log.warning("tool.draft_without_approval", tool=tool.name)
            return ToolOutcome(False, "The tool failed.")
        case ContactDraft():
            who = "The owner approved it" if tool.approver == "owner" else "It was confirmed"
            text = f"{who} and the message was recorded. It has been passed on."
            return ToolOutcome(True, text, draft=result)
        case tuple() if result and all(isinstance(found, Found) for found in result):
            return ToolOutcome(True, "", passages=result)
        case None:
            return ToolOutcome(True, "Done.")
        case str():
            return ToolOutcome(True, _cut(result) if result.strip() else "The answer is empty.")
    try:
        text = json.dumps(
            result,
            default=_plain,
            sort_keys=True,
            separators=(",", ":"),
            ensure_ascii=False,
            allow_nan=False,
        )
    except Exception as error:
        log.warning("tool.unusable_result", tool=tool.name, error=type(error).__name__)
        return ToolOutcome(False, "The tool gave a result that can't be shown.")
    return ToolOutcome(True, _cut(text))


def _plain(value: Any) -> Any:
    """A value JSON does not know, as one it does. Raises TypeError for the rest, iterators among them."""
    match value:
        case enum.Enum():
            return value.value
        case datetime() | date() | time():
            return value.isoformat()
        case Decimal() | UUID():
            return str(value)
        case set() | frozenset():
            return sorted(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    dump = getattr(value, "model_dump", None)
    if callable(dump) and not isinstance(value, type):
        return dump(mode="json")
    raise TypeError(type(value).__name__)


def _cut(text: str) -> str:
    """At most `MAX_RESULT_CHARACTERS` of it; the model is told when there is more."""
    if len(text) <= MAX_RESULT_CHARACTERS:
        return text
    mark = f"… (cut off here; the whole result has {len(text)} characters)"
    return text[: MAX_RESULT_CHARACTERS - len(mark)] + mark
