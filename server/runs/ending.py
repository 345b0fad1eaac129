"""Settles a run: its last events, its turn, its row and the thread's status, in one transaction."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, Literal

import anyio
from langgraph.types import Interrupt

from server.agent.graph import GRAPH_VERSION
from server.agent.meter import Meter
from server.agent.phrases import Language, language_of, notice, please_confirm
from server.agent.stream import Seen
from server.domain.approvals import Approval
from server.domain.conversation import Message, Outcome, Run, RunStatus, ThreadStatus, Turn
from server.domain.errors import (
    LeaseLost,
    ModelFailed,
    ModelUnavailable,
    SaysoError,
    Unavailable,
)
from server.domain.events import (
    ApprovalChanged,
    Done,
    Event,
    Failed,
    InterruptChanged,
    Meta,
    Text,
    Trace,
)
from server.domain.gaps import Gap, kept_question
from server.domain.knowledge import GAP_FLAG
from server.domain.money import usd
from server.domain.notices import of_questions
from server.domain.times import rfc3339
from server.ports import Writes
from server.runs.active import RunResult
from server.runs.assignment import Assignment
from server.runs.ids import new_id
from server.runs.journal import Journal
from server.runs.metered import charge, settle_charges
from server.runs.services import Services

RETRIES_S = (10, 60, 300, 1800)
"""After a resume failed: seconds until each further try. Nearly always only the closing answer has to be said; what was done
is in the ledger."""
KEPT_EVENTS = 5_000
"""How far back, in numbers, a thread's log can be followed; a client that was away longer reloads the thread."""
PATIENCE_S = 60.0
"""How long a run tries to write its end while the database is away; then `recover` does it, somewhere."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How the graph came to rest. `error` is why it failed, when that is one of ours to tell."""

    kind: Literal["ended", "paused", "failed", "cancelled"]
    error: SaysoError | None = None


async def settle(
    services: Services,
    assignment: Assignment,
    journal: Journal,
    meter: Meter,
    seen: Seen,
    ending: Ending,
) -> RunResult:
    """Writes how the run ended and gives the thread back. Raises LeaseLost if it is not ours any more."""
    now = services.clock()
    run = _settled_run(services, assignment.run, meter, seen, ending, now)
    approvals = [
        _as_approval(services, assignment, interrupt, now)
        for interrupt in (seen.interrupts.values() if ending.kind == "paused" else ())
    ]
    last = journal.number(_last_events(services, assignment, run, meter, seen, ending, approvals))
    turn = _settled_turn(assignment.turn, journal, meter, seen, ending)
    gap = _gap(services, turn, run, ending)

    async def write(held: Writes) -> None:
        await held.prune_events(last[-1][0] - KEPT_EVENTS)
        await held.open_approvals(approvals)
        await held.post(of_questions(approvals, services.telling.names))
        await held.save_turn(turn)
        await held.save_run(run)
        await charge(held, meter)
        if gap:
            await held.record_gap(gap)
        await held.release(_thread_status(run))

    with anyio.fail_after(PATIENCE_S):
        while True:
            try:
                await journal.close(last, write)
                break
            except LeaseLost:
                await settle_charges(services.store.budget, meter)
                raise
            except Unavailable:
                await anyio.sleep(0.5)
    services.metrics.run_ended(run, meter.withheld)
    for approval in approvals:
        services.metrics.approval(approval.status)
    services.telling.ring()
    answer = seen.values.get("answer", "") if ending.kind == "ended" else ""
    return RunResult(_outcome(seen, ending), answer)


def _outcome(seen: Seen, ending: Ending) -> Outcome:
    match ending.kind:
        case "ended":
            return seen.values.get("outcome", "answered")
        case "paused":
            return "pending_approval"
        case "cancelled":
            return "cancelled"
        case "failed":
            return "error"


_RUN_STATUS: dict[str, RunStatus] = {
    "ended": "success",
    "paused": "interrupted",
    "cancelled": "cancelled",
    "failed": "error",
}


def _settled_run(
    services: Services, run: Run, meter: Meter, seen: Seen, ending: Ending, now: datetime
) -> Run:
    retry_at, attempts = None, run.attempts
    if ending.kind == "failed" and run.resumes and not run.beside:
        if isinstance(ending.error, Unavailable):
            # Our own database was away: that says nothing of the run, so it does not count as a try.
            retry_at, attempts = now + timedelta(seconds=RETRIES_S[0]), run.attempts - 1
        elif run.attempts <= len(RETRIES_S):
            retry_at = now + timedelta(seconds=RETRIES_S[run.attempts - 1])
    return replace(
        run,
        attempts=attempts,
        status=_RUN_STATUS[ending.kind],
        ended_at=now,
        outcome=_outcome(seen, ending),
        model=services.model.name if meter.model_calls else run.model,
        usage=meter.usage,
        cost_usd=usd(meter.cost),
        latency_ms=meter.elapsed_ms(),
        ttft_ms=meter.ttft_ms,
        tools=tuple(meter.tools),
        flags=tuple(_flags(meter, seen)),
        retry_at=retry_at,
    )


