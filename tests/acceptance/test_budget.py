"""What may be spent: reserved before each model call, settled after it, told in words when it is used up."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from server.adapters.models.scripted import Gate, Scripted, call
from server.domain.conversation import Lease, Usage
from server.domain.errors import ConfigurationError, ModelFailed, ModelUnavailable, Unavailable
from server.domain.principals import Principal
from server.ports import Budget, Finished, Reservation, Units, Writes
from server.runs.active import RunResult
from server.runs.start import start
from server.settings import Settings
from tests.acceptance.conftest import OpenTwin
from tests.fakes.chat_backend import DONE, ChatBackend, Reply, delta, says
from tests.support.twin import Event, RunningTwin, of_type, running_twin, text_of

DRAFT = {"subject": "s", "message": "m", "sender_contact": "a@b.org"}
CENT_A_CALL = {
    "model_price_input": Decimal(0),
    "model_price_output": Decimal(100),
    "model_max_output_tokens": 100,
}
"""The dearest call costs one cent, whatever is asked."""
HALF_A_CENT = Finished(Usage(1000, 50, 0))


@pytest.fixture
def open_paid(open_twin: OpenTwin) -> OpenTwin:
    """A twin whose calls cost at most one cent each; `budget` is in dollars."""

    def start(*answers: Any, budget: str, then: Any = None, **changes: Any) -> RunningTwin:
        model = Scripted(*answers, then=then)
        settings = {**CENT_A_CALL, "daily_budget_usd": Decimal(budget), **changes}
        twin = open_twin(model, **settings)
        twin.model = model  # type: ignore[attr-defined]
        return twin

    return start  # type: ignore[return-value]


def requests(twin: RunningTwin) -> int:
    """How often the model was asked."""
    return len(twin.model.requests)  # type: ignore[attr-defined]


def runs(twin: RunningTwin) -> list[dict[str, Any]]:
    """The owner's turn log, oldest first."""
    answer = twin.owner("GET", "/runs")
    assert answer.status_code == 200, answer.text
    rows: list[dict[str, Any]] = answer.json()["runs"]
    return rows[::-1]


def ended(events: list[Event]) -> tuple[str, list[str]]:
    """Outcome and flags."""
    [meta], [trace] = of_type(events, "meta"), of_type(events, "trace")
    return meta["outcome"], trace["flags"]


# --- the cap ------------------------------------------------------------------------------------


def test_calls_are_made_as_long_as_the_dearest_one_fits(open_paid: OpenTwin) -> None:
    """Each costs half a cent of the one that is held back: of two and a half cents four calls can be made, to the cent."""
    twin = open_paid(budget="0.025", then=["Hello.", HALF_A_CENT])

    outcomes = [ended(twin.visitor().say("Hi there"))[0] for _ in range(6)]

    assert outcomes == ["answered"] * 4 + ["refused"] * 2
    assert requests(twin) == 4
    assert [row["cost_usd"] for row in runs(twin)] == [0.005] * 4 + [0.0] * 2


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ("Who was Ada Lovelace?", "I have answered as much as I can for today."),
        ("Wie was Ada Lovelace en waar is ze geboren?", "Voor vandaag heb ik zoveel beantwoord"),
    ],
)
def test_a_turn_that_can_not_be_paid_is_refused_in_words(
    open_paid: OpenTwin, message: str, text: str
) -> None:
    """200 and a whole stream, in the visitor's language; no model call, no cost, and a row that says so."""
    twin = open_paid(budget="0.009", then="Never said.")
    visitor = twin.visitor()

    events = visitor.say(message)

    assert ended(events) == ("refused", ["input:budget"])
    assert [e["type"] for e in events] == ["thread", "text", "meta", "trace", "done"]
    assert text_of(events).startswith(text)
    assert requests(twin) == 0
    [row] = runs(twin)
    assert (row["status"], row["model"], row["cost_usd"]) == ("success", None, 0.0)
    assert row["flags"] == ["input:budget"]
    assert visitor.get().json()["status"] == "idle"


