"""Runs what may run, and gives every tool call of the last answer exactly one result."""

from typing import Any, NamedTuple

from langgraph.runtime import Runtime

from server.agent.context import RunContext
from server.agent.effects import run_approved
from server.agent.evidence import as_evidence
from server.agent.prompt import fenced, without_turn_marks
from server.agent.state import Call, Evidence, Question, Result, State
from server.domain.conversation import Message, ToolCall, tool_result
from server.domain.events import ToolProgress, ToolStatus
from server.domain.tools import ToolContext
from server.tools.run_tool import ToolOutcome, run_tool


class Ended(NamedTuple):
    """How a call ended, and what it gave if it ran."""

    status: ToolStatus
    outcome: ToolOutcome


async def execute_tools(state: State, runtime: Runtime[RunContext]) -> State:
    """The calls in order. A high-risk one runs only through the ledger; see `run_approved`."""
    context = runtime.context
    questions = {question["tool_call_id"]: question for question in state["questions"]}
    messages: list[Message] = []
    evidence: list[Evidence] = []
    results: list[Result] = []
    drafts: list[dict[str, str]] = []
    for call in state["calls"]:
        question = questions.get(call["id"])
        if call["problem"] is None:
            runtime.stream_writer(ToolProgress(call["name"], call["id"], "started"))
        ended = await _end(call, question, state["decisions"], context)
        runtime.stream_writer(ToolProgress(call["name"], call["id"], ended.status))
        context.meter.tools.append(f"{call['name']}:{ended.status}")
        known = state["evidence"] + evidence
        new = as_evidence(ended.outcome.passages, known)
        text = ended.outcome.text or _passages_text(new, first=len(known) + 1)
        asked = ToolCall(id=call["id"], name=call["name"], arguments=call["arguments"])
        messages.append(tool_result(asked, without_turn_marks(text)))
        context.meter.results.append(messages[-1])
        evidence += new
        if not ended.outcome.passages:
            results.append(Result(tool=call["name"], text=text, ok=ended.status == "done"))
        if draft := ended.outcome.draft:
            drafts.append(
                {
                    "subject": draft.subject,
                    "message": draft.message,
                    "sender_contact": draft.sender_contact,
                }
            )
    return {
        "messages": messages,
        "evidence": evidence,
        "results": results,
        "contact_drafts": drafts,
        "calls": [],
        "questions": [],
    }


async def _end(
    call: Call, question: Question | None, decisions: dict[str, Any], context: RunContext
) -> Ended:
    if call["problem"] is not None:
        return Ended("failed", ToolOutcome(False, call["problem"]))
    tool = context.tools.get(call["name"])
    if tool is None:
        return Ended("failed", ToolOutcome(False, "Not run: this tool does not exist any more."))
    if question is not None:
        return Ended(*await run_approved(tool, question, decisions.get(call["id"]), context))
    outcome = await run_tool(
        tool,
        call["arguments"],
        ToolContext(
            thread_id=context.lease.thread_id,
            run_id=context.run_id,
            tool_call_id=call["id"],
            idempotency_key=f"{context.lease.thread_id}:{call['id']}",
            principal=context.principal,
        ),
    )
    return Ended("done" if outcome.ok else "failed", outcome)


def _passages_text(evidence: list[Evidence], *, first: int) -> str:
    return fenced(evidence, first=first) if evidence else "No further passages fit that query."
