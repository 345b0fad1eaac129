"""The words of a route's signature."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Path, Request, Response
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from server.domain.conversation import Thread
from server.domain.errors import Forbidden, NotFound, NotStarted, Unauthenticated
from server.domain.principals import Principal, may_read, may_write
from server.ports import Rate
from server.runs.services import Services
from server.web.auth import COOKIE, Authenticator

COOKIE_SECONDS = 365 * 24 * 3600


@dataclass(frozen=True, slots=True)
class Web:
    """What the routes work with; it is on `app.state.web` while the application runs."""

    services: Services
    authenticator: Authenticator
    cancel_on_disconnect: bool = False
    rate_limit: Rate | None = None


def web(request: Request) -> Web:
    """The application's parts."""
    state: Web | None = getattr(request.app.state, "web", None)
    if state is None:
        raise NotStarted
    return state


def services(parts: Annotated[Web, Depends(web)]) -> Services:
    """What the verbs work with."""
    return parts.services


Parts = Annotated[Web, Depends(web)]
TheServices = Annotated[Services, Depends(services)]
_bearer = HTTPBearer(
    auto_error=False, description="A visitor token, a user's JWT or an owner's token"
)
Credentials = Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]
ThreadId = Annotated[
    str, Path(pattern=r"^[A-Za-z0-9_-]{1,64}$", description="1 to 64 of A-Z a-z 0-9 _ -")
]


async def owner(parts: Parts, credentials: Credentials) -> Principal:
    """The owner who asks."""
    return parts.authenticator.owner(credentials.credentials if credentials else None)


async def caller(request: Request, parts: Parts, credentials: Credentials) -> Principal:
    """Whoever asks, by header or, for a visitor, by cookie. Raises Unauthenticated."""
    token = credentials.credentials if credentials else request.cookies.get(COOKIE)
    if not token:
        raise Unauthenticated
    return await parts.authenticator.anyone(token)


@dataclass(frozen=True, slots=True)
class Visiting:
    """Who chats; `minted` is their new token if they had none."""

    principal: Principal
    minted: str | None = None


async def visiting(
    request: Request, response: Response, parts: Parts, credentials: Credentials
) -> Visiting:
    """The caller; someone without any credentials becomes a visitor."""
    if credentials is None and COOKIE not in request.cookies:
        principal, token = parts.authenticator.mint_visitor(parts.services.clock())
        return Visiting(principal, token)
    try:
        return Visiting(await caller(request, parts, credentials))
    except Unauthenticated:
        if credentials is not None:
            raise
        # A cookie of another key or age: nothing the visitor could mend, so they start anew.
        principal, token = parts.authenticator.mint_visitor(parts.services.clock())
        return Visiting(principal, token)


Owner = Annotated[Principal, Depends(owner)]
Caller = Annotated[Principal, Depends(caller)]
Visitor = Annotated[Visiting, Depends(visiting)]


async def readable_thread(thread_id: ThreadId, who: Caller, parts: TheServices) -> Thread:
    """The thread, for whoever may read it. Nobody else learns whether it exists."""
    thread = await parts.store.threads.get(thread_id)
    if who.kind == "owner" and thread is None:
        raise NotFound
    if thread is None or not may_read(who, thread.principal):
        raise Forbidden
    return thread


async def own_thread(thread_id: ThreadId, who: Caller, parts: TheServices) -> Thread:
    """The thread, for whoever opened it."""
    thread = await parts.store.threads.get(thread_id)
    if thread is None or not may_write(who, thread.principal):
        raise Forbidden
    return thread


ReadableThread = Annotated[Thread, Depends(readable_thread)]
OwnThread = Annotated[Thread, Depends(own_thread)]


def keep_cookie(response: Response, request: Request, token: str) -> None:
    """Lets the browser remember the visitor."""
    response.set_cookie(
        COOKIE,
        token,
        max_age=COOKIE_SECONDS,
        httponly=True,
        samesite="lax",
        secure=request.url.scheme == "https",
    )
