"""Begins what a run request asks for, or says why not, in this dialect's words. Nothing has been sent by then."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from starlette.exceptions import HTTPException

from server.domain.approvals import Approval, may_decide
from server.domain.conversation import Thread
from server.domain.errors import (
    AlreadyDecided,
    AmbiguousInterrupt,
    Forbidden,
    InvalidAnswer,
    NoPendingApproval,
    NotPaused,
    SaysoError,
    StaleInterrupt,
    ThreadBusy,
)
from server.domain.principals import Principal, may_write
from server.runs.cancel import cancel
from server.runs.decide import decide
from server.runs.ids import new_id
from server.runs.services import Services
from server.runs.start import start
from server.web.routes.graph.bodies import Granularity, RunRequest

DIFFERENT_THREADS = "thread_id and config.thread_id name different threads"


@dataclass(frozen=True, slots=True)
class Begun:
    """What goes on now. `run_id` is None when questions of the pause are still open: then nothing executes.

    The thread's log after `after` holds the run; `known` counts the messages its turn had before.
    """

    thread_id: str
    is_new_thread: bool
    resumes: bool
    run_id: str | None
    after: int
    known: int
    granularity: Granularity


async def begin(
    services: Services, who: Principal, body: RunRequest, action: Literal["invoke", "stream"]
) -> Begun:
    """Starts a turn, or answers the open question.

    Raises what `start` and `decide` raise, and HTTPException for two thread ids that differ.
    """
    thread_id = body.config.thread_id or body.thread_id
    if body.thread_id not in (None, thread_id):
        raise HTTPException(400, DIFFERENT_THREADS)
    try:
        if body.resumes:
            return await _answer(services, who, body, thread_id)
        return await _say(services, who, body, thread_id)
    except Forbidden:
        raise Forbidden(f"Not authorized to {action} graph") from None
    except ThreadBusy:
        raise ThreadBusy("thread is busy") from None


async def _say(
    services: Services, who: Principal, body: RunRequest, thread_id: str | None
) -> Begun:
    thread = await services.store.threads.get(thread_id) if thread_id else None
    # Looked at before `start`, which would open a thread that an owner could never speak in.
    if who.kind == "owner" or (thread and not may_write(who, thread.principal)):
        raise Forbidden
    started = await start(
        services,
        who,
        body.said(),
        thread_id=thread_id or new_id(),
        on_busy=body.on_busy,
        when_paused="refuse",
    )
    return Begun(
        thread_id=started.thread_id,
        is_new_thread=thread is None,
        resumes=False,
        run_id=started.run_id,
        after=started.after,
        known=0,
        granularity=body.response_granularity,
    )


async def _answer(
    services: Services, who: Principal, body: RunRequest, thread_id: str | None
) -> Begun:
    store = services.store
    thread = await store.threads.get(thread_id) if thread_id else None
    if thread is None:
        # A thread that nobody opened looks like somebody else's, unless none was named or the owner asks.
        raise Forbidden if thread_id and who.kind != "owner" else _not_paused()
    if who.kind != "owner" and not may_write(who, thread.principal):
        raise Forbidden
    asked = the_open_one(await store.approvals.of_thread(thread.id), body.interrupt_id)
    if not may_decide(who, asked, thread.principal):
        raise Forbidden
    turn = await store.turns.get(asked.turn_id)
    if body.on_busy == "cancel":
        await _cancel_beside(services, thread)
    try:
        settled = await decide(
            services, thread.id, body.resume, by=who, interrupt_id=asked.interrupt_id
        )
    except InvalidAnswer as error:
        problems = [_python_type(p, body.resume) for p in error.facts["problems"]]
        raise InvalidAnswer(*problems, detail=_in_words(problems, asked)) from None
    except (AlreadyDecided, NoPendingApproval, StaleInterrupt, ThreadBusy):
        # Somebody else answered meanwhile: then that is the reason, and what is open now decides how it is told.
        the_open_one(await store.approvals.of_thread(thread.id), asked.interrupt_id)
        raise
    return Begun(
        thread_id=thread.id,
        is_new_thread=False,
        resumes=True,
        run_id=settled.run.run_id if settled.run else None,
        after=thread.last_seq,
        known=len(turn.messages) if turn else 0,
        granularity=body.response_granularity,
    )


def the_open_one(approvals: Sequence[Approval], interrupt_id: str | None) -> Approval:
    """The open question that is meant. Raises NotPaused, StaleInterrupt or AmbiguousInterrupt."""
    pending = {a.interrupt_id: a for a in approvals if a.status == "pending"}
    if not pending:
        raise _not_paused()
    if interrupt_id is None:
        if len(pending) > 1:
            raise AmbiguousInterrupt(open=list(pending))
        return next(iter(pending.values()))
    if interrupt_id not in pending:
        ids = ", ".join(f"'{known}'" for known in pending)
        the = "the open interrupt" if len(pending) == 1 else "one of the open interrupts"
        raise StaleInterrupt(f"interrupt_id '{interrupt_id}' does not match {the} {ids}")
    return pending[interrupt_id]


async def _cancel_beside(services: Services, thread: Thread) -> None:
    """Stops a turn that runs beside the pause; never a resume that somebody else's answer began."""
    run = await services.store.runs.get(thread.active_run) if thread.active_run else None
    if run and run.beside:
        await cancel(services, thread.id)


def _not_paused() -> SaysoError:
    return NotPaused("Nothing to resume: this thread is not paused at an interrupt")


def _in_words(problems: Sequence[str], asked: Approval) -> str:
    return (
        "Resume value does not match the response schema of interrupt "
        f"'{asked.interrupt_id}': {'; '.join(problems)}"
    )


_FOUND = re.compile(r"^(\$[^:]*): (.*), got (null|boolean|number|string|array|object)$")
_PYTHON = {
    "null": "NoneType",
    "boolean": "bool",
    "string": "str",
    "array": "list",
    "object": "dict",
}


def _python_type(problem: str, answer: Any) -> str:
    """The problem with the Python name of the type that was found, as in this dialect."""
    if (found := _FOUND.match(problem)) is None:
        return problem
    path, expected, name = found.groups()
    if name == "number":
        for step in re.findall(r"\w+", path):
            answer = answer[int(step) if isinstance(answer, list) else step]
        name = type(answer).__name__
    return f"{path}: {expected}, got {_PYTHON.get(name, name)}"
