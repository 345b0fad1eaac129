"""Stops, and asks. One task for each high-risk call, each with an interrupt of its own."""

from langgraph.runtime import Runtime
from langgraph.types import interrupt

from server.agent.context import RunContext
from server.agent.state import Question, State


async def request_approval(state: Question, runtime: Runtime[RunContext]) -> State:
    """Gets one question as its state. Pauses until it is settled. Nothing may stand before `interrupt`: the node runs again from here."""
    answer = interrupt(state, response_schema=state["response_schema"])
    # Wrapped by whoever resumes, because bare falsy answers get lost on the way.
    return {"decisions": {state["tool_call_id"]: answer["v"]}}
