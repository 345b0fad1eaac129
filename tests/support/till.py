"""Tools whose every execution is counted, and a model that asks for the ones a message names."""

from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Literal

from pydantic import SecretStr

from server.adapters.models.scripted import Answer, Call, Gate, Scripted, call
from server.domain.tools import Tool, ToolContext
from server.ports import ModelRequest
from server.settings import Settings
from tests.support.twin import OWNER_TOKEN, RunningTwin

ORDER = {"order_id": "A-17", "amount_cents": 2500}
PARAMETERS = {
    "type": "object",
    "properties": {
        "order_id": {"type": "string", "minLength": 1, "maxLength": 40},
        "amount_cents": {"type": "integer", "minimum": 1, "maximum": 100_000},
    },
    "required": ["order_id", "amount_cents"],
    "additionalProperties": False,
}
Kind = Literal["owners", "visitors", "look"]


class Clock:
    """A clock that is set by hand. Leases in memory go by it too."""

    def __init__(self) -> None:
        self.now = datetime(2026, 12, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def move(self, by: timedelta) -> None:
        """Later, or earlier."""
        self.now += by


class Till:
    """What was really paid: (tool, arguments) for each thread, in order, whatever anybody says of it."""

    def __init__(self) -> None:
        self.paid: dict[str, list[tuple[str, dict[str, Any]]]] = {}
        self.looks: Counter[str] = Counter()

    def tools(self) -> list[Tool]:
        """One that the owner must approve, one that the visitor must, and one that anybody may run."""
        return [
            self._paying("owners", "owner"),
            self._paying("visitors", "user"),
            Tool("look", "Look into the till.", _NOTHING, self._look),
        ]

    def _paying(self, name: str, approver: Literal["owner", "user"]) -> Tool:
        def run(order_id: str, amount_cents: int, context: ToolContext) -> str:
            arguments = {"order_id": order_id, "amount_cents": amount_cents}
            self.paid.setdefault(context.thread_id, []).append((name, arguments))
            return "Paid."

        return Tool(name, "Pay.", PARAMETERS, run, high_risk=True, approver=approver)

    def _look(self, context: ToolContext) -> str:
        self.looks[context.thread_id] += 1
        return "There is money."


_NOTHING = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}


class Obedient:
    """A model that calls the tools whose names a message holds, and waits at a gate when it says `slowly`."""

    def __init__(self) -> None:
        self._gate = Gate()

    def hold(self) -> Gate:
        """The gate at which the next slow answers wait."""
        self._gate = Gate()
        return self._gate

    def model(self) -> Scripted:
        """As the application takes it."""
        return Scripted(then=self._answer)

    def _answer(self, request: ModelRequest) -> Answer:
        if request.messages[-1]["role"] == "tool":
            return "Done."
        words = request.messages[-1]["content"].split()
        if "slowly" in words:
            return ["One. ", self._gate, "Two."]
        calls: list[Call] = [
            call(word, **({} if word == "look" else ORDER))
            for word in words
            if word in ("owners", "visitors", "look")
        ]
        return calls or "Hello."


def in_memory(folder: Path, **changes: Any) -> Settings:
    """Settings for an application in memory whose sweeper does not come by while a test looks."""
    return Settings(
        _env_file=None,
        admin_token=SecretStr(OWNER_TOKEN),
        secret_key=SecretStr("a secret key for tests, long enough"),
        knowledge_dir=folder,
        owner_name="Ada",
        semantic="off",
        verify="off",
        rate_limit=None,
        state_dir=folder / "state",
        lease_s=3600.0,
    ).model_copy(update=changes)


def ledger(twin: RunningTwin, thread_id: str) -> list[Any]:
    """What was begun on a thread, by the ledger."""
    effects = twin.call(twin.services.store.effects.newest, None, 10_000)
    return [effect for effect in effects if effect.thread_id == thread_id]
