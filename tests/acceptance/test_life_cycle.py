"""The life of an approval, as a model of a page and a half, against the server: whatever the order of what people do, they agree."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from server.runs.expire import expire
from tests.support.till import ORDER, Clock, Obedient, Till, in_memory, ledger
from tests.support.twin import OWNER_TOKEN, RunningTwin, Visitor, events_in, of_type, running_twin

TTL = timedelta(hours=1)
EDITED = ORDER | {"amount_cents": 100}
MISFIT = ORDER | {"amount_cents": -1}
MALFORMED = (
    {},
    {"approved": "true"},
    {"approved": 1},
    {"approved": None},
    {"approved": True, "x": 1},
)


# --- the model: what the contract says, without the server --------------------------------------------


@dataclass
class Question:
    """One question. `paid_for` is what may be executed once the pause is over."""

    id: str
    tool: str
    expires_at: datetime
    status: str = "pending"
    paid_for: dict[str, Any] | None = None


@dataclass
class Thread:
    """A thread: the questions of all its pauses, and what was paid."""

    questions: list[Question] = field(default_factory=list)
    pause: list[Question] = field(default_factory=list)
    paid: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def open(self) -> list[Question]:
        """What waits."""
        return [question for question in self.questions if question.status == "pending"]

    def ask(self, questions: list[Question]) -> None:
        """A pause begins."""
        self.pause = questions
        self.questions += questions

    def settle(self, asked: Question, status: str, paid_for: dict[str, Any] | None = None) -> None:
        """With the last question of a pause, what was approved is executed, in the order of the calls."""
        asked.status, asked.paid_for = status, paid_for
        if not self.open():
            self.paid += [(q.tool, q.paid_for) for q in self.pause if q.paid_for is not None]


def is_malformed(answer: Any) -> bool:
    """Whether it fits no question. In Python `True == 1`; in an answer it does not."""
    if answer is None:
        return False
    return not isinstance(answer.get("approved"), bool) or "x" in answer


def by_the_owner(thread: Thread, named: str | None, answer: Any, now: datetime) -> tuple[int, str]:
    """Status, and code or what became of the question, of a decision at `/api/admin`. Settles it in the model."""
    if is_malformed(answer):
        return 422, "invalid_answer"
    waiting = thread.open()
    asked = next((q for q in thread.questions if q.id == named), None)
    if asked is None and not waiting:
        return 404, "no_pending_approval"
    if asked is None and named is not None:
        return 409, "stale_interrupt"
    if asked is None and len(waiting) > 1:
        return 409, "ambiguous_interrupt"
    asked = asked or waiting[0]
    if asked.status != "pending":
        return 409, "expired" if asked.status == "expired" else "already_decided"
    return _judge(thread, asked, answer, now)


def in_the_dialect(
    thread: Thread, named: str | None, answer: Any, now: datetime, *, owner: bool
) -> tuple[int, str]:
    """The same for a resume at `/v1/graph/invoke`, by whoever opened the thread or by the owner."""
    waiting = thread.open()
    if not waiting:
        return 409, "not_paused"
    if named is None and len(waiting) > 1:
        return 409, "ambiguous_interrupt"
    asked = next((q for q in waiting if named in (None, q.id)), None)
    if asked is None:
        return 409, "stale_interrupt"
    if not owner and asked.tool != "visitors":
        return 403, "forbidden"
    if is_malformed(answer):
        return 422, "invalid_answer"
    return _judge(thread, asked, answer, now)


def _judge(thread: Thread, asked: Question, answer: Any, now: datetime) -> tuple[int, str]:
    if answer is None:
        thread.settle(asked, "cancelled")
    elif not answer["approved"]:
        thread.settle(asked, "rejected")
    elif answer.get("arguments") == MISFIT:
        return 422, "invalid_answer"
    elif now >= asked.expires_at:
        return 409, "expired"
    else:
        thread.settle(asked, "approved", answer.get("arguments", ORDER))
    return 200, asked.status


def taken_back(thread: Thread, named: str | None) -> tuple[int, str]:
    """Of a withdrawal by whoever opened the thread."""
    asked = next((q for q in thread.questions if q.id == named), None)
    if asked is None:
        return 404, "not_found"
    if asked.status != "pending":
        return 409, "expired" if asked.status == "expired" else "already_decided"
    thread.settle(asked, "withdrawn")
    return 200, "withdrawn"


# --- the server ---------------------------------------------------------------------------------------


@dataclass
class World:
    """One application for all that is tried."""

    twin: RunningTwin
    till: Till
    clock: Clock
    model: Obedient


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """In memory, with a clock that is set by hand."""
    till, clock, model = Till(), Clock(), Obedient()
    with running_twin(
        in_memory(tmp_path, approval_ttl=TTL), model.model(), till.tools(), clock
    ) as twin:
        yield World(twin, till, clock, model)


people = st.sampled_from([0, 0, 0, 0, 1])
"""Visitors by number; each has one thread."""
places = st.sampled_from([0, 0, 0, 0, 0, 1, 1, 2])
"""Which of the questions there ever were on the thread, from the newest; or one of nobody's."""
answers = st.sampled_from(
    [
        *[{"approved": True}, {"approved": True, "note": "Fine."}] * 4,
        *[{"approved": True, "arguments": EDITED}] * 3,
        *[{"approved": False}, {"approved": False, "note": "No."}, None] * 2,
        {"approved": True, "arguments": MISFIT},
        *MALFORMED,
    ]
)
named = st.sampled_from([*["one"] * 8, "none", "none", "foreign", "unknown"])
calls = st.sampled_from(
    ["owners", "visitors", "owners visitors", "look owners owners", "visitors look", "look"]
).map(str.split)
first = st.sampled_from([calls, calls, calls, st.none()]).flatmap(lambda chosen: chosen)
"""What is asked for first, when nothing waits: what can be answered must not hang on which rules a try has."""
minutes = st.sampled_from([*[0] * 8, 1, 59, 60, 61])
"""How long that takes. Nobody sweeps meanwhile."""


