"""Every way a provider fails has one outcome, and retries happen only while nothing was delivered.

Over real HTTP. What counts is what the provider saw: the number of requests it got.
"""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from typing import Any

import anyio
import anyio.to_thread
import httpx
import pytest

from server.adapters.models.chat_completions import ChatCompletions, exponential
from server.adapters.models.scripted import Gate
from server.domain.conversation import Usage
from server.domain.errors import ConfigurationError, ModelFailed, ModelUnavailable, SaysoError
from server.ports import (
    Finished,
    ModelPart,
    ModelRequest,
    TextDelta,
    ToolCallRequested,
    ToolSpec,
)
from tests.fakes.chat_backend import (
    DONE,
    DROP,
    FINISH,
    ChatBackend,
    Reply,
    delta,
    fragment,
    refuses,
    says,
    sse,
    usage,
)

pytestmark = pytest.mark.anyio
KEY = "sk-very-secret"
ASK = ModelRequest(system="Be brief.", messages=[{"role": "user", "content": "Hi"}])
HELLO = [TextDelta("Hel"), TextDelta("lo."), Finished(Usage(7, 3, 2))]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(trust_env=False, verify=False) as client:
        yield client


@pytest.fixture
def waits() -> list[float]:
    """The waits between attempts, in seconds; none is really waited for."""
    return []


@pytest.fixture
def model(client: httpx.AsyncClient, waits: list[float]) -> Callable[..., ChatCompletions]:
    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    def build(backend: ChatBackend, **settings: Any) -> ChatCompletions:
        defaults: dict[str, Any] = {"timeout_s": 20.0, "backoff": float, "sleep": sleep}
        return ChatCompletions(client, backend.base_url, "m-1", KEY, **defaults | settings)

    return build


Build = Callable[..., ChatCompletions]


async def parts_of(model: ChatCompletions, request: ModelRequest = ASK) -> list[ModelPart]:
    return [part async for part in model.stream(request)]


async def failure_of(model: ChatCompletions) -> tuple[list[ModelPart], SaysoError]:
    """What was delivered before the error, and the error."""
    parts: list[ModelPart] = []
    with pytest.raises((ModelUnavailable, ModelFailed)) as caught:  # noqa: PT012 (keeps the parts)
        async for part in model.stream(ASK):
            parts.append(part)
    shown = repr(caught.value) + str(caught.value) + repr(caught.value.facts)
    assert KEY not in shown
    assert "secret" not in shown
    assert caught.value.__context__ is None
    return parts, caught.value


async def test_text_comes_as_it_is_written(model: Build) -> None:
    gate = Gate()
    held = Reply([delta(content="Hel"), gate, delta(content="lo."), FINISH, usage(7, 3, 2), DONE])
    with ChatBackend(held) as backend:
        async with aclosing(model(backend).stream(ASK)) as parts:
            assert await anext(parts) == TextDelta("Hel")
            gate.open()
            assert [part async for part in parts] == HELLO[1:]


async def test_the_request_says_what_ports_promise(model: Build) -> None:
    spec = ToolSpec("find", "Finds.", {"type": "object", "properties": {}})
    request = ModelRequest(
        system="Be brief.",
        messages=[
            {"role": "user", "content": "Hé \ud83d"},
            {
                "role": "assistant",
                "content": "",
                "tool_calls": [{"id": "c1", "name": "find", "arguments": {"b": "é", "a": 1}}],
            },
            {"role": "tool", "tool_call_id": "c1", "name": "find", "content": "nothing"},
            {"role": "assistant", "content": "No."},
            {"role": "user", "content": "Thanks"},
        ],
        tools=(spec,),
    )
    with ChatBackend(says("x"), says("x")) as backend:
        await parts_of(model(backend, max_output_tokens=50), request)
        await parts_of(model(backend))
    call = {"id": "c1", "type": "function",
            "function": {"name": "find", "arguments": '{"a":1,"b":"é"}'}}  # fmt: skip
    assert backend.paths[0] == "/v1/chat/completions"
    assert backend.headers[0]["authorization"] == f"Bearer {KEY}"
    assert backend.requests[0] == {
        "model": "m-1",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Hé ?"},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c1", "content": "nothing"},
            {"role": "assistant", "content": "No."},
            {"role": "user", "content": "Thanks"},
        ],
        "tools": [{"type": "function", "function": {
            "name": "find", "description": "Finds.", "parameters": dict(spec.parameters)}}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 50,
    }  # fmt: skip
    assert {"tools", "max_tokens"}.isdisjoint(backend.requests[1])


