"""Whatever is sent to the decide route, by whomever, whenever: money moves for an explicit, valid yes and for nothing else."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from tests.support.till import ORDER, Clock, Obedient, Till, in_memory, ledger
from tests.support.twin import OWNER_TOKEN, RunningTwin, Visitor, running_twin

TTL = timedelta(hours=1)


@dataclass
class Shop:
    """A running twin, what was paid in it, its clock, and somebody else whose request waits all the time."""

    twin: RunningTwin
    till: Till
    clock: Clock
    other: Visitor

    def open(self, visitor: Visitor) -> list[str]:
        """What is open on a visitor's thread."""
        return [card["interrupt_id"] for card in visitor.get().json()["approvals"]]

    def paused(self, questions: int, settled_before: bool) -> tuple[Visitor, dict[str, str]]:
        """Somebody new whose requests wait, and the ids that are not of these."""
        visitor = self.twin.visitor()
        ids = {"$unknown": "0" * 32, "$foreign": self.open(self.other)[0], "$settled": "settled"}
        if settled_before:
            visitor.say("owners")
            [ids["$settled"]] = self.open(visitor)
            assert self.twin.decide(str(visitor.thread_id), approved=False).status_code == 200
        visitor.say("owners " * questions)
        return visitor, ids

    def send(self, thread_id: str, body: Any, who: str, visitor: Visitor) -> Any:
        """The response to somebody's decision. JSON may hold what Python's own writer of it lets through."""
        tokens = {"owner": OWNER_TOKEN, "wrong": OWNER_TOKEN + "x"}
        tokens |= {"visitor": str(visitor.token), "other": str(self.other.token)}
        token = {"Authorization": f"Bearer {tokens[who]}"} if who in tokens else {}
        return self.twin.client.post(
            f"/api/admin/approvals/{thread_id}",
            content=json.dumps(body),
            headers={"Content-Type": "application/json"} | token,
        )


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    """One for all examples; each has a thread of its own."""
    till, clock = Till(), Clock()
    chosen = in_memory(tmp_path_factory.mktemp("shop"), approval_ttl=TTL)
    with running_twin(chosen, Obedient().model(), till.tools(), clock) as twin:
        other = twin.visitor()
        other.say("owners")
        yield Shop(twin, till, clock, other)


# --- what is sent -----------------------------------------------------------------------------------

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(min_value=10**18, max_value=10**40),
    st.floats(),
    st.text(max_size=8),
)
anything = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["approved", "resume", "x"]) | st.text(max_size=4), inner, max_size=3
        )
    ),
    max_leaves=6,
)
almost_yes = st.sampled_from(
    [
        None,
        {},
        "",
        0,
        1,
        1.0,
        "true",
        "True",
        "yes",
        [],
        [True],
        {"approved": True},
        10**30,
        "\ud800",
    ]
)
approved = st.sampled_from([True, True, True, False]) | st.just(True) | almost_yes | anything
notes = (
    st.just("Fine.")
    | st.text(max_size=20)
    | st.sampled_from(["x" * 500, "x" * 501, None, 7, "\ud800"])
    | anything
)
prices = st.integers(-1, 100_001) | st.sampled_from([1.0, 1.5, True, "5", None, 10**30])
arguments = (
    st.just(ORDER)
    | st.just(ORDER | {"amount_cents": 1})
    | st.fixed_dictionaries(
        {"order_id": st.text(max_size=42) | scalars, "amount_cents": prices},
        optional={"name": st.just("look"), "tool": st.just("look")},
    )
    | anything
)
answers = st.fixed_dictionaries(
    {"approved": approved}, optional={"note": notes, "arguments": arguments}
)
odd_answers = st.fixed_dictionaries(
    {},
    optional={
        "approved": approved,
        "note": notes,
        "digest": st.text(max_size=4),
        "status": st.just("approved"),
        "tool": st.just("look"),
    },
)
NAMES = [*["none"] * 4, "null", *["open"] * 4, "settled", "foreign", "unknown", "odd"]


@st.composite
def bodies(draw: st.DrawFn) -> Any:
    """A body. `$open` and the like in it stand for ids that are only known later."""
    answer = draw(st.just({"approved": True}) | answers | answers | odd_answers | anything)
    how = draw(st.sampled_from(["plain"] * 5 + ["resume"] * 3 + ["both", "bare"]))
    if how == "bare":
        return answer
    if how == "plain":
        body = dict(answer) if isinstance(answer, dict) else {"approved": answer}
        body.pop("resume", None)
    else:
        body = {"resume": answer} | ({"approved": True} if how == "both" else {})
    name = draw(st.sampled_from(NAMES))
    if name != "none":
        body["interrupt_id"] = {"null": None, "odd": draw(scalars)}.get(name, f"${name}")
    return body


