"""A visitor's own threads: read them, follow them, stop, take back, forget."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated, Any, Literal

import anyio
from fastapi import APIRouter, Header, Query, Response
from pydantic import BaseModel
from sse_starlette import ServerSentEvent

from server.domain import errors
from server.domain.approvals import Approval, ApprovalStatus
from server.domain.conversation import Thread, ThreadStatus, Turn
from server.domain.events import Done, Reset
from server.domain.feedback import Feedback, Verdict
from server.domain.principals import Principal
from server.domain.times import rfc3339
from server.ports import LEASE_GAP
from server.runs.cancel import cancel
from server.runs.follow import follow
from server.runs.forget import forget
from server.runs.services import Services
from server.runs.withdraw import withdraw
from server.web.dependencies import Caller, OwnThread, ReadableThread, TheServices
from server.web.problems import responses
from server.web.sse import LONGEST_S, EventStream, documented, frame

router = APIRouter(prefix="/api/threads/{thread_id}", tags=["visitor"])
_refusals = responses(
    errors.Unauthenticated, errors.Forbidden, errors.InvalidRequest, errors.Unavailable
)


class ShownMessage(BaseModel):
    """One message as the visitor saw it. `partial`: the answer was cut off."""

    role: Literal["user", "assistant"]
    content: str
    created_at: str
    partial: bool = False


class OpenApproval(BaseModel):
    """A question that waits, in the visitor's view. `approver` `user`: it is the visitor's own word that is asked for."""

    interrupt_id: str
    status: ApprovalStatus
    tool: str
    arguments: dict[str, Any]
    message: str
    approver: Literal["owner", "user"]
    created_at: str
    expires_at: str | None


class GivenFeedback(BaseModel):
    """What the visitor thought of an answer: of the one that run wrote."""

    run_id: str
    seq: int
    verdict: Verdict
    comment: str | None
    said_at: str


class ThreadView(BaseModel):
    """A thread as its visitor sees it. Follow its events from `last_seq` on."""

    thread_id: str
    status: ThreadStatus
    last_seq: int
    messages: list[ShownMessage]
    approvals: list[OpenApproval]
    feedback: list[GivenFeedback]


def shown(turns: list[Turn]) -> list[ShownMessage]:
    """The turns as messages, oldest first."""
    messages = []
    for turn in turns:
        at = rfc3339(turn.created_at) or ""
        messages.append(ShownMessage(role="user", content=turn.said, created_at=at))
        if turn.answer:
            messages.append(
                ShownMessage(
                    role="assistant", content=turn.answer, created_at=at, partial=turn.partial
                )
            )
    return messages


def open_approval(approval: Approval) -> OpenApproval:
    """The visitor's view: what will be sent, since when, until when; no owner data."""
    return OpenApproval(
        interrupt_id=approval.interrupt_id,
        status=approval.status,
        tool=approval.tool,
        arguments=approval.arguments,
        message=approval.message,
        approver=approval.approver,
        created_at=rfc3339(approval.created_at) or "",
        expires_at=rfc3339(approval.expires_at),
    )


def given_feedback(verdicts: list[Feedback]) -> list[GivenFeedback]:
    """What the visitor thought, in the order of the answers."""
    return [
        GivenFeedback(
            run_id=given.run_id,
            seq=given.seq,
            verdict=given.verdict,
            comment=given.comment,
            said_at=rfc3339(given.said_at) or "",
        )
        for given in verdicts
    ]


@router.get("", summary="The conversation so far", responses=_refusals | responses(errors.NotFound))
async def read_thread(thread: ReadableThread, services: TheServices) -> ThreadView:
    """History, status, what waits for the owner, and what the visitor thought of answers."""
    turns = await services.store.turns.newest(thread.id, 500)
    approvals = await services.store.approvals.of_thread(thread.id)
    verdicts = await services.store.verdicts.of_thread(thread.id)
    return ThreadView(
        thread_id=thread.id,
        status=thread.status,
        last_seq=thread.last_seq,
        messages=shown(turns),
        approvals=[open_approval(a) for a in approvals if a.status == "pending"],
        feedback=given_feedback(verdicts),
    )