async def test_without_a_key_nothing_is_said_about_one(client: httpx.AsyncClient) -> None:
    with ChatBackend(says("x")) as backend:
        await parts_of(ChatCompletions(client, backend.base_url + "/?v=1", "m"))
    assert "authorization" not in backend.headers[0]
    assert backend.paths == ["/v1/chat/completions?v=1"]


async def test_tool_calls_follow_the_text_in_index_order(model: Build) -> None:
    reply = Reply(
        [
            delta(content="One moment."),
            fragment(1, '{"to"', id="b", name="second"),
            fragment(0, "{", id="a", name="first"),
            fragment(1, ':"é"}'),
            fragment(0, "}"),
            delta(finish="tool_calls"),
            DONE,
        ]
    )
    with ChatBackend(reply) as backend:
        assert await parts_of(model(backend)) == [
            TextDelta("One moment."),
            ToolCallRequested("a", "first", "{}"),
            ToolCallRequested("b", "second", '{"to":"é"}'),
            Finished(),
        ]


async def test_chunks_cut_inside_a_character_are_joined(model: Build) -> None:
    body = delta(content="é€😀") + FINISH + DONE
    with ChatBackend(Reply([body[at : at + 1] for at in range(len(body))])) as backend:
        assert await parts_of(model(backend)) == [TextDelta("é€😀"), Finished()]


