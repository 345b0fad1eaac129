"""Tools of one's own, from the decorator to the effect: contract, section 9."""

import enum
from concurrent.futures import ThreadPoolExecutor, wait
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any

import pytest
from langgraph.types import interrupt

from server.adapters.models.scripted import Call, Gate, Scripted, call
from server.domain.approvals import Decision, Effect
from server.domain.errors import ConfigurationError
from server.runs.recover import recover
from server.settings import Settings
from server.tools import Tool, ToolContext, tool
from tests.acceptance.conftest import OpenTwin
from tests.support.twin import OWNER_TOKEN, RunningTwin, Visitor, of_type, running_twin, text_of

ORDER = {"order_id": "A-1", "amount_cents": 2_500}


class Shop:
    """Counts what it was really asked for."""

    def __init__(self) -> None:
        self.refunds: list[Any] = []
        self.contexts: list[ToolContext] = []
        self.asked_for_risk: list[dict[str, Any]] = []

    def refund(self, **options: Any) -> Tool:
        """A refund tool over this shop, high-risk if nothing else is said."""

        def issue_refund(order_id: str, amount_cents: int, context: ToolContext) -> str:
            """Refund an order.

            order_id: as on the invoice
            """
            self.contexts.append(context)
            self.refunds.append((order_id, amount_cents))
            return "refunded"

        return tool(**{"high_risk": True} | options)(issue_refund)

    def is_large(self, amount_cents: int, **others: Any) -> bool:
        """Risky above 20.00; notes that it was asked."""
        self.asked_for_risk.append({"amount_cents": amount_cents} | others)
        return amount_cents > 2_000


def asks(**arguments: Any) -> Scripted:
    """A model that wants a refund, and then has an answer for whatever comes of it."""
    return Scripted(call("issue_refund", **(arguments or ORDER)), "That is settled.")


def effects(twin: RunningTwin) -> list[Effect]:
    """The ledger."""
    found: list[Effect] = twin.call(twin.services.store.effects.newest, None)
    return found


def told(model: Scripted) -> list[str]:
    """The tool results in what the model was last asked."""
    return [m["content"] for m in model.requests[-1].messages if m["role"] == "tool"]


def paused(twin: RunningTwin) -> Visitor:
    """A visitor whose request waits for the owner."""
    visitor = twin.visitor()
    events = visitor.say("Please refund A-1.")
    assert of_type(events, "meta")[0]["outcome"] == "pending_approval"
    return visitor


# --- what a tool is made of -----------------------------------------------------------------------


class Speed(enum.Enum):
    SLOW = "slow"
    FAST = "fast"


def test_a_decorated_function_is_shown_to_the_model_and_run_with_its_types(
    open_twin: OpenTwin,
) -> None:
    """No pause, for it is not risky; the result goes to the model and the model's words to the visitor."""
    seen = []

    @tool
    async def ship(
        order_id: Annotated[str, "As on the invoice"], speed: Speed = Speed.SLOW
    ) -> dict[str, Any]:
        """Ship an order."""
        seen.append((order_id, speed))
        return {"shipped": order_id}

    model = Scripted(call("ship", order_id="A-1", speed="fast"), "It is on its way.")
    twin = open_twin(model, tools=[ship])

    events = twin.visitor().say("Ship A-1, fast.")

    [spec] = [each for each in model.requests[0].tools if each.name == "ship"]
    assert spec.description == "Ship an order."
    assert spec.parameters["properties"]["order_id"]["description"] == "As on the invoice"
    assert seen == [("A-1", Speed.FAST)]
    assert told(model) == ['{"shipped":"A-1"}']
    assert text_of(events) == "It is on its way."
    assert [e["status"] for e in of_type(events, "tool")] == ["started", "done"]


