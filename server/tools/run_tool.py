"""Runs one tool call; whatever happens is a short outcome, never an exception."""

import functools
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import anyio
import structlog

from server.domain.knowledge import Found
from server.domain.tools import ContactDraft, Tool, ToolContext, canonical_json
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


async def run_tool(tool: Tool, arguments: Mapping[str, Any], context: ToolContext) -> ToolOutcome:
    """Calls the tool's function with the arguments by name, within its time limit.

    A sync function runs in a thread, which can't be stopped: after its timeout it is left behind.
    """
    given = {**arguments, "context": context} if takes_context(tool) else dict(arguments)
    try:
        with anyio.fail_after(tool.timeout_s):
            if inspect.iscoroutinefunction(tool.run):
                result = await tool.run(**given)
            else:
                call = functools.partial(tool.run, **given)
                result = await anyio.to_thread.run_sync(call, abandon_on_cancel=True)
                if inspect.isawaitable(result):
                    result = await result
    except TimeoutError:
        log.warning("tool.timeout", tool=tool.name, timeout_s=tool.timeout_s)
        return ToolOutcome(
            False, f"The tool did not answer within {tool.timeout_s:g} seconds.", late=True
        )
    except Exception as error:
        # Its text may hold internals or somebody's data; the type is enough to find it in the tool's own logs.
        log.warning("tool.failed", tool=tool.name, error=type(error).__name__)
        return ToolOutcome(False, "The tool failed.")
    return _outcome(result)


def _outcome(result: Any) -> ToolOutcome:
    match result:
        case ContactDraft():
            text = "The owner approved it and the message was recorded. It has been passed on."
            return ToolOutcome(True, text, draft=result)
        case tuple() if all(isinstance(found, Found) for found in result):
            return ToolOutcome(True, "", passages=result)
        case None:
            return ToolOutcome(True, "Done.")
        case str():
            return ToolOutcome(True, result[:MAX_RESULT_CHARACTERS])
    try:
        return ToolOutcome(True, canonical_json(result)[:MAX_RESULT_CHARACTERS])
    except (TypeError, ValueError):
        return ToolOutcome(False, "The tool gave a result that can't be shown.")
