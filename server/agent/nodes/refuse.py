"""Ends a turn without a model call: one that a guard stopped, or that the day's budget does not bear."""

from collections.abc import Sequence

from langgraph.runtime import Runtime

from server.agent.context import RunContext
from server.agent.decided import how_requests_ended
from server.agent.nodes.guard_input import GUARDED
from server.agent.phrases import ended, language_of, spent, spent_midway, unreadable
from server.agent.state import State
from server.agent.within_budget import AT_ONCE, MIDWAY
from server.domain.events import Text
from server.guards.guards import NAMES


async def refuse(state: State, runtime: Runtime[RunContext]) -> State:
    """Says why, in the visitor's language. Who waited for a decision is told that one first, and so got their answer."""
    context = runtime.context
    requests = how_requests_ended(state) if MIDWAY in state["flags"] else []
    text = _words(state, requests, context)
    begun = context.meter.ttft_ms is not None
    runtime.stream_writer(Text(text=f"\n\n{text}" if begun else text))
    context.meter.first_text()
    return {
        "answer": text,
        "outcome": "answered" if requests else "refused",
        "messages": [{"role": "assistant", "content": text}],
    }


def _words(state: State, requests: Sequence[str], context: RunContext) -> str:
    language = language_of(state["message"], context.twin.languages)
    if MIDWAY in state["flags"]:
        return " ".join([*ended(language, requests), spent_midway(language)])
    if AT_ONCE in state["flags"]:
        return spent(language)
    for name in NAMES:
        if f"{GUARDED}{name}" in state["flags"]:
            return context.guards.text(name, language)
    return unreadable(language)
