"""A server of public keys on loopback: what JWT_JWKS_URL points to."""

import json
import threading
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm


class Key:
    """A key pair with a name."""

    def __init__(self, kid: str, algorithm: str = "RS256") -> None:
        self.kid = kid
        self.algorithm = algorithm
        self._private: Any = (
            rsa.generate_private_key(public_exponent=65537, key_size=2048)
            if algorithm == "RS256"
            else ec.generate_private_key(ec.SECP256R1())
        )

    def public(self) -> dict[str, Any]:
        """As it stands in a set."""
        kind = RSAAlgorithm if self.algorithm == "RS256" else ECAlgorithm
        named = {"kid": self.kid, "use": "sig", "alg": self.algorithm}
        return {**kind.to_jwk(self._private.public_key(), as_dict=True), **named}

    def public_pem(self) -> bytes:
        """The public half, as anybody may have it."""
        pem: bytes = self._private.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        return pem

    def token(self, name: str = "eve", kid: str | None = None, **claims: Any) -> str:
        """Signed with the private half; `kid` names another key."""
        headers = {"kid": kid or self.kid}
        return jwt.encode(
            claims_of(name) | claims, self._private, algorithm=self.algorithm, headers=headers
        )


def claims_of(name: str) -> dict[str, Any]:
    """A user for an hour."""
    return {"sub": name, "exp": datetime.now(UTC) + timedelta(hours=1)}


class KeyServer:
    """Serves a set of keys, which can be changed; counts how often it was asked."""

    def __init__(self, *keys: Key) -> None:
        self.keys = list(keys)
        self.body: bytes | None = None
        """Said instead of the set, if it is there."""
        self.asked = 0
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    @property
    def url(self) -> str:
        """For JWT_JWKS_URL."""
        return f"http://127.0.0.1:{self._server.server_port}/keys"

    def __enter__(self) -> "KeyServer":
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """From now on connections are refused."""
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.asked += 1
                document: Mapping[str, Any] = {"keys": [key.public() for key in server.keys]}
                body = json.dumps(document).encode() if server.body is None else server.body
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: Any) -> None:
                """Nothing."""

        return Handler
