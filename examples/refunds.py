"""A tool of your own: the twin may refund small amounts itself; larger ones wait for you.

TOOLS=examples.refunds:issue_refund .venv/bin/sayso serve
"""

import csv
from pathlib import Path

from server.domain.tools import Tool, ToolContext

LEDGER = Path("refunds.csv")
WITHOUT_ASKING = 2_000
"""Cents."""


def run(order_id: str, amount_cents: int, context: ToolContext) -> str:
    """Pays. A real one would call the payment provider, with the idempotency key."""
    with LEDGER.open("a", newline="", encoding="utf-8") as file:
        csv.writer(file).writerow([order_id, amount_cents, context.idempotency_key])
    return f"Refunded {amount_cents / 100:.2f} euros for order {order_id}."


def is_large(amount_cents: int, **_: object) -> bool:
    """Whether the owner is asked first. The model has no say in it."""
    return amount_cents > WITHOUT_ASKING


def card(order_id: str, amount_cents: int) -> str:
    """What the owner and the visitor read."""
    return f"Refund {amount_cents / 100:.2f} euros for order {order_id}?"


issue_refund = Tool(
    name="issue_refund",
    description="Refund an order. Call it when a customer asks for their money back.",
    parameters={
        "type": "object",
        "properties": {
            "order_id": {"type": "string", "minLength": 1, "maxLength": 40},
            "amount_cents": {"type": "integer", "minimum": 1, "maximum": 100_000},
        },
        "required": ["order_id", "amount_cents"],
        "additionalProperties": False,
    },
    run=run,
    high_risk=is_large,
    message=card,
    reason="refund",
)
