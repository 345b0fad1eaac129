"""THE table: what each error is over HTTP. Handlers, OpenAPI and the docs come from it."""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict
from starlette.exceptions import HTTPException
from starlette.routing import Match

from server.domain import errors
from server.web.unlogged import loggable

log = structlog.get_logger(__name__)


_TITLES = {413: "Content Too Large", 422: "Unprocessable Content"}


@dataclass(frozen=True, slots=True)
class Problem:
    """How one error class looks from outside."""

    status: int
    code: str
    headers: Mapping[str, str] | None = None

    @property
    def title(self) -> str:
        """The status in words, the same under every version of Python."""
        return _TITLES.get(self.status) or HTTPStatus(self.status).phrase


PROBLEMS: dict[type[errors.SaysoError], Problem] = {
    errors.InvalidRequest: Problem(422, "invalid_request"),
    errors.InvalidAnswer: Problem(422, "invalid_answer"),
    errors.NoAnswerThere: Problem(422, "no_answer_there"),
    errors.ThreadPaused: Problem(422, "thread_paused"),
    errors.TooLarge: Problem(413, "too_large"),
    errors.RateLimited: Problem(429, "rate_limited"),
    errors.Unauthenticated: Problem(401, "unauthenticated", {"WWW-Authenticate": "Bearer"}),
    errors.Forbidden: Problem(403, "forbidden"),
    errors.AdminDisabled: Problem(403, "admin_disabled"),
    errors.NotFound: Problem(404, "not_found"),
    errors.NoPendingApproval: Problem(404, "no_pending_approval"),
    errors.StaleInterrupt: Problem(409, "stale_interrupt"),
    errors.AmbiguousInterrupt: Problem(409, "ambiguous_interrupt"),
    errors.AlreadyDecided: Problem(409, "already_decided"),
    errors.AnswerNotKept: Problem(409, "answer_not_kept"),
    errors.NotInDoubt: Problem(409, "not_in_doubt"),
    errors.NotPaused: Problem(409, "not_paused"),
    errors.Expired: Problem(409, "expired"),
    errors.Orphaned: Problem(409, "orphaned"),
    errors.ThreadBusy: Problem(409, "thread_busy"),
    errors.ModelUnavailable: Problem(503, "model_unavailable", {"Retry-After": "5"}),
    errors.ModelFailed: Problem(502, "model_failed"),
    errors.Unavailable: Problem(503, "unavailable", {"Retry-After": "2"}),
    errors.NotStarted: Problem(503, "not_started"),
    errors.Draining: Problem(503, "draining", {"Retry-After": "2"}),
}
_UNKNOWN = Problem(500, "internal")


class ProblemBody(BaseModel):
    """`application/problem+json`. `error` repeats `detail`; facts of the case stand beside them."""

    model_config = ConfigDict(extra="allow")

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    code: str
    error: str


def responses(*kinds: type[errors.SaysoError]) -> dict[int | str, dict[str, Any]]:
    """What a route declares for the errors it may answer with."""
    declared: dict[int | str, dict[str, Any]] = {}
    for kind in kinds:
        problem = PROBLEMS[kind]
        line = f"`{problem.code}`: {(kind.__doc__ or '').strip().splitlines()[0]}"
        known = declared.get(problem.status)
        declared[problem.status] = {
            "description": f"{known['description']}\n\n{line}" if known else line,
            "content": {"application/problem+json": {"schema": ProblemBody.model_json_schema()}},
        }
    return declared


def install(app: FastAPI) -> None:
    """Every error leaves the application through this table."""
    app.add_exception_handler(errors.SaysoError, _ours)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, framework)
    app.add_exception_handler(Exception, _unexpected)


def response(problem: Problem, detail: str, facts: Mapping[str, Any]) -> JSONResponse:
    """The answer for a problem. A fact never hides a field of ours."""
    body = {
        **facts,
        "type": "about:blank",
        "title": problem.title,
        "status": problem.status,
        "detail": detail,
        "code": problem.code,
        "error": detail,
    }
    headers = dict(problem.headers or {})
    if "retry_after" in facts:
        headers["Retry-After"] = str(facts["retry_after"])
    return JSONResponse(
        body, problem.status, headers=headers, media_type="application/problem+json"
    )


async def _ours(_: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, errors.SaysoError)
    return response(PROBLEMS.get(type(error), _UNKNOWN), error.detail, error.facts)


async def _invalid(_: Request, error: Exception) -> JSONResponse:
    """JSON paths and what was expected there; never the body itself."""
    assert isinstance(error, RequestValidationError)
    problems = [f"{json_path(e['loc'])}: {e['msg']}" for e in error.errors()]
    return response(PROBLEMS[errors.InvalidRequest], "; ".join(problems), {"problems": problems})


async def framework(request: Request, error: Exception) -> JSONResponse:
    """What the framework refuses by itself: unknown paths and methods, bodies that are not text."""
    assert isinstance(error, HTTPException)
    if (
        error.status_code == 400
    ):  # The one reason the framework has for it: bytes that are not text.
        return response(PROBLEMS[errors.InvalidRequest], "$: the body is not JSON in UTF-8", {})
    problem = framework_problem(request, error)
    return response(problem, str(error.detail), {})


def framework_problem(request: Request, error: HTTPException) -> Problem:
    """A problem named after its status; 405 says which methods the path does take."""
    headers = dict(error.headers or {})
    if error.status_code == 405:
        headers["Allow"] = ", ".join(_allowed(request))
    code = HTTPStatus(error.status_code).phrase.lower().replace(" ", "_")
    return Problem(error.status_code, code, headers)


def _allowed(request: Request) -> list[str]:
    """The router itself names those of the first route only, where a path has one for each method."""
    return [
        method
        for method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE")
        if any(
            route.matches({**request.scope, "method": method})[0] is Match.FULL
            for route in request.app.routes
        )
    ]


async def _unexpected(request: Request, error: Exception) -> JSONResponse:
    log.error("request.failed", path=loggable(request.url.path), error=type(error).__name__)
    return response(_UNKNOWN, "Something went wrong here.", {})


def json_path(location: tuple[int | str, ...]) -> str:
    """`("body", "messages", 0, "role")` as `$.messages[0].role`; other places by their name."""
    place, *rest = location
    path = "$" if place == "body" else str(place)
    for step in rest:
        path += f"[{step}]" if isinstance(step, int) else f".{step}"
    return path