async def test_one_json_body_instead_of_a_stream_is_read(model: Build) -> None:
    message = {"content": "Hello.", "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{}"}}]}  # fmt: skip
    body = {
        "choices": [{"message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 3},
    }
    reply = Reply([json.dumps(body).encode()], content_type="application/json; charset=utf-8")
    with ChatBackend(reply) as backend:
        assert await parts_of(model(backend)) == [
            TextDelta("Hello."),
            ToolCallRequested("a", "f", "{}"),
            Finished(Usage(3)),
        ]


async def test_the_connection_is_used_again(model: Build) -> None:
    with ChatBackend(says("Hel", "lo."), says("Hel", "lo.")) as backend:
        assert await parts_of(model(backend)) == HELLO
        assert await parts_of(model(backend)) == HELLO
    assert backend.connections == 1


@pytest.mark.parametrize(
    "pieces",
    [
        pytest.param([delta(content="Hi"), FINISH], id="no DONE, no usage"),
        pytest.param([delta(content="Hi"), DONE], id="no finish_reason"),
        pytest.param([delta(content="Hi"), FINISH, DONE.rstrip()], id="no last empty line"),
        pytest.param([delta(content="Hi"), FINISH, b"data: {half"], id="broken after the end"),
        pytest.param([b": ping\n\ndata:\n\n", delta(content="Hi"), DONE], id="heartbeats"),
    ],
)
async def test_a_whole_answer_may_end_in_many_ways(model: Build, pieces: list[bytes]) -> None:
    with ChatBackend(Reply(pieces)) as backend:
        assert await parts_of(model(backend)) == [TextDelta("Hi"), Finished()]
    assert len(backend.requests) == 1


async def test_a_drop_after_the_end_harms_nothing(model: Build) -> None:
    with ChatBackend(Reply([delta(content="Hi"), FINISH], ends=False)) as backend:
        assert await parts_of(model(backend)) == [TextDelta("Hi"), Finished()]


async def test_a_server_that_never_closes_after_done_holds_nothing_up(model: Build) -> None:
    with ChatBackend(Reply([delta(content="Hi"), FINISH, DONE, Gate()])) as backend:
        with anyio.fail_after(5):
            assert await parts_of(model(backend)) == [TextDelta("Hi"), Finished()]
        assert await anyio.to_thread.run_sync(backend.hung_up.wait, 5)


async def test_the_output_limit_is_told(model: Build) -> None:
    with ChatBackend(Reply([delta(content="Half a", finish="length"), DONE])) as backend:
        assert (await parts_of(model(backend)))[-1] == Finished(truncated=True)


# --- retries, before the first part ---------------------------------------------------------------

PASSING = [refuses(status) for status in (408, 409, 429, 500, 502, 503, 529)]
PASSING += [
    DROP,
    Reply(ends=False),
    Reply([delta(role="assistant", content="")], ends=False),
    Reply([sse("{not json")]),
    Reply([sse({"error": {"message": "secret", "code": 502}})]),
    Reply([FINISH, DONE]),
    Reply([]),
    Reply([b"<html>"], content_type="text/html"),
    Reply([b"{}"], content_type="application/json"),
]


@pytest.mark.parametrize("reply", PASSING, ids=str)
async def test_a_passing_failure_is_tried_again(
    model: Build, waits: list[float], reply: Reply
) -> None:
    with ChatBackend(reply, reply, says("Hel", "lo.")) as backend:
        assert await parts_of(model(backend)) == HELLO
    assert len(backend.requests) == 3
    assert waits == [1.0, 2.0]


UNAVAILABLE = [
    (refuses(429), {"reason": "status", "status": 429}),
    (refuses(503), {"reason": "status", "status": 503}),
    (DROP, {"reason": "broke_off"}),
    (Reply([delta(role="assistant")]), {"reason": "broke_off"}),
    (Reply([sse({"error": {"message": "secret"}})]), {"reason": "error_in_stream"}),
]
FAILED = [
    (Reply([FINISH, DONE]), {"reason": "empty", "truncated": False}),
    (Reply([delta(content=" \n"), FINISH, DONE]), {"reason": "empty", "truncated": False}),
    (Reply([sse("secret")]), {"reason": "not_the_protocol"}),
    (Reply([fragment(0, "{}", id="a"), DONE]), {"reason": "nameless_call"}),
]


@pytest.mark.parametrize(
    ("reply", "facts", "kind"),
    [(reply, facts, ModelUnavailable) for reply, facts in UNAVAILABLE]
    + [(reply, facts, ModelFailed) for reply, facts in FAILED],
    ids=str,
)
async def test_after_the_last_attempt_the_failure_is_told(
    model: Build, waits: list[float], reply: Reply, facts: dict[str, Any], kind: type[SaysoError]
) -> None:
    with ChatBackend(reply, reply, reply, says("never asked for")) as backend:
        parts, error = await failure_of(model(backend))
    assert parts == []
    assert type(error) is kind
    assert error.facts == {**facts, "attempts": 3}
    assert error.detail == (kind.__doc__ or "")
    assert len(backend.requests) == 3
    assert waits == [1.0, 2.0]


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (refuses(400, {"error": {"message": "secret"}}), ModelFailed),
        (refuses(413), ModelFailed),
        (refuses(422), ModelFailed),
        (refuses(401), ModelUnavailable),
        (refuses(402), ModelUnavailable),
        (refuses(403), ModelUnavailable),
        (refuses(404), ModelUnavailable),
        (refuses(301, location="http://127.0.0.1:1/"), ModelUnavailable),
        (Reply([sse({"error": {"message": "secret", "code": 401}})]), ModelUnavailable),
        (Reply([delta(finish="length"), DONE]), ModelFailed),
    ],
    ids=str,
)
async def test_a_lasting_failure_is_not_tried_again(
    model: Build, reply: Reply, kind: type[SaysoError]
) -> None:
    with ChatBackend(reply, says("never asked for")) as backend:
        _, error = await failure_of(model(backend))
    assert type(error) is kind
    assert error.facts["attempts"] == len(backend.requests) == 1


