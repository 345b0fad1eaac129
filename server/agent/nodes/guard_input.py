"""Begins a turn: nothing of the last one is left, and what a guard stops goes no further."""

from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from server.agent.context import RunContext
from server.agent.prompt import without_turn_marks
from server.agent.state import State
from server.domain.text import is_readable

EMPTY = "input:empty"
GUARDED = "input:"
"""What the flag of a guard begins with; its name follows."""


async def guard_input(state: State, runtime: Runtime[RunContext]) -> dict[str, object]:
    """Sets every field back; the visitor's message is the turn's first."""
    said = without_turn_marks(state["message"])
    return {
        "messages": Overwrite([{"role": "user", "content": said}]),
        "evidence": Overwrite([]),
        "results": Overwrite([]),
        "decisions": Overwrite({}),
        "contact_drafts": Overwrite([]),
        "flags": Overwrite(await _flags(state["message"], runtime.context)),
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


async def _flags(message: str, context: RunContext) -> list[str]:
    """The flag of the guard that stops the message, if one does."""
    if not is_readable(message):
        return [EMPTY]
    if guard := context.guards.stops(message):
        return [f"{GUARDED}{guard}"]
    if (about := context.guards.other_work(message)) is not None:
        found = await context.knowledge.search(about)
        if not any(each.answerable for each in found):
            return [f"{GUARDED}off_topic"]
    return []
