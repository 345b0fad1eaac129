"""Where a turn goes next. Pure."""

from typing import Literal

from langgraph.graph import END
from langgraph.types import Send

from server.agent.state import State
from server.agent.within_budget import is_out_of_budget


def after_guard(state: State) -> Literal["refuse", "generate"]:
    """A flagged message gets no model call."""
    return "refuse" if state["flags"] else "generate"


def after_generate(state: State) -> Literal["refuse", "execute_tools", "verify"] | list[Send]:
    """High-risk calls are asked about first, one task each; other calls run; words are verified. No money, no words."""
    if is_out_of_budget(state):
        return "refuse"
    if state["questions"]:
        return [Send("request_approval", question) for question in state["questions"]]
    return "execute_tools" if state["calls"] else "verify"


def after_verify(state: State) -> str:
    """What had no support is asked about once more: `generate` or the end."""
    return "generate" if state["unsupported"] else END
