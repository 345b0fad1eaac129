"""Leaves a run to another process, where one of its nodes has ended."""

from dataclasses import replace

import anyio

from server.agent.meter import Meter
from server.agent.stream import Seen
from server.domain.errors import Unavailable
from server.domain.money import usd
from server.ports import Writes
from server.runs.assignment import Assignment
from server.runs.journal import Journal
from server.runs.metered import charge
from server.runs.services import Services

AGAIN_S = 0.5


async def hand_over(
    services: Services, assignment: Assignment, journal: Journal, meter: Meter, seen: Seen
) -> None:
    """Writes down what the run showed, said and cost so far; its checkpoint holds the rest. Raises LeaseLost.

    Tries until it is cancelled while the database is away. Whoever takes the run over then does not know how much of what was shown
    is in the checkpoint: they take it back, and say it again from there.
    """
    turn = replace(
        assignment.turn, messages=list(seen.values.get("messages") or assignment.turn.messages)
    )
    run = replace(
        assignment.run,
        model=services.model.name if meter.model_calls else assignment.run.model,
        usage=meter.usage,
        cost_usd=usd(meter.cost),
        ttft_ms=meter.ttft_ms,
        tools=tuple(meter.tools),
        flags=tuple(dict.fromkeys(meter.flags)),
        kept_seq=journal.last_seq,
    )

    async def write(held: Writes) -> None:
        await held.save_turn(turn)
        await held.save_run(run)
        await charge(held, meter)

    while True:
        try:
            await journal.close([], write)
            return
        except Unavailable:
            await anyio.sleep(AGAIN_S)