async def test_nobody_listening_is_unavailable(model: Build, waits: list[float]) -> None:
    with ChatBackend() as backend:
        gone = model(backend)
    _, error = await failure_of(gone)
    assert error.facts == {"reason": "connect", "attempts": 3}
    assert len(waits) == 2


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"Retry_After": "3"}, 3.0),
        ({"Retry_After": "86400"}, 20.0),
        (
            {
                "Date": "Mon, 30 Nov 2026 10:00:00 GMT",
                "Retry_After": "Mon, 30 Nov 2026 10:00:05 GMT",
            },
            5.0,
        ),
        (
            {
                "Date": "Mon, 30 Nov 2026 10:00:00 GMT",
                "Retry_After": "Mon, 30 Nov 2026 09:00:00 GMT",
            },
            0.0,
        ),
        ({"Retry_After": "soon"}, 1.0),
        ({"Retry_After": "-4"}, 1.0),
        ({"Retry_After": "Mon, 30 Nov 2026 10:00:05 GMT"}, 1.0),
    ],
)
async def test_retry_after_is_honoured_within_bounds(
    model: Build, waits: list[float], headers: dict[str, str], wait: float
) -> None:
    with ChatBackend(refuses(429, **headers), says("Hel", "lo.")) as backend:
        assert await parts_of(model(backend, timeout_s=60.0)) == HELLO
    assert waits == [wait]


async def test_no_wait_goes_past_the_time_limit(model: Build, waits: list[float]) -> None:
    with ChatBackend(refuses(429, Retry_After="15"), says("never asked for")) as backend:
        _, error = await failure_of(model(backend, timeout_s=10.0))
    assert error.facts["retry_after_s"] == 15.0
    assert len(backend.requests) == 1
    assert waits == []


def test_waits_grow_and_are_jittered() -> None:
    for attempt, full in enumerate((0.5, 1.0, 2.0, 4.0, 8.0, 8.0), start=1):
        waits = {exponential(attempt) for _ in range(50)}
        assert full / 2 <= min(waits) < max(waits) <= full


# --- after the first part ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pieces", "ends", "kind", "reason"),
    [
        ([], False, ModelUnavailable, "broke_off"),
        ([], True, ModelUnavailable, "broke_off"),
        ([b'data: {"choices": [{"del'], True, ModelUnavailable, "broke_off"),
        ([b'data: {"choices": [{"del'], False, ModelUnavailable, "broke_off"),
        ([fragment(0, '{"a', id="a", name="f")], True, ModelUnavailable, "broke_off"),
        ([sse("{not json")], True, ModelFailed, "not_the_protocol"),
        ([sse("[]")], True, ModelFailed, "not_the_protocol"),
        ([fragment(0, "{}", id="a"), DONE], True, ModelFailed, "nameless_call"),
        (
            [sse({"error": {"message": "secret", "code": 503}})],
            True,
            ModelUnavailable,
            "error_in_stream",
        ),
    ],
)
async def test_what_breaks_mid_answer_is_told_and_never_tried_again(
    model: Build, pieces: list[bytes], ends: bool, kind: type[SaysoError], reason: str
) -> None:
    with ChatBackend(
        Reply([delta(content="Hel"), *pieces], ends=ends), says("never asked for")
    ) as backend:
        parts, error = await failure_of(model(backend))
    assert parts == [TextDelta("Hel")]
    assert type(error) is kind
    assert error.facts["reason"] == reason
    assert len(backend.requests) == 1


# --- time -----------------------------------------------------------------------------------------


async def test_silence_before_the_first_part_is_tried_again(model: Build) -> None:
    silent = Reply([Gate()])
    with ChatBackend(silent, says("Hel", "lo.")) as backend:
        assert await parts_of(model(backend, idle_timeout_s=0.2)) == HELLO
    assert len(backend.requests) == 2
    assert backend.hung_up.is_set()


