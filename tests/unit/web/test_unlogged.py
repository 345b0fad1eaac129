"""Tokens of links stay out of what is logged of paths, and reach the application all the same."""

import pytest
from starlette.types import Receive, Scope, Send

from server.web.unlogged import UnloggedLinks, loggable


@pytest.mark.parametrize(
    ("path", "logged"),
    [
        ("/decide/abc.def", "/decide/-"),
        ("/twin/decide/abc.def", "/twin/decide/-"),
        ("/decide/abc/decide/def", "/decide/-"),
        ("/decide", "/decide"),
        ("/api/threads/abc", "/api/threads/abc"),
    ],
)
async def test_who_stands_outside_sees_no_token(path: str, logged: str) -> None:
    inside: list[str] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        inside.extend([scope["path"], scope["raw_path"].decode()])

    async def nothing(*_: object) -> None:
        return None

    scope = {"type": "http", "path": path, "raw_path": path.encode()}
    await UnloggedLinks(app)(scope, nothing, nothing)  # type: ignore[arg-type]

    assert inside == [path, path]
    assert (scope["path"], scope["raw_path"]) == (logged, logged.encode())
    assert loggable(path) == logged
