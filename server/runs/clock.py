"""The wall clock."""

from datetime import UTC, datetime


def utc_now() -> datetime:
    """Now, in UTC."""
    return datetime.now(UTC)
