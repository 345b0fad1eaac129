"""What becomes of a turn whose next model call can't be paid for: it ends in words of the product's own."""

from typing import Any

from langgraph.runtime import Runtime

from server.agent.context import RunContext
from server.agent.state import State
from server.agent.timed import Node
from server.domain.errors import BudgetReached

AT_ONCE = "input:budget"
MIDWAY = "generate:budget"


def within_budget(node: Node) -> Node:
    """The node; without money for its model call the turn is flagged instead, and what it did so far stands."""

    async def run(state: State, runtime: Runtime[RunContext]) -> Any:
        try:
            return await node(state, runtime)
        except BudgetReached:
            flag = MIDWAY if state["rounds"] else AT_ONCE
            return {"calls": [], "questions": [], "flags": [flag]}

    return run


def is_out_of_budget(state: State) -> bool:
    """Whether this turn's last model call was not made."""
    return not {AT_ONCE, MIDWAY}.isdisjoint(state["flags"])
