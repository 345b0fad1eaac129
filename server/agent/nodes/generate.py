"""Asks the model, shows its words as they pass, and sorts out the tools it asked for."""

from contextlib import aclosing
from typing import assert_never

from langgraph.runtime import Runtime

from server.agent import phrases
from server.agent.context import RunContext
from server.agent.evidence import as_evidence, as_found
from server.agent.prompt import system_prompt, tool_specs
from server.agent.questions import as_call, questions_for
from server.agent.speaker import Speaker
from server.agent.state import Call, Evidence, State
from server.domain.conversation import Message, ToolCall
from server.ports import Finished, ModelRequest, TextDelta, ToolCallRequested

MAX_TOOL_ROUNDS = 3


async def generate(state: State, runtime: Runtime[RunContext]) -> State:
    """One model call.

    The first one of a turn brings the passages it was given into the state. After `MAX_TOOL_ROUNDS` answers with tool calls the
    tools are switched off, so that the turn ends in words.
    """
    context = runtime.context
    found = await _retrieve(state, context)
    evidence = state["evidence"] + found
    retrieved = state["retrieved"] + len(found)
    tools_on = state["rounds"] < MAX_TOOL_ROUNDS
    request = ModelRequest(
        system=system_prompt(context.twin, evidence[:retrieved]),
        messages=[*context.history, *state["messages"]],
        tools=tool_specs(context.tools) if tools_on else (),
        evidence=as_found(evidence),
    )
    speaker = Speaker(runtime.stream_writer, evidence, context.meter)
    requested: list[ToolCallRequested] = []
    context.meter.model_calls += 1
    async with aclosing(context.model.stream(request)) as parts:
        async for part in parts:
            match part:
                case TextDelta():
                    speaker.hear(part.text)
                case ToolCallRequested():
                    requested.append(part)
                case Finished():
                    context.meter.usage += part.usage
                    if part.truncated:
                        context.meter.flags.append("generate:truncated")
                case _:
                    assert_never(part)
    speaker.finish()
    context.meter.speaking = ""

    if requested and not tools_on:
        context.meter.flags.append("generate:tools_off")
        requested = []
    calls = [as_call(r, context.tools, place) for place, r in enumerate(requested)]
    questions = questions_for(calls, context.tools)
    if context.beside and questions:
        asked = {question["tool_call_id"] for question in questions}
        for call in calls:
            if call["id"] in asked:
                call["problem"] = phrases.ALREADY_WAITING
        questions = []
    return {
        "messages": [_assistant(speaker.said, calls)],
        "evidence": found,
        "retrieved": retrieved,
        "calls": calls,
        "questions": questions,
        "rounds": state["rounds"] + bool(calls),
    }


async def _retrieve(state: State, context: RunContext) -> list[Evidence]:
    if state["evidence"] or state["rounds"]:
        return []
    return as_evidence(await context.knowledge.search(state["message"]))


def _assistant(text: str, calls: list[Call]) -> Message:
    message: Message = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [
            ToolCall(id=c["id"], name=c["name"], arguments=c["arguments"]) for c in calls
        ]
    return message
