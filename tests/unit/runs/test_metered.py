"""The bound on what is sent."""

from typing import Any

import pytest

from server.adapters.models.chat_request import as_body, as_bytes
from server.domain.conversation import Message, ToolCall
from server.ports import ModelRequest, ToolSpec
from server.runs.metered import most_input_tokens

CALLED: list[Message] = [
    {"role": "user", "content": "Zoë? 日本 😀"},
    {
        "role": "assistant",
        "content": "",
        "tool_calls": [ToolCall(id="a", name="t", arguments={"q": "é"})],
    },
    {"role": "tool", "tool_call_id": "a", "name": "t", "content": "x" * 500},
]
SPEC = ToolSpec("t", "Looks things up.", {"type": "object", "properties": {"q": {}}})


@pytest.mark.parametrize(
    "text", ["", "hello", "\ud800", "\x00\x01", "naïve", "日本語" * 100, '"\\' * 50]
)
def test_every_byte_that_is_sent_is_counted(text: str) -> None:
    """All text of the request, in UTF-8: no byte-level vocabulary makes more tokens of it."""
    request = ModelRequest(
        system=text, messages=[{"role": "user", "content": text}, *CALLED], tools=(SPEC,)
    )
    texts = [text, text, *(m["content"] for m in CALLED), SPEC.description]
    sent = sum(len(each.encode("utf-8", "replace")) for each in texts)
    assert most_input_tokens(request) >= sent + len('{"q": "é"}')


def test_it_is_close_to_the_body_on_the_wire() -> None:
    """Not a wild guess: within a fifth of what the provider gets."""
    request: Any = ModelRequest(system="Be brief. " * 300, messages=CALLED, tools=(SPEC,) * 3)
    wire = len(as_bytes(as_body("m", request)))
    assert 0.8 * wire < most_input_tokens(request) < 1.2 * wire
