"""`sayso eval`: holds the twin, with whatever model it is set up with, to a file of cases."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import anyio
import click

from server.adapters.models.scripted import Scripted
from server.bootstrap import DEMO, open_services
from server.cli.errors import told_plainly
from server.domain.errors import ModelUnavailable, SaysoError
from server.evaluation.cases import Case, read_cases
from server.evaluation.play import play
from server.evaluation.report import Result, as_json, as_markdown, passed
from server.runs.clock import utc_now
from server.runs.services import Services
from server.settings import Settings, read_settings

CASES = DEMO / "cases.toml"


@click.command(name="eval")
@click.argument(
    "cases", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option("--out", type=click.Path(path_type=Path), help="Write the report here: .md or .json.")
@click.option(
    "--at-least",
    type=click.FloatRange(0, 1),
    default=1.0,
    show_default=True,
    help="The share of cases that must pass; below it the exit status is 1.",
)
@click.option("--only", help="Only cases whose id or kind contains this.")
def evaluate(cases: Path | None, out: Path | None, at_least: float, only: str | None) -> None:
    """Play CASES (the demo twin's without it) on the real graph, in memory, and say what came of it.

    The model, the knowledge folder and all else are those of your settings; nothing reaches your database.
    """
    with told_plainly():
        every = read_cases(cases or CASES)
        chosen = [case for case in every if not only or only in case.id or only in case.kind]
        if not chosen:
            raise click.ClickException(f"No case's id or kind contains “{only}”.")
        settings = read_settings(database_url=None, database_direct_url=None)
        results, model = anyio.run(_played, settings, chosen, _told)
    if out is not None and out.suffix == ".json":
        out.write_text(json.dumps(as_json(results, model), indent=1, ensure_ascii=False), "utf-8")
    elif out is not None:
        out.write_text(as_markdown(results, model), "utf-8")
    else:
        click.echo(as_markdown(results, model))
    if passed(results) < at_least:
        raise SystemExit(1)


eval = evaluate


def _told(result: Result) -> None:
    click.echo(f"{'ok  ' if not result.wrong else 'FAIL'} {result.id}", err=True)


async def _played(
    settings: Settings, cases: list[Case], tell: Callable[[Result], None]
) -> tuple[list[Result], str]:
    results = []
    async with open_services(
        settings, model=None, tools=(), clock=utc_now, wait_for_meaning=True
    ) as services:
        down = replace(services, model=Scripted(then=ModelUnavailable(reason="connect")))
        for case in cases:
            results.append(await _result(down if case.model == "down" else services, case))
            tell(results[-1])
        return results, services.model.name


async def _result(services: Services, case: Case) -> Result:
    try:
        return Result.of(await play(services, case))
    except SaysoError as error:
        return Result.failed(case.id, case.kind, case.language, case.say, error.detail)
