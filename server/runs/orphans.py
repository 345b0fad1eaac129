"""Questions that were asked by another version of the twin."""

from dataclasses import dataclass
from typing import Literal

import structlog

from server.agent.graph import GRAPH_VERSION
from server.domain.approvals import Approval
from server.domain.tools import schema_digest
from server.runs.services import Services

log = structlog.get_logger(__name__)

AT_MOST = 1_000


@dataclass(frozen=True, slots=True)
class Fit:
    """Whether this version can go on with a question.

    `ask_again`: the tool takes other arguments now, so a yes to the old ones is refused. `orphaned`: there is
    nothing here that could go on with it.
    """

    kind: Literal["fine", "ask_again", "orphaned"]
    why: str = ""


def fit(services: Services, asked: Approval) -> Fit:
    """How a pending question fits the graph and the tools that run now."""
    if asked.graph_version != GRAPH_VERSION or asked.node not in services.graph.nodes:
        return Fit("orphaned", "the graph has changed since")
    tool = services.tools.get(asked.tool)
    if tool is None:
        return Fit("orphaned", f"the tool '{asked.tool}' does not exist any more")
    if schema_digest(tool) != asked.tool_schema_digest:
        return Fit("ask_again", f"the tool '{asked.tool}' takes other arguments now")
    return Fit("fine")


async def report_paused(services: Services) -> dict[str, int]:
    """Logs, at start, each question a yes could not go on with, and how many there are of each kind."""
    counts = {"fine": 0, "ask_again": 0, "orphaned": 0}
    for asked in await services.store.approvals.with_status("pending", limit=AT_MOST):
        found = fit(services, asked)
        counts[found.kind] += 1
        if found.kind != "fine":
            log.warning(
                "approval.does_not_fit",
                kind=found.kind,
                thread_id=asked.thread_id,
                interrupt_id=asked.interrupt_id,
                why=found.why,
            )
    log.info("approvals.checked", **counts)
    return counts
