"""A link from a notice: a page that shows one question, and decides it when its form is sent. Opening it decides nothing."""

import math
from collections.abc import Callable, Coroutine
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import parse_qsl

from fastapi import APIRouter, Request, Response
from fastapi.routing import APIRoute

from server.domain import errors
from server.domain.approvals import Approval
from server.domain.decision_links import PATH, DecisionLink, read_token
from server.domain.principals import Principal
from server.domain.times import rfc3339
from server.ports import Rate
from server.runs.decide import decide
from server.runs.services import Services
from server.runs.settle_question import refusal
from server.web.decide_page import CONTENT_SECURITY_POLICY, DecidePage
from server.web.decide_words import NOBODY, STATUSES
from server.web.dependencies import Parts, TheServices, Web
from server.web.problems import PROBLEMS
from server.web.proxies import one_household
from server.web.routes.pages import PAGE_HEADERS

TRIES = Rate(30, timedelta(minutes=1))
"""How often links may be opened and used from one address."""
ANSWERS = {"approve": True, "decline": False}
LONGEST_NOTE = 500


class PageRoute(APIRoute):
    """A route whose refusals are pages, with the status the table of problems gives them."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """See FastAPI."""
        handle = super().get_route_handler()

        async def with_pages(request: Request) -> Response:
            try:
                return await handle(request)
            except errors.NotStarted:
                raise
            except errors.SaysoError as error:
                return _refused(_page(request.app.state.web.services), error)

        return with_pages


router = APIRouter(include_in_schema=False, route_class=PageRoute)


@router.api_route(PATH + "{token}", methods=["GET", "HEAD"], summary="What a link asks")
async def show(token: str, request: Request, parts: Parts, services: TheServices) -> Response:
    """Mail scanners and previews come here too: nothing is decided, whatever asks."""
    await _count(parts, request)
    _, asked = await _question(parts, token)
    return _answer(_page(services).question(asked))


@router.post(PATH + "{token}", summary="Decide by a link")
async def decide_by_link(
    token: str, request: Request, parts: Parts, services: TheServices
) -> Response:
    """By the same verb as everybody else; who decided is the link, named for the channel it went out through."""
    await _count(parts, request)
    link, asked = await _question(parts, token)
    answer = await _answer_in(request)
    settled = await decide(
        services,
        asked.thread_id,
        answer,
        by=Principal("owner", f"link:{link.channel}"),
        interrupt_id=asked.interrupt_id,
        via="link",
    )
    page = _page(services).decided(settled.approval, others_wait=bool(settled.remaining))
    return _answer(page)


async def _count(parts: Web, request: Request) -> None:
    """Before anything is looked at, so that guessing is slow too. Raises RateLimited or Unavailable."""
    household = one_household(request.client.host if request.client else None)
    wait = await parts.services.store.rate_limiter.take(f"link:{household}", TRIES)
    if wait is not None:
        raise errors.RateLimited(retry_after=max(1, math.ceil(wait.total_seconds())))


async def _question(parts: Web, token: str) -> tuple[DecisionLink, Approval]:
    """The open question a link is good for. Raises NotFound, AlreadyDecided, Expired or StaleInterrupt."""
    services = parts.services
    link = read_token(token, services.telling.secret_key)
    if link is None:
        raise errors.NotFound
    asked = await services.store.approvals.get(link.interrupt_id)
    # Without a token for the owner's routes nobody is the owner, by link neither.
    if asked is None or not parts.authenticator.owners:
        raise errors.NotFound
    if asked.digest != link.digest:
        raise errors.StaleInterrupt(given=link.interrupt_id, open=[])
    if asked.status != "pending":
        raise refusal(asked)
    # The link says it in whole seconds, the question to the last one.
    ends = asked.expires_at or link.expires_at
    if services.clock() >= ends:
        raise errors.Expired(expires_at=rfc3339(ends), interrupt_id=asked.interrupt_id)
    return link, asked


async def _answer_in(request: Request) -> dict[str, Any]:
    """The decision a form holds. Raises InvalidRequest for anything but exactly one of the two buttons."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    try:
        body = (await request.body()).decode()
        pairs = parse_qsl(body, keep_blank_values=True, strict_parsing=True, max_num_fields=2)
    except ValueError:
        raise errors.InvalidRequest from None
    fields = dict(pairs)
    if (
        kind != "application/x-www-form-urlencoded"
        or len(fields) < len(pairs)
        or not fields.keys() <= {"decision", "note"}
        or fields.get("decision") not in ANSWERS
    ):
        raise errors.InvalidRequest
    # Browsers send line breaks as CR LF, and count them as one character.
    note = fields.get("note", "").replace("\r\n", "\n").strip()
    if len(note) > LONGEST_NOTE:
        raise errors.InvalidAnswer("$.note")
    return {"approved": ANSWERS[fields["decision"]]} | ({"note": note} if note else {})


def _page(services: Services) -> DecidePage:
    twin = services.twin
    return DecidePage(twin.languages[0], twin.owner_name, services.rules.zone)


def _refused(page: DecidePage, error: errors.SaysoError) -> Response:
    problem = PROBLEMS[type(error)]
    headers = dict(problem.headers or {})
    facts = error.facts
    match error:
        case errors.AlreadyDecided():
            by = facts["by"] or NOBODY[page.language]
            status = STATUSES[page.language].get(facts["decided_status"], facts["decided_status"])
            text = page.refusal("decided", status=status, by=by, at=_time(page, facts["at"]))
        case errors.Expired():
            text = page.refusal("expired", expires_at=_time(page, facts["expires_at"]))
        case errors.StaleInterrupt() | errors.NoPendingApproval():
            text = page.refusal("stale")
        case errors.Orphaned():
            text = page.refusal("orphaned")
        case errors.ThreadBusy():
            text = page.refusal("busy")
        case errors.RateLimited():
            headers["Retry-After"] = str(facts["retry_after"])
            text = page.refusal("too_fast", seconds=facts["retry_after"])
        case errors.Unavailable() | errors.Draining():
            text = page.refusal("away")
        case errors.InvalidAnswer():
            text = page.refusal("too_long")
        case errors.InvalidRequest():
            text = page.refusal("malformed")
        case _:
            text = page.refusal("invalid")
    return _answer(text, problem.status, headers)


def _time(page: DecidePage, fact: str | None) -> str:
    return page.time(datetime.fromisoformat(fact) if fact else None)


def _answer(text: str, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(
        text,
        status,
        media_type="text/html; charset=utf-8",
        headers=PAGE_HEADERS
        | {
            "Content-Security-Policy": CONTENT_SECURITY_POLICY,
            "X-Frame-Options": "DENY",
            "Cache-Control": "no-store",
            "X-Robots-Tag": "noindex, nofollow",
        }
        | (headers or {}),
    )
