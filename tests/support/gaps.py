"""A question that the sources do not answer, asked of a running twin."""

from typing import Any

from server.agent.state import State
from server.agent.stream import Seen
from server.domain.conversation import Run, Turn
from server.domain.knowledge import GAP_FLAG
from server.domain.principals import Principal
from server.runs.assignment import Assignment
from server.runs.drive import start_driving
from server.runs.ids import new_id
from server.runs.services import Services
from tests.support.twin import RunningTwin

NOT_FOUND = "I can't find that in my sources."


def asked_in_vain(twin: RunningTwin, *questions: str, thread_id: str | None = None) -> None:
    """Each in a thread of its own, unless one is named: a turn whose graph came to rest without an answer."""
    for question in questions:
        twin.call(_ask, twin.services, thread_id or new_id(), question)


async def _ask(services: Services, thread_id: str, said: str, flags: Any = (GAP_FLAG,)) -> None:
    visitor = Principal("visitor", "somebody")
    await services.store.threads.open(thread_id, visitor.key)
    lease = await services.store.threads.take_for_recovery(thread_id, services.holder)
    assert lease is not None
    now = services.clock()
    heard: Any = [{"role": "user", "content": said}]
    turn = Turn(new_id(), thread_id, said, heard, "", now)
    run = Run(new_id(), thread_id, turn.id, "running", now, lease.last_seq)
    async with services.store.units.hold(lease) as held:
        await held.save_turn(turn)
        await held.save_run(run)
        await held.activate(run.id)
    rested = State(
        run_id=run.id,
        turn_id=turn.id,
        message=said,
        messages=[*heard, {"role": "assistant", "content": NOT_FOUND}],
        evidence=[],
        flags=list(flags),
        answer=NOT_FOUND,
        outcome="refused",
    )
    assignment = Assignment(lease, run, turn, visitor, lease.last_seq, at_rest=Seen(rested, {}))
    assert await start_driving(services, assignment).wait() is not None
