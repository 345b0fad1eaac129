"""From the tool calls a model asked for to calls that may run and questions to the owner."""

import secrets
import string
from collections.abc import Sequence
from typing import Any

from server.agent import phrases
from server.agent.state import Call, Question
from server.domain.approvals import APPROVAL_SCHEMA
from server.domain.errors import InvalidAnswer
from server.domain.text import warnings_in
from server.domain.tools import Tool, digest, is_high_risk, schema_digest
from server.ports import ToolCallRequested
from server.tools.arguments import check, parse_object
from server.tools.catalog import Catalog

MAX_CALLS = 8
_ID_ALPHABET = string.ascii_letters + string.digits


def new_call_id() -> str:
    """An id of ours for a tool call.

    Some servers count from `call_0` in every answer; the ledger needs ids that no other call of the thread has.
    Nine letters and digits, because at least one provider takes nothing else.
    """
    return "".join(secrets.choice(_ID_ALPHABET) for _ in range(9))


def as_call(requested: ToolCallRequested, catalog: Catalog, place: int) -> Call:
    """The call with its arguments parsed and checked, or with the problem the model is told instead."""
    call: Call = {
        "id": new_call_id(),
        "name": requested.name,
        "arguments": {},
        "problem": None,
    }
    tool = catalog.get(requested.name)
    if place >= MAX_CALLS:
        call["problem"] = phrases.TOO_MANY_CALLS
    elif tool is None:
        call["problem"] = f"There is no such tool. The tools are: {', '.join(catalog)}."
    else:
        try:
            arguments = parse_object(requested.arguments)
            call["arguments"] = arguments
            check(arguments, tool.parameters)
        except InvalidAnswer as error:
            call["problem"] = f"Not run: the arguments are wrong. {error.detail}"
    return call


def questions_for(calls: Sequence[Call], catalog: Catalog) -> list[Question]:
    """One question for each call that must be approved, in the order of the calls."""
    return [
        as_question(call, catalog[call["name"]])
        for call in calls
        if call["problem"] is None and is_high_risk(catalog[call["name"]], call["arguments"])
    ]


def as_question(call: Call, tool: Tool) -> Question:
    """What the owner is asked about this call."""
    return {
        "tool_call_id": call["id"],
        "tool": tool.name,
        "arguments": call["arguments"],
        "digest": digest(tool.name, call["arguments"]),
        "message": card_message(tool, call["arguments"]),
        "reason": tool.reason,
        "response_schema": dict(APPROVAL_SCHEMA),
        "approver": tool.approver,
        "warnings": warnings_in(call["arguments"]),
        "expires_after_s": (
            None if tool.expires_after is None else tool.expires_after.total_seconds()
        ),
        "tool_schema_digest": schema_digest(tool),
    }


def card_message(tool: Tool, arguments: dict[str, Any]) -> str:
    """What the card says about a call with these arguments. A function that fails costs the wording, not the card."""
    fallback = f"The twin asks to run '{tool.name}'."
    if not callable(tool.message):
        return tool.message or fallback
    try:
        return str(tool.message(**arguments))
    except Exception:
        return fallback
