"""`sayso knowledge check`: what is in the folder, and what is wrong with it."""

from pathlib import Path

import click

from server.adapters.knowledge.check import check, render
from server.bootstrap import DEMO
from server.cli.errors import told_plainly
from server.settings import read_settings


@click.group()
def knowledge() -> None:
    """Look after the knowledge folder."""


@knowledge.command(name="check")
@click.argument(
    "folder", required=False, type=click.Path(exists=True, file_okay=False, path_type=Path)
)
def check_folder(folder: Path | None) -> None:
    """What is there, what is too long, empty, twice there or unreadable. FOLDER: KNOWLEDGE_DIR, or the demo twin's."""
    with told_plainly():
        report = check(folder or read_settings().knowledge_dir or DEMO / "knowledge")
    click.echo(render(report))
    if not report.ok:
        raise SystemExit(1)
