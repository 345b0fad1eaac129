"""Times as text."""

from datetime import UTC, datetime


def rfc3339(time: datetime | None) -> str | None:
    """`2026-11-30T09:05:00.250Z`: UTC, milliseconds, `Z`."""
    if time is None:
        return None
    return time.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
