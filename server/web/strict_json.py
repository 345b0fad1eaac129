"""Bodies that say one thing: a key that is there twice is no JSON of ours."""

import json
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute


class StrictRequest(Request):
    """A request whose JSON holds each key once: of `{"approved": false, "approved": true}` nobody can say what was meant."""

    async def json(self) -> Any:
        """The body. Raises JSONDecodeError."""
        return json.loads(await self.body(), object_pairs_hook=_each_once)


class StrictRoute(APIRoute):
    """A route that reads its body so."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """See FastAPI."""
        handle = super().get_route_handler()

        async def strictly(request: Request) -> Response:
            return await handle(StrictRequest(request.scope, request.receive))

        return strictly


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise json.JSONDecodeError("a key is there twice", "", 0)
    return found
