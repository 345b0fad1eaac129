"""Plays a case on the real graph, as a visitor would."""

from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from server.domain.errors import NoPendingApproval
from server.domain.events import Event, InterruptChanged, as_json
from server.domain.principals import Principal
from server.evaluation.cases import Case
from server.runs.decide import decide
from server.runs.follow import follow_run
from server.runs.ids import new_id
from server.runs.services import Services
from server.runs.start import start

JUDGE = Principal("owner", "evaluation")


@dataclass(frozen=True, slots=True)
class Played:
    """A case and what came: the events of the judged runs, in order."""

    case: Case
    events: tuple[Event, ...]

    def of_type(self, kind: str) -> list[dict[str, Any]]:
        """The events of that type, as a client sees them."""
        return self.in_order(kind)

    def in_order(self, *kinds: str) -> list[dict[str, Any]]:
        """The events of these types, in the order they came."""
        return [as_json(event) for event in self.events if event.type in kinds]

    @property
    def text(self) -> str:
        """What the visitor read."""
        return "".join(event["text"] for event in self.of_type("text")).strip()


async def play(services: Services, case: Case) -> Played:
    """One case in a new thread. Raises what the verbs raise, such as ThreadBusy."""
    visitor = Principal("visitor", new_id())
    thread_id = new_id()
    events: list[Event] = []
    for said in case.say:
        started = await start(services, visitor, said, thread_id=thread_id)
        events = await _heard(services, thread_id, started.run_id, started.after)
    if case.decide is not None:
        if not any(isinstance(event, InterruptChanged) for event in events):
            raise NoPendingApproval
        settled = await decide(
            services, thread_id, {"approved": case.decide == "approve"}, by=JUDGE
        )
        if settled.run is not None:
            events += await _heard(services, thread_id, settled.run.run_id, 0)
    return Played(case, tuple(events))


async def _heard(services: Services, thread_id: str, run_id: str, after: int) -> list[Event]:
    heard = []
    async with aclosing(
        follow_run(services.store, services.feed, thread_id, run_id, after)
    ) as items:
        async for item in items:
            if item is not None:
                heard.append(item[1])
    return heard
