"""Column types: any text there is, exact JSON, and times in UTC."""

import json
import re
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import DateTime, Dialect, Text
from sqlalchemy.dialects.postgresql import JSON
from sqlalchemy.types import TypeDecorator

_ESCAPE = "\x1a"  # SUBSTITUTE: the control character that stands for one that can't be represented
_REFUSED = re.compile(f"[\x00\ud800-\udfff{_ESCAPE}]")
_ESCAPED = re.compile(f"{_ESCAPE}([0-9a-f]{{4}})")


def storable(text: str) -> str:
    """The text without what Postgres refuses (NUL, lone surrogates); `restored` undoes it."""
    return _REFUSED.sub(lambda found: f"{_ESCAPE}{ord(found[0]):04x}", text)


def restored(text: str) -> str:
    """What `storable` was given."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)


def dump_json(value: Any) -> str:
    """JSON text. Lone surrogates are escaped; NaN and infinities, which are not JSON, raise ValueError."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text


class AnyText(TypeDecorator[str]):
    """Text that may hold every character a Python string can."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else storable(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        return None if value is None else restored(value)


class Time(TypeDecorator[datetime]):
    """A moment: goes in with any zone, comes back in UTC whatever the session's zone is."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is not None and value.tzinfo is None:
            raise ValueError("a time without a zone")
        return value

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.astimezone(UTC)


# `json`, not `jsonb`: nothing here is searched inside, and `json` keeps what digests depend on (the spelling of
# numbers, the order of keys) and accepts \u0000 and lone surrogates, which `jsonb` refuses.
Json = JSON(none_as_null=True)