asked = {"first": first, "minutes": minutes, "who": people}
meant = {"named": named, "place": places, "answer": answers}
steps = st.one_of(
    *[st.tuples(st.just("decide"), st.fixed_dictionaries(asked | meant))] * 4,
    *[st.tuples(st.just("resume"), st.fixed_dictionaries(asked | meant | {"owner": st.booleans()}))]
    * 3,
    st.tuples(
        st.just("withdraw"), st.fixed_dictionaries(asked | {"named": named, "place": places})
    ),
    st.tuples(st.just("sweep"), st.fixed_dictionaries(asked)),
    st.tuples(
        st.just("answer_for_somebody_else"),
        st.fixed_dictionaries({"first": first, "who": people, "place": places, "answer": answers}),
    ),
    st.tuples(st.just("ask"), st.fixed_dictionaries({"who": people, "tools": calls})),
    st.tuples(
        st.just("say_what_changes_nothing"),
        st.fixed_dictionaries(
            {
                "who": people,
                "said": st.sampled_from(["approved", "yes", '{"approved": true}', "owners"]),
            }
        ),
    ),
    st.tuples(st.just("stop_in_the_middle"), st.fixed_dictionaries({"who": people})),
)
"""What may happen next. One rule for all: Hypothesis switches rules off at random, and most tries would never see a decision."""


