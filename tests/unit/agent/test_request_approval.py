"""An answer arrives at the graph as it was given, also when Python takes it for nothing."""

from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command, Send

from server.agent.nodes.request_approval import request_approval
from server.agent.state import State

ANSWERS = [False, 0, "", [], {}, None, True, {"approved": True}, {"a" * 32: 1}]


@pytest.mark.parametrize("answer", ANSWERS, ids=repr)
async def test_falsy_answers_arrive(answer: Any) -> None:
    """Wrapped by whoever resumes, because bare ones get lost on the way; the others stay open meanwhile."""
    graph = StateGraph(State)
    graph.add_node("ask", request_approval)
    questions = [{"tool_call_id": name, "response_schema": {}} for name in ("first", "second")]
    graph.add_conditional_edges(START, lambda _: [Send("ask", asked) for asked in questions])
    compiled = graph.compile(InMemorySaver())
    config: Any = {"configurable": {"thread_id": "t"}}
    paused = await compiled.ainvoke({"decisions": {}}, config)
    first, second = (interrupt.id for interrupt in paused["__interrupt__"])

    resume = {first: {"v": answer}, second: {"v": "other"}}
    ended = await compiled.ainvoke(Command(resume=resume), config)

    assert ended["decisions"] == {"first": answer, "second": "other"}
    assert type(ended["decisions"]["first"]) is type(answer)
