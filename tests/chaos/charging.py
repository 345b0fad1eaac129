"""Tools whose effect is outside of us, and can't be taken back: a line in a file."""

import os
import time
from pathlib import Path

from server.domain.tools import Tool, ToolContext
from tests.chaos.obedient import LOOK_S, is_open, reached

LEDGER = "charges.txt"


def charge(*, idempotent: bool = False, folder: Path = Path()) -> Tool:
    """Charges a card: one line with the idempotency key in the folder's `charges.txt`, on disk when it returns."""

    def run(amount_cents: int, context: ToolContext) -> str:
        note(folder, context.idempotency_key, amount_cents)
        return "charged"

    return _tool("charge", run, idempotent=idempotent)


def charge_slowly(folder: Path) -> Tool:
    """Charges, and then waits until the file AMOUNT.open is there before it says so."""

    def run(amount_cents: int, context: ToolContext) -> str:
        note(folder, context.idempotency_key, amount_cents)
        reached(folder, str(amount_cents))
        while not is_open(folder, str(amount_cents)):
            time.sleep(LOOK_S)
        return "charged"

    return _tool("charge_slowly", run, timeout_s=60)


def _tool(name: str, run: object, *, idempotent: bool = False, timeout_s: float = 5) -> Tool:
    return Tool(
        name=name,
        description="Charge the customer's card.",
        parameters={
            "type": "object",
            "properties": {"amount_cents": {"type": "integer", "minimum": 1}},
            "required": ["amount_cents"],
            "additionalProperties": False,
        },
        run=run,  # type: ignore[arg-type]
        high_risk=True,
        idempotent=idempotent,
        timeout_s=timeout_s,
    )


def note(folder: Path, key: str, amount_cents: int) -> None:
    """Adds a charge, and returns when it is on disk."""
    file = os.open(folder / LEDGER, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(file, f"{key} {amount_cents}\n".encode())
        os.fsync(file)
    finally:
        os.close(file)


def charges(folder: Path) -> list[str]:
    """Every charge that was made."""
    try:
        return (folder / LEDGER).read_text().splitlines()
    except FileNotFoundError:
        return []