@router.get(
    "/events",
    summary="Follow the thread, across runs and reconnects",
    response_class=EventStream,
    responses={200: {"content": documented()}} | _refusals | responses(errors.NotFound),
)
async def follow_thread(
    thread: ReadableThread,
    services: TheServices,
    after: Annotated[str | None, Query(description="Like `Last-Event-ID`")] = None,
    until: Annotated[
        Literal["idle"] | None, Query(description="`idle`: end when no run is active")
    ] = None,
    last_event_id: Annotated[str | None, Header()] = None,
) -> Any:
    """Replays what came after the cursor, then stays live. An unknown or garbage cursor means from the start."""
    cursor = _cursor(last_event_id if last_event_id is not None else after, thread)
    return EventStream(_frames(services, thread.id, cursor, until_idle=until == "idle"))


@router.post(
    "/cancel",
    status_code=202,
    summary="Stop the active run",
    responses=_refusals,
)
async def cancel_run(thread: OwnThread, services: TheServices) -> dict[str, bool]:
    """What was shown stays, marked partial. `running` says whether there was anything to stop."""
    return {"running": await cancel(services, thread.id) is not None}


@router.post(
    "/approvals/{interrupt_id}/withdraw",
    summary="Take a pending request back",
    responses=_refusals
    | responses(
        errors.NotFound, errors.AlreadyDecided, errors.Expired, errors.ThreadBusy, errors.Draining
    ),
)
async def withdraw_request(
    interrupt_id: str, thread: OwnThread, caller: Caller, services: TheServices
) -> dict[str, Any]:
    """The model is told, and the thread goes on."""
    settled = await withdraw(services, thread.id, interrupt_id, by=caller)
    return {
        "status": settled.approval.status,
        "thread_id": thread.id,
        "interrupt_id": interrupt_id,
        "remaining": list(settled.remaining),
        "run_id": settled.run.run_id if settled.run else None,
    }


@router.delete(
    "",
    status_code=204,
    response_class=Response,
    summary="Forget this conversation",
    responses=_refusals | responses(errors.NotFound, errors.ThreadBusy, errors.Draining),
)
async def forget_thread(thread: OwnThread, services: TheServices) -> None:
    """Removes every row of it, checkpoints included."""
    await forget(services, thread.id, by=Principal.from_key(thread.principal))


def _cursor(given: str | None, thread: Thread) -> int:
    if given is None or not given.isascii() or not given.isdigit() or len(given) > 18:
        return 0
    # While a run is active, another replica may have shown events that are not saved yet.
    newest = thread.last_seq + (LEASE_GAP if thread.active_run else 0)
    return int(given) if int(given) <= newest else 0


async def _frames(
    services: Services, thread_id: str, after: int, *, until_idle: bool
) -> AsyncGenerator[ServerSentEvent, None]:
    if until_idle and not await _busy(services, thread_id):
        while rows := await services.store.log.read(thread_id, after):
            for seq, event in rows:
                yield frame(seq, event)
                after = seq
        return
    deadline = anyio.current_time() + LONGEST_S
    done: int | None = None
    async with aclosing(follow(services.store.log, services.feed, thread_id, after)) as events:
        async for item in events:
            match item:
                case None:
                    pass
                case Reset():
                    yield frame(None, item)
                case (seq, event):
                    yield frame(seq, event)
                    done = seq if isinstance(event, Done) else None
            if until_idle and done is not None and await _at_rest(services, thread_id, done):
                return
            if anyio.current_time() > deadline:
                return


async def _at_rest(services: Services, thread_id: str, seq: int) -> bool:
    """Whether nothing will come after that number. Not known while the database is away: then the stream stays open."""
    try:
        thread: Thread | None = await services.store.threads.get(thread_id)
    except errors.Unavailable:
        return False
    return thread is None or (thread.active_run is None and seq >= thread.last_seq)


async def _busy(services: Services, thread_id: str) -> bool:
    thread: Thread | None = await services.store.threads.get(thread_id)
    return thread is not None and thread.active_run is not None
