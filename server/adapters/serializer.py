"""How checkpoints become bytes and come back: nothing but known, harmless types is ever built from them.

LangGraph's serializer, left to its default, imports and calls whatever stored bytes name; its strict mode passes
the payload of what it refuses on as data. Here such bytes are an error instead: a run never goes on with half a
state. Whoever composes the application gives it to the saver: strict by construction, not by environment.
"""

from typing import Any

import ormsgpack
from langgraph.checkpoint.serde import jsonplus
from langgraph.checkpoint.serde._msgpack import SAFE_MSGPACK_METHODS, SAFE_MSGPACK_TYPES

_build = jsonplus._create_msgpack_ext_hook(None)
_WRITTEN_BY_US = {"null", "bytes", "bytearray", "msgpack"}


class UnsafeCheckpoint(ValueError):
    """A checkpoint is broken, or names something that must not be built from stored bytes."""


class StrictSerializer(jsonplus.JsonPlusSerializer):
    """LangGraph's own types and plain JSON; raises UnsafeCheckpoint when bytes ask for anything else."""

    def __init__(self) -> None:
        super().__init__(allowed_msgpack_modules=None, __unpack_ext_hook__=_build_if_safe)

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        """Raises UnsafeCheckpoint for what could not be read back: better no checkpoint than a dead thread."""
        data = super().dumps_typed(obj)
        self.loads_typed(data)
        return data

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        if data[0] not in _WRITTEN_BY_US:
            raise UnsafeCheckpoint(f"checkpoint value of type {data[0]!r}")
        try:
            return super().loads_typed(data)
        except (
            ValueError
        ) as error:  # what ormsgpack makes of an error in our hook, and of broken bytes
            raise UnsafeCheckpoint("checkpoint bytes that can't be read safely") from error


def _build_if_safe(code: int, data: bytes) -> Any:
    if code == jsonplus.EXT_DELTA_SNAPSHOT:
        return _build(code, data)
    named = ormsgpack.unpackb(data, ext_hook=_build_if_safe, option=ormsgpack.OPT_NON_STR_KEYS)
    if not isinstance(named, list | tuple) or len(named) < 3 or not _is_safe(code, named):
        raise UnsafeCheckpoint(f"checkpoint value with extension {code}")
    return _build(code, data)


def _is_safe(code: int, named: list[Any] | tuple[Any, ...]) -> bool:
    if code == jsonplus.EXT_METHOD_SINGLE_ARG:
        return len(named) > 3 and (named[0], named[1], named[3]) in SAFE_MSGPACK_METHODS
    return code != jsonplus.EXT_NUMPY_ARRAY and (named[0], named[1]) in SAFE_MSGPACK_TYPES
