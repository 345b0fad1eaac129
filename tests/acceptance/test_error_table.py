"""Every row of the table of errors under `/api`: status, code, facts, and that nothing has changed.

What is said inside a stream that has begun is elsewhere: a budget that is spent in `test_budget`, a model that is down in
`test_model_failures`. The dialect's own table is in `test_graph_routes` and `test_graph_refusals`.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from sqlalchemy import make_url

from server.ports import Rate
from server.settings import Settings
from server.web.body_limit import MAX_BODY_BYTES
from tests.acceptance.conftest import OpenTwin
from tests.support.graph import JWT, token_of
from tests.support.server import until
from tests.support.till import Clock, Obedient, Till
from tests.support.twin import OWNER_TOKEN, RunningTwin, Visitor, events_in, of_type

TTL = timedelta(hours=1)
SECRET = "what nobody wants to read again"


@dataclass
class Case:
    """A twin in the middle of something: a visitor's thread, its open questions, and what was paid."""

    twin: RunningTwin
    till: Till
    clock: Clock
    model: Obedient
    visitor: Visitor
    asked: list[str] = field(default_factory=list)

    @property
    def thread_id(self) -> str:
        """The visitor's thread."""
        return str(self.visitor.thread_id)

    def snapshot(self) -> Any:
        """All there is of the thread, and what was ever paid; not when somebody last took hold of it to look."""
        store, call = self.twin.services.store, self.twin.call
        thread = call(store.threads.get, self.thread_id)
        return (
            replace(thread, updated_at=thread.created_at),
            call(store.approvals.of_thread, self.thread_id),
            call(store.turns.newest, self.thread_id),
            call(store.log.read, self.thread_id, 0),
            call(store.effects.newest, None),
            dict(self.till.paid),
        )

    def send(self, method: str, path: str, token: str | None = None, **options: Any) -> Any:
        """The bare response."""
        self.twin.client.cookies.clear()
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        headers |= options.pop("headers", {})
        return self.twin.client.request(method, path, headers=headers, **options)

    def say(self, **body: Any) -> Any:
        """The bare response to a message of the visitor's."""
        said = {"message": "Hello", "thread_id": self.thread_id} | body
        return self.send("POST", "/api/chat", self.visitor.token, json=said)

    def decide(self, **body: Any) -> Any:
        """The bare response to a decision of the owner's."""
        return self.twin.decide(self.thread_id, **body)


Sent = Callable[[Case], Any]
Facts = Callable[[Case], dict[str, Any]]


@dataclass(frozen=True)
class Row:
    """One situation. `said` is what the visitor has said before; `facts` must be in the answer, as they are."""

    status: int
    code: str
    send: Sent
    said: str = "Hello"
    facts: Facts = lambda case: {}
    detail: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)


def decided(case: Case) -> Any:
    """Decided once more, the other way round."""
    return case.decide(approved=False, interrupt_id=case.asked[0])


def too_late(case: Case) -> Any:
    """One millisecond after the time is up, while nobody sweeps."""
    case.clock.move(TTL + timedelta(milliseconds=1))
    return case.decide(approved=True)


def of_another_version(case: Case) -> Any:
    """A yes to a question that another version of the twin asked."""
    return case.decide(approved=True, interrupt_id="of-another-version")


