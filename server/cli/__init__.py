"""The command line."""

import click

from server import __version__
from server.cli.approvals import approvals
from server.cli.chat import chat
from server.cli.knowledge import knowledge
from server.cli.migrate import migrate
from server.cli.serve import serve


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="sayso")
def main() -> None:
    """A twin for your website that says only what it can prove and does only what you approve."""


for command in (serve, migrate, chat, approvals, knowledge):
    main.add_command(command)
