"""The owner settles an effect in doubt: it was done, or it is to be tried again."""

from typing import Literal

from server.domain.approvals import Approval, Effect, Via
from server.domain.conversation import Lease, Run
from server.domain.errors import NotFound, NotInDoubt, Orphaned
from server.domain.events import Done, Event, Meta, ThreadOpened, ToolProgress, ToolStatus, Trace
from server.domain.notices import of_doubt
from server.domain.principals import Principal
from server.domain.tools import ToolContext
from server.runs.claim import claim
from server.runs.ids import new_id
from server.runs.services import Services
from server.tools.run_tool import effect_status, run_tool


async def settle_effect(
    services: Services,
    effect_id: str,
    how: Literal["done", "retry"],
    result: str | None = None,
    *,
    by: Principal,
    via: Via | None = None,
) -> Effect:
    """Writes `done` with the owner's result, or runs the tool once more with the same arguments and key.

    The visitor's page sees the tool's progress; no model is asked. Raises NotFound, NotInDoubt, Orphaned,
    ThreadBusy or Draining.
    """
    effect = await services.store.effects.get(effect_id)
    if effect is None:
        raise NotFound
    if effect.status != "in_doubt":
        raise NotInDoubt(decided_status=effect.status)
    lease = await claim(services, effect.thread_id)
    try:
        if how == "done":
            await _write_done(services, lease, effect, result or "Done, says the owner.", by, via)
        else:
            await _try_again(services, lease, effect, by, via)
    except BaseException:
        await services.give_back(lease)
        raise
    services.feed.ring(effect.thread_id)
    services.telling.ring()
    settled = await services.store.effects.get(effect_id)
    assert settled is not None, "effects are kept with their thread"
    return settled


async def _write_done(
    services: Services, lease: Lease, effect: Effect, result: str, by: Principal, via: Via | None
) -> None:
    asked = await _asked(services, effect)
    run = _run(services, lease, asked)
    async with services.store.units.hold(lease) as held:
        if await held.reopen_effect(effect.id, run.id) is None:
            raise NotInDoubt(decided_status="settled")
        await held.finish_effect(effect.id, "done", result, by=by.id, via=via)
        await held.save_run(run)
        await held.append(_events(lease, run, effect, "done"))
        await held.release(await _status(services, lease))


async def _try_again(
    services: Services, lease: Lease, effect: Effect, by: Principal, via: Via | None
) -> None:
    asked = await _asked(services, effect)
    tool = services.tools.get(effect.tool)
    if tool is None:
        raise Orphaned(why=f"the tool '{effect.tool}' does not exist any more")
    thread = await services.store.threads.get(effect.thread_id)
    assert thread is not None, "effects are kept with their thread"
    run = _run(services, lease, asked)
    async with services.store.units.hold(lease) as held:
        reopened = await held.reopen_effect(effect.id, run.id, by=by.id, via=via)
        if reopened is None:
            raise NotInDoubt(decided_status="settled")
    outcome = await run_tool(
        tool,
        asked.edited_arguments or asked.arguments,
        ToolContext(
            thread_id=effect.thread_id,
            run_id=run.id,
            tool_call_id=effect.tool_call_id,
            idempotency_key=effect.idempotency_key,
            principal=Principal.from_key(thread.principal),
        ),
    )
    async with services.store.units.hold(lease) as held:
        await held.finish_effect(effect.id, effect_status(outcome), outcome.text, outcome.draft)
        if outcome.late:
            await held.post(of_doubt(reopened, services.telling.names))
        await held.save_run(run)
        await held.append(_events(lease, run, effect, "done" if outcome.ok else "failed"))
        await held.release(await _status(services, lease))


async def _asked(services: Services, effect: Effect) -> Approval:
    approvals = await services.store.approvals.of_thread(effect.thread_id)
    return next(a for a in approvals if a.tool_call_id == effect.tool_call_id)


async def _status(services: Services, lease: Lease) -> Literal["idle", "interrupted"]:
    approvals = await services.store.approvals.of_thread(lease.thread_id)
    return "interrupted" if any(a.status == "pending" for a in approvals) else "idle"


def _run(services: Services, lease: Lease, asked: Approval) -> Run:
    now = services.clock()
    return Run(
        id=new_id(),
        thread_id=lease.thread_id,
        turn_id=asked.turn_id,
        status="success",
        started_at=now,
        ended_at=now,
        first_seq=lease.last_seq,
        outcome="answered",
        tools=(asked.tool,),
        latency_ms=0,
    )


def _events(lease: Lease, run: Run, effect: Effect, status: ToolStatus) -> list[tuple[int, Event]]:
    events: list[Event] = [
        ThreadOpened(lease.thread_id, run.id),
        ToolProgress(effect.tool, effect.tool_call_id, status),
        Meta(run_id=run.id, outcome="answered"),
        Trace(),
        Done(),
    ]
    return list(enumerate(events, lease.last_seq + 1))
