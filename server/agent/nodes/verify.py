"""Looks at the answer as a whole before the turn ends."""

from langgraph.runtime import Runtime

from server.agent.context import RunContext
from server.agent.phrases import language_of, speechless
from server.agent.state import State
from server.domain.events import Text
from server.grounding.citations import citation_flags


async def verify(state: State, runtime: Runtime[RunContext]) -> State:
    """Flags what is doubtful about the citations; a silent model gets an honest line instead of nothing.

    The answer is the text of the model's last message.
    """
    answer = state["messages"][-1]["content"].strip()
    if not answer:
        answer = speechless(language_of(state["message"], runtime.context.twin.languages))
        runtime.stream_writer(Text(text=answer))
        runtime.context.meter.first_text()
        return {"answer": answer, "outcome": "refused", "flags": ["generate:empty"]}
    # A tool result can support an answer that cites nothing.
    used_tools = any(message["role"] == "tool" for message in state["messages"])
    flags = citation_flags(answer, len(state["evidence"]))
    if used_tools and "verify:uncited" in flags:
        flags.remove("verify:uncited")
    return {"answer": answer, "flags": flags, "outcome": "answered"}
