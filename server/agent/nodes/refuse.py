"""Ends a turn that a guard stopped, politely, before a token is spent."""

from langgraph.runtime import Runtime

from server.agent.context import RunContext
from server.agent.phrases import language_of, unreadable
from server.agent.state import State
from server.domain.events import Text


async def refuse(state: State, runtime: Runtime[RunContext]) -> State:
    """Says why, in the visitor's language."""
    context = runtime.context
    text = unreadable(language_of(state["message"], context.twin.languages))
    runtime.stream_writer(Text(text=text))
    context.meter.first_text()
    return {
        "answer": text,
        "outcome": "refused",
        "messages": [{"role": "assistant", "content": text}],
    }
