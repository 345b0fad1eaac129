"""The caller's threads, in this dialect: list, read, forget."""

from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query
from pydantic import BaseModel

from server.domain import errors
from server.domain.conversation import Thread
from server.domain.errors import Forbidden, ThreadBusy
from server.domain.principals import Principal
from server.domain.times import rfc3339
from server.runs.forget import forget
from server.web.dependencies import Caller, TheServices, ThreadId, own_thread, readable_thread
from server.web.envelope import Answer, AsciiJson, EnvelopeRoute, refusals
from server.web.routes.graph.outcome import read_state
from server.web.routes.graph.runs import Stamped
from server.web.routes.graph.views import MessageView, StateView, ThreadRecord, messages_of

router = APIRouter(route_class=EnvelopeRoute, default_response_class=AsciiJson)
MAX_TURNS = 500
Offset = Annotated[int, Query(ge=0, le=100_000, description="How many to skip")]
Limit = Annotated[int, Query(ge=1, le=1000)]
_refusals = refusals(
    errors.Unauthenticated, errors.Forbidden, errors.InvalidRequest, errors.Unavailable
)
_missing = refusals(errors.NotFound)


class ThreadList(BaseModel):
    """Newest activity first."""

    threads: list[ThreadRecord]


class OneThread(BaseModel):
    """A thread's record."""

    thread: ThreadRecord


class ThreadData(BaseModel):
    """Where this dialect keeps a thread's record."""

    thread_data: OneThread


class ThreadState(BaseModel):
    """The same state as an answer at `full` holds."""

    state: StateView


class MessageList(BaseModel):
    """Oldest first."""

    messages: list[MessageView]


class Deleted(BaseModel):
    """It is gone."""

    success: Literal[True]
    message: str
    data: None


async def readable(thread_id: ThreadId, who: Caller, services: TheServices) -> Thread:
    """The thread, for whoever may read it."""
    try:
        return await readable_thread(thread_id, who, services)
    except Forbidden:
        raise Forbidden("Not authorized to read checkpointer") from None


Readable = Annotated[Thread, Depends(readable)]


@router.get("/ping", summary="Liveness")
async def ping(mark: Stamped) -> Answer[Literal["pong"]]:
    """Green as long as the process answers, also while the database is away."""
    return mark.ok("pong")


@router.get(
    "/v1/threads",
    summary="Your threads",
    responses=refusals(errors.Unauthenticated, errors.InvalidRequest, errors.Unavailable),
)
async def list_threads(
    who: Caller, services: TheServices, mark: Stamped, offset: Offset = 0, limit: Limit = 100
) -> Answer[ThreadList]:
    """Newest activity first."""
    newest = await services.store.threads.newest(
        principal=who.key, before=None, limit=offset + limit
    )
    return mark.ok(ThreadList(threads=[_view(thread) for thread in newest[offset:]]))


@router.get("/v1/threads/{thread_id}", summary="One thread", responses=_refusals | _missing)
async def read_thread(thread: Readable, mark: Stamped) -> Answer[ThreadData]:
    """Its record, without its messages."""
    return mark.ok(ThreadData(thread_data=OneThread(thread=_view(thread))))


@router.get(
    "/v1/threads/{thread_id}/state",
    summary="Where a thread stands",
    response_model_exclude_unset=True,
    responses=_refusals | _missing,
)
async def read_thread_state(
    thread: Readable, services: TheServices, mark: Stamped
) -> Answer[ThreadState]:
    """A reload finds the open interrupt here, with the same id."""
    return mark.ok(ThreadState(state=await read_state(services, thread)))


@router.get(
    "/v1/threads/{thread_id}/messages",
    summary="What was said",
    response_model_exclude_unset=True,
    responses=_refusals | _missing,
)
async def read_messages(
    thread: Readable, services: TheServices, mark: Stamped, offset: Offset = 0, limit: Limit = 100
) -> Answer[MessageList]:
    """Oldest first; of the newest 500 turns."""
    turns = await services.store.turns.newest(thread.id, MAX_TURNS)
    messages = [message for turn in turns for message in messages_of(turn)]
    return mark.ok(MessageList(messages=messages[offset : offset + limit]))


@router.delete(
    "/v1/threads/{thread_id}",
    summary="Forget a thread",
    responses=_refusals
    | refusals(errors.NotFound, errors.ThreadBusy, errors.TooLarge, errors.Draining),
)
async def delete_thread(
    thread_id: ThreadId, who: Caller, services: TheServices, mark: Stamped
) -> Answer[Deleted]:
    """Removes every row of it, checkpoints included. A body is accepted and not read."""
    try:
        await own_thread(thread_id, who, services)
    except Forbidden:
        raise Forbidden("Not authorized to delete checkpointer") from None
    try:
        await forget(services, thread_id, by=who, via="api")
    except ThreadBusy:
        raise ThreadBusy("thread is busy") from None
    return mark.ok(Deleted(success=True, message="Thread deleted successfully", data=None))


def _view(thread: Thread) -> ThreadRecord:
    return ThreadRecord(
        thread_id=thread.id,
        thread_name=None,
        user_id=Principal.from_key(thread.principal).id,
        metadata={"status": thread.status},
        created_at=rfc3339(thread.created_at) or "",
        updated_at=rfc3339(thread.updated_at) or "",
        run_id=thread.active_run,
    )
