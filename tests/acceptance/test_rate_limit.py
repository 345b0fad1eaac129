"""RATE_LIMIT: so many messages each, told before the first byte, whichever replica is asked."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import timedelta
from ipaddress import ip_network
from typing import Any

import psycopg
import pytest
from fastapi.routing import APIRoute
from starlette.testclient import TestClient

from server.adapters.models.scripted import Scripted
from server.main import create_app
from server.ports import Rate
from server.settings import Settings
from server.web.routes import chat
from tests.support.twin import RunningTwin, Visitor

THREE = Rate(3, timedelta(minutes=10))
From = Callable[..., RunningTwin]


@pytest.fixture
def open_from(settings: Settings) -> Iterator[From]:
    """Starts the application, as seen from a peer of that address."""
    with ExitStack() as stack:

        def start(peer: str = "198.51.100.7", **changes: Any) -> RunningTwin:
            changed = settings.model_copy(update={"rate_limit": THREE} | changes)
            app = create_app(changed, model=Scripted(then="Hello."))
            client = TestClient(app, client=(peer, 4711))
            return RunningTwin(stack.enter_context(client))

        yield start


def runs(twin: RunningTwin) -> int:
    """How many runs there have been."""
    return len(twin.owner("GET", "/runs").json()["runs"])


def newcomer(twin: RunningTwin, **headers: str) -> Any:
    """A message of somebody without credentials."""
    twin.client.cookies.clear()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return twin.client.post("/api/chat", json={"message": "Hello?"}, headers=named)


def test_the_message_after_the_burst_is_refused_before_the_first_byte(open_from: From) -> None:
    """429 with Retry-After in whole seconds; no run has begun, no thread was opened, no token given away."""
    twin = open_from()
    visitor = twin.visitor()
    for _ in range(3):
        visitor.say("Hello?")

    refused = visitor.try_to_say("Hello?")

    assert refused.status_code == 429
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.json()["code"] == "rate_limited"
    assert refused.headers["retry-after"] == str(refused.json()["retry_after"])
    assert 150 <= int(refused.headers["retry-after"]) <= 200
    assert runs(twin) == 3
    assert visitor.get().json()["status"] == "idle", "reading is not limited"


def test_newcomers_share_the_rate_of_their_address(open_from: From) -> None:
    """Who has a token is counted for themselves; who has none can't get around it by having none."""
    twin = open_from()
    known = twin.visitor()
    known.say("Hello?")
    assert [newcomer(twin).status_code for _ in range(3)] == [200, 200, 429]

    refused = newcomer(twin)

    assert refused.status_code == 429
    assert "set-cookie" not in refused.headers
    known.say("Hello?")
    assert runs(twin) == 4


def test_a_first_message_counts_for_the_visitor_too(open_from: From) -> None:
    """Three are three."""
    twin = open_from()
    visitor = twin.visitor()
    visitor.say("One")
    visitor.say("Two")
    visitor.say("Three")
    assert visitor.try_to_say("Four").status_code == 429


def test_one_visitor_is_one_in_every_thread(open_from: From) -> None:
    """A new thread is no new allowance."""
    twin = open_from()
    visitor = twin.visitor()
    visitor.say("Hello?")
    for _ in range(2):
        visitor.thread_id = None
        visitor.say("Hello?")
    visitor.thread_id = None
    assert visitor.try_to_say("Hello?").status_code == 429


def test_what_is_refused_for_another_reason_does_not_count(open_from: From) -> None:
    """A bad body, a bad token, somebody else's thread."""
    twin = open_from()
    visitor = twin.visitor()
    visitor.say("Hello?")
    for _ in range(5):
        assert visitor.try_to_say("").status_code == 422
    bad = {"Authorization": "Bearer nonsense"}
    for _ in range(5):
        answer = twin.client.post("/api/chat", json={"message": "Hello?"}, headers=bad)
        assert answer.status_code == 401
    visitor.say("Hello?")
    visitor.say("Hello?")


def test_a_forwarded_address_counts_only_from_a_proxy_of_ours(open_from: From) -> None:
    """Through ours everybody has their own rate, and can't get another by writing addresses of their own."""
    twin = open_from("10.0.0.1", trusted_proxies=(ip_network("10.0.0.0/8"),))
    for address in ("198.51.100.1", "198.51.100.2"):
        assert [
            newcomer(twin, x_forwarded_for=f"{n}.{n}.{n}.{n}, {address}").status_code
            for n in range(1, 5)
        ] == [200, 200, 200, 429]
    assert newcomer(twin, x_forwarded_for="198.51.100.3").status_code == 200


def test_a_forwarded_address_from_anybody_else_is_ignored(open_from: From) -> None:
    """As if it were not there."""
    twin = open_from("198.51.100.7", trusted_proxies=(ip_network("10.0.0.0/8"),))
    statuses = [newcomer(twin, x_forwarded_for=f"192.0.2.{n}").status_code for n in range(4)]
    assert statuses == [200, 200, 200, 429]


def test_an_ipv6_newcomer_can_not_walk_through_their_network(open_from: From) -> None:
    """A /64 is one household."""
    twin = open_from("10.0.0.1", trusted_proxies=(ip_network("10.0.0.1"),))
    statuses = [
        newcomer(twin, x_forwarded_for=f"2001:db8:0:7::{n:x}").status_code for n in range(1, 5)
    ]
    assert statuses == [200, 200, 200, 429]
    assert newcomer(twin, x_forwarded_for="2001:db8:0:8::1").status_code == 200


def test_the_limit_can_be_off(open_from: From) -> None:
    """RATE_LIMIT=off."""
    twin = open_from(rate_limit=None)
    visitor = twin.visitor()
    for _ in range(8):
        visitor.say("Hello?")


@pytest.mark.parametrize("settings", ["postgres"], indirect=True)
@pytest.mark.postgres
def test_two_replicas_are_no_two_allowances(open_from: From) -> None:
    """Whichever is asked."""
    one, other = open_from(), open_from()
    visitor = one.visitor()
    visitor.say("Hello?")
    elsewhere = Visitor(other)
    elsewhere.token, elsewhere.thread_id = visitor.token, visitor.thread_id
    elsewhere.say("Hello?")
    visitor.say("Hello?")
    assert elsewhere.try_to_say("Hello?").status_code == 429
    assert visitor.try_to_say("Hello?").status_code == 429
    assert runs(one) == 3


@pytest.mark.parametrize("settings", ["postgres"], indirect=True)
@pytest.mark.postgres
def test_a_limit_that_can_not_be_counted_lets_nobody_through(
    open_from: From, postgres_url: str
) -> None:
    """503, and nothing has begun: everything else in the database would have answered."""
    twin = open_from()
    visitor = twin.visitor()
    visitor.say("Hello?")
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(
            """
            CREATE FUNCTION away() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'away' USING ERRCODE = 'cannot_connect_now'; END $$
            """
        )
        connection.execute(
            "CREATE TRIGGER away BEFORE INSERT ON rate_limits EXECUTE FUNCTION away()"
        )

        refused = visitor.try_to_say("Hello?")

        assert refused.status_code == 503
        assert refused.json()["code"] == "unavailable"
        assert "retry-after" in refused.headers
        assert runs(twin) == 1
        connection.execute("DROP TRIGGER away ON rate_limits")
    visitor.say("Hello?")


def test_the_refusal_is_declared() -> None:
    """OpenAPI is made from it, and clients from that."""
    [route] = [r for r in chat.router.routes if isinstance(r, APIRoute) and r.path == "/api/chat"]
    assert "rate_limited" in route.responses[429]["description"]