def test_a_budget_of_zero_is_none(open_paid: OpenTwin) -> None:
    """Costs are still counted."""
    twin = open_paid(budget="0", then=["Hello.", HALF_A_CENT])

    assert ended(twin.visitor().say("Hi there"))[0] == "answered"
    assert runs(twin)[0]["cost_usd"] == 0.005


def test_the_day_is_the_owners(open_paid: OpenTwin) -> None:
    """By the clock that is given, in the zone that is set: spent at five to midnight in Amsterdam, there again at midnight."""
    now = [datetime(2026, 12, 1, 22, 55, tzinfo=UTC)]
    twin = open_paid(
        budget="0.01",
        then="Hello.",
        clock=lambda: now[0],
        budget_timezone=ZoneInfo("Europe/Amsterdam"),
        lease_s=3600.0,
    )

    def outcome() -> str:
        return ended(twin.visitor().say("Hi there"))[0]

    assert [outcome(), outcome()] == ["answered", "refused"]
    now[0] += timedelta(minutes=4, seconds=59)
    assert outcome() == "refused"
    now[0] += timedelta(seconds=1)
    assert [outcome(), outcome()] == ["answered", "refused"]


# --- in the middle of a turn --------------------------------------------------------------------


def test_after_a_tool_round_the_visitor_is_told(open_paid: OpenTwin) -> None:
    """The tool has run; the answer to it can't be paid. The next day's history is valid."""
    twin = open_paid(call("get_availability"), budget="0.015", then="Never said.")
    visitor = twin.visitor()

    events = visitor.say("When are you there?")

    assert ended(events) == ("refused", ["generate:budget", "generate:usage_missing"])
    assert text_of(events) == "More than this I can't say today. Please come back tomorrow."
    assert [e["status"] for e in of_type(events, "tool")] == ["started", "done"]
    assert requests(twin) == 1
    roles = [m["role"] for m in twin.state(str(visitor.thread_id))["messages"]]
    assert roles == ["user", "assistant", "tool", "assistant"]
    assert runs(twin)[0]["cost_usd"] == 0.01


@pytest.mark.parametrize(
    ("approved", "told", "recorded"),
    [
        (True, "Your request was approved and has been carried out.", 1),
        (False, "Your request was not approved and has not been carried out.", 0),
    ],
)
def test_a_decision_stands_and_is_told_without_the_model(
    open_paid: OpenTwin, approved: bool, told: str, recorded: int
) -> None:
    """What became of the request is said in words of the product's own; nothing is tried again."""
    twin = open_paid(call("draft_contact_message", **DRAFT), budget="0.01", then="Never said.")
    visitor = twin.visitor()
    visitor.say("Pass it on.")

    answer = twin.decide(str(visitor.thread_id), approved=approved)

    assert answer.status_code == 200
    assert answer.json()["answer"] == (
        f"{told} More than this I can't say today. Please come back tomorrow."
    )
    assert ended(visitor.log()[-5:]) == ("answered", ["generate:budget"])
    assert requests(twin) == 1
    messages = twin.owner("GET", "/contact-messages").json()["contact_messages"]
    assert len(messages) == recorded
    paused, resumed = runs(twin)
    assert (paused["outcome"], paused["cost_usd"]) == ("pending_approval", 0.01)
    assert (resumed["outcome"], resumed["cost_usd"], resumed["model"]) == ("answered", 0.0, None)
    assert visitor.get().json()["status"] == "idle"


def test_requests_that_ended_differently_are_told_apart(open_paid: OpenTwin) -> None:
    """One sentence for each way, in Dutch too."""
    asks = [call("draft_contact_message", **DRAFT | {"subject": s}) for s in "ab"]
    twin = open_paid(asks, budget="0.01", then="Never said.")
    visitor = twin.visitor()
    visitor.say("Geef dit door aan haar, alstublieft, en dat ook.")
    first, second = [card["interrupt_id"] for card in twin.pending()]

    twin.decide(str(visitor.thread_id), approved=True, interrupt_id=first)
    visitor.post(f"/approvals/{second}/withdraw")

    shown = text_of(visitor.log())
    assert "Een van uw verzoeken is goedgekeurd en uitgevoerd." in shown
    assert "Een van uw verzoeken is ingetrokken en niet uitgevoerd." in shown