def test_tools_come_from_the_modules_that_the_settings_name(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TOOLS=package.module:attribute, beside the twin's own."""
    (tmp_path / "corner_shop.py").write_text(
        "from server.tools import tool\n"
        "@tool\ndef opening_hours() -> str:\n    'When the shop is open.'\n    return 'nine to five'\n"
        "tools = [opening_hours]\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    model = Scripted(call("opening_hours"), "Nine to five.")
    named = settings.model_copy(update={"tools": ("corner_shop:tools",)})
    with running_twin(named, model) as twin:
        twin.visitor().say("When are you open?")
        assert sorted(twin.services.tools) == [
            "draft_contact_message",
            "get_availability",
            "opening_hours",
            "search_knowledge",
        ]
    assert told(model) == ["nine to five"]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("corner_shop", "not of the form"),
        ("no_such_shop:tools", "there is no module 'no_such_shop'"),
        ("corner_shop_2:mine", "Two tools are called 'get_availability'"),
        ("corner_shop_2:open", "Tool 'open': its parameters must be an object schema"),
    ],
)
def test_a_tool_that_does_not_fit_stops_the_start(
    memory_settings: Settings,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    message: str,
) -> None:
    """Before anything is served, and in words."""
    (tmp_path / "corner_shop_2.py").write_text(
        "from server.tools import Tool, tool\n"
        "mine = tool(name='get_availability', description='Mine.')(lambda: '')\n"
        "open = Tool('open', 'Open.', {'type': 'object'}, run=print)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    named = memory_settings.model_copy(update={"tools": (name,)})
    with pytest.raises(ConfigurationError, match=message), running_twin(named, Scripted()):
        pass


# --- what goes wrong is a result ------------------------------------------------------------------


def failing(order_id: str, amount_cents: int) -> str:
    """Refund an order."""
    raise RuntimeError(f"secret of {order_id}")


def leaving(order_id: str, amount_cents: int) -> str:
    """Refund an order."""
    raise SystemExit("secret")


def interrupting(order_id: str, amount_cents: int) -> str:
    """Refund an order."""
    return str(interrupt("secret"))


def unprintable(order_id: str, amount_cents: int) -> Any:
    """Refund an order."""
    return object()


@pytest.mark.parametrize(
    ("requested", "run", "result"),
    [
        (Call("no_such_tool", {}), failing, "There is no such tool"),
        (Call("issue_refund", "not JSON"), failing, "Not run: the arguments are wrong"),
        (Call("issue_refund", '{"order_id": "A", "amount_cents": 1e999}'), failing, "too large"),
        (Call("issue_refund", {"order_id": 1, "amount_cents": 2}), failing, "$.order_id"),
        (Call("issue_refund", ORDER | {"context": "mine"}), failing, "not allowed"),
        (Call("issue_refund", ORDER), failing, "The tool failed."),
        (Call("issue_refund", ORDER), leaving, "The tool failed."),
        (Call("issue_refund", ORDER), interrupting, "The tool failed."),
        (Call("issue_refund", ORDER), unprintable, "can't be shown"),
    ],
)
def test_what_goes_wrong_is_a_short_result_for_the_model(
    open_twin: OpenTwin, requested: Call, run: Any, result: str
) -> None:
    """The turn is answered, the thread is free, and no exception's text reaches anybody."""
    model = Scripted(requested, "That did not work.", "And now it does.")
    twin = open_twin(model, tools=[tool(name="issue_refund")(run)])
    visitor = twin.visitor()

    events = visitor.say("Please refund A-1.")

    assert result in told(model)[0]
    assert of_type(events, "meta")[0]["outcome"] == "answered"
    assert of_type(events, "tool")[-1]["status"] == "failed"
    assert "secret" not in str(events)
    assert "secret" not in str(model.requests)
    assert text_of(visitor.say("And now?")) == "And now it does."


def test_malformed_arguments_go_back_to_the_model_and_not_to_the_owner(
    open_twin: OpenTwin,
) -> None:
    """However risky the tool."""
    model = Scripted(Call("issue_refund", '{"order_id": 1}'), "I have to ask for the amount.")
    twin = open_twin(model, tools=[Shop().refund()])
    events = twin.visitor().say("Please refund A-1.")
    assert of_type(events, "interrupt") == []
    assert twin.pending() == []
    assert "$.order_id: expected string, got number" in told(model)[0]


def test_a_tool_that_takes_too_long_is_a_result_too(open_twin: OpenTwin) -> None:
    """The visitor is not kept waiting longer than the tool may take."""

    @tool(timeout_s=0.05)
    async def dawdle(context: ToolContext) -> None:
        """Wait."""
        await Gate().passed()

    model = Scripted(call("dawdle"), "It takes too long.")
    events = open_twin(model, tools=[dawdle]).visitor().say("Wait, please.")
    assert told(model) == ["The tool did not answer within 0.05 seconds."]
    assert text_of(events) == "It takes too long."


# --- high-risk ------------------------------------------------------------------------------------


def test_a_tool_that_catches_everything_is_still_not_run_without_a_yes(
    open_twin: OpenTwin,
) -> None:
    """Nothing is raised through a tool: it is simply not called."""
    calls = []

    @tool(high_risk=True)
    def issue_refund(order_id: str, amount_cents: int) -> str:
        """Refund an order."""
        try:
            calls.append("began")
            return "refunded"
        except BaseException:
            calls.append("caught")
            return "refunded anyway"

    model = asks()
    twin = open_twin(model, tools=[issue_refund])
    visitor = paused(twin)
    assert calls == []

    twin.decide(str(visitor.thread_id), approved=False)

    assert calls == []
    assert effects(twin) == []
    assert "declined" in told(model)[0]


def test_a_tool_is_told_for_whom_it_runs_and_under_which_key(open_twin: OpenTwin) -> None:
    """The key is the ledger's: the same for every attempt at this call."""
    shop, model = Shop(), asks()
    twin = open_twin(model, tools=[shop.refund()])
    visitor = paused(twin)
    answer = twin.decide(str(visitor.thread_id), approved=True).json()
    [context], [effect] = shop.contexts, effects(twin)
    assert context.idempotency_key == effect.idempotency_key
    assert context.tool_call_id == effect.tool_call_id
    assert context.thread_id == visitor.thread_id
    assert context.run_id == answer["run_id"]
    assert context.principal.kind == "visitor"
    assert shop.refunds == [("A-1", 2_500)]


@pytest.mark.parametrize("edited", [None, ORDER | {"amount_cents": 1}])
def test_conditional_risk_is_evaluated_once_and_never_for_a_decided_call(
    open_twin: OpenTwin, edited: dict[str, Any] | None
) -> None:
    """Not on the resume, not on the edited arguments, not by the owner's looking at it."""
    shop, model = Shop(), asks()
    twin = open_twin(model, tools=[shop.refund(high_risk=shop.is_large)])
    visitor = paused(twin)
    assert shop.asked_for_risk == [ORDER]
    twin.pending()

    body = {"arguments": edited} if edited else {}
    assert twin.decide(str(visitor.thread_id), approved=True, **body).status_code == 200

    assert shop.asked_for_risk == [ORDER]
    assert shop.refunds == [("A-1", edited["amount_cents"] if edited else 2_500)]
    assert [effect.status for effect in effects(twin)] == ["done"]


def test_a_call_below_the_risk_runs_at_once(open_twin: OpenTwin) -> None:
    """And leaves no effect, for nobody had to approve it."""
    shop = Shop()
    model = asks(order_id="A-1", amount_cents=1_999)
    twin = open_twin(model, tools=[shop.refund(high_risk=shop.is_large)])
    events = twin.visitor().say("Please refund A-1.")
    assert of_type(events, "meta")[0]["outcome"] == "answered"
    assert len(shop.asked_for_risk) == 1
    assert shop.refunds == [("A-1", 1_999)]
    assert effects(twin) == []


def test_of_two_calls_of_one_tool_only_the_risky_one_waits(open_twin: OpenTwin) -> None:
    """Each call is judged by its own arguments, once; the safe one runs once in total."""
    shop = Shop()
    small = ORDER | {"amount_cents": 5}
    model = Scripted(
        [call("issue_refund", **ORDER), call("issue_refund", **small)], "Both are settled."
    )
    twin = open_twin(model, tools=[shop.refund(high_risk=shop.is_large)])
    visitor = paused(twin)
    assert [card["tool_calls"][0]["input"] for card in twin.pending()] == [ORDER]
    twin.decide(str(visitor.thread_id), approved=True)
    assert sorted(shop.refunds) == [("A-1", 5), ("A-1", 2_500)]
    assert shop.asked_for_risk == [ORDER, small]


def raises(**_: Any) -> bool:
    raise ZeroDivisionError


def too_few(order_id: str) -> bool:
    return False


def nothing(**_: Any) -> Any:
    return None


@pytest.mark.parametrize("risk", [raises, too_few, nothing])
def test_a_risk_that_can_not_be_told_is_high(open_twin: OpenTwin, risk: Any) -> None:
    """An exception, other parameters than the tool's, an answer that is no clear False."""
    shop = Shop()
    twin = open_twin(asks(), tools=[shop.refund(high_risk=risk)])
    paused(twin)
    assert shop.refunds == []


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("A refund is asked for.", "A refund is asked for."),
        (lambda amount_cents, **_: f"Refund {amount_cents / 100:.2f}?", "Refund 25.00?"),
        (raises, "The twin asks to run 'issue_refund'."),
        (None, "The twin asks to run 'issue_refund'."),
    ],
)
def test_the_card_says_what_the_tool_says(open_twin: OpenTwin, message: Any, shown: str) -> None:
    """A text, or a function of the arguments; a function that fails does not hide the question."""
    twin = open_twin(asks(), tools=[Shop().refund(message=message, reason="refund")])
    paused(twin)
    [card] = twin.pending()
    assert (card["message"], card["reason"]) == (shown, "refund")


