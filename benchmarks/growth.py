"""What a turn leaves behind in the database, at the start of a long life and at its end.

    python -m benchmarks.growth DATABASE_URL [--turns 10000] [--threads 100]

Rows and bytes per turn, of every table, for the first tenth of the turns and for the last. In one process, without
HTTP, with a model that answers at once.
"""

import argparse
import time
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from datetime import UTC, datetime

import anyio
import psycopg
from pydantic import SecretStr

from server.bootstrap import open_services
from server.domain.conversation import Usage
from server.domain.principals import Principal
from server.ports import Finished, ModelPart, ModelRequest, TextDelta, ToolCallRequested, pass_by
from server.runs.decide import decide
from server.runs.services import Services
from server.runs.start import start
from server.settings import Settings

TABLES = (
    "threads",
    "thread_queue",
    "events",
    "turns",
    "runs",
    "approvals",
    "effects",
    "checkpoints",
    "checkpoint_blobs",
    "checkpoint_writes",
)
AT_ONCE = 8
"""Threads that talk side by side."""
VISITOR = Principal.from_key("visitor:growth")
OWNER = Principal("owner", "growth")


class Prompt:
    """A model that answers at once, and asks for the contact tool when told to `ask`."""

    name = "prompt"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelPart, None]:
        """One sentence, or one tool call."""
        last = request.messages[-1]
        if last["role"] == "user" and last["content"] == "ask":
            arguments = '{"subject": "s", "message": "m", "sender_contact": "a@b.org"}'
            yield ToolCallRequested("c", "draft_contact_message", arguments)
        else:
            yield TextDelta("A sentence of the length that answers tend to have, more or less.")
        yield Finished(Usage(100, 20, 0))


@dataclass(frozen=True, slots=True)
class Size:
    """Of a table: its rows, and the bytes of their values (not of the file, which depends on vacuum)."""

    rows: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Report:
    """Rows and bytes per turn, by table, and whether the question asked early could be decided at the end."""

    turns: int
    threads: int
    seconds: float
    first: dict[str, tuple[float, float]]
    last: dict[str, tuple[float, float]]
    end: dict[str, Size]
    decided: str


def sizes(url: str) -> dict[str, Size]:
    """Of every table, now."""
    with psycopg.connect(url, autocommit=True) as connection:
        found = {}
        for table in TABLES:
            sql = f"SELECT count(*), coalesce(sum(pg_column_size(t.*)), 0) FROM {table} t"
            row = connection.execute(sql).fetchone()
            assert row is not None
            found[table] = Size(int(row[0]), int(row[1]))
    return found


def per_turn(
    before: dict[str, Size], after: dict[str, Size], turns: int
) -> dict[str, tuple[float, float]]:
    """Rows and bytes that a turn added."""
    return {
        table: (
            (after[table].rows - before[table].rows) / turns,
            (after[table].bytes - before[table].bytes) / turns,
        )
        for table in TABLES
    }


async def measure(url: str, *, turns: int, threads: int) -> Report:
    """Talks on so many threads until there were so many turns. One of the threads is paused all the while."""
    settings = Settings(
        _env_file=None,
        database_url=SecretStr(url),
        secret_key=SecretStr("for a benchmark, and long enough"),
        semantic="off",
        verify="off",  # what the answers say is not what is measured
    )
    began = time.monotonic()
    async with open_services(
        settings, model=Prompt(), tools=(), clock=lambda: datetime.now(UTC), reach=pass_by
    ) as services:
        names = [f"growth{number}" for number in range(threads)]
        await talk(services, names, 1)  # from here on, a turn adds to what is there already
        await say(services, names[0], "ask")
        a_tenth = max(1, turns // threads // 10)
        rest = turns // threads - 2 * a_tenth
        at_start = sizes(url)
        await talk(services, names, a_tenth)
        after_first = sizes(url)
        await talk(services, names, rest)
        before_last = sizes(url)
        await talk(services, names, a_tenth)
        at_end = sizes(url)
        settled = await decide(services, names[0], {"approved": True}, by=OWNER)
        result = await settled.run.wait() if settled.run else None
        decided = f"{settled.approval.status}, {result.outcome if result else 'not gone on with'}"
    count = a_tenth * threads
    return Report(
        turns=(2 * a_tenth + rest) * threads,
        threads=threads,
        seconds=time.monotonic() - began,
        first=per_turn(at_start, after_first, count),
        last=per_turn(before_last, at_end, count),
        end=at_end,
        decided=decided,
    )


async def talk(services: Services, names: list[str], times: int) -> None:
    """So many turns on each of the threads, a few threads at a time."""
    limit = anyio.CapacityLimiter(AT_ONCE)

    async def one(name: str) -> None:
        async with limit:
            for number in range(times):
                await say(services, name, f"Message {number}, of the length that messages have.")

    async with anyio.create_task_group() as tasks:
        for name in names:
            tasks.start_soon(one, name)


async def say(services: Services, name: str, message: str) -> None:
    """One turn, to its end, checkpoints pruned."""
    started = await start(services, VISITOR, message, thread_id=name)
    await started.active.wait()


def table(report: Report) -> str:
    """The report in Markdown."""
    lines = [
        f"{report.turns} turns on {report.threads} threads in {report.seconds:.0f} s"
        f" ({report.turns / report.seconds:.0f} turns/s); a question asked before the first of them was decided after"
        f" the last: {report.decided}.",
        "",
        "| table | rows/turn, first tenth | last tenth | bytes/turn, first tenth | last tenth | rows at the end |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name in TABLES:
        (rows, size), (late_rows, late_size) = report.first[name], report.last[name]
        lines.append(
            f"| {name} | {rows:.2f} | {late_rows:.2f} | {size:.0f} | {late_size:.0f} | {report.end[name].rows} |"
        )
    totals = [
        sum(by[name][place] for name in TABLES)
        for by, place in ((report.first, 0), (report.last, 0), (report.first, 1), (report.last, 1))
    ]
    lines.append(
        f"| **all** | {totals[0]:.2f} | {totals[1]:.2f} | {totals[2]:.0f} | {totals[3]:.0f} |"
        f" {sum(size.rows for size in report.end.values())} |"
    )
    return "\n".join(lines)


def main() -> None:
    """Prints the table."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("url", help="an empty database; it is migrated")
    arguments.add_argument("--turns", type=int, default=10_000)
    arguments.add_argument("--threads", type=int, default=100)
    given = arguments.parse_args()
    report = anyio.run(
        lambda: measure(given.url, turns=given.turns, threads=given.threads),
        backend_options={"use_uvloop": True},
    )
    print(table(report))


if __name__ == "__main__":
    main()
