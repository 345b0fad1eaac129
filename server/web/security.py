"""What every answer carries for browsers, and which other sites may ask."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from fastapi import FastAPI, Request
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.web.proxies import Network, TrustedProxies
from server.web.unlogged import UnloggedLinks

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": "frame-ancestors 'none'",
}
HSTS = "max-age=31536000"

ASKED_WITH = (
    "Authorization",
    "Content-Type",
    "Last-Event-ID",
    "Prefer",
    "Sayso-Via",
    "Cache-Control",
)
TOLD_WITH = ("Retry-After", "WWW-Authenticate", "X-Request-ID", "X-Timestamp")
METHODS = ("GET", "HEAD", "POST", "DELETE")

Handler = Callable[[Request, Exception], Awaitable[Response]]


def protect(
    app: FastAPI, *, trusted_proxies: Sequence[Network], allowed_origins: Sequence[str]
) -> None:
    """Adds all of it, outside of what was added before. Called after the handlers for errors are there."""
    # Starlette answers an unexpected error outside of all middleware. Answered inside, that answer carries the headers too.
    if (unexpected := app.exception_handlers.pop(Exception, None)) is not None:
        app.add_middleware(AnswersFailures, handler=unexpected)
    app.add_middleware(OwnCookies)
    if allowed_origins:
        # No credentials: other sites send `Authorization`. The cookie is for our own pages.
        app.add_middleware(
            CORSMiddleware,
            allow_origins=allowed_origins,
            allow_methods=METHODS,
            allow_headers=ASKED_WITH,
            expose_headers=TOLD_WITH,
            allow_credentials=False,
        )
    app.add_middleware(SecurityHeaders)
    app.add_middleware(TrustedProxies, networks=trusted_proxies)
    app.add_middleware(UnloggedLinks)


class SecurityHeaders:
    """Gives every answer the headers it does not have yet; what a route set stays."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message.setdefault("headers", [])
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if scope["scheme"] == "https":
                    headers.setdefault("Strict-Transport-Security", HSTS)
                del headers["Server"]
            await send(message)

        await self._app(scope, receive, send_with_headers)


class OwnCookies:
    """Lets a cookie count only for what our own pages ask, wherever it could change something.

    `SameSite=Lax` keeps it from other sites; this keeps it from our neighbours on the same site, who could otherwise
    withdraw or delete with a form in a visitor's name. Browsers say in Sec-Fetch-Site who asks, and no page can change that.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        if scope["type"] == "http" and scope["method"] not in ("GET", "HEAD", "OPTIONS"):
            asked_by = Headers(scope=scope).get("sec-fetch-site")
            if asked_by in ("cross-site", "same-site"):
                without = [pair for pair in scope["headers"] if pair[0].lower() != b"cookie"]
                scope = {**scope, "headers": without}
        await self._app(scope, receive, send)


class AnswersFailures:
    """Answers an error that nobody handles, and lets it go on outside to whoever logs it."""

    def __init__(self, app: ASGIApp, handler: Any) -> None:
        self._app = app
        self._handler: Handler = handler

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = False

        async def send_and_note(message: Message) -> None:
            nonlocal begun
            begun = begun or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, send_and_note)
        except Exception as error:
            response = await self._handler(Request(scope), error)
            if not begun:
                await response(scope, receive, send)
            raise