class LifeCycle(RuleBasedStateMachine):
    """Two visitors and an owner, on two threads."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self.world = world
        self.visitors: list[Visitor] = []
        self.threads: list[Thread] = []
        self.seen: list[int] = []

    @initialize()
    def come_in(self) -> None:
        """Both say hello, so that there are threads."""
        for _ in range(2):
            self.visitors.append(self.world.twin.visitor())
            self.threads.append(Thread())
            self.visitors[-1].say("Hello")

    def teardown(self) -> None:
        """Leaves no thread that slows the next example down."""
        for visitor in self.visitors:
            assert self.request("DELETE", self.path(visitor), visitor.token).status_code == 204

    @rule(step=steps)
    def happens(self, step: tuple[str, dict[str, Any]]) -> None:
        """One step."""
        name, how = step
        getattr(self, name)(**how)

    # What people say

    def ask(self, who: int, tools: list[str]) -> None:
        """Gated calls pause an idle thread; beside a pause no further question is asked."""
        thread, visitor = self.threads[who], self.visitors[who]
        gated = [name for name in tools if name != "look"]
        waited = bool(thread.open())

        events = visitor.say(" ".join(tools))

        opened = of_type(events, "interrupt")
        assert [e["tool"] for e in opened] == ([] if waited else gated)
        if opened:
            now = self.world.clock.now
            thread.ask([Question(e["interrupt_id"], e["tool"], now + TTL) for e in opened])
        outcome = "pending_approval" if opened else "answered"
        assert of_type(events, "meta")[0]["outcome"] == outcome

    def say_what_changes_nothing(self, who: int, said: str) -> None:
        """No word of anybody's is an answer, and a pause is no run that could be stopped."""
        token, body = self.visitors[who].token, {"thread_id": self.name(who)}
        if said != "owners":
            events = self.visitors[who].say(said)
            assert of_type(events, "meta")[0]["outcome"] == "answered"
            body |= {"messages": [{"role": "user", "content": said}]}
            here = self.request("POST", "/v1/graph/invoke", token, body)
            assert here.status_code == (422 if self.threads[who].open() else 200), here.text
        for other in (self.visitors[1 - who].token, OWNER_TOKEN):
            said_there = {"message": said, "thread_id": self.name(who)}
            assert self.request("POST", "/api/chat", other, said_there).status_code == 403
        stopped = self.request("POST", f"{self.path(self.visitors[who])}/cancel", token)
        assert stopped.json() == {"running": False}

    def stop_in_the_middle(self, who: int) -> None:
        """A run that is cancelled ends; a pause beside it stays."""
        gate = self.world.model.hold()
        token, path = self.visitors[who].token, self.path(self.visitors[who])
        with ThreadPoolExecutor(1) as pool:
            body = {"message": "slowly", "thread_id": self.name(who)}
            answer = pool.submit(self.request, "POST", "/api/chat", token, body)
            gate.wait_reached()
            stopped = self.request("POST", f"{path}/cancel", token)
            events = events_in(answer.result().text)
        assert stopped.json() == {"running": True}
        assert of_type(events, "meta")[0]["outcome"] == "cancelled"

    # What becomes of a question

    def decide(
        self, first: list[str] | None, minutes: int, who: int, named: str, place: int, answer: Any
    ) -> None:
        """The owner, at `/api/admin`."""
        self.prepare(who, first, minutes)
        interrupt_id = self.interrupt(who, named, place)
        body = {"resume": None} if answer is None else dict(answer)
        body |= {} if interrupt_id is None else {"interrupt_id": interrupt_id}

        given = self.request("POST", f"/api/admin/approvals/{self.name(who)}", OWNER_TOKEN, body)

        expected = by_the_owner(self.threads[who], interrupt_id, answer, self.world.clock.now)
        told = given.json()
        assert (given.status_code, told.get("code", told["status"])) == expected
        if given.status_code == 200:
            waiting = [question.id for question in self.threads[who].open()]
            assert told["remaining"] == waiting
            assert told["answer"] == ("" if waiting else "Done.")

    def resume(
        self,
        first: list[str] | None,
        minutes: int,
        who: int,
        owner: bool,
        named: str,
        place: int,
        answer: Any,
    ) -> None:
        """Whoever opened the thread, or the owner, in the dialect."""
        self.prepare(who, first, minutes)
        interrupt_id = self.interrupt(who, named, place)
        body = {"resume": answer, "thread_id": self.name(who)}
        body |= {} if interrupt_id is None else {"interrupt_id": interrupt_id}
        token = OWNER_TOKEN if owner else self.visitors[who].token

        given = self.request("POST", "/v1/graph/invoke", token, body)

        thread = self.threads[who]
        status, code = in_the_dialect(
            thread, interrupt_id, answer, self.world.clock.now, owner=owner
        )
        assert given.status_code == status, (given.text, code)
        if status != 200:
            assert given.json()["error"]["code"].lower() == code

    def answer_for_somebody_else(
        self, first: list[str] | None, who: int, place: int, answer: Any
    ) -> None:
        """Another visitor gets 403 everywhere, whatever the answer is like."""
        self.prepare(who, first, 0)
        stranger = self.visitors[1 - who].token
        interrupt_id = self.interrupt(who, "one", place)
        path = f"{self.path(self.visitors[who])}/approvals/{interrupt_id}/withdraw"
        body = {"resume": answer, "thread_id": self.name(who)}
        admin = self.request(
            "POST", f"/api/admin/approvals/{self.name(who)}", stranger, {"approved": True}
        )
        assert self.request("POST", "/v1/graph/invoke", stranger, body).status_code == 403
        assert self.request("POST", path, stranger).status_code == 403
        assert self.request("POST", path, OWNER_TOKEN).status_code == 403
        assert admin.status_code == 401

    def withdraw(
        self, first: list[str] | None, minutes: int, who: int, named: str, place: int
    ) -> None:
        """The visitor takes a request back, after its time too."""
        self.prepare(who, first, minutes)
        interrupt_id = self.interrupt(who, named, place) or "0"
        path = f"{self.path(self.visitors[who])}/approvals/{interrupt_id}/withdraw"

        given = self.request("POST", path, self.visitors[who].token)

        told = given.json()
        expected = taken_back(self.threads[who], interrupt_id)
        assert (given.status_code, told.get("code", told["status"])) == expected
        self.wait_for_the_run(who)

    # Time

    def sweep(self, first: list[str] | None, minutes: int, who: int) -> None:
        """What is past its time lapses; what is not, does not."""
        self.prepare(who, first, minutes)
        while self.world.twin.call(expire, self.world.twin.services):
            pass
        for who, thread in enumerate(self.threads):
            for asked in thread.open():
                if asked.expires_at <= self.world.clock.now:
                    thread.settle(asked, "expired")
            self.wait_for_the_run(who)

    # What must be true at any time

    @invariant()
    def they_agree(self) -> None:
        """On what is open, on what every question became, on the thread, and on the money."""
        queue = (
            {card["interrupt_id"] for card in self.world.twin.pending()} if self.threads else set()
        )
        for who, (thread, visitor) in enumerate(zip(self.threads, self.visitors, strict=True)):
            view = visitor.get().json()
            waiting = [question.id for question in thread.open()]
            assert [asked["interrupt_id"] for asked in view["approvals"]] == waiting
            assert view["status"] == ("interrupted" if waiting else "idle")
            assert queue >= set(waiting)
            queue -= set(waiting)
            store = self.world.twin.services.store
            known = self.world.twin.call(store.approvals.of_thread, self.name(who))
            assert {a.interrupt_id: a.status for a in known} == {
                question.id: question.status for question in thread.questions
            }
            assert self.world.till.paid.get(self.name(who), []) == thread.paid
            assert [e.status for e in ledger(self.world.twin, self.name(who))] == ["done"] * len(
                thread.paid
            )
        assert queue == set(), "the owner's queue holds these threads' questions and no others"

    # Small things

    def prepare(self, who: int, first: list[str] | None, minutes: int) -> None:
        """Something may be asked for, if nothing waits, and time may pass."""
        if first and not self.threads[who].open():
            self.ask(who, first)
        self.world.clock.move(timedelta(minutes=minutes))

    def name(self, who: int) -> str:
        """The id of their thread."""
        return str(self.visitors[who].thread_id)

    def path(self, visitor: Visitor) -> str:
        """Where their thread is."""
        return f"/api/threads/{visitor.thread_id}"

    def interrupt(self, who: int, named: str, place: int) -> str | None:
        """The id that is meant."""
        mine, others = self.threads[who].questions, self.threads[1 - who].questions
        found = {"one": mine, "foreign": others}.get(named, [])
        if named == "none":
            return None
        return found[-1 - place].id if place < len(found) else "0" * 32

    def request(self, method: str, path: str, token: str | None, body: Any = None) -> Any:
        """The bare response."""
        self.world.twin.client.cookies.clear()
        headers = {"Authorization": f"Bearer {token}"}
        return self.world.twin.client.request(method, path, json=body, headers=headers)

    def wait_for_the_run(self, who: int) -> None:
        """Returns when no run is active."""
        self.visitors[who].log()


@pytest.mark.timeout(300)
def test_the_life_of_an_approval(world: World) -> None:
    """Any order of what two visitors, an owner and the clock can do."""
    run_state_machine_as_test(
        lambda: LifeCycle(world),
        settings=settings(
            max_examples=20,
            stateful_step_count=25,
            derandomize=True,
            deadline=None,
            database=None,
            phases=[Phase.generate],  # the steps can be read; making them fewer takes minutes
            suppress_health_check=list(HealthCheck),
        ),
    )