def _thread_status(run: Run) -> ThreadStatus:
    if run.beside or run.status == "interrupted":
        return "interrupted"
    return "error" if run.status == "error" else "idle"


def _flags(meter: Meter, seen: Seen) -> list[str]:
    return list(dict.fromkeys([*seen.values.get("flags", []), *meter.flags]))


def _last_events(
    services: Services,
    assignment: Assignment,
    run: Run,
    meter: Meter,
    seen: Seen,
    ending: Ending,
    approvals: list[Approval],
) -> list[Event]:
    assert run.outcome is not None
    events: list[Event] = [interrupt_changed(approval) for approval in approvals]
    if ending.kind == "failed":
        events.append(_failed(ending.error))
    events += [
        Meta(
            run_id=run.id,
            outcome=run.outcome,
            model=run.model,
            input_tokens=run.usage.input_tokens,
            output_tokens=run.usage.output_tokens,
            cached_tokens=run.usage.cached_tokens,
            cost_usd=run.cost_usd,
            latency_ms=run.latency_ms or 0,
            ttft_ms=run.ttft_ms,
        ),
        Trace(nodes=meter.nodes, flags=_flags(meter, seen), withheld=meter.withheld),
    ]
    if approvals:
        language = language_of(assignment.turn.said, services.twin.languages)
        events += [
            Text(_who_is_asked(approvals, services.twin.owner_name, language)),
            ApprovalChanged("pending"),
        ]
    return [*events, Done()]


def _who_is_asked(approvals: list[Approval], owner: str, language: Language) -> str:
    asked = {approval.approver for approval in approvals}
    notices = [notice(owner, language)] if "owner" in asked else []
    return " ".join([*notices, please_confirm(language)] if "user" in asked else notices)


def interrupt_changed(approval: Approval) -> InterruptChanged:
    """What the visitor is shown of a question: no owner data but the note that was meant for them."""
    return InterruptChanged(
        interrupt_id=approval.interrupt_id,
        status=approval.status,
        tool=approval.tool,
        arguments=approval.edited_arguments or approval.arguments,
        message=approval.message,
        expires_at=rfc3339(approval.expires_at),
        note=approval.note,
        approver="user" if approval.approver == "user" else None,
    )


def _failed(error: SaysoError | None) -> Failed:
    match error:
        case ModelUnavailable():
            return Failed("model_unavailable", str(ModelUnavailable()), retryable=True)
        case ModelFailed():
            return Failed("model_failed", str(ModelFailed()), retryable=True)
        case Unavailable():
            return Failed("unavailable", str(Unavailable()), retryable=True)
        case _:
            return Failed(
                "internal", "Something went wrong here. Please try again.", retryable=True
            )


def _settled_turn(turn: Turn, journal: Journal, meter: Meter, seen: Seen, ending: Ending) -> Turn:
    messages: list[Message] = list(seen.values.get("messages") or turn.messages)
    partial = ending.kind in ("failed", "cancelled")
    if partial:
        # The node that was cut off left no update: what it noted and showed is all there is of it.
        known = {message.get("tool_call_id") for message in messages}
        messages += [m for m in meter.results if m.get("tool_call_id") not in known]
        if meter.speaking:
            # Of an answer that is written a second time, `speaking` has the first part too.
            if messages[-1]["role"] == "assistant" and not messages[-1].get("tool_calls"):
                messages.pop()
            messages.append({"role": "assistant", "content": meter.speaking})
    answer = "\n\n".join(text.strip() for text in (turn.answer, journal.shown) if text.strip())
    return replace(turn, messages=messages, answer=answer, partial=partial and bool(answer))


def _gap(services: Services, turn: Turn, run: Run, ending: Ending) -> Gap | None:
    """The question, when the turn ended without an answer because the sources hold none."""
    if ending.kind != "ended" or GAP_FLAG not in run.flags:
        return None
    question = kept_question(turn.said)
    language = language_of(question, services.twin.languages)
    return Gap(new_id(), turn.thread_id, turn.id, question, language, turn.created_at)


def _as_approval(
    services: Services, assignment: Assignment, interrupt: Interrupt[Any], now: datetime
) -> Approval:
    question = interrupt.value
    return Approval(
        interrupt_id=interrupt.id,
        thread_id=assignment.run.thread_id,
        run_id=assignment.run.id,
        turn_id=assignment.turn.id,
        node="request_approval",
        tool_call_id=question["tool_call_id"],
        tool=question["tool"],
        arguments=question["arguments"],
        digest=question["digest"],
        message=question["message"],
        reason=question["reason"],
        response_schema=question["response_schema"],
        approver=question["approver"],
        visitor_message=assignment.turn.said,
        warnings=tuple(question["warnings"]),
        graph_version=GRAPH_VERSION,
        tool_schema_digest=question["tool_schema_digest"],
        created_at=now,
        expires_at=_expiry(question["expires_after_s"], services.rules.approval_ttl, now),
    )


def _expiry(seconds: float | None, default: timedelta | None, now: datetime) -> datetime | None:
    if seconds is None:
        return now + default if default else None
    return now + timedelta(seconds=seconds) if seconds else None
