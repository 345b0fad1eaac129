"""Ids of ours."""

import secrets


def new_id() -> str:
    """An id nobody can guess: 24 characters of `A-Z a-z 0-9 _ -`."""
    return secrets.token_urlsafe(18)
