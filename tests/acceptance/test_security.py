"""What every answer carries for browsers, and what other sites may do."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from ipaddress import ip_network
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI, Response
from fastapi.routing import APIRoute
from starlette.testclient import TestClient

from server.adapters.models.scripted import Scripted
from server.main import create_app
from server.settings import Settings
from server.web.routes import admin, approvals, chat, health, threads
from server.web.routes.chat import ChatRequest
from tests.support.graph import refusal
from tests.support.server import server
from tests.support.twin import OWNER_TOKEN, events_in

SITE = "https://site.example"
Open = Callable[..., TestClient]


def with_odd_routes(app: FastAPI) -> FastAPI:
    """And one route that sets headers of its own, one that fails, and one that fails half-way."""

    @app.get("/own")
    async def own() -> Response:
        policy = "default-src 'self'; frame-ancestors https://a.example"
        return Response(headers={"Content-Security-Policy": policy, "Referrer-Policy": "origin"})

    @app.get("/fails")
    async def fails() -> None:
        raise RuntimeError("secret")

    return app


@pytest.fixture
def open_client(memory_settings: Settings) -> Iterator[Open]:
    """Starts the application; keyword arguments change settings."""
    with ExitStack() as stack:

        def start(
            *, base_url: str = "http://testserver", peer: str = "10.0.0.1", **changes: Any
        ) -> TestClient:
            app = create_app(
                memory_settings.model_copy(update=changes), model=Scripted(then="Hello.")
            )
            client = TestClient(
                with_odd_routes(app),
                base_url=base_url,
                client=(peer, 4711),
                raise_server_exceptions=False,
            )
            return stack.enter_context(client)

        yield start


REQUESTS: dict[str, tuple[str, str, dict[str, Any], int]] = {
    "json": ("GET", "/api/health", {}, 200),
    "description": ("GET", "/openapi.json", {}, 200),
    "stream": ("POST", "/api/chat", {"json": {"message": "Hello?"}}, 200),
    "unknown": ("GET", "/nowhere", {}, 404),
    "wrong method": ("PUT", "/api/chat", {}, 405),
    "unauthenticated": ("GET", "/api/admin/runs", {}, 401),
    "invalid": ("POST", "/api/chat", {"json": {}}, 422),
    "too large": ("POST", "/api/chat", {"content": b"x" * 300_000}, 413),
    "failed": ("GET", "/fails", {}, 500),
}


@pytest.mark.parametrize("name", REQUESTS)
def test_every_answer_carries_the_headers(open_client: Open, name: str) -> None:
    """Refusals and failures too; no Server, no HSTS over plain HTTP, nobody may frame it."""
    method, path, options, status = REQUESTS[name]

    answer = open_client().request(method, path, **options)

    assert answer.status_code == status
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert answer.headers["content-security-policy"] == "frame-ancestors 'none'"
    assert "strict-transport-security" not in answer.headers
    assert "server" not in answer.headers
    assert "secret" not in answer.text


def test_a_failure_is_still_an_error_to_whoever_runs_the_application(
    memory_settings: Settings,
) -> None:
    """It is answered, and goes on outside."""
    app = with_odd_routes(create_app(memory_settings, model=Scripted()))
    with TestClient(app) as client, pytest.raises(RuntimeError, match="secret"):
        client.get("/fails")


def test_what_a_route_set_stays(open_client: Open) -> None:
    """A page's own policy is not weakened, nor strengthened; what it did not set is added."""
    answer = open_client().get("/own")
    assert answer.headers.get_list("content-security-policy") == [
        "default-src 'self'; frame-ancestors https://a.example"
    ]
    assert answer.headers.get_list("referrer-policy") == ["origin"]
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_the_widgets_setting_opens_no_other_page(open_client: Open) -> None:
    """FRAME_ANCESTORS is for the widget's own frame."""
    client = open_client(frame_ancestors=(SITE,))
    for page in ("/", "/inbox", "/docs"):
        policy = client.get(page).headers["content-security-policy"]
        assert policy.endswith("frame-ancestors 'none'")


def test_a_real_server_does_not_say_what_it_is(tmp_path: Path) -> None:
    """Over a real socket, where a server would add its name."""
    with server(tmp_path / "twin", "--memory") as running:
        answer = httpx.get(f"{running.url}/healthz")
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert "server" not in answer.headers


