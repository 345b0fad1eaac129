"""A model that says nothing for long, behind a proxy that closes what is silent."""

import socket

from server.adapters.models.scripted import Gate, Scripted
from server.settings import Settings
from server.web.sse import HEARTBEAT_S
from tests.browser.live import live_twin

PATIENCE_S = HEARTBEAT_S + 5
"""A third of what proxies have: a minute."""
REQUEST = (
    b"POST /api/chat HTTP/1.1\r\nHost: twin\r\nContent-Type: application/json\r\nConnection: close\r\n"
    b'Content-Length: 29\r\n\r\n{"message": "Are you there?"}'
)


def test_a_stream_outlives_the_patience_of_a_proxy(memory_settings: Settings) -> None:
    """Comments come while the model is silent for longer than anybody waits for a byte; the run is none the worse."""
    gate = Gate()
    with (
        live_twin(memory_settings, Scripted(["Yes, ", gate, "I am."])) as twin,
        socket.create_connection(("127.0.0.1", twin.port), PATIENCE_S) as proxy,
    ):
        proxy.sendall(REQUEST)
        seen = b""
        while seen.count(b": ping") < 2:  # so it was silent for longer than the patience
            piece = proxy.recv(4096)
            assert piece, "closed"
            seen += piece
        assert b"I am." not in seen
        gate.open()
        while piece := proxy.recv(4096):
            seen += piece
    assert b"I am." in seen
    assert b'"type":"done"' in seen
