"""The graph: nodes and edges, and nothing else."""

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from server.agent.context import RunContext
from server.agent.edges import after_generate, after_guard, after_verify
from server.agent.nodes.execute_tools import execute_tools
from server.agent.nodes.generate import generate
from server.agent.nodes.guard_input import guard_input
from server.agent.nodes.refuse import refuse
from server.agent.nodes.request_approval import request_approval
from server.agent.nodes.verify import verify
from server.agent.state import State
from server.agent.timed import timed
from server.agent.within_budget import within_budget

GRAPH_VERSION = "1"
"""Raised when a paused thread of an older graph could not be resumed by this one."""

Graph = CompiledStateGraph[State, RunContext, State, State]


def build_graph(saver: BaseCheckpointSaver[str]) -> Graph:
    """The compiled graph over that saver."""
    graph = StateGraph(State, context_schema=RunContext)
    graph.add_node("guard_input", timed("guard_input", guard_input))
    graph.add_node("refuse", timed("refuse", refuse))
    graph.add_node("generate", timed("generate", within_budget(generate)))
    graph.add_node("request_approval", request_approval)
    graph.add_node("execute_tools", timed("execute_tools", execute_tools))
    graph.add_node("verify", timed("verify", verify))

    graph.add_edge(START, "guard_input")
    graph.add_conditional_edges("guard_input", after_guard, ["refuse", "generate"])
    graph.add_edge("refuse", END)
    graph.add_conditional_edges(
        "generate", after_generate, ["refuse", "request_approval", "execute_tools", "verify"]
    )
    graph.add_edge("request_approval", "execute_tools")
    graph.add_edge("execute_tools", "generate")
    graph.add_conditional_edges("verify", after_verify, ["generate", END])
    return graph.compile(checkpointer=saver)
