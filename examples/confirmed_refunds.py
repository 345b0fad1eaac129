"""A tool that asks the customer, not the owner: the refund of the walk-through in docs/graph-api.md.

JWT_SECRET=… TOOLS=examples.confirmed_refunds:issue_refund .venv/bin/sayso serve
"""

from server.domain.tools import Tool, ToolContext


def run(order_id: str, amount_cents: int, context: ToolContext) -> str:
    """Pays. Call your payment provider here, and give it `context.idempotency_key`."""
    return f"Refunded {amount_cents / 100:.2f} euros for order {order_id}."


def question(order_id: str, amount_cents: int) -> str:
    """What the customer is asked."""
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
    high_risk=True,
    approver="user",  # whoever opened the thread confirms their own action; without this, only the owner may
    message=question,
)
