"""What a checkpoint holds: this turn, as plain JSON, and nothing of the turns before it."""

from operator import add
from typing import Annotated, Any, TypedDict

from server.domain.conversation import Message, Outcome


class Call(TypedDict):
    """A tool call of the model's last answer. `problem` says why it can't be run, in words for the model."""

    id: str
    name: str
    arguments: dict[str, Any]
    problem: str | None


class Question(TypedDict):
    """What the owner is asked about one high-risk call: the value of its interrupt.

    Made and checked before the pause; what is digested is what is shown is what runs. `expires_after_s` is in
    seconds, None for the default, 0 for never.
    """

    tool_call_id: str
    tool: str
    arguments: dict[str, Any]
    digest: str
    message: str
    reason: str
    response_schema: dict[str, Any]
    approver: str
    warnings: list[str]
    expires_after_s: float | None
    tool_schema_digest: str


class Evidence(TypedDict):
    """A passage the turn may rely on; its number is its place in the list, counted from 1."""

    id: str
    title: str
    source: str
    text: str
    language: str
    url: str | None
    score: float
    answerable: bool


class Result(TypedDict):
    """What a tool said this turn. `ok`: it was carried out; not declined, failed, in doubt or waiting."""

    tool: str
    text: str
    ok: bool


def merge(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """Both; the newer value wins."""
    return {**old, **new}


class State(TypedDict, total=False):
    """The state of one turn. `guard_input` sets all of it back, so that nothing leaks into the next turn.

    `messages` are the turn's own, from the visitor's on. `decisions` maps a tool call id to the answer its
    question got. `rounds` counts model answers that asked for tools; the first `retrieved` pieces of evidence were found before
    the model was asked, the others by a tool. `results` are what tools said, but for passages. `unsupported` are sentences of the
    last answer that were kept back: while there are some, the model is asked again, once (`asked_again`). `unanswered` says that all it
    said is that it does not know.
    """

    run_id: str
    turn_id: str
    message: str
    messages: Annotated[list[Message], add]
    evidence: Annotated[list[Evidence], add]
    results: Annotated[list[Result], add]
    calls: list[Call]
    questions: list[Question]
    decisions: Annotated[dict[str, Any], merge]
    contact_drafts: Annotated[list[dict[str, str]], add]
    flags: Annotated[list[str], add]
    retrieved: int
    rounds: int
    unsupported: list[str]
    asked_again: bool
    unanswered: bool
    answer: str
    outcome: Outcome
