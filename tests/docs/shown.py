"""Compares what a page shows with what really came: `…` stands for what was left out."""

import re


def missing(shown: str, came: str) -> str | None:
    """The first shown line that is not there, after those before it; None when all are.

    A `…` inside a line stands for any text, a line of its own for any lines. What is not stood for must be there in
    order, but blank lines count as nothing.
    """
    rest = came
    for line in shown.splitlines():
        if line.strip() in ("", "…"):
            continue
        pattern = ".*?".join(re.escape(piece) for piece in line.strip().split("…"))
        found = re.search(pattern, rest)
        if found is None:
            return line
        rest = rest[found.end() :]
    return None
