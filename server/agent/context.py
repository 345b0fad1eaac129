"""What a run brings to the graph: the ports, and who and what it is about. Never part of a checkpoint."""

from dataclasses import dataclass, field

from server.agent.filters import Verify
from server.agent.meter import Meter
from server.agent.stop import Stop
from server.domain.conversation import Lease, Message
from server.domain.principals import Principal
from server.guards.guards import Guards
from server.ports import Knowledge, Model, Reach, Units, pass_by
from server.tools.catalog import Catalog


@dataclass(frozen=True, slots=True)
class Twin:
    """Who the twin speaks for. Languages are ISO 639-1 codes, the preferred one first."""

    owner_name: str
    languages: tuple[str, ...] = ("en", "nl")


@dataclass(frozen=True, slots=True)
class RunContext:
    """One run's context.

    `history` is the thread's earlier turns, valid for a provider. `beside` says that a question is already
    waiting on this thread: no further one may be asked. `resumes`: it goes on with what was decided. `told_by` are the channels through which the owner is told of an
    effect in doubt.
    """

    lease: Lease
    run_id: str
    principal: Principal
    twin: Twin
    model: Model
    knowledge: Knowledge
    tools: Catalog
    units: Units
    history: tuple[Message, ...]
    beside: bool
    meter: Meter
    stop: Stop
    resumes: bool = False
    verify: Verify = "gate"
    guards: Guards = field(default_factory=Guards)
    told_by: tuple[str, ...] = ()
    reach: Reach = pass_by
