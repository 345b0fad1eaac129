"""What is in doubt goes to the owner, and nothing is repeated by itself."""

import anyio
import pytest

from server.adapters.models.scripted import Scripted, call
from server.domain.tools import Tool
from tests.acceptance.conftest import OpenTwin
from tests.support.twin import RunningTwin, Visitor, of_type

NO_ARGUMENTS = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}


class Charger:
    """Counts charges; the first attempts take longer than anybody waits."""

    def __init__(self, slow: int) -> None:
        self.charges = 0
        self.slow = slow

    async def run(self) -> str:
        self.charges += 1
        if self.charges <= self.slow:
            await anyio.sleep_forever()
        return "charged"

    def tool(self, *, idempotent: bool = False) -> Tool:
        return Tool(
            "charge",
            "Charge the card.",
            NO_ARGUMENTS,
            self.run,
            timeout_s=0.2,
            high_risk=True,
            idempotent=idempotent,
        )


@pytest.fixture
def in_doubt(open_twin: OpenTwin) -> tuple[RunningTwin, Visitor, Charger]:
    """A thread whose approved charge timed out."""
    charger = Charger(slow=1)
    twin = open_twin(Scripted(call("charge"), "I don't know yet."), tools=[charger.tool()])
    visitor = twin.visitor()
    visitor.say("Charge me.")
    assert twin.decide(str(visitor.thread_id), approved=True).status_code == 200
    return twin, visitor, charger


def test_a_timeout_leaves_the_effect_in_doubt(
    in_doubt: tuple[RunningTwin, Visitor, Charger],
) -> None:
    """The ledger says so, the model is told not to claim it, and the visitor sees a failed tool."""
    twin, visitor, charger = in_doubt

    [effect] = twin.owner("GET", "/effects?status=in_doubt").json()["effects"]

    assert effect["tool"] == "charge"
    assert charger.charges == 1
    assert of_type(visitor.log(), "tool")[-1]["status"] == "failed"


def test_the_owner_says_it_was_done(in_doubt: tuple[RunningTwin, Visitor, Charger]) -> None:
    """Nothing runs; the ledger keeps the owner's words; a second settling is a conflict."""
    twin, visitor, charger = in_doubt
    [effect] = twin.owner("GET", "/effects?status=in_doubt").json()["effects"]
    path = f"/effects/{effect['id']}"

    settled = twin.owner("POST", path, json={"settle": "done", "result": "Seen on the statement"})

    assert settled.status_code == 200, settled.text
    assert (settled.json()["status"], settled.json()["result"]) == ("done", "Seen on the statement")
    assert charger.charges == 1
    again = twin.owner("POST", path, json={"settle": "retry"})
    assert (again.status_code, again.json()["code"]) == (409, "not_in_doubt")
    log = visitor.log()
    assert of_type(log, "tool")[-1]["status"] == "done"
    assert log[-1]["type"] == "done"
    assert visitor.get().json()["status"] == "idle"


def test_the_owner_has_it_tried_again(in_doubt: tuple[RunningTwin, Visitor, Charger]) -> None:
    """One more execution, and its result."""
    twin, _, charger = in_doubt
    [effect] = twin.owner("GET", "/effects?status=in_doubt").json()["effects"]

    settled = twin.owner("POST", f"/effects/{effect['id']}", json={"settle": "retry"})

    assert (settled.json()["status"], settled.json()["result"]) == ("done", "charged")
    assert charger.charges == 2


def test_bad_settlings_change_nothing(in_doubt: tuple[RunningTwin, Visitor, Charger]) -> None:
    """Unknown effects are 404, anything but `done` or `retry` is 422."""
    twin, _, charger = in_doubt
    [effect] = twin.owner("GET", "/effects?status=in_doubt").json()["effects"]

    statuses = [
        twin.owner("POST", f"/effects/{effect_id}", json=body).status_code
        for effect_id, body in [
            ("unknown", {"settle": "done"}),
            (effect["id"], {}),
            (effect["id"], {"settle": "maybe"}),
            (effect["id"], {"settle": True}),
        ]
    ]

    assert statuses == [404, 422, 422, 422]
    assert charger.charges == 1
