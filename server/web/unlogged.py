"""The token of a link that decides is a key: it is kept out of every log of paths."""

from starlette.types import ASGIApp, Receive, Scope, Send

from server.domain.decision_links import PATH


def loggable(path: str) -> str:
    """The path, without a token."""
    before, found, _ = path.partition(PATH)
    return f"{before}{found}-" if found else path


class UnloggedLinks:
    """Hands the path on, and leaves one without the token to whoever stands outside and logs (uvicorn does)."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        if scope["type"] == "http" and PATH in scope["path"]:
            inside = dict(scope)
            scope["path"] = loggable(scope["path"])
            scope["raw_path"] = scope["path"].encode()
            scope = inside
        await self._app(scope, receive, send)
