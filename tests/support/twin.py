"""A running twin, and the people who talk to it."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from starlette.testclient import TestClient

from server.domain.tools import Tool
from server.main import create_app
from server.ports import Channel, Clock, Model, Reach, pass_by
from server.runs.clock import utc_now
from server.runs.services import Services
from server.settings import Settings

OWNER_TOKEN = "the owner's token"
Event = dict[str, Any]


def events_in(text: str) -> list[Event]:
    """The events of a stream that was read to its end, each with its `id` as `seq`."""
    events = []
    for block in text.replace("\r\n", "\n").split("\n\n"):
        fields = [
            line.split(": ", 1) for line in block.split("\n") if ": " in line and line[0] != ":"
        ]
        found = dict(fields)
        if "data" in found:
            seq = {"seq": int(found["id"])} if "id" in found else {}
            events.append(json.loads(found["data"]) | seq)
    return events


def without_seq(events: Sequence[Event]) -> list[Event]:
    """The events as the contract writes them."""
    return [{k: v for k, v in event.items() if k != "seq"} for event in events]


def of_type(events: Sequence[Event], kind: str) -> list[Event]:
    """The events of one type, in order."""
    return [event for event in without_seq(events) if event["type"] == kind]


def text_of(events: Sequence[Event]) -> str:
    """What the visitor reads."""
    return "".join(event["text"] for event in of_type(events, "text"))


@dataclass
class RunningTwin:
    """The application while it runs. `client` carries no credentials."""

    client: TestClient

    @property
    def services(self) -> Services:
        """What the application works with inside, for counting effects."""
        services: Services = self.client.app.state.web.services  # type: ignore[attr-defined]
        return services

    def visitor(self) -> "Visitor":
        """Somebody new."""
        return Visitor(self)

    def call(self, function: Any, *args: Any) -> Any:
        """Awaits something on the application's own event loop."""
        assert self.client.portal is not None
        return self.client.portal.call(function, *args)

    def owner(self, method: str, path: str, **options: Any) -> Any:
        """A request with the owner's token."""
        headers = {"Authorization": f"Bearer {OWNER_TOKEN}"}
        return self.client.request(method, f"/api/admin{path}", headers=headers, **options)

    def pending(self) -> list[dict[str, Any]]:
        """The owner's queue."""
        answer = self.owner("GET", "/approvals")
        assert answer.status_code == 200, answer.text
        pending: list[dict[str, Any]] = answer.json()["pending"]
        return pending

    def decide(self, thread_id: str, **body: Any) -> Any:
        """The owner's decision."""
        return self.owner("POST", f"/approvals/{thread_id}", json=body)

    def state(self, thread_id: str) -> dict[str, Any]:
        """The thread's state in the graph's newest checkpoint."""

        async def read() -> dict[str, Any]:
            snapshot = await self.services.graph.aget_state(
                {"configurable": {"thread_id": thread_id}}
            )
            return dict(snapshot.values)

        state: dict[str, Any] = self.call(read)
        return state


class Visitor:
    """Somebody who chats, in one thread, with the token they were given."""

    def __init__(self, twin: RunningTwin) -> None:
        self._twin = twin
        self.thread_id: str | None = None
        self.token: str | None = None

    @property
    def headers(self) -> dict[str, str]:
        """Their credentials."""
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    def say(self, message: str, **more: Any) -> list[Event]:
        """Says something; gives the events of the run, read to the end."""
        answer = self.try_to_say(message, **more)
        assert answer.status_code == 200, answer.text
        events = events_in(answer.text)
        self.thread_id = events[0]["thread_id"]
        self.token = events[0].get("visitor_token", self.token)
        return events

    def try_to_say(self, message: str, **more: Any) -> Any:
        """The bare response."""
        body = {"message": message, **more}
        if self.thread_id:
            body["thread_id"] = self.thread_id
        self._twin.client.cookies.clear()
        return self._twin.client.post("/api/chat", json=body, headers=self.headers)

    def get(self, path: str = "", **options: Any) -> Any:
        """Something of their thread."""
        self._twin.client.cookies.clear()
        headers = {**self.headers, **options.pop("headers", {})}
        return self._twin.client.get(
            f"/api/threads/{self.thread_id}{path}", headers=headers, **options
        )

    def post(self, path: str, **options: Any) -> Any:
        """Does something to their thread."""
        self._twin.client.cookies.clear()
        return self._twin.client.post(
            f"/api/threads/{self.thread_id}{path}", headers=self.headers, **options
        )

    def log(self, after: int = 0) -> list[Event]:
        """The thread's log, once no run is active."""
        answer = self.get("/events", params={"until": "idle", "after": after})
        assert answer.status_code == 200, answer.text
        return events_in(answer.text)


@contextmanager
def running_twin(
    settings: Settings,
    model: Model,
    tools: Sequence[Tool] = (),
    clock: Clock | None = None,
    channels: Sequence[Channel] = (),
    reach: Reach = pass_by,
) -> Iterator[RunningTwin]:
    """The application in a TestClient."""
    app = create_app(
        settings,
        model=model,
        tools=tools,
        channels=channels,
        clock=clock or utc_now,
        reach=reach,
    )
    with TestClient(app) as client:
        yield RunningTwin(client)
