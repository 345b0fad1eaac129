"""Looks at the answer as a whole before the turn ends."""

from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from server.agent.context import RunContext
from server.agent.evidence import titles
from server.agent.phrases import language_of, nothing_proven, speechless
from server.agent.state import State
from server.domain.events import Text
from server.domain.knowledge import GAP_FLAG
from server.grounding.citations import citation_flags


async def verify(state: State, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Ends the turn, unless the model is to be asked again.

    Where nothing could be said, an honest line is: what the sources are about when sentences were kept back, else that there is no
    answer. The answer is the text of the model's last message.
    """
    if state["unsupported"]:
        return {}
    answer = state["messages"][-1]["content"].strip()
    if not answer:
        return _nothing_left(state, runtime)
    # A tool result can support an answer that cites nothing.
    used_tools = any(message["role"] == "tool" for message in state["messages"])
    flags = citation_flags(answer, len(state["evidence"]))
    if used_tools and "verify:uncited" in flags:
        flags.remove("verify:uncited")
    if state["unanswered"]:
        return {"answer": answer, "flags": [*flags, GAP_FLAG], "outcome": "refused"}
    return {"answer": answer, "flags": flags, "outcome": "answered"}


def _nothing_left(state: State, runtime: Runtime[RunContext]) -> dict[str, Any]:
    context = runtime.context
    language = language_of(state["message"], context.twin.languages)
    if context.meter.withheld:
        answer = nothing_proven(language, context.twin.owner_name, titles(state["evidence"]))
        flags = ["verify:nothing_left", GAP_FLAG]
    else:
        answer = speechless(language)
        flags = ["generate:empty"]
    runtime.stream_writer(Text(text=answer))
    context.meter.first_text()
    messages = [*state["messages"][:-1], {"role": "assistant", "content": answer}]
    return {
        "answer": answer,
        "messages": Overwrite(messages),
        "outcome": "refused",
        "flags": flags,
    }
