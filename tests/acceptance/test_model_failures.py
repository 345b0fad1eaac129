"""Whatever the model does, a run ends with `done`, and the visitor is told in words."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from server.settings import Settings
from tests.fakes.chat_backend import (
    DONE,
    DROP,
    ChatBackend,
    Reply,
    delta,
    fragment,
    refuses,
    says,
    sse,
)
from tests.support.twin import RunningTwin, of_type, running_twin, text_of

SLOW = {"Retry-After": "0"}


@contextmanager
def twin_on(settings: Settings, *replies: Reply) -> Iterator[tuple[RunningTwin, ChatBackend]]:
    """The application with the real model client, over real HTTP, to a provider that answers like this."""
    with ChatBackend(*replies) as backend:
        changed = settings.model_copy(
            update={
                "model_base_url": backend.base_url,
                "model_name": "fake",
                "model_timeout_s": 20.0,
            }
        )
        with running_twin(changed, model=None) as twin:
            yield twin, backend


@pytest.mark.parametrize(
    ("replies", "code", "shown"),
    [
        pytest.param([refuses(500)] * 3, "model_unavailable", "", id="500"),
        pytest.param([refuses(503)] * 3, "model_unavailable", "", id="503"),
        pytest.param([refuses(429, retry_after="0")] * 3, "model_unavailable", "", id="429"),
        pytest.param([refuses(408)] * 3, "model_unavailable", "", id="408"),
        pytest.param([refuses(409)] * 3, "model_unavailable", "", id="409"),
        pytest.param([refuses(401)], "model_unavailable", "", id="401"),
        pytest.param([refuses(400)], "model_failed", "", id="400"),
        pytest.param([DROP] * 3, "model_unavailable", "", id="drops the connection"),
        pytest.param([Reply([sse("{not json"), DONE])] * 3, "model_failed", "", id="bad JSON"),
        pytest.param([Reply([delta(finish="stop"), DONE])] * 3, "model_failed", "", id="empty"),
        pytest.param(
            [Reply([delta(content="Half a sentence. And")], ends=False)],
            "model_unavailable",
            "Half a sentence. ",
            id="drops in the middle",
        ),
    ],
)
def test_each_failure_ends_the_run_with_an_error_and_done(
    memory_settings: Settings, replies: list[Reply], code: str, shown: str
) -> None:
    """`error`, then meta, trace and done; the turn log has the run; the next message is answered."""
    with twin_on(memory_settings, *replies, says("Better now.")) as (twin, backend):
        visitor = twin.visitor()

        events = visitor.say("Hi")

        [error] = of_type(events, "error")
        assert error["code"] == code
        assert error["retryable"] is True
        assert [e["type"] for e in events[-4:]] == ["error", "meta", "trace", "done"]
        assert of_type(events, "meta")[0]["outcome"] == "error"
        assert text_of(events) == shown
        assert len(backend.requests) == len(replies)
        assert visitor.get().json()["status"] == "error"
        [run] = twin.owner("GET", "/runs").json()["runs"]
        assert (run["status"], run["outcome"]) == ("error", "error")
        assert text_of(visitor.say("Again?")) == "Better now."
        assert visitor.get().json()["status"] == "idle"


def test_a_passing_fault_is_not_seen(memory_settings: Settings) -> None:
    """Two failures before the first byte are retried; the visitor just gets the answer."""
    with twin_on(memory_settings, refuses(503), DROP, says("Hello ", "there.")) as (twin, backend):
        events = twin.visitor().say("Hi")

        assert text_of(events) == "Hello there."
        assert of_type(events, "error") == []
        assert len(backend.requests) == 3


def test_interleaved_tool_calls_are_put_together(memory_settings: Settings) -> None:
    """Two calls in fragments, mixed by index: each tool runs once with its own arguments."""
    mixed = Reply(
        [
            fragment(0, '{"que', id="a", name="search_knowledge"),
            fragment(1, "", id="b", name="get_availability"),
            fragment(0, 'ry": "birth"}'),
            fragment(1, "{}"),
            delta(finish="tool_calls"),
            DONE,
        ]
    )
    with twin_on(memory_settings, mixed, says("Done.")) as (twin, backend):
        events = twin.visitor().say("Hi")

        done = [(e["name"], e["status"]) for e in of_type(events, "tool")]
        assert done == [
            ("search_knowledge", "started"),
            ("search_knowledge", "done"),
            ("get_availability", "started"),
            ("get_availability", "done"),
        ]
        sent = backend.requests[1]["messages"]
        assert [m["role"] for m in sent[-3:]] == ["assistant", "tool", "tool"]
        assert [c["id"] for c in sent[-3]["tool_calls"]] == [m["tool_call_id"] for m in sent[-2:]]


def test_a_failed_closing_answer_keeps_the_decision(memory_settings: Settings) -> None:
    """The tool ran, the provider fails: status approved, no answer yet, the effect stays, and a retry is due."""
    ask = Reply(
        [
            fragment(
                0,
                '{"subject": "s", "message": "m", "sender_contact": "a@b.org"}',
                id="a",
                name="draft_contact_message",
            ),
            delta(finish="tool_calls"),
            DONE,
        ]
    )
    with twin_on(memory_settings, ask, *[refuses(500)] * 3) as (twin, backend):
        visitor = twin.visitor()
        visitor.say("Pass it on.")

        answer = twin.decide(str(visitor.thread_id), approved=True)

        assert answer.status_code == 200
        assert (answer.json()["status"], answer.json()["answer"]) == ("approved", "")
        assert len(twin.owner("GET", "/contact-messages").json()["contact_messages"]) == 1
        [failed, _] = twin.call(twin.services.store.runs.newest)
        assert failed.retry_at is not None
        assert len(backend.requests) == 4
