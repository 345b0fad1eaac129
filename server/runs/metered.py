"""The model as a run is given it: nothing is asked before its worst case is reserved, and every call has its cost."""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from dataclasses import asdict, replace

import anyio
import structlog

from server.agent.meter import Meter
from server.domain.conversation import Lease, Run, Usage
from server.domain.errors import (
    BudgetReached,
    LeaseLost,
    ModelFailed,
    ModelUnavailable,
    Unavailable,
)
from server.domain.money import DailyBudget, usd
from server.ports import (
    NOT_BEGUN,
    Budget,
    Finished,
    ModelPart,
    ModelRequest,
    Reservation,
    TextDelta,
    ToolCallRequested,
    Writes,
)
from server.runs.ids import new_id
from server.runs.services import Services

log = structlog.get_logger(__name__)

NO_USAGE = "generate:usage_missing"


class MeteredModel:
    """Implements `Model`, for one run.

    A call is charged what its reported usage costs. One without a report, cut off or not, is charged the most it can have cost,
    and flagged; one that never began costs nothing.
    """

    def __init__(self, services: Services, lease: Lease, run: Run, meter: Meter) -> None:
        self._services = services
        self._lease = lease
        self._run = run
        self._meter = meter

    @property
    def name(self) -> str:
        """The model's own."""
        return self._services.model.name

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelPart, None]:
        """See `Model.stream`. Raises BudgetReached before the model is asked, and LeaseLost or Unavailable then, too."""
        rules, meter = self._services.rules, self._meter
        most_in, written = most_input_tokens(request), 0
        reserved = rules.prices.most(most_in, rules.output_limit or 0)
        reservation = await self._reserve(rules.budget, reserved)
        meter.model_calls += 1
        self._services.reach("model.reserved")
        usage, begun = Usage(), True
        try:
            async with aclosing(self._services.model.stream(request)) as parts:
                async for part in parts:
                    match part:
                        case TextDelta():
                            written += len(part.text.encode("utf-8", "replace"))
                        case ToolCallRequested():
                            written += len(part.name) + len(part.arguments.encode())
                        case Finished():
                            usage = part.usage
                    yield part
        except (ModelUnavailable, ModelFailed) as error:
            begun = error.facts.get("reason") not in NOT_BEGUN
            raise
        finally:
            self._services.reach("model.ended")
            most = rules.prices.most(most_in, rules.output_limit or written)
            cost = self._charge(usage, most) if begun else 0
            meter.usage += usage
            meter.cost += cost
            if reservation:
                meter.unsettled[reservation] = cost
                if cost > reserved:
                    log.warning("budget.passed", run_id=self._run.id, usd=usd(cost - reserved))
            # Shielded: a cancelled run spent its money all the same. What can't be written now is when the run ends.
            with anyio.CancelScope(shield=True), suppress(Unavailable):
                await self._book()
            self._services.reach("model.booked")

    async def _reserve(self, budget: DailyBudget | None, nano_usd: int) -> str | None:
        """The reservation's id; None where there is nothing to reserve."""
        if budget is None or not nano_usd:
            return None
        day = budget.day(self._services.clock())
        wanted = Reservation(new_id(), self._run.id, day, nano_usd)
        # Noted first: whether it was made is not known when the answer gets lost.
        self._meter.unsettled[wanted.id] = 0
        if not await self._services.store.budget.reserve(self._lease, wanted, cap=budget.cap):
            del self._meter.unsettled[wanted.id]
            log.warning(
                "budget.reached",
                run_id=self._run.id,
                day=str(day),
                asked_usd=usd(nano_usd),
                budget_usd=usd(budget.cap),
            )
            raise BudgetReached(day=str(day))
        return wanted.id

    async def _book(self) -> None:
        """Writes into the run's row what its calls used so far, in one step with their charges: should this process die,
        whoever drives the run on counts on from there."""
        store, meter = self._services.store, self._meter
        run = replace(
            self._run,
            model=self.name,
            usage=meter.usage,
            cost_usd=usd(meter.cost),
            flags=tuple(dict.fromkeys(meter.flags)),
        )
        try:
            async with store.units.hold(self._lease) as held:
                await held.save_run(run)
                await charge(held, meter)
            meter.unsettled.clear()
        except LeaseLost:
            # The row is somebody else's by now; the money, as far as they did not release it yet, was ours.
            await settle_charges(store.budget, meter)

    def _charge(self, usage: Usage, most: int) -> int:
        if usage != Usage() or not most:
            return self._services.rules.prices.cost(usage)
        self._meter.flags.append(NO_USAGE)
        return most


async def charge(held: Writes, meter: Meter) -> None:
    """Writes down what the run's calls cost, as far as it is not yet. Only when it is committed `unsettled` may be cleared."""
    for reservation_id, nano_usd in meter.unsettled.items():
        await held.settle_charge(reservation_id, nano_usd)


async def settle_charges(budget: Budget, meter: Meter) -> None:
    """The same for a run that lost its thread. Raises Unavailable; then it can be said again."""
    for reservation_id, charge in list(meter.unsettled.items()):
        await budget.settle(reservation_id, charge)
        del meter.unsettled[reservation_id]


def most_input_tokens(request: ModelRequest) -> int:
    """A bound without a tokenizer: the bytes of all that is sent, as JSON in UTF-8.

    A token of a byte-level vocabulary stands for one byte at least, and what a provider wraps around messages and tools is less
    than what JSON does.
    """
    sent = {
        "system": request.system,
        "messages": request.messages,
        "tools": [asdict(tool) for tool in request.tools],
    }
    return len(json.dumps(sent, ensure_ascii=False).encode("utf-8", "surrogatepass"))
