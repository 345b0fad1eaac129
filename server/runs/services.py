"""What the verbs work with, put together once by the composition root."""

from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, timedelta, tzinfo
from typing import Literal

import anyio
from langgraph.checkpoint.base import BaseCheckpointSaver

from server.agent.context import Twin
from server.agent.filters import Verify
from server.agent.graph import Graph
from server.domain.conversation import Lease
from server.domain.errors import LeaseLost, Unavailable
from server.domain.money import DailyBudget, Prices
from server.guards.guards import Guards
from server.metrics import Metrics
from server.ports import AnswerPages, Clock, Knowledge, Model, Reach, Store, pass_by
from server.runs.active import ActiveRuns
from server.runs.feed import Feed
from server.runs.telling import Telling
from server.tools.catalog import Catalog


@dataclass(frozen=True, slots=True)
class Rules:
    """What the owner set.

    `approval_ttl` None: questions do not expire. `retention`: how long a thread is kept after its last activity;
    None: for ever. `budget` None: model calls may cost what they cost. `output_limit` is in tokens of one answer; None: the
    model's own, and then there is no budget. `zone` is where the owner's days begin.
    """

    busy_wait: timedelta = timedelta(seconds=30)
    approval_ttl: timedelta | None = timedelta(days=7)
    when_paused: Literal["beside", "refuse"] = "beside"
    verify: Verify = "gate"
    lease: timedelta = timedelta(seconds=10)
    prices: Prices = field(default_factory=Prices)
    budget: DailyBudget | None = None
    output_limit: int | None = None
    retention: timedelta | None = None
    zone: tzinfo = UTC


@dataclass(frozen=True, slots=True)
class Services:
    """Everything a verb may use. `holder` names this process in leases; see `Reach` for `reach`."""

    store: Store
    graph: Graph
    saver: BaseCheckpointSaver[str]
    model: Model
    knowledge: Knowledge
    answers: AnswerPages
    tools: Catalog
    twin: Twin
    rules: Rules
    feed: Feed
    active: ActiveRuns
    clock: Clock
    holder: str
    metrics: Metrics
    telling: Telling
    guards: Guards = field(default_factory=Guards)
    reach: Reach = pass_by

    async def give_back(self, lease: Lease) -> None:
        """Releases a thread on which nothing was begun. One that is not ours any more is left alone.

        So is one on which a run was begun after all: its transaction was committed, and only the word of it got lost
        (Unavailable). The lease runs out, and `recover` drives the run.
        """
        with anyio.CancelScope(shield=True):
            # Lost: not ours to give. Unavailable: the lease runs out, and `recover` gives it back.
            with suppress(LeaseLost, Unavailable):
                thread = await self.store.threads.get(lease.thread_id)
                begun = thread.active_run if thread else None
                run = await self.store.runs.get(begun) if begun else None
                if run is not None and run.status == "running":
                    return
                approvals = await self.store.approvals.of_thread(lease.thread_id)
                waiting = any(approval.status == "pending" for approval in approvals)
                async with self.store.units.hold(lease) as held:
                    await held.release("interrupted" if waiting else "idle")
            self.feed.ring(lease.thread_id)
