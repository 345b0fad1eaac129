"""The chunks of a chat completion, put together to text, tool calls and usage. Pure.

Written against what servers send, which is looser than what OpenAI documents: calls without index or id, all
calls at index 0, whole calls in one chunk, names sent again with every fragment, arguments as an object.
"""

import json
import re
from dataclasses import dataclass
from typing import Any

from server.adapters.models.call_ids import new_call_id
from server.domain.conversation import Usage
from server.domain.errors import ModelFailed, ModelUnavailable
from server.domain.tools import canonical_json
from server.ports import Finished, ModelPart, ToolCallRequested

_CUT_OFF = {"length", "max_tokens", "model_length"}
_USABLE_ID = re.compile(r"[A-Za-z0-9_.:-]{1,64}")


@dataclass(slots=True)
class _Call:
    place: int
    id: str = ""
    name: str = ""
    arguments: str = ""

    def add(self, id: str, name: str, arguments: str) -> None:
        self.id = self.id or id
        if name != self.name:
            self.name += name
        self.arguments += arguments

    @property
    def complete(self) -> bool:
        return _parsed(self.arguments) is not None


class Answer:
    """One answer as its chunks come in."""

    def __init__(self) -> None:
        self._ids: set[str] = set()
        self._calls: list[_Call] = []
        self._half = ""
        self._spoken = False
        self._finish: str | None = None
        self._usage = Usage()

    @property
    def ended(self) -> bool:
        """Whether the model has said that it is done; only usage may follow."""
        return self._finish is not None

    def take(self, data: str) -> str:
        """Adds one chunk, as JSON text; gives the text it brings, empty when none.

        Raises ModelFailed when it is not a JSON object, ModelUnavailable when it reports an error.
        """
        chunk = _parsed(data)
        if not isinstance(chunk, dict):
            raise ModelFailed(reason="not_the_protocol")
        if chunk.get("error"):
            raise ModelUnavailable(reason="error_in_stream", **_status_of(chunk["error"]))
        self._usage = _usage_of(chunk.get("usage")) or self._usage
        text = ""
        for choice in _objects(chunk.get("choices")):
            if choice.get("index") not in (0, None):
                continue
            delta = choice.get("delta") or choice.get("message")
            if isinstance(delta, dict):
                text += _text_of(delta.get("content")) or _text_of(delta.get("refusal"))
                for fragment in _objects(delta.get("tool_calls")):
                    self._add(fragment)
            if choice.get("finish_reason"):
                self._finish = str(choice["finish_reason"])
        return self._shown(text)

    def rest(self) -> list[ModelPart]:
        """What follows the text: tool calls in index order, then `Finished`.

        Raises ModelFailed when there was neither text nor a call, or a call names no tool.
        """
        truncated = self._finish in _CUT_OFF
        if not self._calls and not self._spoken:
            raise ModelFailed(reason="empty", truncated=truncated)
        if not all(call.name for call in self._calls):
            raise ModelFailed(reason="nameless_call")
        calls = sorted(self._calls, key=lambda call: call.place)
        return [*map(self._requested, calls), Finished(self._usage, truncated)]

    def _shown(self, text: str) -> str:
        """Text that can be stored: no NUL, surrogate pairs joined across chunks, lone ones replaced.

        White space before the first word is dropped, so that an answer of nothing else is an empty one.
        """
        text = self._half + text
        self._half = ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        text = _storable(text)
        if not self._spoken:
            text = text.lstrip()
            self._spoken = bool(text)
        return text

    def _add(self, fragment: dict[str, Any]) -> None:
        function = fragment.get("function")
        function = function if isinstance(function, dict) else {}
        id, name = _string(fragment.get("id")), _string(function.get("name"))
        arguments = function.get("arguments")
        if isinstance(arguments, dict | list):
            arguments = canonical_json(arguments)
        self._call_for(fragment.get("index"), id, name).add(id, name, _string(arguments))

    def _call_for(self, index: object, id: str, name: str) -> _Call:
        """The call a fragment belongs to; a new one when it begins one."""
        newest = self._calls[-1] if self._calls else None
        if isinstance(index, int):
            at_index = [call for call in self._calls if call.place == index]
            call = at_index[-1] if at_index else None
            # Another id and a name at the same index is another call: some servers never count up.
            begins = call is None or bool(id and name and call.id and id != call.id)
        elif id:
            call = next((call for call in self._calls if call.id == id), None)
            begins = call is None
        else:
            call = newest
            begins = call is None or bool(name and call.complete)
        if begins or call is None:
            call = _Call(index if isinstance(index, int) else len(self._calls))
            self._calls.append(call)
        return call

    def _requested(self, call: _Call) -> ToolCallRequested:
        id = call.id
        if id in self._ids or not _USABLE_ID.fullmatch(id):
            id = new_call_id()
        self._ids.add(id)
        arguments = call.arguments if call.arguments.strip() else "{}"
        return ToolCallRequested(id, _storable(call.name), _storable(arguments))


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _objects(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _string(value: object) -> str:
    return value if isinstance(value, str) else ""


def _text_of(content: object) -> str:
    if isinstance(content, list):
        return "".join(
            _string(part.get("text")) for part in _objects(content) if part.get("type") == "text"
        )
    return _string(content)


def _storable(text: str) -> str:
    if text.isascii() and "\0" not in text:
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "")


def _usage_of(usage: object) -> Usage | None:
    if not isinstance(usage, dict):
        return None
    details = usage.get("prompt_tokens_details")
    return Usage(
        input_tokens=_count(usage.get("prompt_tokens")),
        output_tokens=_count(usage.get("completion_tokens")),
        cached_tokens=_count(details.get("cached_tokens")) if isinstance(details, dict) else 0,
    )


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _status_of(error: object) -> dict[str, Any]:
    code = error.get("code") if isinstance(error, dict) else None
    return {"status": code} if isinstance(code, int) and 400 <= code < 600 else {}
