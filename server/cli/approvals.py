"""`sayso approvals`: decide from the terminal, by the same HTTP API as everybody else."""

import json
import time
from typing import Any

import click

from server.cli.errors import told_plainly
from server.cli.owner import OwnerClient, url_option
from server.cli.terminal import plain

WATCH_S = 2.0


@click.group()
def approvals() -> None:
    """See what waits for you, and decide."""


@approvals.command(name="list")
@url_option
def list_(url: str) -> None:
    """What waits, oldest first."""
    with told_plainly(), OwnerClient(url) as owner:
        pending = owner.get("/api/admin/approvals")["pending"]
    if not pending:
        click.echo("Nothing waits for you.")
    for card in pending:
        click.echo(_line(card))


@approvals.command()
@click.argument("thread_id")
@url_option
def show(thread_id: str, url: str) -> None:
    """Everything about the open questions of a thread."""
    with told_plainly(), OwnerClient(url) as owner:
        thread = owner.get(f"/api/admin/approvals/{thread_id}")
    for message in thread["transcript"]:
        click.echo(f"{message['role']:>9}  {plain(message['content'])}")
    for card in thread["pending"]:
        click.echo()
        click.echo(_card(card))


@approvals.command()
@click.argument("thread_id")
@click.option("--interrupt", "interrupt_id", help="Which question, when several are open.")
@click.option("--note", help="For the visitor; the model is told it word for word.")
@click.option("--arguments", help="Edit and approve: the whole arguments, as JSON.")
@url_option
def approve(
    thread_id: str, interrupt_id: str | None, note: str | None, arguments: str | None, url: str
) -> None:
    """Say yes to exactly what is shown, or to your own --arguments."""
    body: dict[str, Any] = {"approved": True}
    if arguments is not None:
        try:
            body["arguments"] = json.loads(arguments)
        except ValueError as error:
            raise click.BadParameter(f"not JSON: {error}", param_hint="--arguments") from None
    _decide(url, thread_id, body, interrupt_id, note)


@approvals.command()
@click.argument("thread_id")
@click.option("--interrupt", "interrupt_id", help="Which question, when several are open.")
@click.option("--note", help="For the visitor; the model is told it word for word.")
@url_option
def reject(thread_id: str, interrupt_id: str | None, note: str | None, url: str) -> None:
    """Say no."""
    _decide(url, thread_id, {"approved": False}, interrupt_id, note)


@approvals.command()
@url_option
def watch(url: str) -> None:
    """Stay, and show what comes in. Ctrl-C ends it."""
    seen: set[str] = set()
    with told_plainly(), OwnerClient(url) as owner:
        try:
            while True:
                for card in owner.get("/api/admin/approvals")["pending"]:
                    if card["interrupt_id"] not in seen:
                        seen.add(card["interrupt_id"])
                        click.echo(_card(card))
                        click.echo(f"  sayso approvals approve {card['thread_id']}\n")
                time.sleep(WATCH_S)
        except KeyboardInterrupt:
            click.echo()


def _decide(
    url: str, thread_id: str, body: dict[str, Any], interrupt_id: str | None, note: str | None
) -> None:
    if note is not None:
        body["note"] = note
    with told_plainly(), OwnerClient(url) as owner:
        if interrupt_id is None:
            # Bound to the question that is open now: a second press is told so instead of meeting the next one.
            pending = owner.get(f"/api/admin/approvals/{thread_id}")["pending"]
            interrupt_id = pending[0]["interrupt_id"] if len(pending) == 1 else None
        if interrupt_id is not None:
            body["interrupt_id"] = interrupt_id
        decided = owner.post(f"/api/admin/approvals/{thread_id}", body)
    click.echo(f"{decided['status']}.")
    if decided["answer"]:
        click.echo(f"The visitor was told: {plain(decided['answer'])}")
    if decided["remaining"]:
        click.echo(f"Still open: {', '.join(decided['remaining'])}")


def _line(card: dict[str, Any]) -> str:
    return f"{card['thread_id']}  {card['created_at']}  {plain(card['message'])}"


def _card(card: dict[str, Any]) -> str:
    call = card["tool_calls"][0]
    lines = [
        f"thread     {card['thread_id']}",
        f"question   {card['interrupt_id']}",
        f"asked      {card['created_at']}, until {card['expires_at'] or 'you decide'}",
        f"visitor    {plain(card['visitor_message'])}",
        f"message    {plain(card['message'])}",
        f"would run  {call['name']}",
        *(
            f"             {name}: {plain(json.dumps(v, ensure_ascii=False))}"
            for name, v in call["input"].items()
        ),
    ]
    if card["warnings"]:
        lines.append(f"warnings   {', '.join(card['warnings'])}")
    return "\n".join(lines)