@pytest.mark.parametrize("ttl", [timedelta(days=7), None])
def test_a_tools_own_expiry_counts_instead_of_the_general_one(
    open_twin: OpenTwin, ttl: timedelta | None
) -> None:
    """Also where questions otherwise never expire; and a yes after it runs nothing."""
    now = [datetime(2027, 3, 1, 12, 0, tzinfo=UTC)]
    shop = Shop()
    twin = open_twin(
        asks(),
        tools=[shop.refund(expires_after=timedelta(minutes=30))],
        approval_ttl=ttl,
        clock=lambda: now[0],
    )
    visitor = paused(twin)
    [card] = twin.pending()
    assert card["expires_at"] == "2027-03-01T12:30:00.000Z"
    now[0] += timedelta(minutes=30, milliseconds=1)

    late = twin.decide(str(visitor.thread_id), approved=True, interrupt_id=card["interrupt_id"])

    assert late.json()["code"] == "expired"
    assert shop.refunds == []


def test_a_tool_may_ask_for_the_visitors_own_word(open_twin: OpenTwin) -> None:
    """`approver="user"` is kept with the question, and is no reason to run it unasked."""
    shop = Shop()
    twin = open_twin(asks(), tools=[shop.refund(approver="user")])
    visitor = paused(twin)
    [kept] = twin.call(twin.services.store.approvals.of_thread, str(visitor.thread_id))
    assert kept.approver == "user"
    assert shop.refunds == []


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e999"])
def test_an_edit_to_a_number_that_is_none_is_refused(open_twin: OpenTwin, number: str) -> None:
    """As JSON parsers let it through; the question stays open."""

    @tool(high_risk=True)
    def pay(amount: float) -> None:
        """Pay."""

    twin = open_twin(Scripted(call("pay", amount=1.5), "Paid."), tools=[pay])
    visitor = paused(twin)
    answer = twin.client.post(
        f"/api/admin/approvals/{visitor.thread_id}",
        content=f'{{"approved": true, "arguments": {{"amount": {number}}}}}',
        headers={"Authorization": f"Bearer {OWNER_TOKEN}", "Content-Type": "application/json"},
    )
    assert answer.status_code == 422, answer.text
    assert len(twin.pending()) == 1
    assert effects(twin) == []


