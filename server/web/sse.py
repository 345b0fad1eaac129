"""Events as SSE frames: `id` and `data`, no event name, so that a plain `onmessage` sees all."""

import json
from collections.abc import AsyncGenerator
from typing import Any, get_args

from pydantic import TypeAdapter
from sse_starlette import EventSourceResponse, ServerSentEvent

from server.domain.events import Event, as_json

HEARTBEAT_S = 15
"""Comments between events, in seconds: proxies close what is silent for a minute."""
LONGEST_S = 3600.0
"""A stream's life, in seconds; a client then reconnects with its last id."""


def event_schema() -> dict[str, Any]:
    """JSON Schema of the `data` of a frame, made from the one place where events are typed."""
    kinds = []
    for kind in get_args(Event):
        schema = TypeAdapter(kind).json_schema()
        schema["properties"] = {"type": {"const": kind.type}, **schema.get("properties", {})}
        schema["required"] = ["type", *schema.get("required", [])]
        kinds.append(schema)
    return {"oneOf": kinds}


def documented() -> dict[str, Any]:
    """How OpenAPI describes a stream: the fields of each frame, and what its `data` holds."""
    data = {
        "type": "string",
        "contentMediaType": "application/json",
        "contentSchema": event_schema(),
    }
    frame_ = {"type": "object", "properties": {"id": {"type": "string"}, "data": data}}
    return {"text/event-stream": {"schema": frame_}}


def frame(seq: int | None, event: Event) -> ServerSentEvent:
    """One frame. What is not in the log has no id."""
    # ASCII: some clients take U+2028 and its like for the end of a line.
    data = json.dumps(as_json(event), separators=(",", ":"))
    return ServerSentEvent(data=data, id=None if seq is None else str(seq))


class EventStream(EventSourceResponse):
    """A stream that proxies leave alone: not cached, not buffered, not compressed."""

    media_type = "text/event-stream"

    # FastAPI reads the default of `status_code` for the documentation.
    def __init__(
        self, frames: AsyncGenerator[ServerSentEvent, None], status_code: int = 200
    ) -> None:
        super().__init__(
            frames,
            status_code=status_code,
            ping=HEARTBEAT_S,
            sep="\n",
            headers={"Cache-Control": "no-store, no-transform", "X-Accel-Buffering": "no"},
        )
