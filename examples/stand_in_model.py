"""A stand-in for a language model, to see a tool of your own being called without a key: standard library only.

It speaks the OpenAI-compatible API, knows one trick ("refund order A-17, 45.00") and calls `issue_refund`.

.venv/bin/python examples/stand_in_model.py      # listens on http://127.0.0.1:9009/v1
"""

import json
import re
import sys
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TRICK = re.compile(r"refund.*?\border (\S+?),? .*?(\d+)[.,](\d\d)\b", re.IGNORECASE)


def answer(messages: list[dict[str, Any]]) -> dict[str, Any]:
    """The assistant's message: a tool call, what a tool said, or a question."""
    last = messages[-1]
    if last["role"] == "tool":
        return {"content": last["content"].splitlines()[0]}
    if found := TRICK.search(last["content"]):
        order_id, whole, cents = found.groups()
        arguments = {"order_id": order_id, "amount_cents": int(whole + cents)}
        function = {"name": "issue_refund", "arguments": json.dumps(arguments)}
        return {"tool_calls": [{"index": 0, "id": "1", "type": "function", "function": function}]}
    return {"content": "Which order is it, and how much? Say: refund order A-17, 45.00"}


class Completions(BaseHTTPRequestHandler):
    """`POST /v1/chat/completions`, streamed in one piece."""

    def do_POST(self) -> None:
        """One answer."""
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        delta = answer(request["messages"])
        finish = "tool_calls" if "tool_calls" in delta else "stop"
        chunk = {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.wfile.write(f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n".encode())

    def log_message(self, *_: object) -> None:
        """Quiet."""


if __name__ == "__main__":
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 9009
    with ThreadingHTTPServer(("127.0.0.1", port), Completions) as server:
        sys.stdout.write(f"MODEL_BASE_URL=http://127.0.0.1:{server.server_port}/v1\n")
        sys.stdout.flush()
        with suppress(KeyboardInterrupt):
            server.serve_forever()