# --- whether it happened --------------------------------------------------------------------------


def test_an_approved_tool_that_takes_too_long_is_in_doubt(open_twin: OpenTwin) -> None:
    """It may still be working: nobody says that it was done, and nobody runs it again by themselves."""
    begun = []

    @tool(high_risk=True, timeout_s=0.05)
    async def issue_refund(order_id: str, amount_cents: int) -> None:
        """Refund an order."""
        begun.append(order_id)
        await Gate().passed()

    model = asks()
    twin = open_twin(model, tools=[issue_refund])
    visitor = paused(twin)
    twin.decide(str(visitor.thread_id), approved=True)
    assert [effect.status for effect in effects(twin)] == ["in_doubt"]
    assert "not known whether" in told(model)[0]
    assert begun == ["A-1"]


def test_an_approved_tool_that_fails_is_failed(open_twin: OpenTwin) -> None:
    """The decision stands; the ledger says how it ended."""
    model = asks()
    twin = open_twin(model, tools=[tool(name="issue_refund", high_risk=True)(failing)])
    visitor = paused(twin)
    answer = twin.decide(str(visitor.thread_id), approved=True).json()
    assert answer["status"] == "approved"
    assert [(e.status, e.result) for e in effects(twin)] == [("failed", "The tool failed.")]