# --- TLS ------------------------------------------------------------------------------------------


def cookie_of(client: TestClient, **headers: str) -> str:
    """The visitor's cookie as a newcomer gets it."""
    client.cookies.clear()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    answer = client.post("/api/chat", json={"message": "Hello?"}, headers=named)
    assert answer.status_code == 200
    cookie: str = answer.headers["set-cookie"]
    client.cookies.clear()
    return cookie.lower()


def test_the_cookie_is_for_our_own_pages_and_no_script(open_client: Open) -> None:
    """HttpOnly, SameSite=Lax, for the whole site; not Secure over plain HTTP, where it would not be kept."""
    cookie = cookie_of(open_client())
    assert "httponly" in cookie
    assert "samesite=lax" in cookie
    assert "path=/" in cookie
    assert "secure" not in cookie


def test_behind_tls_cookie_and_browser_keep_to_it(open_client: Open) -> None:
    """Secure, and HSTS for a year."""
    client = open_client(base_url="https://testserver")
    assert "; secure" in cookie_of(client)
    hsts = client.get("/healthz").headers["strict-transport-security"]
    assert hsts == "max-age=31536000"


@pytest.mark.parametrize(("peer", "believed"), [("10.0.0.1", True), ("198.51.100.7", False)])
def test_only_a_proxy_of_ours_says_that_there_is_tls(
    open_client: Open, peer: str, believed: bool
) -> None:
    """X-Forwarded-Proto from anybody else changes nothing."""
    client = open_client(peer=peer, trusted_proxies=(ip_network("10.0.0.0/8"),))
    assert ("; secure" in cookie_of(client, x_forwarded_proto="https")) is believed
    answer = client.get("/healthz", headers={"X-Forwarded-Proto": "https"})
    assert ("strict-transport-security" in answer.headers) is believed


# --- other sites ----------------------------------------------------------------------------------


def preflight(client: TestClient, origin: str = SITE, headers: str = "authorization") -> Any:
    """What a browser asks before it lets another site's script post."""
    return client.options(
        "/api/chat",
        headers={
            "Origin": origin,
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": f"content-type,{headers}",
        },
    )


def test_no_other_site_may_ask_by_default(open_client: Open) -> None:
    """Neither before nor after."""
    client = open_client()
    assert preflight(client).status_code == 405
    answer = client.get("/api/health", headers={"Origin": SITE})
    assert not [name for name in answer.headers if name.startswith("access-control")]


def test_a_named_site_may_ask_with_a_token_and_without_cookies(open_client: Open) -> None:
    """It may send what a chat needs, read what a refusal says, and never use the visitor's cookie."""
    client = open_client(allowed_origins=(SITE,))
    for header in ("authorization", "last-event-id", "prefer"):
        asked = preflight(client, headers=header)
        assert asked.status_code == 200, asked.text
        assert asked.headers["access-control-allow-origin"] == SITE
        assert "access-control-allow-credentials" not in asked.headers

    answer = client.post("/api/chat", json={"message": "Hello?"}, headers={"Origin": SITE})

    assert answer.headers["access-control-allow-origin"] == SITE
    assert "Origin" in answer.headers["vary"]
    assert "Retry-After" in answer.headers["access-control-expose-headers"]
    assert "access-control-allow-credentials" not in answer.headers
    assert events_in(answer.text)[0]["visitor_token"], "which is what it goes on with"


@pytest.mark.parametrize(
    "origin", ["https://other.example", "null", f"{SITE}.evil", "http://site.example"]
)
def test_a_site_that_is_not_named_may_not(open_client: Open, origin: str) -> None:
    """However close the name."""
    client = open_client(allowed_origins=(SITE,))
    assert preflight(client, origin).status_code == 400
    assert "access-control-allow-origin" not in preflight(client, origin).headers
    answer = client.get("/api/health", headers={"Origin": origin})
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize("name", REQUESTS)
def test_a_named_site_can_read_every_refusal(open_client: Open, name: str) -> None:
    """Without these headers a script sees a network error, and can't say what is wrong."""
    method, path, options, status = REQUESTS[name]
    client = open_client(allowed_origins=(SITE,))
    answer = client.request(method, path, headers={"Origin": SITE}, **options)
    assert answer.status_code == status
    assert answer.headers["access-control-allow-origin"] == SITE
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_every_method_of_the_api_may_be_asked_for(open_client: Open) -> None:
    """A route with a method that is not allowed across origins could not be used there."""
    client = open_client(allowed_origins=(SITE,))
    routers = [module.router for module in (admin, approvals, chat, health, threads)]
    routes = [r for router in routers for r in router.routes if isinstance(r, APIRoute)]
    methods = {method for route in routes for method in route.methods}
    assert {"GET", "POST", "DELETE"} <= methods
    for method in methods:
        asked = client.options(
            "/api/chat", headers={"Origin": SITE, "Access-Control-Request-Method": method}
        )
        assert asked.status_code == 200, method