def test_a_second_try_that_can_not_be_paid_leaves_the_first(open_paid: OpenTwin) -> None:
    """The model is not asked again for what had no support; what had stays the answer."""
    true = "Ada Lovelace was born in London on 10 December 1815 [1]."
    twin = open_paid(f"{true} She had a parrot [1].", budget="0.01", verify="gate", then="No.")

    events = twin.visitor().say("Tell me about Ada.")

    assert text_of(events).strip() == true
    outcome, flags = ended(events)
    assert outcome == "answered"
    assert "generate:not_asked_again" in flags
    assert requests(twin) == 1


# --- what a call is charged ---------------------------------------------------------------------


def test_a_call_that_never_began_gives_its_money_back(open_paid: OpenTwin) -> None:
    """Not reached, turned away: the budget is whole for the next one."""
    twin = open_paid(
        ModelUnavailable(reason="connect"),
        ModelUnavailable(reason="status", status=429),
        ModelFailed(reason="refused", status=400),
        budget="0.01",
        then="Hello.",
    )

    outcomes = [ended(twin.visitor().say("Hi there"))[0] for _ in range(5)]

    assert outcomes == ["error", "error", "error", "answered", "refused"]
    assert [row["cost_usd"] for row in runs(twin)] == [0.0, 0.0, 0.0, 0.01, 0.0]


def test_a_call_that_breaks_off_is_charged_the_most_it_can_have_cost(open_paid: OpenTwin) -> None:
    """Nobody says what it cost; the run is flagged."""
    twin = open_paid(["Half an ", ModelUnavailable(reason="broke_off")], budget="0.02", then="Hi.")

    broken = twin.visitor().say("Hi there")

    assert ended(broken) == ("error", ["generate:usage_missing"])
    assert of_type(broken, "meta")[0]["cost_usd"] == 0.01
    assert ended(twin.visitor().say("Hi there"))[0] == "answered"
    assert ended(twin.visitor().say("Hi there"))[0] == "refused"


def test_a_model_that_passes_its_limit_is_charged_what_it_says(open_paid: OpenTwin) -> None:
    """What was billed counts, even past the cap; then nothing fits any more."""
    twin = open_paid(["Hello.", Finished(Usage(0, 700, 0))], budget="0.05", then="Hi.")

    outcomes = [ended(twin.visitor().say("Hi there"))[0] for _ in range(2)]

    assert outcomes == ["answered", "refused"]
    assert runs(twin)[0]["cost_usd"] == 0.07


def test_quoting_pages_costs_nothing(settings: Settings) -> None:
    """Without a model there is nothing to pay, whatever the prices say."""
    changes = {**CENT_A_CALL, "daily_budget_usd": Decimal("0.000001")}
    with running_twin(settings.model_copy(update=changes), model=None) as twin:  # type: ignore[arg-type]
        events = twin.visitor().say("When was Ada born?")
        assert "1815" in text_of(events)
        assert runs(twin)[0]["cost_usd"] == 0.0


@dataclass
class LostReservation:
    """A budget whose first answer to a reservation gets lost; what was asked of it is done, or not."""

    budget: Budget
    done: bool
    lost: bool = False

    async def reserve(self, lease: Lease, reservation: Reservation, *, cap: int) -> bool:
        lose, self.lost = not self.lost, True
        if lose and not self.done:
            raise Unavailable
        reserved = await self.budget.reserve(lease, reservation, cap=cap)
        if lose:
            raise Unavailable
        return reserved

    async def settle(self, reservation_id: str, charge: int) -> None:
        await self.budget.settle(reservation_id, charge)

    async def release_earlier(self, lease: Lease) -> None:
        await self.budget.release_earlier(lease)


