"""`sayso export-audit`: what was decided and done, as JSON lines, from a running twin."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any
from urllib.parse import urlencode

import click

from server.cli.errors import told_plainly
from server.cli.owner import OwnerClient, url_option

PAGE = 200


@click.command(name="export-audit")
@click.option("--since", help="Not before this time: 2026-12-01, or 2026-12-01T09:30:00Z.")
@click.option("--until", help="Before this time.")
@click.option("--after", type=click.IntRange(0), default=0, help="Only lines after this seq.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write here instead of to the screen; with --after, at the end of what is there.",
)
@url_option
def export_audit(
    since: str | None, until: str | None, after: int, out: Path | None, url: str
) -> None:
    """Write what was decided and done, one JSON object a line, oldest first.

    What goes to stderr says the seq to go on --after, next time; also when it broke off.
    """
    times = {"since": _time(since, "--since"), "until": _time(until, "--until")}
    last = after
    try:
        with told_plainly(), OwnerClient(url) as owner, _opened(out, appending=after > 0) as file:
            for row in _rows(owner, {"after": after} | times):
                click.echo(json.dumps(row, ensure_ascii=False, separators=(",", ":")), file=file)
                last = row["seq"]
    finally:
        click.echo(f"--after {last}", err=True)


def _rows(owner: OwnerClient, query: dict[str, Any]) -> Iterator[dict[str, Any]]:
    asked = {name: value for name, value in query.items() if value is not None} | {"limit": PAGE}
    while asked["after"] is not None:
        page = owner.get(f"/api/admin/audit?{urlencode(asked)}")
        yield from page["audit"]
        asked["after"] = page["next"]


def _opened(out: Path | None, *, appending: bool) -> IO[str]:
    if out is None:
        return click.open_file("-", "w")
    try:
        return out.open("a" if appending else "x", encoding="utf-8")
    except FileExistsError:
        raise click.ClickException(
            f"{out} is there already: go on with --after and its last seq, or choose another name."
        ) from None
    except OSError as error:
        raise click.ClickException(f"{out}: {error.strerror}") from None


def _time(text: str | None, option: str) -> str | None:
    """RFC 3339; a day, or a time without a zone, is in UTC."""
    if text is None:
        return None
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise click.BadParameter(
            "expected a time such as 2026-12-01 or 2026-12-01T09:30:00Z", param_hint=option
        ) from None
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).isoformat()