# --- the cookie -----------------------------------------------------------------------------------


def visited(client: TestClient) -> str:
    """Somebody chats and has the cookie now; their thread."""
    answer = client.post("/api/chat", json={"message": "Hello?"})
    thread_id: str = events_in(answer.text)[0]["thread_id"]
    return thread_id


@pytest.mark.parametrize("asked_by", ["same-site", "cross-site"])
def test_a_cookie_does_not_count_for_what_another_page_asks(
    open_client: Open, asked_by: str
) -> None:
    """A neighbour's page on the same site can't forget, stop or speak in the visitor's name."""
    client = open_client()
    thread_id = visited(client)
    foreign = {"Sec-Fetch-Site": asked_by}

    assert client.delete(f"/api/threads/{thread_id}", headers=foreign).status_code == 401
    assert client.post(f"/api/threads/{thread_id}/cancel", headers=foreign).status_code == 401
    body = ChatRequest(message="Hello?", thread_id=thread_id).model_dump(exclude_none=True)
    assert client.post("/api/chat", json=body, headers=foreign).status_code == 403

    assert len(client.get(f"/api/threads/{thread_id}").json()["messages"]) == 2


@pytest.mark.parametrize("asked_by", ["same-origin", "none", None])
def test_a_cookie_counts_for_our_own_pages(open_client: Open, asked_by: str | None) -> None:
    """And for clients that are no browser."""
    client = open_client()
    thread_id = visited(client)
    headers = {"Sec-Fetch-Site": asked_by} if asked_by else {}
    assert client.delete(f"/api/threads/{thread_id}", headers=headers).status_code == 204


def test_a_token_counts_from_everywhere(open_client: Open) -> None:
    """Nobody sends it who was not given it."""
    client = open_client(allowed_origins=(SITE,))
    answer = client.post("/api/chat", json={"message": "Hello?"})
    first = events_in(answer.text)[0]
    headers = {
        "Authorization": f"Bearer {first['visitor_token']}",
        "Sec-Fetch-Site": "cross-site",
        "Origin": SITE,
    }
    client.cookies.clear()
    path = f"/api/threads/{first['thread_id']}"
    assert client.delete(path, headers=headers).status_code == 204
    owner = headers | {"Authorization": f"Bearer {OWNER_TOKEN}"}
    assert client.get("/api/admin/runs", headers=owner).status_code == 200


# --- methods --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/api/chat", "POST"),
        ("/api/threads/t", "GET, DELETE"),
        ("/api/admin/approvals/t", "GET, POST"),
        ("/v1/threads/t", "GET, DELETE"),
        ("/v1/graph/invoke", "POST"),
        ("/healthz", "GET"),
        ("/openapi.json", "GET, HEAD"),
    ],
)
def test_a_wrong_method_is_told_which_are_right(open_client: Open, path: str, allowed: str) -> None:
    """405 with all of them in `Allow`, also where each method is a route of its own."""
    answer = open_client().request("PATCH", path)
    assert answer.status_code == 405
    assert answer.headers["allow"] == allowed


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("PATCH", "/v1/threads/t", 405),
        ("GET", "/v1/nowhere", 404),
    ],
)
def test_what_no_route_of_the_dialect_has_is_refused_in_its_envelope(
    open_client: Open, method: str, path: str, status: int
) -> None:
    """Clients of the dialect read one shape of error."""
    answer = open_client().request(method, path)
    assert refusal(answer)[0] == status


def test_a_wrong_path_elsewhere_is_a_problem(open_client: Open) -> None:
    """As everywhere under `/api`."""
    answer = open_client().get("/api/nowhere")
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["code"] == "not_found"
