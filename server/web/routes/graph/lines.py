"""A run as lines of the stream: one JSON object each."""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, Literal, assert_never

import anyio
import structlog
from pydantic import BaseModel

from server.domain.errors import SaysoError
from server.domain.events import (
    ApprovalChanged,
    Citation,
    Done,
    Event,
    Failed,
    InterruptChanged,
    Meta,
    Reset,
    Retract,
    Text,
    ThreadOpened,
    ToolProgress,
    Trace,
)
from server.runs.cancel import cancel
from server.runs.services import Services
from server.web.dependencies import Web
from server.web.routes.graph.begin import Begun
from server.web.routes.graph.outcome import events_of, read_outcome
from server.web.routes.graph.views import MessageView, StateView

log = structlog.get_logger(__name__)

UNKNOWN = "Something went wrong here."
QUIET = 3
"""After so many silent looks at the log, about 15 s, a line says that the run goes on: proxies close what is silent."""


class Line(BaseModel):
    """One line. Exactly one of `message`, `state` and `data` is filled, by the kind of event.

    `data` of `updates` has a `status`: `running`, `retracted`, `interrupted` (with `interrupt`), `done` or `stopped`; of `error` a `reason`.
    """

    event: Literal["message", "updates", "state", "error"]
    message: MessageView | None
    state: StateView | None
    data: dict[str, Any] | None
    thread_id: str
    run_id: str | None
    metadata: dict[str, Any]
    timestamp: float


async def lines(parts: Web, begun: Begun) -> AsyncGenerator[str, None]:
    """The lines of a run, each without its end. The run executes whether or not anybody reads them."""
    write = Writer(parts.services, begun)
    ended = False
    try:
        async with aclosing(events_of(parts.services, begun)) as events:
            async for event in events:
                if line := write.line(event):
                    yield line
        ended = True
        for line in await write.last_lines():
            yield line
    except Exception as error:
        ended = True
        if not isinstance(error, SaysoError):
            log.exception("stream.failed", thread_id=begun.thread_id, run_id=begun.run_id)
        yield write.error(error.detail if isinstance(error, SaysoError) else UNKNOWN)
    finally:
        if parts.cancel_on_disconnect and not ended:
            with anyio.CancelScope(shield=True):
                await cancel(parts.services, begun.thread_id)


class Writer:
    """Writes the lines of one run. At `low` there are messages and how it ended; tools and state come with more."""

    def __init__(self, services: Services, begun: Begun) -> None:
        self._services = services
        self._begun = begun
        self._quiet = 0
        self._settled = False
        self._failed: Failed | None = None

    def line(self, event: Event | None) -> str | None:
        """The line for an event, if it has one while the run goes on. None is a silent look at the log."""
        self._quiet = 0 if event else self._quiet + 1
        match event:
            case None:
                return self.updates("running") if self._quiet % QUIET == 0 else None
            case Text(text=text):
                # After `meta` the twin speaks itself, of the pause: here the `interrupted` line does.
                return None if self._settled else self._delta({"type": "text", "text": text})
            case Citation():
                return self._delta(_annotation(event))
            case ToolProgress():
                tool = {k: getattr(event, k) for k in ("name", "tool_call_id", "status")}
                return (
                    None if self._begun.granularity == "low" else self.updates("running", tool=tool)
                )
            case Retract():
                return self.updates("retracted")
            case Meta():
                self._settled = True
            case Failed():
                self._failed = event
            case ThreadOpened() | InterruptChanged() | ApprovalChanged() | Trace() | Done():
                pass
            case Reset():  # Never part of one run.
                pass
            case _:
                assert_never(event)
        return None

    async def last_lines(self) -> list[str]:
        """The whole messages, the state if it was asked for, and how the run ended."""
        outcome = await read_outcome(self._services, self._begun)
        written = [
            self._line("message", message=message.model_copy(update={"delta": False}))
            for message in outcome.messages
            if message.role != "user"
        ]
        if self._begun.granularity == "full":
            written.append(self._line("state", state=outcome.state))
        if failed := self._failed:
            return [*written, self.error(failed.message, code=failed.code)]
        more: dict[str, Any] = {}
        if self._begun.granularity == "partial":
            more["context"] = [_plain(message) for message in outcome.state.context]
        if pause := outcome.pause:
            return [*written, self.updates("interrupted", **_plain(pause), **more)]
        return [*written, self.updates(outcome.how, **more)]

    def updates(self, status: str, **more: Any) -> str:
        """What changed."""
        return self._line("updates", data={"status": status, **more})

    def error(self, reason: str, **more: Any) -> str:
        """Why it failed; the last line."""
        return self._line("error", data={"reason": reason, **more})

    def _delta(self, block: dict[str, Any]) -> str:
        message = MessageView(
            message_id=None,
            role="assistant",
            content=[block],
            tools_calls=None,
            timestamp=self._now(),
            metadata={},
            usages=None,
            delta=True,
        )
        return self._line("message", message=message)

    def _line(
        self,
        event: Literal["message", "updates", "state", "error"],
        *,
        message: MessageView | None = None,
        state: StateView | None = None,
        data: dict[str, Any] | None = None,
    ) -> str:
        begun = self._begun
        line = Line(
            event=event,
            message=message,
            state=state,
            data=data,
            thread_id=begun.thread_id,
            run_id=begun.run_id,
            metadata={"thread_id": begun.thread_id, "is_new_thread": begun.is_new_thread},
            timestamp=self._now(),
        )
        # ASCII: some clients take U+2028 and its like for the end of a line.
        return json.dumps(_plain(line), separators=(",", ":"))

    def _now(self) -> float:
        return self._services.clock().timestamp()


def _annotation(citation: Citation) -> dict[str, Any]:
    ref = {
        "index": citation.n,
        "title": citation.title,
        "source": citation.source,
        "quote": citation.quote,
    }
    if citation.url:
        ref["url"] = citation.url
    return {"type": "annotation", "kind": "citation", "refs": [ref]}


def _plain(model: BaseModel) -> dict[str, Any]:
    return model.model_dump(mode="json", exclude_unset=True)
