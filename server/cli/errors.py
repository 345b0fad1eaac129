"""Errors of ours as one line on the terminal instead of a traceback."""

from collections.abc import Iterator
from contextlib import contextmanager

import click
import httpx

from server.domain.errors import SaysoError


@contextmanager
def told_plainly() -> Iterator[None]:
    """Ends the command with exit code 1 and a sentence that says what to do."""
    try:
        yield
    except (SaysoError, httpx.TransportError, BaseExceptionGroup) as error:
        if (plain := _in_a_line(error)) is None:
            raise
        raise click.ClickException(plain) from None


def _in_a_line(error: BaseException) -> str | None:
    """What to say of an error, or of the first one in a group that something can be said of."""
    match error:
        case SaysoError():
            return error.detail
        case click.ClickException():
            return error.message
        case httpx.TransportError():
            return (
                f"Can't reach the twin ({type(error).__name__}). "
                "Is `sayso serve` running, and is --url right?"
            )
        case BaseExceptionGroup():
            return next(filter(None, map(_in_a_line, error.exceptions)), None)
    return None


def check(response: httpx.Response) -> None:
    """Raises a ClickException with the problem's detail for anything but success. The body has to be read already."""
    if response.is_success:
        return
    try:
        detail = response.json()["detail"]
    except (ValueError, KeyError, TypeError):
        detail = response.reason_phrase
    raise click.ClickException(f"{response.status_code}: {detail}")