def named(body: Any, ids: dict[str, str]) -> Any:
    """The body with the id it names."""
    if isinstance(body, dict) and isinstance(given := body.get("interrupt_id"), str):
        return body | {"interrupt_id": ids.get(given, given)}
    return body


# --- what a yes is, said once more and independently --------------------------------------------------


def is_text(value: Any, shortest: int, longest: int) -> bool:
    """Characters only: half a surrogate pair is none."""
    if not isinstance(value, str) or not shortest <= len(value) <= longest:
        return False
    return not any("\ud800" <= character <= "\udfff" for character in value)


def fits(value: Any) -> bool:
    """Whether these are arguments of the tool. JSON has one kind of number: 1.0 is an integer."""
    if not isinstance(value, dict) or set(value) != set(ORDER):
        return False
    price = value["amount_cents"]
    number = isinstance(price, int | float) and not isinstance(price, bool)
    return (
        is_text(value["order_id"], 1, 40)
        and number
        and 1 <= price <= 100_000
        and price == int(price)
    )


def answer_in(body: Any) -> Any:
    """The answer a body holds; "no answer" when it holds none that can be read."""
    if not isinstance(body, dict):
        return "no answer"
    rest = {name: value for name, value in body.items() if name != "interrupt_id"}
    if "resume" in rest:
        return rest["resume"] if len(rest) == 1 else "no answer"
    return rest


def is_answer(answer: Any) -> bool:
    """Whether it fits the schema of the question."""
    return (
        isinstance(answer, dict)
        and {"approved"} <= set(answer) <= {"approved", "note", "arguments"}
        and isinstance(answer["approved"], bool)
        and is_text(answer.get("note", ""), 0, 500)
        and isinstance(answer.get("arguments", {}), dict)
    )


def is_yes(answer: Any) -> bool:
    """An explicit one, to arguments the tool takes."""
    return is_answer(answer) and answer["approved"] is True and fits(answer.get("arguments", ORDER))


def is_no(answer: Any) -> bool:
    """An explicit one."""
    return is_answer(answer) and answer["approved"] is False


def chosen(body: Any, open_ids: list[str]) -> str | None:
    """The open question that is meant, if exactly one is."""
    given = body.get("interrupt_id") if isinstance(body, dict) else None
    if given is None:
        return open_ids[0] if len(open_ids) == 1 else None
    return given if isinstance(given, str) and given in open_ids else None


# --- the property -------------------------------------------------------------------------------------


@pytest.mark.timeout(300)
@settings(
    max_examples=200,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(
    body=bodies(),
    who=st.sampled_from(["owner"] * 12 + ["nobody", "wrong", "visitor", "other"]),
    late=st.sampled_from([False] * 7 + [True]),
    questions=st.sampled_from([1, 1, 1, 2]),
    settled_before=st.sampled_from([False, False, True]),
)
def test_only_an_explicit_valid_yes_moves_money(
    shop: Shop, body: Any, who: str, late: bool, questions: int, settled_before: bool
) -> None:
    """Paid once for a boolean true that fits, to the one open question it means, in time, by the owner; else never."""
    visitor, ids = shop.paused(questions, settled_before)
    thread_id, open_ids = str(visitor.thread_id), shop.open(visitor)
    sent = named(body, ids | {"$open": open_ids[-1]})
    if late:
        shop.clock.move(TTL)

    # The same once more: what was done is done, and what was not is still not.
    first, again = (shop.send(thread_id, sent, who, visitor) for _ in range(2))

    meant, answer = chosen(sent, open_ids), answer_in(sent)
    counts = who == "owner" and meant is not None
    yes = counts and not late and is_yes(answer)
    no = counts and (answer is None or is_no(answer))
    event("yes" if yes else "no" if no else f"refused: {first.status_code}")
    assert (first.status_code == 200) is (yes or no), (sent, first.text)
    assert first.status_code in (200, 401, 404, 409, 422)
    assert again.status_code != 200
    assert shop.open(visitor) == [known for known in open_ids if not (yes or no) or known != meant]
    for rest in shop.open(visitor):
        # A run goes on when its last question is answered; the others must not move anything.
        shop.twin.decide(thread_id, approved=False, interrupt_id=rest)
    paid = [("owners", answer.get("arguments", ORDER))] if yes else []
    assert shop.till.paid.get(thread_id, []) == paid
    assert [effect.status for effect in ledger(shop.twin, thread_id)] == ["done"] * len(paid)
    assert shop.till.paid.get(str(shop.other.thread_id), []) == []
    shop.twin.client.delete(f"/api/threads/{thread_id}", headers=visitor.headers)
