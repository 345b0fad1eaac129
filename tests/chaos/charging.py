"""A tool whose effect is outside of us, and can't be taken back: a line in a file."""

import os
from pathlib import Path

from server.domain.tools import Tool, ToolContext

LEDGER = "charges.txt"


def charge(*, idempotent: bool = False) -> Tool:
    """Charges a card: one line with the idempotency key in `charges.txt` of the working folder, on disk when it returns."""

    def run(amount_cents: int, context: ToolContext) -> str:
        file = os.open(LEDGER, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(file, f"{context.idempotency_key} {amount_cents}\n".encode())
            os.fsync(file)
        finally:
            os.close(file)
        return "charged"

    return Tool(
        name="charge",
        description="Charge the customer's card.",
        parameters={
            "type": "object",
            "properties": {"amount_cents": {"type": "integer", "minimum": 1}},
            "required": ["amount_cents"],
            "additionalProperties": False,
        },
        run=run,
        high_risk=True,
        idempotent=idempotent,
    )


def charges(folder: Path) -> list[str]:
    """Every charge that was made."""
    try:
        return (folder / LEDGER).read_text().splitlines()
    except FileNotFoundError:
        return []
