"""A recorded decision is carried out, whatever comes between, and however often it fails first."""

from datetime import timedelta
from typing import Any

import pytest

from server.adapters.models.scripted import Gate, Scripted, call
from server.domain.errors import Unavailable
from server.domain.tools import Tool
from server.runs.recover import recover
from tests.acceptance.conftest import OpenTwin
from tests.support.till import Clock
from tests.support.twin import OWNER_TOKEN, RunningTwin, Visitor, of_type, text_of

NOTHING = {"type": "object", "properties": {}, "additionalProperties": False}


class Faults:
    """Fails at a named point, as often as it was told to."""

    def __init__(self, **times: int) -> None:
        self.times = {name.replace("_", "."): count for name, count in times.items()}

    def __call__(self, place: str) -> None:
        """Raises Unavailable while there are failures left for that point."""
        if self.times.get(place, 0) > 0:
            self.times[place] -= 1
            raise Unavailable


class Shop:
    """A tool that counts what it did."""

    def __init__(self) -> None:
        self.paid = 0

    @property
    def tool(self) -> Tool:
        """Asks the owner."""
        return Tool("pay", "Pays.", NOTHING, self._pay, high_risk=True)

    def _pay(self) -> str:
        self.paid += 1
        return "paid"


def gone_on(twin: RunningTwin, clock: Clock, visitor: Visitor) -> None:
    """Time passes until a retry is due, and somebody looks."""
    clock.move(timedelta(seconds=11))
    twin.call(recover, twin.services)
    visitor.log()  # ends when no run is active


def statuses(twin: RunningTwin) -> list[str]:
    """Of the ledger."""
    return [effect["status"] for effect in twin.owner("GET", "/effects").json()["effects"]]


@pytest.mark.parametrize("failures", [1, 7])
def test_a_yes_that_could_not_be_carried_out_is_carried_out_later(
    open_twin: OpenTwin, failures: int
) -> None:
    """The database was away before the tool began, also more often than a closing answer is tried again."""
    shop, clock = Shop(), Clock()
    faults = Faults(effect_begin=failures)
    twin = open_twin(
        Scripted(call("pay"), then="Done."), tools=[shop.tool], clock=clock, reach=faults
    )
    visitor = twin.visitor()
    visitor.say("Pay, please.")
    assert twin.decide(str(visitor.thread_id), approved=True).status_code == 200
    assert (shop.paid, statuses(twin)) == (0, [])

    for _ in range(failures):
        gone_on(twin, clock, visitor)

    assert (shop.paid, statuses(twin)) == (1, ["done"])
    gone_on(twin, clock, visitor)
    assert shop.paid == 1


def test_the_conversation_may_go_on_before_a_yes_is_carried_out(open_twin: OpenTwin) -> None:
    """The visitor says something else meanwhile: they are answered, and the yes is carried out all the same, once."""
    shop, clock = Shop(), Clock()
    twin = open_twin(
        Scripted(call("pay"), "Hello!", then="Done."),
        tools=[shop.tool],
        clock=clock,
        reach=Faults(effect_begin=1),
    )
    visitor = twin.visitor()
    visitor.say("Pay, please.")
    twin.decide(str(visitor.thread_id), approved=True)

    assert text_of(visitor.say("Hello?")) == "Hello!"
    assert shop.paid == 0
    gone_on(twin, clock, visitor)

    assert (shop.paid, statuses(twin)) == (1, ["done"])
    assert visitor.get().json()["status"] == "idle"
    assert [m["content"] for m in visitor.get().json()["messages"]][-1] in ("Done.", "Hello!")


def test_an_effect_that_nobody_knows_the_end_of_is_told_though_the_conversation_went_on(
    open_twin: OpenTwin,
) -> None:
    """The tool ran, the database was away when that was to be written, and the visitor goes on."""
    shop, clock = Shop(), Clock()
    twin = open_twin(
        Scripted(call("pay"), "Hello!", then="I don't know yet."),
        tools=[shop.tool],
        clock=clock,
        reach=Faults(effect_ran=1),
    )
    visitor = twin.visitor()
    visitor.say("Pay, please.")
    twin.decide(str(visitor.thread_id), approved=True)
    visitor.say("Hello?")

    gone_on(twin, clock, visitor)

    assert (shop.paid, statuses(twin)) == (1, ["in_doubt"])


def test_a_closing_answer_is_not_tried_again_once_the_conversation_went_on(
    open_twin: OpenTwin,
) -> None:
    """What was done is done, and was said by what came after."""
    shop, clock = Shop(), Clock()

    def fails(_: Any) -> Any:
        return [Unavailable()]

    twin = open_twin(Scripted(call("pay"), fails, then="Hello!"), tools=[shop.tool], clock=clock)
    visitor = twin.visitor()
    visitor.say("Pay, please.")
    twin.decide(str(visitor.thread_id), approved=True)
    visitor.say("Hello?")
    before = visitor.get().json()["messages"]

    gone_on(twin, clock, visitor)

    assert (shop.paid, statuses(twin)) == (1, ["done"])
    assert visitor.get().json()["messages"] == before


def test_a_visitor_who_stops_the_answer_does_not_stop_what_was_decided(
    open_twin: OpenTwin,
) -> None:
    """Stop comes while a slow tool is at work before the approved one: the yes is carried out, and then the run ends as cancelled."""
    shop, gate = Shop(), Gate()

    async def look() -> str:
        await gate.passed()
        return "seen"

    tools = [Tool("look", "Looks.", NOTHING, look), shop.tool]
    twin = open_twin(Scripted([call("look"), call("pay")], then="Done."), tools=tools)
    visitor = twin.visitor()
    visitor.say("Look, and pay.")
    path = f"/api/admin/approvals/{visitor.thread_id}"
    headers = {"Authorization": f"Bearer {OWNER_TOKEN}", "Prefer": "respond-async"}
    assert twin.client.post(path, json={"approved": True}, headers=headers).status_code == 202
    gate.wait_reached()

    assert visitor.post("/cancel").json() == {"running": True}
    gate.open()
    events = visitor.log()

    assert (shop.paid, statuses(twin)) == (1, ["done"])
    assert of_type(events, "meta")[-1]["outcome"] == "cancelled"
    visitor.say("And now?")
