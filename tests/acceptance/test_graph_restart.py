"""A customer's refund in the 10xGraph dialect, with a real server that is killed between the pause and the answer."""

from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from tests.fakes.chat_backend import DONE, ChatBackend, Reply, delta, fragment, says
from tests.support.graph import JWT_SECRET, YES, token_of
from tests.support.server import PATIENCE_S, server

pytestmark = [pytest.mark.chaos, pytest.mark.postgres]


def asks_for_a_refund() -> Reply:
    """The model reaches for the example's tool."""
    arguments = '{"order_id": "A-17", "amount_cents": 2500}'
    return Reply(
        [fragment(0, arguments, id="c1", name="issue_refund"), delta(finish="tool_calls"), DONE]
    )


def test_a_refund_is_confirmed_after_a_restart(tmp_path: Path, postgres_url: str) -> None:
    """Killed while paused, started again: the same interrupt is open, the resume pays once, the repeat is a conflict."""
    with (
        ChatBackend(asks_for_a_refund(), says("You got 25.00 back.")) as backend,
        server(
            tmp_path,
            DATABASE_URL=postgres_url,
            VERIFY="off",
            JWT_SECRET=JWT_SECRET,
            TOOLS="examples.confirmed_refunds:issue_refund",
            MODEL_BASE_URL=backend.base_url,
            MODEL_NAME="fake",
            LEASE_S="1",
        ) as running,
    ):

        def ask(method: str, path: str, **body: Any) -> httpx.Response:
            headers = {"Authorization": f"Bearer {token_of('eve')}"}
            url = f"{running.url}{path}"
            return httpx.request(
                method, url, json=body or None, headers=headers, timeout=PATIENCE_S
            )

        paused = ask(
            "POST",
            "/v1/graph/invoke",
            messages=[{"role": "user", "content": "My money back for A-17, please."}],
            thread_id="order-a-17",
        )
        assert paused.status_code == 200, paused.text
        asked = paused.json()["data"]["meta"]["interrupt"]

        running.kill()
        running.start()

        state = ask("GET", "/v1/threads/order-a-17/state").json()["data"]["state"]
        assert state["execution_meta"]["interrupt_data"] == {"interrupt": asked}
        answer = {"resume": YES, "interrupt_id": asked["id"], "thread_id": "order-a-17"}
        resumed = ask("POST", "/v1/graph/invoke", **answer, response_granularity="full")
        assert resumed.status_code == 200, resumed.text
        data = resumed.json()["data"]
        assert data["state"]["execution_meta"]["status"] == "completed"
        assert data["messages"][-1]["content"][0]["text"] == "You got 25.00 back."
        assert ask("POST", "/v1/graph/invoke", **answer).status_code == 409
        with psycopg.connect(postgres_url) as connection:
            paid = connection.execute("SELECT tool, status FROM effects").fetchall()
        assert paid == [("issue_refund", "done")]
