"""The only door to a high-risk tool: an explicit yes, recorded, to exactly these arguments, once."""

from typing import Any

import anyio

from server.agent import phrases
from server.agent.context import RunContext
from server.agent.state import Question
from server.domain.approvals import Effect, EffectStatus, is_approved
from server.domain.errors import NotApproved
from server.domain.events import ToolStatus
from server.domain.notices import of_doubt
from server.domain.tools import Tool, ToolContext, canonical_json, digest
from server.tools.run_tool import ToolOutcome, effect_status, run_tool


async def run_approved(
    tool: Tool, question: Question, answer: Any, context: RunContext
) -> tuple[ToolStatus, ToolOutcome]:
    """Runs the tool if the answer is a yes and the ledger agrees; else says why not.

    The interrupt is not the gate: the answer it came back with is checked against the arguments about to run,
    and the ledger checks the recorded decision again in the statement that writes `started`.
    """
    if not isinstance(answer, dict) or answer.get("approved") is not True:
        return "declined", ToolOutcome(False, _declined(tool, answer))
    edited = answer.get("arguments")
    arguments = edited if isinstance(edited, dict) else question["arguments"]
    wanted = digest(tool.name, arguments)
    if not is_approved(answer, digest=wanted):
        return "declined", ToolOutcome(False, phrases.NOT_APPROVED)
    # Shielded: a cancelled run waits for the effect it began, so that the ledger knows how it ended.
    with anyio.CancelScope(shield=True):
        try:
            outcome = await _once(
                tool, question, answer["interrupt_id"], arguments, wanted, context
            )
        except NotApproved:
            return "declined", ToolOutcome(False, phrases.NOT_APPROVED)
    told = [outcome.text]
    if isinstance(edited, dict):
        told.append(phrases.EDITED.format(arguments=canonical_json(arguments)))
    if note := answer.get("note"):
        told.append(_note(tool, note))
    return ("done" if outcome.ok else "failed"), ToolOutcome(
        outcome.ok, "\n".join(told), draft=outcome.draft
    )


async def _once(
    tool: Tool,
    question: Question,
    interrupt_id: str,
    arguments: dict[str, Any],
    wanted: str,
    context: RunContext,
) -> ToolOutcome:
    context.reach("effect.begin")
    async with context.units.hold(context.lease) as held:
        effect = await held.begin_effect(
            interrupt_id=interrupt_id,
            tool_call_id=question["tool_call_id"],
            tool=tool.name,
            digest=wanted,
            run_id=context.run_id,
        )
    if not effect.fresh and (known := _known(effect, tool)):
        if effect.status == "started":
            await _finish(context, effect, "in_doubt", known)
        return known
    context.reach("effect.started")
    outcome = await run_tool(
        tool,
        arguments,
        ToolContext(
            thread_id=context.lease.thread_id,
            run_id=context.run_id,
            tool_call_id=question["tool_call_id"],
            idempotency_key=effect.idempotency_key,
            principal=context.principal,
        ),
    )
    if outcome.late and not tool.idempotent:
        outcome = ToolOutcome(False, phrases.IN_DOUBT, late=True)
    context.reach("effect.ran")
    await _finish(context, effect, effect_status(outcome), outcome)
    context.reach("effect.finished")
    return outcome


def _known(effect: Effect, tool: Tool) -> ToolOutcome | None:
    """What an effect found in the ledger says; None when the tool may be run again under the same key."""
    match effect.status:
        case "done":
            return ToolOutcome(True, effect.result or "Done.")
        case "failed":
            return ToolOutcome(False, effect.result or "The tool failed.")
        case "started" | "in_doubt":
            # Whoever wrote `started` lost the thread before it could write how it ended.
            return None if tool.idempotent else ToolOutcome(False, phrases.IN_DOUBT, late=True)


async def _finish(
    context: RunContext, effect: Effect, status: EffectStatus, outcome: ToolOutcome
) -> None:
    async with context.units.hold(context.lease) as held:
        await held.finish_effect(effect.id, status, outcome.text, outcome.draft)
        if status == "in_doubt":
            await held.post(of_doubt(effect, context.told_by))


def _declined(tool: Tool, answer: Any) -> str:
    texts = phrases.DECLINED if tool.approver == "owner" else phrases.NOT_CONFIRMED
    status = answer.get("status") if isinstance(answer, dict) else None
    text = texts.get(str(status), phrases.NOT_APPROVED)
    note = answer.get("note") if isinstance(answer, dict) else None
    return f"{text}\n{_note(tool, note)}" if note else text


def _note(tool: Tool, note: str) -> str:
    whose = phrases.OWNER_NOTE if tool.approver == "owner" else phrases.ANSWERS_NOTE
    return whose.format(note=note)
