"""What every answer of the 10xGraph dialect is wrapped in, refusals too.

The dialect differs from `/api` in the wrapping only: which status an error has is still said by `problems.PROBLEMS`.
"""

import json
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from uuid import uuid4

import structlog
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.types import Scope

from server.domain import errors
from server.domain.times import rfc3339
from server.web.problems import PROBLEMS, Problem, framework, framework_problem, json_path
from server.web.strict_json import StrictRoute

log = structlog.get_logger(__name__)
Data = TypeVar("Data")


class Metadata(BaseModel):
    """Which answer this is. `request_id` and `timestamp` are also the headers X-Request-ID and X-Timestamp."""

    request_id: str
    timestamp: str
    message: str


class Answer(BaseModel, Generic[Data]):
    """What was asked for, and which answer it is."""

    data: Data
    metadata: Metadata


class Detail(BaseModel):
    """One thing that is wrong with a body."""

    loc: list[str | int]
    msg: str
    type: str


class Refusal(BaseModel):
    """Why not. `details` is empty unless the body, the path or the query is malformed."""

    code: str
    message: str
    details: list[Detail]


class RefusalBody(BaseModel):
    """A refusal. All fields are always there; `metadata.message` repeats the message."""

    error: Refusal
    metadata: Metadata


class AsciiJson(JSONResponse):
    """JSON in ASCII: a text may hold half a surrogate pair, which is a Python string but not UTF-8."""

    def render(self, content: Any) -> bytes:
        """The bytes."""
        return json.dumps(content, separators=(",", ":"), allow_nan=False).encode("ascii")


@dataclass(frozen=True, slots=True)
class Stamp:
    """Names one answer. `timestamp` is RFC 3339."""

    request_id: str
    timestamp: str

    def metadata(self, message: str = "OK") -> Metadata:
        """The part of the envelope that both kinds of answer have."""
        return Metadata(request_id=self.request_id, timestamp=self.timestamp, message=message)

    @property
    def headers(self) -> dict[str, str]:
        """The same, for those who don't read bodies."""
        return {"X-Request-ID": self.request_id, "X-Timestamp": self.timestamp}

    def ok(self, data: Data) -> Answer[Data]:
        """The envelope of an answer."""
        return Answer(data=data, metadata=self.metadata())

    def refusal(
        self, problem: Problem, message: str, details: list[Detail] | None = None
    ) -> AsciiJson:
        """The envelope of a refusal, with the status and headers the table gives it."""
        refusal = Refusal(code=problem.code.upper(), message=message, details=details or [])
        body = RefusalBody(error=refusal, metadata=self.metadata(message))
        headers = {**(problem.headers or {}), **self.headers}
        return AsciiJson(body.model_dump(mode="json"), problem.status, headers)


def stamp(request: Request) -> Stamp:
    """The stamp of this request's answer; a dependency for routes of `EnvelopeRoute`."""
    given: Stamp = request.state.stamp
    return given


class EnvelopeRoute(StrictRoute):
    """A route whose answers carry a stamp, and whose errors leave in the envelope."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The route, enveloped."""
        handle = super().get_route_handler()

        async def enveloped(request: Request) -> Response:
            mark = request.state.stamp = _new_stamp(request.scope)
            try:
                answer = await handle(request)
            except Exception as error:
                return _refused(mark, error)
            answer.headers.update(mark.headers)
            return answer

        return enveloped


def belongs(scope: Scope) -> bool:
    """Whether a request is for a route of this dialect, wherever the application is mounted."""
    path: str = scope["path"].removeprefix(scope.get("root_path", ""))
    return path == "/ping" or path.startswith("/v1/")


def refused(scope: Scope, error: errors.SaysoError) -> Response:
    """The answer for an error that was found before any route was."""
    return _refused(_new_stamp(scope), error)


def install(app: FastAPI) -> None:
    """Paths and methods that no route has are refused in the envelope too, where they are this dialect's."""
    app.add_exception_handler(HTTPException, _framework)


async def _framework(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if not belongs(request.scope):
        return await framework(request, error)
    problem = framework_problem(request, error)
    return _new_stamp(request.scope).refusal(problem, str(error.detail))


def _new_stamp(scope: Scope) -> Stamp:
    now = scope["app"].state.web.services.clock()
    return Stamp(request_id=str(uuid4()), timestamp=rfc3339(now) or "")


_UNKNOWN = Problem(500, "internal")
_MALFORMED = Problem(422, "validation_error")
_EXPIRED = Problem(401, "expired_token", PROBLEMS[errors.Unauthenticated].headers)
_INVALID = Problem(401, "invalid_token", PROBLEMS[errors.Unauthenticated].headers)


def problem_of(error: errors.SaysoError) -> Problem:
    """The table's row, but for two that clients of this dialect tell apart by their code."""
    match error:
        case errors.Unauthenticated():
            return _EXPIRED if error.facts.get("expired") else _INVALID
        case errors.InvalidRequest():
            return _MALFORMED
    return PROBLEMS.get(type(error), _UNKNOWN)


def _refused(mark: Stamp, error: Exception) -> AsciiJson:
    match error:
        case errors.SaysoError():
            answer = mark.refusal(problem_of(error), error.detail)
            if "retry_after" in error.facts:
                answer.headers["Retry-After"] = str(error.facts["retry_after"])
            return answer
        case RequestValidationError():
            # Places and what was expected there; never the body itself.
            details = [
                Detail(
                    loc=list(e["loc"]), msg=e["msg"].removeprefix("Value error, "), type=e["type"]
                )
                for e in error.errors()
            ]
            message = "; ".join(f"{json_path(tuple(d.loc))}: {d.msg}" for d in details)
            return mark.refusal(_MALFORMED, message, details)
        case HTTPException():
            return mark.refusal(Problem(error.status_code, "bad_request"), str(error.detail))
    log.error("request.failed", request_id=mark.request_id, exc_info=error)
    return mark.refusal(_UNKNOWN, "Something went wrong here.")


def refusals(*kinds: type[errors.SaysoError], bad_request: str = "") -> dict[int | str, Any]:
    """What a route declares for the errors it may answer with; `bad_request` describes its 400."""
    lines: dict[int, list[str]] = {400: [bad_request]} if bad_request else {}
    for kind in kinds:
        problem = problem_of(kind("")) if kind is not errors.Unauthenticated else _INVALID
        text = (kind.__doc__ or "").strip().splitlines()[0]
        lines.setdefault(problem.status, []).append(f"`{problem.code.upper()}`: {text}")
    return {
        status: {"model": RefusalBody, "description": "\n\n".join(described)}
        for status, described in lines.items()
    }
