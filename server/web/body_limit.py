"""Refuses bodies that are too large, chunked or not, before anybody reads them."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from server.domain.errors import TooLarge
from server.web import envelope
from server.web.problems import PROBLEMS, response

MAX_BODY_BYTES = 256 * 1024


class BodyLimit:
    """Reads a request's body, at most `MAX_BODY_BYTES`, and hands it on whole; past that it answers 413."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        if scope["type"] != "http" or scope["method"] in ("GET", "HEAD", "OPTIONS"):
            await self._app(scope, receive, send)
            return
        body = b""
        more = True
        while more:
            message = await receive()
            if message["type"] != "http.request":
                return  # The client is gone before it had asked anything.
            body += message.get("body", b"")
            more = message.get("more_body", False)
            if len(body) > MAX_BODY_BYTES:
                error = TooLarge(limit=MAX_BODY_BYTES)
                refused = (
                    envelope.refused(scope, error)
                    if envelope.belongs(scope)
                    else response(PROBLEMS[TooLarge], error.detail, error.facts)
                )
                refused.headers["Connection"] = "close"
                await refused(scope, receive, send)
                return
        given = False

        async def replay() -> Message:
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": body, "more_body": False}

        await self._app(scope, replay, send)