async def test_silence_mid_answer_is_unavailable(model: Build) -> None:
    with ChatBackend(Reply([delta(content="Hel"), Gate()]), says("never asked for")) as backend:
        parts, error = await failure_of(model(backend, idle_timeout_s=0.2))
    assert parts == [TextDelta("Hel")]
    assert error.facts == {"reason": "timeout", "attempts": 1}
    assert type(error) is ModelUnavailable


async def test_the_whole_answer_has_a_time_limit(model: Build, waits: list[float]) -> None:
    with ChatBackend(Reply([Gate()]), says("never asked for")) as backend:
        _, error = await failure_of(model(backend, timeout_s=0.3, idle_timeout_s=20.0))
        assert await anyio.to_thread.run_sync(backend.hung_up.wait, 5)
    assert error.facts == {"reason": "timeout", "attempts": 1}
    assert len(backend.requests) == 1
    assert waits == []


# --- leaving early --------------------------------------------------------------------------------


async def test_closing_early_hangs_up(model: Build) -> None:
    with ChatBackend(Reply([delta(content="Hel"), Gate()])) as backend:
        async with aclosing(model(backend).stream(ASK)) as parts:
            assert await anext(parts) == TextDelta("Hel")
        assert await anyio.to_thread.run_sync(backend.hung_up.wait, 5)


async def test_cancelling_hangs_up(model: Build, client: httpx.AsyncClient) -> None:
    gate = Gate()
    with ChatBackend(Reply([delta(content="Hel"), gate]), says("Hel", "lo.")) as backend:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(parts_of, model(backend))
            await gate.reached()
            tasks.cancel_scope.cancel()
        assert await anyio.to_thread.run_sync(backend.hung_up.wait, 5)
        assert await parts_of(model(backend)) == HELLO


# --- servers of another dialect -------------------------------------------------------------------


@pytest.mark.parametrize("status", [400, 422])
async def test_a_server_without_stream_options_is_asked_without(
    model: Build, waits: list[float], status: int
) -> None:
    complaint = {"error": {"message": "Unrecognized request argument: stream_options"}}
    answers = (refuses(status, complaint), says("Hel", "lo."), says("Hel", "lo."))
    with ChatBackend(*answers) as backend:
        asked = model(backend, attempts=1)
        assert await parts_of(asked) == HELLO
        assert await parts_of(asked) == HELLO
    assert ["stream_options" in request for request in backend.requests] == [True, False, False]
    assert waits == []


async def test_the_same_complaint_twice_is_a_refusal(model: Build) -> None:
    complaint = refuses(400, {"error": "stream_options"})
    with ChatBackend(complaint, complaint, says("never asked for")) as backend:
        _, error = await failure_of(model(backend))
    assert error.facts == {"reason": "refused", "status": 400, "attempts": 1}
    assert len(backend.requests) == 2


async def test_the_output_limit_goes_by_its_newer_name_where_asked_for(model: Build) -> None:
    complaint = {"error": {"message": "'max_tokens' … use 'max_completion_tokens' instead"}}
    with ChatBackend(refuses(400, complaint), says("Hel", "lo.")) as backend:
        assert await parts_of(model(backend, max_output_tokens=9)) == HELLO
    assert "max_tokens" not in backend.requests[1]
    assert backend.requests[1]["max_completion_tokens"] == 9


# --- settings -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url", ["", "localhost:8080/v1", "ftp://x/v1", "http://", "http://a:b", "/v1"]
)
async def test_a_base_url_that_is_none_stops_the_start(client: httpx.AsyncClient, url: str) -> None:
    with pytest.raises(ConfigurationError):
        ChatCompletions(client, url, "m")


@pytest.mark.parametrize("key", ["sk-secret\n", "sk-sécret", "sk secret"])
async def test_a_key_no_header_can_hold_stops_the_start(
    client: httpx.AsyncClient, key: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        ChatCompletions(client, "http://x/v1", "m", key)
    assert "cret" not in str(caught.value)
