"""A visitor speaks, and hears the answer as it is found."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from typing import Annotated, Any, Literal

import anyio
from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel, ConfigDict, Field, model_validator
from sse_starlette import ServerSentEvent

from server.domain import errors
from server.domain.conversation import OnBusy
from server.domain.events import Done, ThreadOpened
from server.runs.cancel import cancel
from server.runs.follow import follow_run
from server.runs.start import Started, start
from server.web.dependencies import Parts, Visiting, Visitor, Web, keep_cookie
from server.web.problems import responses
from server.web.rate_limit import admit
from server.web.sse import EventStream, documented, frame

router = APIRouter(tags=["visitor"])


class HistoryMessage(BaseModel):
    """One message of a client's own history. Only the last one counts, and it must be the visitor's."""

    model_config = ConfigDict(extra="ignore")

    role: Literal["user", "assistant", "system", "tool"]
    content: str = Field(max_length=20_000)


class ChatRequest(BaseModel):
    """`message`, or `messages` for clients that send a history. History is kept by the server: a forged one has no effect."""

    model_config = ConfigDict(extra="forbid")

    message: str | None = Field(default=None, min_length=1, max_length=4000)
    messages: list[HistoryMessage] | None = Field(default=None, min_length=1, max_length=40)
    thread_id: str | None = Field(default=None, pattern=r"^[A-Za-z0-9_-]{1,64}$")
    on_busy: OnBusy = "wait"

    @model_validator(mode="after")
    def _one_of_them(self) -> "ChatRequest":
        if (self.message is None) == (self.messages is None):
            raise ValueError("send either 'message' or 'messages'")
        if self.messages is not None:
            last = self.messages[-1]
            if last.role != "user" or not 1 <= len(last.content) <= 4000:
                raise ValueError("the last message must be the visitor's, of 1 to 4000 characters")
        return self

    def said(self) -> str:
        """What the visitor says now."""
        if self.message is not None:
            return self.message
        assert self.messages is not None
        return self.messages[-1].content


async def started(request: Request, body: ChatRequest, visitor: Visitor, parts: Parts) -> Started:
    """The run this request began. Every refusal happens here, before the first byte of the stream."""
    await admit(parts, request, visitor)
    return await start(
        parts.services,
        visitor.principal,
        body.said(),
        thread_id=body.thread_id,
        on_busy=body.on_busy,
    )


@router.post(
    "/api/chat",
    summary="Say something; the answer streams as server-sent events",
    response_class=EventStream,
    # Somebody without credentials becomes a visitor.
    openapi_extra={"security": [{}]},
    responses={
        200: {
            "content": documented(),
            "description": "The run's events; the last is `done`",
        },
        **responses(
            errors.InvalidRequest,
            errors.ThreadPaused,
            errors.TooLarge,
            errors.RateLimited,
            errors.Unauthenticated,
            errors.Forbidden,
            errors.ThreadBusy,
            errors.Unavailable,
            errors.Draining,
        ),
    },
)
async def chat(
    request: Request,
    visitor: Visitor,
    run: Annotated[Started, Depends(started)],
    parts: Parts,
) -> Any:
    """The run executes whether or not anybody reads along; this only follows its log."""
    answer = EventStream(_frames(parts, run, visitor))
    if visitor.minted:
        keep_cookie(answer, request, visitor.minted)
    return answer


async def _frames(
    parts: Web, run: Started, visitor: Visiting
) -> AsyncGenerator[ServerSentEvent, None]:
    services = parts.services
    ended = False
    try:
        events = follow_run(services.store, services.feed, run.thread_id, run.run_id, run.after)
        async with aclosing(events):
            async for item in events:
                if item is None:
                    continue
                seq, event = item
                if isinstance(event, ThreadOpened) and visitor.minted:
                    event = replace(event, visitor_token=visitor.minted)
                ended = isinstance(event, Done)
                yield frame(seq, event)
    finally:
        if parts.cancel_on_disconnect and not ended:
            with anyio.CancelScope(shield=True):
                await cancel(services, run.thread_id)
