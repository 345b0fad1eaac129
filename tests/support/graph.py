"""Users of the 10xGraph dialect, with their own tokens."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import jwt
from pydantic import SecretStr

from server.adapters.models.scripted import Scripted, call
from tests.support.twin import OWNER_TOKEN, RunningTwin

JWT_SECRET = "a secret for the tokens of users, long enough"
JWT = {"jwt_secret": SecretStr(JWT_SECRET)}
YES = {"approved": True}
Line = dict[str, Any]


def token_of(name: str, *, lives: timedelta = timedelta(hours=1), secret: str = JWT_SECRET) -> str:
    """A user's token."""
    expires = datetime.now(UTC) + lives
    return jwt.encode({"sub": name, "exp": expires}, secret, algorithm="HS256")


def wants_refund(closing: str = "You got 25.00 back.", **more: Any) -> Scripted:
    """A model that asks for a refund of 25.00 for order A-17, then closes in words."""
    return Scripted(call("issue_refund", order_id="A-17", amount_cents=2500), closing, **more)


class GraphUser:
    """Somebody with a token, on one thread."""

    def __init__(self, twin: RunningTwin, token: str | None, thread_id: str = "order-a-17") -> None:
        self._twin = twin
        self.token = token
        self.thread_id = thread_id

    def request(self, method: str, path: str, **options: Any) -> Any:
        """The bare response."""
        self._twin.client.cookies.clear()
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        headers |= options.pop("headers", {})
        return self._twin.client.request(method, path, headers=headers, **options)

    def invoke(self, **body: Any) -> Any:
        """The bare response, on this user's thread."""
        return self.request("POST", "/v1/graph/invoke", json=self._on_thread(body))

    def say(self, text: str = "My money back for A-17, please.", **body: Any) -> Any:
        """The bare response to a message."""
        return self.invoke(messages=[{"role": "user", "content": text}], **body)

    def stream(self, accept: str | None = None, **body: Any) -> Any:
        """The bare response, read to its end."""
        headers = {"Accept": accept} if accept else {}
        return self.request("POST", "/v1/graph/stream", json=self._on_thread(body), headers=headers)

    def state(self) -> Any:
        """The thread's state, as after a reload of the page."""
        answer = self.request("GET", f"/v1/threads/{self.thread_id}/state")
        assert answer.status_code == 200, answer.text
        return answer.json()["data"]["state"]

    def open_interrupt(self) -> dict[str, Any]:
        """The open question."""
        found: dict[str, Any] = self.state()["execution_meta"]["interrupt_data"]["interrupt"]
        return found

    def _on_thread(self, body: dict[str, Any]) -> dict[str, Any]:
        return {"config": {"thread_id": self.thread_id}} | body


def user(twin: RunningTwin, name: str = "eve", **more: Any) -> GraphUser:
    """A user."""
    return GraphUser(twin, token_of(name), **more)


def owner(twin: RunningTwin) -> GraphUser:
    """The owner."""
    return GraphUser(twin, OWNER_TOKEN)


def effects(twin: RunningTwin) -> list[Any]:
    """What was done, by the ledger."""
    found: list[Any] = twin.call(twin.services.store.effects.newest, None)
    return found


def lines_in(text: str) -> list[Line]:
    """The lines of a stream that was read to its end."""
    return [json.loads(line) for line in text.splitlines()]


def refusal(answer: Any) -> tuple[int, str]:
    """Status and message of a refusal, whose envelope must be complete."""
    body = answer.json()
    assert set(body) == {"error", "metadata"}
    assert set(body["error"]) == {"code", "message", "details"}
    assert set(body["metadata"]) == {"request_id", "timestamp", "message"}
    assert body["metadata"]["message"] == body["error"]["message"]
    assert answer.headers["X-Request-ID"] == body["metadata"]["request_id"]
    assert answer.headers["X-Timestamp"] == body["metadata"]["timestamp"]
    prefixes = "GRAPH NODE STORAGE TRANSIENT_STORAGE METRICS SCHEMA_VERSION SERIALIZATION"
    assert not body["error"]["code"].startswith(tuple(prefixes.split()))
    return answer.status_code, body["error"]["message"]
