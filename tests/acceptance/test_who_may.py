"""Every route of the application, for everyone who could ask: generated from the route list, so a new route needs a row."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import jwt
import pytest
from pydantic import SecretStr

from server.adapters.models.scripted import Scripted, call
from server.main import create_app
from server.settings import Settings
from tests.support.twin import OWNER_TOKEN, RunningTwin, running_twin

JWT_SECRET = "a shared secret for users of these tests"
WHO = ("owner", "visitor", "other visitor", "user", "other user", "nobody", "expired")
PAUSES = call("draft_contact_message", subject="s", message="m", sender_contact="a@b.org")

Row = tuple[int, int, int, int, int, int, int]

PUBLIC: Row = (200, 200, 200, 200, 200, 200, 200)
OWNER_ONLY: Row = (200, 401, 401, 401, 401, 401, 401)
OWN: Row = (403, 200, 403, 200, 403, 401, 401)
READ: Row = (200, 200, 403, 200, 403, 401, 401)

ROWS: dict[str, Row] = {
    # The thread named in the body is the visitor's or the user's own; nobody becomes a new visitor, and it is not theirs.
    "POST /api/chat": (403, 200, 403, 200, 403, 403, 401),
    "GET /api/threads/{thread_id}": READ,
    "GET /api/threads/{thread_id}/events": READ,
    "POST /api/threads/{thread_id}/cancel": (403, 202, 403, 202, 403, 401, 401),
    "POST /api/threads/{thread_id}/approvals/{interrupt_id}/withdraw": OWN,
    "DELETE /api/threads/{thread_id}": (403, 204, 403, 204, 403, 401, 401),
    "POST /api/feedback": (403, 204, 403, 204, 403, 401, 401),
    "GET /api/admin/approvals": OWNER_ONLY,
    "GET /api/admin/approvals/{thread_id}": OWNER_ONLY,
    "POST /api/admin/approvals/{thread_id}": OWNER_ONLY,
    "GET /api/admin/threads": OWNER_ONLY,
    "GET /api/admin/threads/{thread_id}": OWNER_ONLY,
    "GET /api/admin/runs": OWNER_ONLY,
    "GET /api/admin/contact-messages": OWNER_ONLY,
    "GET /api/admin/effects": OWNER_ONLY,
    "POST /api/admin/effects/{effect_id}": (404, 401, 401, 401, 401, 401, 401),
    "GET /api/admin/audit": OWNER_ONLY,
    "GET /api/admin/gaps": OWNER_ONLY,
    "POST /api/admin/gaps/{gap_id}": (404, 401, 401, 401, 401, 401, 401),
    "GET /api/admin/stats": OWNER_ONLY,
    "GET /healthz": PUBLIC,
    "GET /api/health": PUBLIC,
    "GET /readyz": PUBLIC,
    # The dialect: whoever opened the thread speaks; a tool of the owner's is answered by the owner only.
    "POST /v1/graph/invoke": (200, 403, 403, 403, 403, 401, 401),
    "POST /v1/graph/stream": (200, 403, 403, 403, 403, 401, 401),
    "POST /v1/graph/stop": (403, 200, 403, 200, 403, 401, 401),
    "GET /v1/threads": (200, 200, 200, 200, 200, 401, 401),
    "GET /v1/threads/{thread_id}": READ,
    "GET /v1/threads/{thread_id}/state": READ,
    "GET /v1/threads/{thread_id}/messages": READ,
    "DELETE /v1/threads/{thread_id}": (403, 200, 403, 200, 403, 401, 401),
    "GET /metrics": PUBLIC,
    "GET /ping": PUBLIC,
}
BODIES: dict[str, dict[str, Any]] = {
    "POST /api/chat": {"message": "Hi", "thread_id": "{thread_id}"},
    "POST /api/feedback": {"thread_id": "{thread_id}", "seq": 1, "verdict": "up"},
    "POST /api/admin/approvals/{thread_id}": {"approved": False},
    "POST /api/admin/effects/{effect_id}": {"settle": "done"},
    "POST /api/admin/gaps/{gap_id}": {"dismiss": True},
    "POST /v1/graph/invoke": {"resume": {"approved": False}, "thread_id": "{thread_id}"},
    "POST /v1/graph/stream": {"resume": {"approved": False}, "thread_id": "{thread_id}"},
    "POST /v1/graph/stop": {"thread_id": "{thread_id}"},
}
PAGES = ("/", "/inbox", "/widget", "/static", "/docs", "/openapi.json")


def routes() -> list[str]:
    """`METHOD /path` of everything the application documents."""
    paths = create_app(Settings(_env_file=None)).openapi()["paths"]
    found = [f"{method.upper()} {path}" for path, methods in paths.items() for method in methods]
    return [route for route in found if not route.split(" ")[1].startswith(PAGES[1:])]


def test_every_route_has_a_row() -> None:
    """A route nobody thought about does not get in, and a row for a route that is gone does not stay."""
    assert set(ROWS) == set(routes())


@pytest.fixture
def twin(memory_settings: Settings) -> Iterator[RunningTwin]:
    """A twin that pauses on every first message."""
    settings = memory_settings.model_copy(
        update={"jwt_secret": SecretStr(JWT_SECRET), "rate_limit": None}
    )
    with running_twin(settings, Scripted(PAUSES, PAUSES, then="All right.")) as running:
        yield running


def user_token(name: str, expires_in: timedelta = timedelta(hours=1)) -> str:
    claims = {"sub": name, "exp": datetime.now(UTC) + expires_in}
    return jwt.encode(claims, JWT_SECRET, algorithm="HS256")


def paused_thread(twin: RunningTwin, thread_id: str, token: str) -> str:
    """A thread of whoever holds the token, waiting; gives the interrupt's id."""
    answer = twin.client.post(
        "/api/chat",
        json={"message": "Pass it on.", "thread_id": thread_id},
        headers={"Authorization": f"Bearer {token}"},
    )
    assert answer.status_code == 200, answer.text
    return next(c["interrupt_id"] for c in twin.pending() if c["thread_id"] == thread_id)


@pytest.mark.parametrize("route", sorted(ROWS))
@pytest.mark.parametrize("who", WHO)
def test_who_may(twin: RunningTwin, route: str, who: str) -> None:
    """The status each of them gets."""
    auth = twin.client.app.state.web.authenticator  # type: ignore[attr-defined]
    visitor, stranger = (auth.mint_visitor(datetime.now(UTC))[1] for _ in range(2))
    tokens = {
        "owner": OWNER_TOKEN,
        "visitor": visitor,
        "other visitor": stranger,
        "user": user_token("ulla"),
        "other user": user_token("otto"),
        "nobody": None,
        "expired": user_token("ulla", -timedelta(hours=1)),
    }
    of_user = who in ("user", "other user", "expired")
    interrupt_id = paused_thread(twin, "theirs", tokens["user" if of_user else "visitor"] or "")
    names = {
        "thread_id": "theirs",
        "interrupt_id": interrupt_id,
        "effect_id": "unknown",
        "gap_id": "unknown",
    }
    method, path = route.format(**names).split(" ")
    body = {
        k: v.format(**names) if isinstance(v, str) else v for k, v in BODIES.get(route, {}).items()
    }
    params = {"until": "idle"} if path.endswith("/events") else {}
    token = tokens[who]
    twin.client.cookies.clear()

    answer = twin.client.request(
        method,
        path,
        params=params,
        json=body or None,
        headers={"Authorization": f"Bearer {token}"} if token else {},
    )

    assert answer.status_code == ROWS[route][WHO.index(who)], answer.text
