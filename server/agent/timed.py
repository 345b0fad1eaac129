"""Times the nodes of a run, and lets them be stopped."""

from collections.abc import Awaitable
from typing import Any, Protocol

from langgraph.runtime import Runtime

from server.agent.context import RunContext
from server.agent.state import State

CARRIES_OUT = "execute_tools"
"""The node between a decision and what comes of it."""


class Node(Protocol):
    """A node of the graph."""

    def __call__(self, state: State, runtime: Runtime[RunContext]) -> Awaitable[Any]: ...


def timed(name: str, node: Node) -> Node:
    """The node, with its time noted in the run's meter, however it ends. Raises Stopped: see `Stop`."""

    async def run(state: State, runtime: Runtime[RunContext]) -> Any:
        meter = runtime.context.meter
        begun = meter.clock()
        try:
            carries_out = runtime.context.resumes and name == CARRIES_OUT
            with runtime.context.stop.node(carries_out=carries_out):
                return await node(state, runtime)
        finally:
            meter.nodes.append({"node": name, "ms": round((meter.clock() - begun) * 1000, 1)})

    return run
