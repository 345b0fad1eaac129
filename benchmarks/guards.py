"""What the guards catch, and whom they turn away wrongly.

    python -m benchmarks.guards [--show]

Five sets (`evaluation/injection/`), each written before the guards were mended on it. Of the first two every third line is held out; the fifth has
never been used for mending and must not be: it says what the guards do with words they have not seen. `--show` prints the mistakes of
what was tuned on, and of nothing else. Attacks in pages and tool results are not here: no guard reads those
(`tests/acceptance/test_injection.py`).
"""

import argparse
import json
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from server.guards.guards import Guards

DATA = Path("evaluation/injection")
GUARDS = Guards("Ada Lovelace")
Part = Literal["tuned on", "held out", "unseen"]


@dataclass(frozen=True, slots=True)
class Line:
    """A message, and the guard that should stop it, None for a harmless one."""

    text: str
    guard: str | None
    about: str
    part: Part


def read_lines(folder: Path = DATA) -> list[Line]:
    """The whole set, but what comes in pages and tool results."""
    lines = [
        Line(row["text"], "injection", f"injection, {row['form']}", _part(row))
        for row in _rows(folder / "attacks.jsonl")
        if row["form"] in ("direct", "encoded")
    ]
    lines += [
        Line(row["text"], None, "injection", _part(row)) for row in _rows(folder / "harmless.jsonl")
    ]
    lines += [
        Line(row["text"], row["guard"] if row["caught"] else None, _about(row), _part(row))
        for name in ("numbers", "second", "third", "fourth")
        for row in _rows(folder / f"{name}.jsonl")
    ]
    return lines + [
        Line(row["text"], row["guard"] if row["caught"] else None, _about(row), "unseen")
        for row in _rows(folder / "fifth.jsonl")
    ]


def _part(row: dict[str, Any]) -> Part:
    return "held out" if row["held_out"] else "tuned on"


def _about(row: dict[str, Any]) -> str:
    is_attack = row["guard"] == "injection" and row["caught"]
    return f"injection, {row['form']}" if is_attack else str(row["guard"])


def stopped_by(text: str) -> str | None:
    """The guard that stops the message, with pages that are about none of it."""
    kept = GUARDS.masked(text)
    return GUARDS.stops(kept) or ("off_topic" if GUARDS.other_work(kept) is not None else None)


def is_right(line: Line) -> bool:
    """Whether the right guard stops it, or none."""
    return stopped_by(line.text) == line.guard


def report(lines: Iterable[Line], show: bool) -> str:
    """The rates, as a table."""
    lines = list(lines)
    parts = get_args(Part)
    out = [
        f"| guard | {' | '.join(f'{did}: {part}' for did in ('caught', 'false alarms') for part in parts)} |",
        "| --- " * (1 + 2 * len(parts)) + "|",
    ]
    for about in dict.fromkeys(line.about for line in lines):
        cells = [
            _rate([line for line in lines if line.about == about and line.part == part], harmful)
            for harmful in (True, False)
            for part in parts
        ]
        out.append(f"| {about} | {' | '.join(cells)} |")
    if show:
        out += [
            f"{line.guard or 'harmless'}, but {stopped_by(line.text) or 'passes'}: {line.text!r}"
            for line in lines
            if line.part == "tuned on" and not is_right(line)
        ]
    began = time.process_time()
    for line in lines:
        stopped_by(line.text)
    out.append(f"\n{(time.process_time() - began) / len(lines) * 1000:.2f} ms a message")
    return "\n".join(out)


def _rate(lines: Iterable[Line], harmful: bool) -> str:
    right = [is_right(line) for line in lines if (line.guard is not None) is harmful]
    return f"{right.count(harmful)}/{len(right)}" if right else ""


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--show", action="store_true")
    print(report(read_lines(), parser.parse_args().show))