def chunks() -> Iterator[bytes]:
    """A body that does not say how long it is."""
    for _ in range(MAX_BODY_BYTES // 10_000 + 1):
        yield b"x" * 10_000


def admin(case: Case, token: str | None) -> Any:
    """A yes, under some token."""
    path = f"/api/admin/approvals/{case.thread_id}"
    return case.send("POST", path, token, json={"approved": True})


def read(case: Case, token: str | None, thread_id: str | None = None) -> Any:
    """The thread, or another one, under some token."""
    return case.send("GET", f"/api/threads/{thread_id or case.thread_id}", token)


EXPIRED = token_of("eve", lives=timedelta(minutes=-5))
ROWS: dict[str, Row] = {
    "body malformed": Row(
        422,
        "invalid_request",
        lambda case: case.say(message=[SECRET]),
        detail=("$.message: ",),
    ),
    "unknown enum value": Row(
        422, "invalid_request", lambda case: case.say(on_busy=SECRET), detail=("$.on_busy: ",)
    ),
    "unknown field": Row(
        422, "invalid_request", lambda case: case.say(secret=SECRET), detail=("$.secret: ",)
    ),
    "body is no JSON": Row(
        422,
        "invalid_request",
        lambda case: case.send(
            "POST", "/api/chat", content=b"{", headers={"Content-Type": "application/json"}
        ),
        detail=("$",),
    ),
    "decision is no object": Row(
        422,
        "invalid_request",
        lambda case: case.send(
            "POST", f"/api/admin/approvals/{case.thread_id}", OWNER_TOKEN, json=[SECRET]
        ),
        said="owners",
        detail=("$: ",),
    ),
    "body too large": Row(
        413,
        "too_large",
        lambda case: case.say(message="x" * MAX_BODY_BYTES),
        facts=lambda case: {"limit": MAX_BODY_BYTES},
    ),
    "body too large, chunked": Row(
        413,
        "too_large",
        lambda case: case.send("POST", "/api/chat", case.visitor.token, content=chunks()),
        facts=lambda case: {"limit": MAX_BODY_BYTES},
    ),
    "over the rate limit": Row(
        429,
        "rate_limited",
        Case.say,
        headers=("Retry-After",),
        settings={"rate_limit": Rate(1, timedelta(minutes=10))},
    ),
    "no credentials": Row(
        401, "unauthenticated", lambda case: read(case, None), headers=("WWW-Authenticate",)
    ),
    "bad credentials": Row(
        401, "unauthenticated", lambda case: read(case, "bad"), headers=("WWW-Authenticate",)
    ),
    "expired credentials": Row(
        401,
        "unauthenticated",
        lambda case: read(case, EXPIRED),
        detail=("expired",),
        headers=("WWW-Authenticate",),
        settings=JWT,
    ),
    "no owner's token": Row(
        401,
        "unauthenticated",
        lambda case: admin(case, None),
        said="owners",
        headers=("WWW-Authenticate",),
    ),
    "a wrong owner's token": Row(
        401,
        "unauthenticated",
        lambda case: admin(case, case.visitor.token),
        said="owners",
        headers=("WWW-Authenticate",),
    ),
    "somebody else's thread": Row(
        403, "forbidden", lambda case: read(case, token_of("eve")), settings=JWT
    ),
    "admin switched off": Row(
        403,
        "admin_disabled",
        lambda case: admin(case, OWNER_TOKEN),
        said="owners",
        settings={"admin_token": None},
    ),
    "nothing pending": Row(404, "no_pending_approval", lambda case: case.decide(approved=True)),
    "a stale interrupt": Row(
        409,
        "stale_interrupt",
        lambda case: case.decide(approved=True, interrupt_id="stale"),
        said="owners",
        facts=lambda case: {"given": "stale", "open": case.asked},
        detail=("stale",),
    ),
    "several open, none named": Row(
        409,
        "ambiguous_interrupt",
        lambda case: case.decide(approved=True),
        said="owners owners",
        facts=lambda case: {"open": case.asked},
    ),
    "already decided": Row(
        409,
        "already_decided",
        decided,
        said="owners decided",
        facts=lambda case: {
            "decided_status": "approved",
            "by": "owner",
            "at": "2026-12-01T12:00:00.000Z",
            "interrupt_id": case.asked[0],
        },
    ),
    "decided after expiry": Row(
        409,
        "expired",
        too_late,
        said="owners",
        facts=lambda case: {
            "expires_at": "2026-12-01T13:00:00.000Z",
            "interrupt_id": case.asked[0],
        },
    ),
    "paused under another version": Row(
        409,
        "orphaned",
        of_another_version,
        said="owners old",
        facts=lambda case: {"why": "the graph has changed since"},
    ),
    "the answer breaks the schema": Row(
        422,
        "invalid_answer",
        lambda case: case.decide(approved="true"),
        said="owners",
        facts=lambda case: {"problems": ["$.approved: expected boolean, got string"]},
        detail=("$.approved: expected boolean, got string",),
    ),
    "an edit breaks the tool's schema": Row(
        422,
        "invalid_answer",
        lambda case: case.decide(approved=True, arguments={"order_id": 7, "amount_cents": 1}),
        said="owners",
        facts=lambda case: {"problems": ["$.arguments.order_id: expected string, got number"]},
    ),
    "a message on a paused thread, refused": Row(
        422,
        "thread_paused",
        Case.say,
        said="owners",
        facts=lambda case: {"interrupt_id": case.asked[0], "node": "request_approval"},
        settings={"when_paused": "refuse"},
    ),
    "thread busy past the wait": Row(
        409, "thread_busy", Case.say, said="busy", settings={"busy_wait_s": 0.0}
    ),
    "thread busy, on_busy reject": Row(
        409, "thread_busy", lambda case: case.say(on_busy="reject"), said="busy"
    ),
}


@contextmanager
def prepared(open_twin: OpenTwin, row: Row) -> Iterator[Case]:
    """The situation the row begins in."""
    till, clock, model = Till(), Clock(), Obedient()
    settings = {"approval_ttl": TTL, "lease_s": 3600.0} | row.settings
    twin = open_twin(model.model(), tools=till.tools(), clock=clock, **settings)
    case = Case(twin, till, clock, model, twin.visitor())
    opened = of_type(case.visitor.say(row.said), "interrupt")
    case.asked = [event["interrupt_id"] for event in opened]
    if "decided" in row.said:
        assert case.decide(approved=True).status_code == 200
    if "old" in row.said:
        twin.call(ask_as_another_version, case)
    if "busy" not in row.said:
        yield case
        return
    gate = model.hold()
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(case.say, message="slowly")
        gate.wait_reached()
        yield case
        gate.open()
        assert of_type(events_in(running.result().text), "meta")[0]["outcome"] == "answered"


async def ask_as_another_version(case: Case) -> None:
    """A second question on the thread, as a process of an older version left it."""
    services = case.twin.services
    lease = await services.store.threads.take_for_recovery(case.thread_id, services.holder)
    assert lease is not None
    [asked] = await services.store.approvals.of_thread(case.thread_id)
    old = replace(asked, interrupt_id="of-another-version", graph_version="0")
    async with services.store.units.hold(lease) as held:
        await held.open_approvals([old])
        await held.release("interrupted")


@pytest.mark.parametrize("name", ROWS)
def test_a_refusal_says_why_and_changes_nothing(open_twin: OpenTwin, name: str) -> None:
    """Status, code, facts and headers of the row, as `application/problem+json`, with no word of the body in it."""
    row = ROWS[name]
    with prepared(open_twin, row) as case:
        before = case.snapshot()

        answer = row.send(case)

        assert case.snapshot() == before
        told = answer.json()
        assert (answer.status_code, told["code"]) == (row.status, row.code), answer.text
        assert answer.headers["content-type"] == "application/problem+json"
        assert {"type", "title", "status", "detail", "code", "error"} <= set(told)
        assert told["status"] == row.status
        assert told["error"] == told["detail"]
        facts = row.facts(case)
        assert {fact: told.get(fact) for fact in facts} == facts
        assert all(part in told["detail"] for part in row.detail), told["detail"]
        assert all(answer.headers[header] for header in row.headers)
        assert SECRET not in answer.text


def test_somebody_elses_thread_looks_like_none(open_twin: OpenTwin) -> None:
    """The refusal is the same, byte for byte, whether or not the thread exists."""
    with prepared(open_twin, ROWS["somebody else's thread"]) as case:
        theirs = read(case, token_of("eve"))
        nobodys = read(case, token_of("eve"), "never-opened")

    assert theirs.status_code == nobodys.status_code == 403
    assert theirs.content == nobodys.content


def test_a_late_no_is_recorded_and_a_late_yes_never(open_twin: OpenTwin) -> None:
    """After the expiry the yes is refused, the no settles the question, and nothing was ever paid."""
    with prepared(open_twin, ROWS["decided after expiry"]) as case:
        assert too_late(case).status_code == 409

        late_no = case.decide(approved=False, note="Too late anyway.")

        assert (late_no.status_code, late_no.json()["status"]) == (200, "rejected")
        assert case.twin.pending() == []
        assert case.till.paid == {}


@contextmanager
def away(url: str) -> Iterator[None]:
    """The database cuts every connection and takes no new one."""
    name = make_url(url).database
    elsewhere = make_url(url).set(database="postgres").render_as_string(hide_password=False)
    with psycopg.connect(elsewhere, autocommit=True) as connection:
        connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name]
        )
        yield
        connection.execute(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
    until(
        "it takes connections again", lambda: _answers(url)
    )  # PgBouncer goes on refusing for a while


def _answers(url: str) -> bool:
    try:
        with psycopg.connect(url, prepare_threshold=None) as connection:
            return connection.execute("SELECT 1").fetchone() == (1,)
    except psycopg.OperationalError:
        return False


@pytest.mark.parametrize("said", ["Hello", "owners"])
def test_a_database_that_is_down_is_a_503(
    open_twin: OpenTwin, settings: Settings, said: str
) -> None:
    """`unavailable` with `Retry-After`; not ready, but alive; afterwards all is as it was, and a yes is carried out once."""
    if settings.database_url is None:
        pytest.skip("memory can't be down")
    with prepared(open_twin, Row(503, "unavailable", Case.say, said=said)) as case:
        before = case.snapshot()
        with away(settings.database_url.get_secret_value()):
            refused = [case.say(), case.decide(approved=True), read(case, case.visitor.token)]
            ready, alive = (case.send("GET", path) for path in ("/readyz", "/healthz"))

        for answer in refused:
            assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
            assert answer.headers["Retry-After"]
            assert answer.headers["content-type"] == "application/problem+json"
        assert (ready.status_code, alive.status_code) == (503, 200)
        assert case.snapshot() == before
        assert case.say().status_code == 200
        if case.asked:
            assert case.decide(approved=True).status_code == 200
        assert len(case.till.paid.get(case.thread_id, [])) == len(case.asked)
