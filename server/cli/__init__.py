"""The command line. Each command is a module, imported when it is called: `sayso chat` does not load the server."""

import importlib

import click

from server import __version__

COMMANDS = ("serve", "migrate", "chat", "approvals", "knowledge", "eval", "export-audit")


class Commands(click.Group):
    """`sayso NAME` is `NAME` in the module of that name, with `_` for `-`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order people meet them."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, or None."""
        if cmd_name not in COMMANDS:
            return None
        name = cmd_name.replace("-", "_")
        command: click.Command = getattr(importlib.import_module(f"server.cli.{name}"), name)
        return command


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="sayso")
def main() -> None:
    """A twin for your website that says only what it can prove and does only what you approve."""
