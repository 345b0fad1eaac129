"""A user's threads in this dialect: list, read, forget."""

from examples.confirmed_refunds import issue_refund
from server.adapters.models.scripted import Scripted
from tests.acceptance.conftest import OpenTwin
from tests.support.graph import JWT, YES, owner, refusal, user, wants_refund


def test_the_list_holds_the_callers_threads_only(open_twin: OpenTwin) -> None:
    """Newest activity first, in pages; nobody else's, and none for the owner, who opened none."""
    twin = open_twin(Scripted(then="Hello."), **JWT)
    for name in ("one", "two", "three"):
        user(twin, thread_id=name).say("Hi")
    user(twin, "mallory", thread_id="hers").say("Hi")
    eve = user(twin)

    def listed(query: str = "") -> list[str]:
        answer = eve.request("GET", f"/v1/threads{query}")
        assert answer.status_code == 200, answer.text
        return [thread["thread_id"] for thread in answer.json()["data"]["threads"]]

    assert listed() == ["three", "two", "one"]
    assert [listed(f"?limit=2&offset={n}") for n in (0, 1, 2, 3)] == [
        ["three", "two"], ["two", "one"], ["one"], [],
    ]  # fmt: skip
    assert owner(twin).request("GET", "/v1/threads").json()["data"] == {"threads": []}
    for query in ("?limit=0", "?limit=1001", "?offset=-1", "?limit=many"):
        assert refusal(eve.request("GET", f"/v1/threads{query}"))[0] == 422


def test_a_threads_record(open_twin: OpenTwin) -> None:
    """Where clients of this dialect look for it."""
    twin = open_twin(wants_refund(), tools=[issue_refund], **JWT)
    eve = user(twin)
    eve.say()

    answer = eve.request("GET", "/v1/threads/order-a-17")

    record = answer.json()["data"]["thread_data"]["thread"]
    assert record["thread_id"] == "order-a-17"
    assert record["user_id"] == "eve"
    assert record["metadata"] == {"status": "interrupted"}
    assert set(record) >= {"thread_name", "updated_at", "run_id"}


def test_the_history_is_every_message_once(open_twin: OpenTwin) -> None:
    """Across a pause: what was said, the call, its result, the closing words, under ids that stay."""
    twin = open_twin(wants_refund(), tools=[issue_refund], **JWT)
    eve = user(twin)
    first = eve.say().json()["data"]["messages"]
    second = eve.invoke(resume=YES).json()["data"]["messages"]

    path = "/v1/threads/order-a-17/messages"
    messages = eve.request("GET", path).json()["data"]["messages"]

    assert [m["role"] for m in messages] == ["user", "assistant", "tool", "assistant"]
    assert [m["message_id"] for m in messages] == [m["message_id"] for m in (*first, *second)]
    assert len({m["message_id"] for m in messages}) == 4
    keys = {"message_id", "role", "content", "tools_calls", "timestamp", "metadata", "usages"}
    assert all(set(m) == keys for m in messages)
    assert messages[1]["tools_calls"][0]["name"] == "issue_refund"
    assert messages[2]["content"][0]["call_id"] == messages[1]["tools_calls"][0]["id"]
    page = eve.request("GET", f"{path}?offset=1&limit=2").json()["data"]["messages"]
    assert page == messages[1:3]
    assert eve.state()["context"] == messages


def test_a_forgotten_thread_is_gone(open_twin: OpenTwin) -> None:
    """Question and all; then it looks like a thread that nobody opened. The client's body is not looked at."""
    twin = open_twin(wants_refund(), tools=[issue_refund], **JWT)
    eve = user(twin)
    eve.say()

    gone = eve.request("DELETE", "/v1/threads/order-a-17", json={"config": {}})
    again = eve.request("DELETE", "/v1/threads/order-a-17")

    assert gone.status_code == 200
    assert gone.json()["data"]["success"] is True
    assert refusal(again) == (403, "Not authorized to delete checkpointer")
    assert refusal(eve.invoke(resume=YES))[0] == 403
    assert eve.request("GET", "/v1/threads").json()["data"] == {"threads": []}
    assert twin.pending() == []


def test_the_owner_reads_every_thread(open_twin: OpenTwin) -> None:
    """And is told when there is none, as on the owner's own routes."""
    twin = open_twin(Scripted("Hello."), **JWT)
    user(twin).say("Hi")
    boss = owner(twin)

    found = boss.request("GET", "/v1/threads/order-a-17/messages")

    assert len(found.json()["data"]["messages"]) == 2
    assert refusal(boss.request("GET", "/v1/threads/never-opened"))[0] == 404
