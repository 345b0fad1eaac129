"""NOTIFY_URLS through apprise itself, to a service on this machine: what it answers changed once from a bool to an object."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from server.adapters.notifications.service import find_apprise, open_service
from server.domain.errors import NotDelivered
from tests.unit.adapters.notifications.test_webhook import LETTER

pytestmark = pytest.mark.filterwarnings("ignore:'imghdr' is deprecated")
"""Of apprise's own, on Python 3.11 and 3.12."""


@contextmanager
def service(status: int) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """Something that takes JSON on loopback, its URL for apprise, and what it took."""
    taken: list[dict[str, str]] = []

    class Take(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            if status == 200:
                taken.append(json.loads(body))
            self.send_response(status)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Silence."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Take)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"json://127.0.0.1:{server.server_port}/", taken
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


async def send(url: str) -> None:
    """One letter, by the channel of that URL."""
    channel = open_service(
        find_apprise(), url, 1, secret_key="k" * 40, owner="Ada", language="en", zone=UTC
    )
    await channel.send(LETTER)


async def test_what_a_service_took_is_delivered() -> None:
    """Once, with the link in it."""
    with service(200) as (url, taken):
        await send(url)
    [letter] = taken
    assert letter["title"] == "A request waits for your decision"
    assert "https://twin.example/decide/x.y" in letter["message"]


async def test_what_a_service_refused_is_not() -> None:
    """It is tried again later."""
    with service(500) as (url, taken), pytest.raises(NotDelivered):
        await send(url)
    assert taken == []
