"""A twin on a real port of loopback, a wire to it that can be cut, and a plain page of another site."""

import contextlib
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import uvicorn
from fastapi import FastAPI

from server.domain.tools import Tool
from server.main import create_app
from server.ports import Channel, Model
from server.settings import Settings
from server.web.routes.pages import pages
from tests.support.server import free_port, until


def with_pages(app: FastAPI, frame_ancestors: Sequence[str] = ("*",)) -> FastAPI:
    """The application with its pages, whether or not it brings them itself."""
    if not any(getattr(route, "path", None) == "/inbox" for route in app.routes):
        app.include_router(pages(frame_ancestors=frame_ancestors))
    return app


@dataclass
class LiveTwin:
    """The application while it serves."""

    app: FastAPI
    port: int

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def live_twin(
    settings: Settings,
    model: Model | None = None,
    tools: Sequence[Tool] = (),
    channels: Sequence[Channel] = (),
) -> Iterator[LiveTwin]:
    """Served by uvicorn in a thread of this process, so that a test can hold and open the model's gates."""
    app = with_pages(
        create_app(settings, model=model, tools=tools, channels=channels), settings.frame_ancestors
    )
    port = free_port()
    config = uvicorn.Config(
        app, host="127.0.0.1", port=port, log_config=None, timeout_graceful_shutdown=1
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        until("the twin serves", lambda: server.started or not thread.is_alive())
        assert server.started, "the twin did not start"
        yield LiveTwin(app, port)
    finally:
        server.should_exit = True
        thread.join(30)


class Wire:
    """A TCP relay to a port. `cut` breaks every connection and refuses new ones until `mend`."""

    def __init__(self, to_port: int) -> None:
        self._to = to_port
        self._whole = threading.Event()
        self._whole.set()
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]

    @property
    def url(self) -> str:
        """Where the near end is."""
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> "Wire":
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()
        self._break_all()

    def cut(self) -> None:
        """Like pulling the plug."""
        self._whole.clear()
        self._break_all()

    def mend(self) -> None:
        """New connections go through again."""
        self._whole.set()

    def _break_all(self) -> None:
        with self._lock:
            ends, self._open = self._open, set()
        for end in ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            if not self._whole.is_set():
                near.close()
                continue
            try:
                far = socket.create_connection(("127.0.0.1", self._to))
            except OSError:
                near.close()
                continue
            with self._lock:
                self._open |= {near, far}
            for source, target in ((near, far), (far, near)):
                threading.Thread(target=self._pump, args=(source, target), daemon=True).start()

    def _pump(self, source: socket.socket, target: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
        for end in (source, target):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        source.close()  # the other direction's thread closes the other end


@contextmanager
def plain_site(html: str) -> Iterator[str]:
    """A site of somebody else: one HTML page for every path. By the name `localhost`, so that it is another site, not only another origin."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = html.encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    site = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    thread = threading.Thread(target=site.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://localhost:{site.server_address[1]}"
    finally:
        site.shutdown()
        site.server_close()
        thread.join(10)
