"""Run the twin, wait for the end or read along, and stop it."""

import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel
from sse_starlette import ServerSentEvent

from server.domain import errors
from server.domain.errors import Forbidden
from server.domain.events import Failed
from server.domain.principals import may_write
from server.runs.cancel import cancel
from server.web.dependencies import Caller, Parts, TheServices, Visiting
from server.web.envelope import Answer, AsciiJson, EnvelopeRoute, Stamp, refusals, stamp
from server.web.rate_limit import admit
from server.web.routes.graph.begin import DIFFERENT_THREADS, Begun, begin
from server.web.routes.graph.bodies import RunRequest, StopRequest
from server.web.routes.graph.lines import Line, lines
from server.web.routes.graph.outcome import as_error, events_of, read_outcome
from server.web.routes.graph.views import InterruptView, MessageView, StateView
from server.web.sse import EventStream

router = APIRouter(prefix="/v1/graph", route_class=EnvelopeRoute, default_response_class=AsciiJson)
Stamped = Annotated[Stamp, Depends(stamp)]
_MALFORMED = "The body can't be read"
_refusals: dict[int | str, Any] = refusals(
    errors.Unauthenticated,
    errors.Forbidden,
    errors.NotFound,
    errors.TooLarge,
    errors.RateLimited,
    errors.InvalidRequest,
    errors.InvalidAnswer,
    errors.ThreadPaused,
    errors.NotPaused,
    errors.StaleInterrupt,
    errors.AmbiguousInterrupt,
    errors.Expired,
    errors.Orphaned,
    errors.ThreadBusy,
    errors.Unavailable,
    errors.Draining,
    bad_request=f"{_MALFORMED}, or {DIFFERENT_THREADS}",
)

_line = Line.model_json_schema(ref_template="#/components/schemas/{model}")
del _line["$defs"]  # These are components already: other routes answer with them.
_streams: dict[int | str, Any] = {
    200: {
        "description": "One JSON object a line; server-sent events only when `Accept` names them",
        "content": {
            "application/x-ndjson": {"schema": _line},
            "text/event-stream": {"schema": {"type": "string"}},
        },
    }
}


class RunMeta(BaseModel):
    """`interrupt` is there at every granularity while a question is open; `error` when an answered pause ended badly."""

    thread_id: str
    is_new_thread: bool
    run_id: str | None
    interrupt: InterruptView | None = None
    error: str | None = None


class Ran(BaseModel):
    """`messages` are those of this run. `context` comes with `partial` and `full`, `state` with `full`."""

    messages: list[MessageView]
    state: StateView | None
    context: list[MessageView] | None
    summary: str | None
    meta: RunMeta


class Stopped(BaseModel):
    """`running` says whether there was anything to stop."""

    ok: bool
    running: bool


async def paced(request: Request, body: RunRequest, who: Caller, parts: Parts) -> RunRequest:
    """The body; a message counts for the rate limit, an answer does not. Raises RateLimited."""
    if not body.resumes:
        await admit(parts, request, Visiting(who))
    return body


Paced = Annotated[RunRequest, Depends(paced)]


async def invoked(body: Paced, who: Caller, parts: Parts) -> Begun:
    """The run this request began."""
    return await begin(parts.services, who, body, "invoke")


async def streamed(body: Paced, who: Caller, parts: Parts) -> Begun:
    """The run this request began. Every refusal happens here, before the first byte of the stream."""
    return await begin(parts.services, who, body, "stream")


@router.post(
    "/invoke",
    summary="Say something or answer an interrupt, and wait for the end",
    response_model_exclude_unset=True,
    responses=_refusals
    | refusals(errors.ModelFailed)
    | {500: _refusals[503] | {"description": "The run failed"}},
)
async def invoke(
    run: Annotated[Begun, Depends(invoked)],
    services: TheServices,
    mark: Stamped,
) -> Answer[Ran]:
    """A turn that fails is an error; an answer that was recorded stands, whatever became of the closing words."""
    failed: Failed | None = None
    async with aclosing(events_of(services, run)) as events:
        async for event in events:
            failed = event if isinstance(event, Failed) else failed
    if failed and not run.resumes:
        raise as_error(failed)
    outcome = await read_outcome(services, run)
    meta = RunMeta(thread_id=run.thread_id, is_new_thread=run.is_new_thread, run_id=run.run_id)
    if outcome.pause:
        meta.interrupt = outcome.pause.interrupt
    if failed:
        meta.error = failed.message
    low = run.granularity == "low"
    return mark.ok(
        Ran(
            messages=outcome.messages,
            state=outcome.state if run.granularity == "full" else None,
            context=None if low else outcome.state.context,
            summary=None,
            meta=meta,
        )
    )


@router.post(
    "/stream",
    summary="Say something or answer an interrupt, and read along",
    response_class=StreamingResponse,
    responses=_streams | _refusals,
)
async def stream(
    run: Annotated[Begun, Depends(streamed)],
    parts: Parts,
    accept: Annotated[str | None, Header()] = None,
) -> Any:
    """The run executes whether or not anybody reads along; this only follows its log."""
    written = lines(parts, run)
    if _names_event_stream(accept or ""):
        return EventStream(_frames(written))
    headers = {"Cache-Control": "no-store, no-transform", "X-Accel-Buffering": "no"}
    return StreamingResponse(_lines(written), media_type="application/x-ndjson", headers=headers)


@router.post(
    "/stop",
    summary="Stop the active run",
    responses=refusals(
        errors.Unauthenticated,
        errors.Forbidden,
        errors.TooLarge,
        errors.InvalidRequest,
        errors.Unavailable,
        bad_request=_MALFORMED,
    ),
)
async def stop(
    body: StopRequest, who: Caller, services: TheServices, mark: Stamped
) -> Answer[Stopped]:
    """What was shown stays, marked partial. A paused thread stays paused."""
    thread = await services.store.threads.get(body.thread_id)
    if thread is None or not may_write(who, thread.principal):
        raise Forbidden("Not authorized to stop graph")
    running = await cancel(services, thread.id) is not None
    return mark.ok(Stopped(ok=True, running=running))


def _names_event_stream(accept: str) -> bool:
    wanted = accept.lower().replace(" ", "").split(",")
    return any(re.match(r"text/event-stream(?!;q=0(\.0*)?$)(;|$)", kind) for kind in wanted)


async def _lines(written: AsyncGenerator[str, None]) -> AsyncGenerator[str, None]:
    async with aclosing(written):
        async for line in written:
            yield line + "\n"


async def _frames(
    written: AsyncGenerator[str, None],
) -> AsyncGenerator[ServerSentEvent, None]:
    async with aclosing(written):
        async for line in written:
            yield ServerSentEvent(data=line)
