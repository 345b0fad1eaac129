"""Somebody's webhook on loopback: what WEBHOOK_URL points to. Checks signatures by its own reckoning."""

import base64
import hashlib
import hmac
import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SECRET = "whsec_" + base64.b64encode(b"a webhook secret for the tests").decode()


@dataclass(frozen=True)
class Call:
    """One request. `signed`: whether the signature is that of the secret over exactly these bytes."""

    id: str
    timestamp: int
    signed: bool
    headers: dict[str, str]
    text: str

    @property
    def body(self) -> dict[str, Any]:
        """What it says."""
        found: dict[str, Any] = json.loads(self.text)
        return found


class Hook:
    """Answers with the given statuses, the last of them for ever; notes what it was told."""

    def __init__(self, *statuses: int, location: str | None = None) -> None:
        self.calls: list[Call] = []
        self.statuses: Sequence[int] = statuses or (204,)
        self._location = location
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    @property
    def url(self) -> str:
        """For WEBHOOK_URL."""
        return f"http://127.0.0.1:{self._server.server_port}/hook"

    def __enter__(self) -> "Hook":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        hook = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                hook.calls.append(_call(dict(self.headers), body))
                place = min(len(hook.calls), len(hook.statuses)) - 1
                self.send_response(hook.statuses[place])
                if hook._location:
                    self.send_header("Location", hook._location)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: Any) -> None:
                """Nothing."""

        return Handler


def _call(headers: dict[str, str], body: bytes) -> Call:
    named = {name.lower(): value for name, value in headers.items()}
    key = base64.b64decode(SECRET.removeprefix("whsec_"))
    signed = b".".join([named["webhook-id"].encode(), named["webhook-timestamp"].encode(), body])
    mac = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return Call(
        id=named["webhook-id"],
        timestamp=int(named["webhook-timestamp"]),
        signed=named["webhook-signature"] == f"v1,{mac}",
        headers=named,
        text=body.decode(),
    )
