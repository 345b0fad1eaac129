"""Ids of ours."""

import secrets


def new_id() -> str:
    """An id nobody can guess: 24 characters of `A-Z a-z 0-9 _ -`, the first no `-`: a command line takes that for an option."""
    while (made := secrets.token_urlsafe(18)).startswith("-"):
        pass
    return made
