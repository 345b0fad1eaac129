"""Stops a run from within.

Cancelling whoever reads the graph's stream does not stop its nodes: LangGraph runs them as tasks of their own, which
would go on, unwatched, on a thread that was given back.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import anyio


class Stopped(Exception):
    """The run was asked to stop. Never leaves the run."""


class Stop:
    """One per run: ends the node under way at its next wait, and lets no further one begin."""

    def __init__(self) -> None:
        self._requested = False
        self._nodes: set[anyio.CancelScope] = set()

    def request(self) -> None:
        """Asks. What a node shields, such as an effect it began, is waited for."""
        self._requested = True
        for node in self._nodes:
            node.cancel()

    @contextmanager
    def node(self, *, carries_out: bool = False) -> Iterator[None]:
        """Around the work of a node. Raises Stopped instead of beginning it, or where it was cut off; but not of one that carries out
        what somebody decided: a yes is kept, whoever stops the answer."""
        if carries_out:
            yield
            return
        if self._requested:
            raise Stopped
        with anyio.CancelScope() as scope:
            self._nodes.add(scope)
            try:
                yield
            finally:
                self._nodes.discard(scope)
        if scope.cancelled_caught:
            raise Stopped