@dataclass
class LostCharge:
    """Units of which the first transaction that settles a charge gets lost; what was asked of it is done, or not."""

    units: Units
    done: bool
    lost: bool = False

    @asynccontextmanager
    async def hold(self, lease: Lease) -> AsyncIterator[Writes]:
        lose = False
        async with self.units.hold(lease) as held:
            noting = Noting(held)
            yield noting  # type: ignore[misc]
            lose = noting.settles and not self.lost
            self.lost = self.lost or lose
            if lose and not self.done:
                raise Unavailable
        if lose:
            raise Unavailable


class Noting:
    """Writes that know whether they settle a charge."""

    def __init__(self, held: Writes) -> None:
        self.settles = False
        self._held = held

    async def settle_charge(self, reservation_id: str, charge: int) -> None:
        self.settles = True
        await self._held.settle_charge(reservation_id, charge)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._held, name)


@pytest.mark.parametrize("done", [True, False])
@pytest.mark.parametrize(("when", "outcome"), [("reserve", "error"), ("settle", "answered")])
def test_a_database_that_is_away_for_a_moment_loses_no_money(
    open_paid: OpenTwin, when: str, outcome: str, done: bool
) -> None:
    """A charge that can't be written is written when the run ends, and once; money reserved without a word is given back."""
    twin = open_paid(budget="0.015", then=["Hello.", HALF_A_CENT])
    store = twin.services.store
    if when == "reserve":
        away: Any = LostReservation(store.budget, done)
        services = replace(twin.services, store=replace(store, budget=away))
    else:
        away = LostCharge(store.units, done)
        services = replace(twin.services, store=replace(store, units=away))

    async def turn() -> RunResult | None:
        return await (await start(services, Principal.from_key("visitor:v"), "Hi")).active.wait()

    assert twin.call(turn).outcome == outcome
    assert away.lost
    assert runs(twin)[0]["cost_usd"] == (0 if outcome == "error" else 0.005)
    spent = 0 if outcome == "error" else 1
    rest = [ended(twin.visitor().say("Hi there"))[0] for _ in range(3)]
    assert rest == ["answered"] * (2 - spent) + ["refused"] * (1 + spent)


# --- every run has its cost row -----------------------------------------------------------------

PRICED = {
    "model_price_input": Decimal("2"),
    "model_price_output": Decimal("8"),
    "model_price_cached": Decimal("0.5"),
    "model_max_output_tokens": 100,
}


def row_of(twin: RunningTwin, place: int = -1) -> tuple[Any, ...]:
    row = runs(twin)[place]
    names = ("status", "input_tokens", "output_tokens", "cached_tokens", "cost_usd", "resumes")
    return tuple(row[name] for name in names)


def test_paused_and_resumed_runs_have_their_cost(open_twin: OpenTwin) -> None:
    """Cached tokens at their own price: 600 × 2 + 400 × 0.5 + 50 × 8 is 1800 millionths of a dollar."""
    twin = open_twin(
        Scripted(
            [call("draft_contact_message", **DRAFT), Finished(Usage(1000, 50, 400))],
            ["It is done.", Finished(Usage(2000, 10, 0))],
        ),
        **PRICED,
    )
    visitor = twin.visitor()
    visitor.say("Pass it on.")
    assert row_of(twin) == ("interrupted", 1000, 50, 400, 0.0018, None)

    twin.decide(str(visitor.thread_id), approved=True)
    assert row_of(twin) == ("success", 2000, 10, 0, 0.00408, runs(twin)[0]["run_id"])


def test_all_calls_of_a_run_are_in_its_cost(open_twin: OpenTwin) -> None:
    """Two model calls, one row; a failed second one does not lose the first."""
    twin = open_twin(
        Scripted(
            [call("get_availability"), Finished(Usage(1000, 0, 0))],
            ModelUnavailable(reason="status", status=500),
        ),
        **PRICED,
    )

    twin.visitor().say("When are you there?")

    assert row_of(twin) == ("error", 1000, 0, 0, 0.002, None)


def test_without_a_price_of_their_own_cached_tokens_cost_what_others_do(
    open_twin: OpenTwin,
) -> None:
    """1000 × 2 + 50 × 8."""
    twin = open_twin(
        Scripted(["Hello.", Finished(Usage(1000, 50, 400))]),
        **PRICED | {"model_price_cached": None},
    )
    twin.visitor().say("Hi there")
    assert row_of(twin)[4] == 0.0024