def die_in_the_middle(twin: RunningTwin, visitor: Visitor) -> Effect:
    """What a process leaves that recorded a yes, wrote `started` and died."""

    async def leave() -> Effect:
        services, thread_id = twin.services, str(visitor.thread_id)
        [asked] = await services.store.approvals.of_thread(thread_id)
        lease = await services.store.threads.take_for_recovery(thread_id, "dead")
        assert lease is not None
        yes = Decision(
            "approved",
            "owner",
            "api",
            effective_digest=asked.digest,
            answer={
                "approved": True,
                "status": "approved",
                "interrupt_id": asked.interrupt_id,
                "digest": asked.digest,
            },
        )
        async with services.store.units.hold(lease) as held:
            assert await held.settle(asked.interrupt_id, yes, services.clock())
            effect = await held.begin_effect(
                interrupt_id=asked.interrupt_id,
                tool_call_id=asked.tool_call_id,
                tool=asked.tool,
                digest=asked.digest,
                run_id="dead",
            )
            await held.release("interrupted")
        return effect

    effect: Effect = twin.call(leave)
    twin.call(recover, twin.services)
    return effect


@pytest.mark.parametrize("idempotent", [False, True])
def test_only_an_idempotent_tool_is_run_again_and_under_the_same_key(
    open_twin: OpenTwin, idempotent: bool
) -> None:
    """After a death between `started` and `done`: whoever can't tell is asked, unless it does not matter."""
    shop, model = Shop(), asks()
    twin = open_twin(model, tools=[shop.refund(idempotent=idempotent)])
    visitor = paused(twin)

    left = die_in_the_middle(twin, visitor)

    assert of_type(visitor.log(), "done"), "the thread went on"
    [effect] = effects(twin)
    if idempotent:
        assert [context.idempotency_key for context in shop.contexts] == [left.idempotency_key]
        assert shop.refunds == [("A-1", 2_500)]
        assert effect.status == "done"
    else:
        assert shop.refunds == []
        assert effect.status == "in_doubt"
        assert "not known whether" in told(model)[0]


def test_a_run_that_is_cancelled_waits_for_the_effect_it_began(open_twin: OpenTwin) -> None:
    """So that the ledger knows how it ended."""
    gate, refunded = Gate(), []

    @tool(high_risk=True)
    async def issue_refund(order_id: str, amount_cents: int) -> str:
        """Refund an order."""
        await gate.passed()
        refunded.append(order_id)
        return "refunded"

    twin = open_twin(asks(), tools=[issue_refund])
    visitor = paused(twin)
    path = f"/api/admin/approvals/{visitor.thread_id}"
    headers = {"Authorization": f"Bearer {OWNER_TOKEN}", "Prefer": "respond-async"}
    assert twin.client.post(path, json={"approved": True}, headers=headers).status_code == 202
    gate.wait_reached()
    assert visitor.post("/cancel").status_code == 202

    with ThreadPoolExecutor(1) as background:
        until_idle = background.submit(visitor.log)
        wait([until_idle], timeout=1.0)
        gate.open()
        until_idle.result()

    assert refunded == ["A-1"]
    assert [effect.status for effect in effects(twin)] == ["done"]
