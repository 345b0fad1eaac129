"""Begins a turn: nothing of the last one is left, and what can't be read goes no further."""

from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from server.agent.context import RunContext
from server.agent.state import State
from server.domain.text import is_readable

EMPTY = "input:empty"


async def guard_input(state: State, runtime: Runtime[RunContext]) -> dict[str, object]:
    """Sets every field back; the visitor's message is the turn's first."""
    return {
        "messages": Overwrite([{"role": "user", "content": state["message"]}]),
        "evidence": Overwrite([]),
        "results": Overwrite([]),
        "decisions": Overwrite({}),
        "contact_drafts": Overwrite([]),
        "flags": Overwrite([] if is_readable(state["message"]) else [EMPTY]),
        "calls": [],
        "questions": [],
        "rounds": 0,
        "retrieved": 0,
        "unsupported": [],
        "asked_again": False,
        "unanswered": False,
        "answer": "",
        "outcome": "answered",
    }
