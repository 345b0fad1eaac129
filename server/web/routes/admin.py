"""What the owner can look at."""

from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel

from server.domain import errors
from server.domain.conversation import Outcome, Run, RunStatus, Thread, ThreadStatus
from server.domain.errors import NotFound
from server.domain.times import rfc3339
from server.web.dependencies import Owner, TheServices, ThreadId
from server.web.problems import responses
from server.web.routes.threads import GivenFeedback, ShownMessage, given_feedback, shown

LISTED_CHARACTERS = 200

router = APIRouter(
    prefix="/api/admin",
    tags=["owner"],
    responses=responses(
        errors.Unauthenticated, errors.AdminDisabled, errors.InvalidRequest, errors.Unavailable
    ),
)
Before = Annotated[datetime | None, Query(description="Older than this time")]
Limit = Annotated[int, Query(ge=1, le=200)]


class ThreadRow(BaseModel):
    """A thread in the list."""

    thread_id: str
    principal: str
    status: ThreadStatus
    created_at: str
    updated_at: str


class ListedThread(ThreadRow):
    """`last_said` is the beginning of what the visitor said last; empty before they said anything."""

    last_said: str


class ThreadPage(BaseModel):
    """Newest activity first."""

    threads: list[ListedThread]
    next: str | None


class Transcript(ThreadRow):
    """A thread with what was said in it."""

    messages: list[ShownMessage]
    feedback: list[GivenFeedback]


class RunRow(BaseModel):
    """One run of the turn log. Holds no message text."""

    run_id: str
    thread_id: str
    resumes: str | None
    status: RunStatus
    outcome: Outcome | None
    model: str | None
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    cost_usd: float
    latency_ms: int | None
    ttft_ms: int | None
    tools: list[str]
    flags: list[str]
    attempts: int
    started_at: str
    ended_at: str | None


class RunPage(BaseModel):
    """Newest first."""

    runs: list[RunRow]
    next: str | None


class ContactMessageRow(BaseModel):
    """A message the owner let through."""

    id: str
    thread_id: str
    subject: str
    message: str
    sender_contact: str
    created_at: str


class ContactMessagePage(BaseModel):
    """Newest first."""

    contact_messages: list[ContactMessageRow]
    next: str | None


@router.get("/threads", summary="All threads")
async def list_threads(
    owner: Owner, services: TheServices, before: Before = None, limit: Limit = 50
) -> ThreadPage:
    """Newest activity first."""
    page = await services.store.threads.newest(principal=None, before=before, limit=limit)
    said = await services.store.turns.last_said([t.id for t in page])
    return ThreadPage(
        threads=[
            ListedThread(**_thread(t), last_said=said.get(t.id, "")[:LISTED_CHARACTERS])
            for t in page
        ],
        next=rfc3339(page[-1].updated_at) if len(page) == limit else None,
    )


@router.get("/threads/{thread_id}", summary="One thread", responses=responses(errors.NotFound))
async def read_transcript(owner: Owner, thread_id: ThreadId, services: TheServices) -> Transcript:
    """With its transcript."""
    thread = await services.store.threads.get(thread_id)
    if thread is None:
        raise NotFound
    turns = await services.store.turns.newest(thread_id, 500)
    verdicts = await services.store.verdicts.of_thread(thread_id)
    return Transcript(
        **_thread(thread),
        messages=shown(turns),
        feedback=given_feedback(verdicts),
    )


@router.get("/runs", summary="The turn log")
async def list_runs(
    owner: Owner,
    services: TheServices,
    thread_id: Annotated[str | None, Query(pattern=r"^[A-Za-z0-9_-]{1,64}$")] = None,
    before: Before = None,
    limit: Limit = 50,
) -> RunPage:
    """One row per run, resumed ones too, linked to the run they resume."""
    page = await services.store.runs.newest(thread_id=thread_id, before=before, limit=limit)
    return RunPage(
        runs=[_run(r) for r in page],
        next=rfc3339(page[-1].started_at) if len(page) == limit else None,
    )


@router.get("/contact-messages", summary="Messages you let through")
async def list_contact_messages(
    owner: Owner, services: TheServices, before: Before = None, limit: Limit = 50
) -> ContactMessagePage:
    """Newest first."""
    page = await services.store.contact_messages.newest(before=before, limit=limit)
    rows = [
        ContactMessageRow(
            id=m.id,
            thread_id=m.thread_id,
            subject=m.subject,
            message=m.message,
            sender_contact=m.sender_contact,
            created_at=rfc3339(m.created_at) or "",
        )
        for m in page
    ]
    more = rfc3339(page[-1].created_at) if len(page) == limit else None
    return ContactMessagePage(contact_messages=rows, next=more)


def _thread(thread: Thread) -> dict[str, Any]:
    return {
        "thread_id": thread.id,
        "principal": thread.principal,
        "status": thread.status,
        "created_at": rfc3339(thread.created_at),
        "updated_at": rfc3339(thread.updated_at),
    }


def _run(run: Run) -> RunRow:
    known = {k: v for k, v in asdict(run).items() if k in RunRow.model_fields}
    known |= asdict(run.usage)
    known |= {"started_at": rfc3339(run.started_at), "ended_at": rfc3339(run.ended_at)}
    return RunRow(run_id=run.id, **known)
