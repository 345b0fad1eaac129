"""A ModelRequest in the words of OpenAI's chat completions. Pure."""

import json
from typing import Any

import httpx

from server.domain.conversation import Message
from server.domain.errors import ConfigurationError
from server.domain.tools import canonical_json
from server.ports import ModelRequest, ToolSpec


def endpoint(base_url: str) -> httpx.URL:
    """Where to post. A query (`?api-version=…`) is kept. Raises ConfigurationError unless it is a web address."""
    try:
        url = httpx.URL(base_url.strip())
    except httpx.InvalidURL:
        url = httpx.URL("")
    if url.scheme not in ("http", "https") or not url.host:
        raise ConfigurationError("The model's base URL must look like https://host/v1.")
    path = url.path.rstrip("/").removesuffix("/chat/completions")
    return url.copy_with(path=f"{path}/chat/completions")


def headers(api_key: str | None) -> dict[str, str]:
    """The request's headers. Raises ConfigurationError for a key that no header can hold: httpx would put the
    key into its own error."""
    lines = {
        "Accept": "text/event-stream",
        "Accept-Encoding": "identity",  # compression would hold pieces back
        "Content-Type": "application/json",
    }
    if api_key:
        if not api_key.isascii() or not api_key.isprintable() or " " in api_key:
            raise ConfigurationError("The model's API key holds characters that can't be sent.")
        lines["Authorization"] = f"Bearer {api_key}"
    return lines


def as_body(model: str, request: ModelRequest) -> dict[str, Any]:
    """The request's body, the system prompt first. No `tools` when there are none: some servers refuse `[]`."""
    system = [{"role": "system", "content": request.system}] if request.system else []
    body: dict[str, Any] = {
        "model": model,
        "messages": [*system, *map(_message, request.messages)],
        "stream": True,
    }
    if request.tools:
        body["tools"] = [_tool(spec) for spec in request.tools]
    return body


def as_bytes(body: dict[str, Any]) -> bytes:
    """JSON in UTF-8; a lone surrogate in somebody's text becomes '?' and stops nothing."""
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


def _message(message: Message) -> dict[str, Any]:
    role, content = message["role"], message["content"]
    if role == "tool":
        return {"role": role, "tool_call_id": message.get("tool_call_id", ""), "content": content}
    calls = [
        {
            "id": call["id"],
            "type": "function",
            "function": {"name": call["name"], "arguments": canonical_json(call["arguments"])},
        }
        for call in message.get("tool_calls", ())
    ]
    if calls:
        # null, not "": several servers refuse an empty text, all take what OpenAI itself sends
        return {"role": role, "content": content or None, "tool_calls": calls}
    return {"role": role, "content": content}


def _tool(spec: ToolSpec) -> dict[str, Any]:
    function = {
        "name": spec.name,
        "description": spec.description,
        "parameters": spec.parameters,
    }
    return {"type": "function", "function": function}
