"""Tables of the documentation against what they describe. Each failure names the row that is missing or too much."""

import re
from dataclasses import fields
from typing import Any, get_args

import click
import pytest
from fastapi import FastAPI

from server.cli import main
from server.domain.events import Event
from server.main import create_app
from server.settings import Settings
from server.web.problems import PROBLEMS
from tests.docs.markdown import ROOT, code, table

README = ROOT / "README.md"
REFERENCE = ROOT / "docs" / "reference"
METHODS = ("get", "post", "put", "patch", "delete")


def same(page: str, what: str, written: set[Any], real: set[Any]) -> None:
    """Both ways, with a message that says what to do."""
    lacking, gone = sorted(real - written), sorted(written - real)
    assert not lacking, f"{page} lacks these {what}; add a row for each: {lacking}"
    assert not gone, f"{page} has {what} that do not exist (any more); remove them: {gone}"


@pytest.fixture(scope="module")
def app() -> FastAPI:
    """With default settings, not started."""
    return create_app(Settings(_env_file=None))


@pytest.fixture(scope="module")
def operations(app: FastAPI) -> dict[str, set[str]]:
    """`METHOD /path` with the statuses OpenAPI declares for it."""
    return {
        f"{method.upper()} {path}": set(operation["responses"])
        for path, methods in app.openapi()["paths"].items()
        for method, operation in methods.items()
        if method in METHODS
    }


def test_the_readme_lists_every_route(operations: dict[str, set[str]]) -> None:
    """And none that is not there."""
    same("README.md", "routes", {code(row[0]) for row in table(README, "routes")}, set(operations))


def test_the_api_reference_lists_every_route(operations: dict[str, set[str]]) -> None:
    """With all successes, and no status that OpenAPI does not declare."""
    page = REFERENCE / "api.md"
    rows = {code(row[0]): set(row[1].split()) for row in table(page, "routes")}
    same("docs/reference/api.md", "routes", set(rows), set(operations))
    for route, written in rows.items():
        declared = operations[route]
        same(
            f"api.md, {route},",
            "statuses",
            {s for s in written if s[0] == "2"},
            {s for s in declared if s[0] == "2"},
        )
        assert written <= declared, (
            f"api.md, {route}: OpenAPI does not declare {written - declared}"
        )


def test_the_readme_lists_every_problem() -> None:
    """Status and code, as the one table in the code has them."""
    written = {(int(row[0]), code(row[1])) for row in table(README, "errors")}
    same("README.md", "errors", written, {(p.status, p.code) for p in PROBLEMS.values()})


def test_the_api_reference_lists_every_event() -> None:
    """Types, and the fields in their order."""
    written = {
        (code(row[0]), " ".join(re.findall(r"`(\w+)`", row[1])))
        for row in table(REFERENCE / "api.md", "events")
    }
    real = {(kind.type, " ".join(f.name for f in fields(kind))) for kind in get_args(Event)}
    same("docs/reference/api.md", "events", written, real)


def test_env_example_lists_every_setting() -> None:
    """Each once, commented out, so that a copy changes nothing."""
    text = (ROOT / ".env.example").read_text("utf-8")
    names = re.findall(r"^(?:# )?([A-Z][A-Z0-9_]*)=", text, re.M)
    assert len(names) == len(set(names)), "a setting is in .env.example twice"
    same(".env.example", "settings", set(names), {name.upper() for name in Settings.model_fields})
    assert not re.findall(r"^[A-Z]", text, re.M), "a line of .env.example is not commented out"


def test_the_settings_reference_lists_every_setting() -> None:
    """By name; and a plain default is the real one."""
    rows = {code(row[0]): row[1] for row in table(REFERENCE / "settings.md", "settings")}
    same(
        "docs/reference/settings.md",
        "settings",
        set(rows),
        {n.upper() for n in Settings.model_fields},
    )
    for name, written in rows.items():
        default = Settings.model_fields[name.lower()].get_default(call_default_factory=True)
        if isinstance(default, int | float | str) and default != "":
            assert written in (
                f"`{default:g}`" if isinstance(default, float) else f"`{default}`"
            ), name


def commands(group: click.Group, path: str) -> dict[str, set[str]]:
    """Each command with its arguments, and its options."""
    found: dict[str, set[str]] = {}
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            found |= commands(command, f"{path} {name}")
            continue
        arguments = [
            p.make_metavar(context) for p in command.params if isinstance(p, click.Argument)
        ]
        options = [o for p in command.params if isinstance(p, click.Option) for o in p.opts]
        found[" ".join([path, name, *arguments])] = set(options)
    return found


def test_the_command_line_reference_is_complete() -> None:
    """Every command with its arguments and its options, and no other."""
    assert isinstance(main, click.Group)
    real = commands(main, "sayso")
    rows = {
        code(row[0]): set(re.findall(r"`(--[\w-]+)`", row[1]))
        for row in table(REFERENCE / "cli.md", "commands")
    }
    same("docs/reference/cli.md", "commands", set(rows), set(real))
    for command, options in real.items():
        same(f"docs/reference/cli.md, {command},", "options", rows[command], options)
