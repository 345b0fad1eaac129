"""A run read along, in this dialect: a line for each thing that happens, and how it ended."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from examples.confirmed_refunds import issue_refund
from server.adapters.models.scripted import Gate, Scripted, call
from server.domain.errors import ModelFailed, ModelUnavailable
from tests.acceptance.conftest import OpenTwin
from tests.support.graph import (
    JWT,
    YES,
    Line,
    effects,
    lines_in,
    refusal,
    user,
    wants_refund,
)
from tests.support.twin import events_in

HELLO = [{"role": "user", "content": [{"type": "text", "text": "Where was Ada born?"}]}]
FIELDS = {"event", "message", "state", "data", "thread_id", "run_id", "metadata", "timestamp"}


def text_of(lines: list[Line], *, delta: bool) -> str:
    """What the messages of a stream say, in pieces or whole."""
    return "".join(
        block.get("text", "")
        for line in lines
        if line["event"] == "message" and line["message"]["delta"] is delta
        for block in line["message"]["content"]
    )


@pytest.mark.parametrize(
    "accept", [None, "*/*", "application/json", "application/x-ndjson, application/json", "text/*"]
)
def test_a_stream_is_one_json_object_a_line(open_twin: OpenTwin, accept: str | None) -> None:
    """By default: every line has every field, pieces come first, the whole message once, `done` last."""
    twin = open_twin(Scripted("She was born in London [1]. That is all."), **JWT)

    answer = user(twin).stream(accept, messages=HELLO)

    assert answer.headers["content-type"].startswith("application/x-ndjson")
    assert "no-store" in answer.headers["cache-control"]
    assert answer.headers["X-Request-ID"]
    lines = lines_in(answer.text)
    assert all(set(line) == FIELDS for line in lines)
    assert {line["thread_id"] for line in lines} == {"order-a-17"}
    assert len({line["run_id"] for line in lines}) == 1
    assert lines[0]["metadata"] == {"thread_id": "order-a-17", "is_new_thread": True}
    assert [line["event"] for line in lines] == ["message"] * 4 + ["updates"]
    [ref] = lines[0]["message"]["content"][0]["refs"]
    assert (ref["index"], ref["source"]) == (1, "ada.md#birth")
    assert text_of(lines, delta=True) == text_of(lines, delta=False)
    whole = lines[-2]["message"]
    assert whole["role"] == "assistant"
    assert whole["message_id"]
    assert set(whole["usages"]) >= {"prompt_tokens", "completion_tokens", "total_tokens"}
    assert lines[-1]["data"] == {"status": "done"}


@pytest.mark.parametrize(
    ("accept", "streamed"),
    [
        ("text/event-stream", True),
        ("application/json, Text/Event-Stream;q=0.5", True),
        ("text/event-stream;q=0", False),
    ],
)
def test_frames_come_only_when_they_are_named(
    open_twin: OpenTwin, accept: str, streamed: bool
) -> None:
    """Server-sent events hold the same objects as the lines do."""
    twin = open_twin(Scripted("Hello there."), **JWT)

    answer = user(twin).stream(accept, messages=HELLO)

    kind = "text/event-stream" if streamed else "application/x-ndjson"
    assert answer.headers["content-type"].startswith(kind)
    assert answer.headers["X-Timestamp"]
    lines = events_in(answer.text) if streamed else lines_in(answer.text)
    assert text_of(lines, delta=False) == "Hello there."
    assert lines[-1]["data"] == {"status": "done"}


@pytest.mark.parametrize("granularity", ["low", "partial", "full"])
def test_a_pause_is_seen_at_every_granularity(open_twin: OpenTwin, granularity: str) -> None:
    """The last line says `interrupted` and holds the question; the resume's last line says `done`."""
    twin = open_twin(wants_refund(), tools=[issue_refund], **JWT)
    customer = user(twin)

    paused = lines_in(customer.stream(messages=HELLO, response_granularity=granularity).text)
    asked = customer.open_interrupt()
    resumed = lines_in(customer.stream(resume=YES, response_granularity=granularity).text)

    assert paused[-1]["event"] == "updates"
    assert paused[-1]["data"]["status"] == "interrupted"
    assert paused[-1]["data"]["interrupt"] == asked
    assert text_of(paused, delta=True) == ""
    assert resumed[-1]["data"]["status"] == "done"
    assert [line["message"]["role"] for line in resumed if line["message"]] == [
        "assistant", "tool", "assistant",
    ]  # fmt: skip
    states = [line["state"] for line in (*paused, *resumed) if line["event"] == "state"]
    assert [state["execution_meta"]["status"] for state in states] == (
        ["interrupted_before", "completed"] if granularity == "full" else []
    )
    assert ("context" in paused[-1]["data"]) is (granularity == "partial")
    tools = [line["data"]["tool"] for line in resumed if "tool" in (line["data"] or {})]
    assert [tool["status"] for tool in tools] == (
        [] if granularity == "low" else ["started", "done"]
    )
    assert len(effects(twin)) == 1


