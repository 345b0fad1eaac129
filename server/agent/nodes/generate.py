"""Asks the model, shows its words as far as they are proven, and sorts out the tools it asked for."""

from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, assert_never

import structlog
from langgraph.runtime import Runtime
from langgraph.types import Overwrite

from server.agent import phrases
from server.agent.context import RunContext
from server.agent.evidence import as_evidence, as_found, as_grounds, in_place
from server.agent.prompt import ask_again, system_prompt, tool_specs
from server.agent.questions import as_call, questions_for
from server.agent.speaker import Checks, Speaker
from server.agent.state import Call, Evidence, Question, State
from server.domain.conversation import Message, ToolCall
from server.domain.errors import BudgetReached, ModelFailed, ModelUnavailable
from server.grounding.gate import Withheld
from server.ports import Finished, ModelRequest, TextDelta, ToolCallRequested

log = structlog.get_logger(__name__)

MAX_TOOL_ROUNDS = 3
WORTH_ASKING = 8
"""Sentences without support that a model is told of, at most."""
_FURNITURE = frozenset({"leads to nothing", "heading", "table head", "introduction"})


@dataclass(slots=True)
class _Answer:
    """What one model call gave."""

    requested: list[ToolCallRequested] = field(default_factory=list)
    unanswered: bool = False


async def generate(state: State, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """One model call.

    The first one of a turn brings the passages it was given into the state. After `MAX_TOOL_ROUNDS` answers with tool calls the
    tools are switched off, so that the turn ends in words. So they are when the model is asked again for what it had no support
    for; what it had is kept, and what it adds is said after it.
    """
    context = runtime.context
    again = bool(state.get("unsupported"))
    found = await _retrieve(state, context)
    evidence = state["evidence"] + found
    retrieved = state["retrieved"] + len(found)
    messages = state["messages"][:-1] if again else state["messages"]
    said_before = state["messages"][-1]["content"] if again else ""
    tools_on = state["rounds"] < MAX_TOOL_ROUNDS and not again
    system = system_prompt(context.twin, evidence[:retrieved])
    if again:
        system += ask_again(state["unsupported"], said_before)
    request = ModelRequest(
        system=system,
        messages=[*context.history, *messages],
        tools=tool_specs(context.tools) if tools_on else (),
        evidence=as_found(evidence),
    )
    checks = Checks(
        context.verify,
        as_grounds(state, evidence, context.history, context.twin, beside=context.beside),
        context.knowledge.similarity,
    )
    speaker = Speaker(runtime.stream_writer, evidence, context.meter, checks, said_before)
    answer = await _ask(request, speaker, context, forgiving=again)
    requested = answer.requested
    if requested and not tools_on:
        context.meter.flags.append("generate:tools_off")
        requested = []
    calls, questions = _sorted_out(requested, context)
    _count(speaker.unsupported, context)
    update: dict[str, Any] = {
        "evidence": found,
        "retrieved": retrieved,
        "calls": calls,
        "questions": questions,
        "rounds": state["rounds"] + bool(calls),
        "unanswered": answer.unanswered or speaker.says_unknown,
        "unsupported": [],
    }
    message = _assistant(speaker.said, calls)
    if again:
        return update | {"messages": Overwrite([*messages, message])}
    if context.verify == "gate" and not calls:
        update["unsupported"] = _worth_asking(speaker.unsupported)
    return update | {"messages": [message], "asked_again": bool(update["unsupported"])}


async def _ask(
    request: ModelRequest, speaker: Speaker, context: RunContext, *, forgiving: bool
) -> _Answer:
    """One answer, heard to its end. `forgiving`: when the model fails or can't be paid, what was said before is the answer."""
    answer = _Answer()
    try:
        async with aclosing(context.model.stream(request)) as parts:
            async for part in parts:
                match part:
                    case TextDelta():
                        await speaker.hear(part.text, own=part.own)
                    case ToolCallRequested():
                        answer.requested.append(part)
                    case Finished():
                        answer.unanswered = part.unanswered
                        if part.truncated:
                            context.meter.flags.append("generate:truncated")
                    case _:
                        assert_never(part)
    except (ModelUnavailable, ModelFailed, BudgetReached) as error:
        if not forgiving:
            raise
        log.warning("generate.not_asked_again", error=type(error).__name__)
        context.meter.flags.append("generate:not_asked_again")
    await speaker.finish()
    context.meter.speaking = ""
    return answer


def _sorted_out(
    requested: list[ToolCallRequested], context: RunContext
) -> tuple[list[Call], list[Question]]:
    calls = [as_call(r, context.tools, place) for place, r in enumerate(requested)]
    questions = questions_for(calls, context.tools)
    if context.beside and questions:
        asked = {question["tool_call_id"] for question in questions}
        for call in calls:
            if call["id"] in asked:
                call["problem"] = phrases.ALREADY_WAITING
        questions = []
    return calls, questions


def _count(unsupported: Any, context: RunContext) -> None:
    match context.verify:
        case "gate":
            context.meter.withheld += len(unsupported)
            if any(each.quoted for each in unsupported):
                context.meter.flags.append("verify:quoted")
        case "flag" if unsupported:
            context.meter.flags.append("verify:unsupported")


def _worth_asking(withheld: Any) -> list[str]:
    """Sentences of fact, not what only stood around them, nor what a page's own words were shown for."""
    kept: list[Withheld] = [
        each for each in withheld if each.reason not in _FURNITURE and not each.quoted
    ]
    return [each.text for each in kept[:WORTH_ASKING]]


async def _retrieve(state: State, context: RunContext) -> list[Evidence]:
    if state["evidence"] or state["rounds"]:
        return []
    found = await context.knowledge.search(state["message"])
    return as_evidence(in_place(found, context.knowledge.whole))


def _assistant(text: str, calls: list[Call]) -> Message:
    message: Message = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [
            ToolCall(id=c["id"], name=c["name"], arguments=c["arguments"]) for c in calls
        ]
    return message