@pytest.mark.parametrize("how", ["cancelled", "disconnected"])
def test_cut_off_runs_have_their_cost(open_paid: OpenTwin, how: str) -> None:
    """Nothing is reported for half an answer: the most it can have cost is its cost, and what is left is for others."""
    gate = Gate()
    twin = open_paid(["One. ", gate, "Two."], budget="0.02", on_disconnect="cancel", then="Hello.")
    visitor = twin.visitor()
    body = {"message": "Hi there", "thread_id": "t"}
    with twin.client.stream("POST", "/api/chat", json=body) as answer:
        visitor.token, visitor.thread_id = answer.cookies["sayso_visitor"], "t"
        gate.wait_reached()
        if how == "cancelled":
            assert visitor.post("/cancel").status_code == 202
            answer.read()
    assert visitor.log()[-1]["type"] == "done"

    [row] = runs(twin)
    assert (row["status"], row["outcome"], row["cost_usd"]) == ("cancelled", "cancelled", 0.01)
    assert row["flags"] == ["generate:usage_missing"]
    assert ended(twin.visitor().say("Hi there"))[0] == "answered"
    assert ended(twin.visitor().say("Hi there"))[0] == "refused"
    gate.open()


def test_a_run_that_goes_on_without_its_visitor_has_its_cost(open_twin: OpenTwin) -> None:
    """The reader goes away, the run ends, and its usage is there."""
    gate = Gate()
    twin = open_twin(Scripted(["One. ", gate, "Two.", Finished(Usage(1000, 50, 0))]), **PRICED)
    visitor = twin.visitor()
    body = {"message": "Hi there", "thread_id": "t"}
    with twin.client.stream("POST", "/api/chat", json=body) as answer:
        visitor.token, visitor.thread_id = answer.cookies["sayso_visitor"], "t"
        gate.wait_reached()
    gate.open()
    assert visitor.log()[-1]["type"] == "done"

    assert row_of(twin) == ("success", 1000, 50, 0, 0.0024, None)


# --- with a real model client -------------------------------------------------------------------


def test_a_provider_is_told_the_limit_that_was_reserved(settings: Settings) -> None:
    """Without MODEL_MAX_OUTPUT_TOKENS there is one all the same; usage from the wire is what is charged."""
    with ChatBackend(says("Hello.")) as backend:
        changes = {
            "model_base_url": backend.base_url,
            "model_name": "fake",
            **PRICED,
            "model_max_output_tokens": None,
            "daily_budget_usd": Decimal(1),
        }
        with running_twin(settings.model_copy(update=changes), model=None) as twin:  # type: ignore[arg-type]
            twin.visitor().say("Hi there")
            assert backend.requests[0]["max_tokens"] == 1024
            assert row_of(twin) == ("success", 7, 3, 2, 0.000035, None)


@pytest.mark.parametrize(("budget", "tries"), [("1", 1), ("0", 2)])
def test_with_a_budget_no_answer_is_paid_twice(settings: Settings, budget: str, tries: int) -> None:
    """An empty answer was billed: asking again by itself would cost what nobody reserved."""
    empty = Reply([delta(finish="stop"), DONE])
    with ChatBackend(empty, says("Hello.")) as backend:
        changes = {
            "model_base_url": backend.base_url,
            "model_name": "fake",
            **PRICED,
            "daily_budget_usd": Decimal(budget),
        }
        with running_twin(settings.model_copy(update=changes), model=None) as twin:  # type: ignore[arg-type]
            twin.visitor().say("Hi there")
            assert len(backend.requests) == tries


def test_a_model_that_is_given_needs_a_price_too(open_twin: OpenTwin) -> None:
    """For embedding: a budget over who knows what is none."""
    with pytest.raises(ConfigurationError, match="MODEL_PRICE_INPUT"):
        open_twin(Scripted("Hello."), daily_budget_usd=Decimal(1))