@pytest.mark.parametrize("granularity", ["low", "partial", "full"])
def test_an_invoke_shows_what_its_granularity_says(open_twin: OpenTwin, granularity: str) -> None:
    """Messages and the pause always; context from `partial` on; state at `full` only."""
    twin = open_twin(wants_refund(), tools=[issue_refund], **JWT)

    data = user(twin).say(response_granularity=granularity).json()["data"]

    assert set(data) == {"messages", "state", "context", "summary", "meta"}
    assert data["messages"]
    assert data["meta"]["interrupt"]["value"] == {"order_id": "A-17", "amount_cents": 2500}
    assert (data["context"] is not None) is (granularity != "low")
    assert (data["state"] is not None) is (granularity == "full")


def test_what_can_be_refused_is_refused_before_the_first_byte(open_twin: OpenTwin) -> None:
    """A status and the envelope, also for whoever wants a stream."""
    twin = open_twin(wants_refund(), tools=[issue_refund], **JWT)
    customer = user(twin)
    customer.say()

    answers = [
        customer.stream("text/event-stream", messages=HELLO),
        customer.stream(resume="yes"),
        customer.stream(resume=YES, interrupt_id="x"),
        user(twin, "mallory").stream(resume=YES),
        customer.stream(messages=HELLO, response_granularity="medium"),
    ]

    assert [refusal(answer)[0] for answer in answers] == [422, 422, 409, 403, 422]
    assert refusal(answers[3])[1] == "Not authorized to stream graph"
    assert effects(twin) == []


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (["She was born in ", ModelUnavailable()], str(ModelUnavailable())),
        ([ModelFailed()], str(ModelFailed())),
        ([RuntimeError("secret inside")], "Something went wrong here. Please try again."),
    ],
)
def test_a_failure_after_the_start_is_one_error_line(
    open_twin: OpenTwin, broken: list[object], reason: str
) -> None:
    """The last line, with a reason for the user and nothing from inside."""
    twin = open_twin(Scripted(broken), lease_s=60.0, **JWT)

    answer = user(twin).stream(messages=HELLO)

    lines = lines_in(answer.text)
    assert answer.status_code == 200
    assert [line["event"] for line in lines].count("error") == 1
    assert lines[-1]["event"] == "error"
    assert lines[-1]["data"]["reason"] == reason
    assert "secret" not in answer.text


@pytest.mark.parametrize(
    ("broken", "status", "code"),
    [
        (ModelUnavailable(), 503, "MODEL_UNAVAILABLE"),
        (ModelFailed(), 502, "MODEL_FAILED"),
        (RuntimeError("secret inside"), 500, "INTERNAL"),
    ],
)
def test_an_invoke_that_fails_is_an_error(
    open_twin: OpenTwin, broken: Exception, status: int, code: str
) -> None:
    """Its status says whether it is worth another try; the thread can be spoken in again."""
    twin = open_twin(Scripted(broken, "Hello."), lease_s=60.0, **JWT)
    customer = user(twin)

    answer = customer.say("Hi")

    assert refusal(answer)[0] == status
    assert answer.json()["error"]["code"] == code
    assert "secret" not in answer.text
    assert customer.say("Hi again").status_code == 200


def test_a_stopped_run_says_so(open_twin: OpenTwin) -> None:
    """The whole message is what was shown, marked partial; the last line is `stopped`."""
    gate = Gate()
    twin = open_twin(Scripted(["She was born. And then ", gate]), **JWT)
    customer = user(twin)

    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(customer.stream, messages=HELLO)
        gate.wait_reached()
        customer.request("POST", "/v1/graph/stop", json={"thread_id": "order-a-17"})
        lines = lines_in(reading.result().text)

    assert lines[-1]["data"] == {"status": "stopped"}
    assert lines[-2]["message"]["metadata"] == {"partial": True}
    assert text_of(lines, delta=True) in text_of(lines, delta=False)


def test_a_closed_connection_does_not_stop_the_run(open_twin: OpenTwin) -> None:
    """The reader goes away in the middle; the run ends, and the next message waits for it."""
    gate = Gate()
    twin = open_twin(Scripted(["One moment. Yes. ", gate, "Done."], "Again."), **JWT)
    customer = user(twin)
    with twin.client.stream(
        "POST",
        "/v1/graph/stream",
        json={"messages": HELLO, "thread_id": "order-a-17"},
        headers={"Authorization": f"Bearer {customer.token}"},
    ) as answer:
        first = next(answer.iter_lines())
        gate.wait_reached()
    gate.open()

    assert json.loads(first)["event"] == "message"
    assert customer.say("And?").status_code == 200
    said = customer.request("GET", "/v1/threads/order-a-17/messages").json()["data"]["messages"]
    assert said[1]["content"][0]["text"] == "One moment. Yes. Done."


def test_several_questions_stream_one_after_the_other(open_twin: OpenTwin) -> None:
    """An answer that leaves others open executes nothing: its only line is the next question."""
    calls = [call("issue_refund", order_id=order, amount_cents=100) for order in ("A-1", "A-2")]
    twin = open_twin(Scripted(calls, "Both were paid."), tools=[issue_refund], **JWT)
    customer = user(twin)
    paused = lines_in(customer.stream(messages=HELLO).text)
    first, second = paused[-1]["data"]["interrupts"]

    after_first = lines_in(customer.stream(resume=YES, interrupt_id=first["id"]).text)
    after_second = lines_in(customer.stream(resume=YES, interrupt_id=second["id"]).text)

    assert [line["data"] for line in after_first] == [
        {"status": "interrupted", "interrupt": second}
    ]
    assert text_of(after_second, delta=True) == "Both were paid."
    assert len(effects(twin)) == 2
