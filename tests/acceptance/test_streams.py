"""Streams follow the log: from anywhere, again, and live."""

import json

import pytest

from server.adapters.models.scripted import Gate, Scripted, call
from tests.acceptance.conftest import OpenTwin
from tests.support.twin import Event, events_in

DRAFT = {"subject": "s", "message": "m", "sender_contact": "a@b.org"}


def test_the_log_is_what_was_streamed(open_twin: OpenTwin) -> None:
    """A replay from the start equals what the first stream showed, numbers included."""
    twin = open_twin(Scripted("One [1]. Two. Three.", "Four."))
    visitor = twin.visitor()
    first, second = visitor.say("Hi"), visitor.say("Again")

    log = visitor.log()

    for event in (*first, *second):
        event.pop("visitor_token", None)
    assert log == first + second
    assert [e["seq"] for e in log] == sorted({e["seq"] for e in log})


def test_a_stream_can_be_taken_up_after_every_event(open_twin: OpenTwin) -> None:
    """For each cursor: what came before it and what is replayed after it are the whole, once each."""
    twin = open_twin(Scripted("One [1]. Two. Three. Four."))
    visitor = twin.visitor()
    visitor.say("Hi")
    whole = visitor.log()

    for place, event in enumerate(whole):
        by_query = visitor.log(after=event["seq"])
        by_header = visitor.get(
            "/events", params={"until": "idle"}, headers={"Last-Event-ID": str(event["seq"])}
        )
        assert whole[: place + 1] + by_query == whole
        assert events_in(by_header.text) == by_query


@pytest.mark.parametrize("cursor", ["-1", "garbage", "99999999", "", "1e3", "٣", "9" * 40])
def test_a_cursor_nobody_gave_means_from_the_start(open_twin: OpenTwin, cursor: str) -> None:
    """Unknown, negative or unreadable: the whole log, and an end."""
    twin = open_twin(Scripted("One."))
    visitor = twin.visitor()
    visitor.say("Hi")

    answer = visitor.get("/events", params={"until": "idle", "after": cursor})

    assert events_in(answer.text) == visitor.log()


def test_a_late_decision_reaches_an_open_page(open_twin: OpenTwin) -> None:
    """Somebody who follows the thread sees the ending arrive without asking again."""
    twin = open_twin(Scripted(call("draft_contact_message", **DRAFT), "It has been passed on."))
    visitor = twin.visitor()
    paused = visitor.say("Pass it on.")
    headers = {**visitor.headers, "Last-Event-ID": str(paused[-1]["seq"])}

    seen: list[Event] = []
    with twin.client.stream(
        "GET", f"/api/threads/{visitor.thread_id}/events", headers=headers
    ) as page:
        assert twin.decide(str(visitor.thread_id), approved=True).status_code == 200
        for line in page.iter_lines():
            if line.startswith("data: "):
                seen.append(json.loads(line[6:]))
                if seen[-1]["type"] == "done":
                    break

    assert {"type": "text", "text": "It has been passed on."} in seen
    assert {"type": "approval", "status": "approved"} in seen


def test_a_closed_tab_does_not_stop_the_run(open_twin: OpenTwin) -> None:
    """The reader goes away in the middle; the run ends and the whole answer is there on return."""
    gate = Gate()
    twin = open_twin(Scripted(["One. ", gate, "Two."]))
    visitor = twin.visitor()
    with twin.client.stream(
        "POST", "/api/chat", json={"message": "Hi", "thread_id": "t"}
    ) as answer:
        visitor.token, visitor.thread_id = answer.cookies["sayso_visitor"], "t"
        gate.wait_reached()
    gate.open()

    log = visitor.log()

    assert log[-1]["type"] == "done"
    assert visitor.get().json()["messages"][-1]["content"] == "One. Two."


def test_streams_ask_proxies_to_leave_them_alone(open_twin: OpenTwin) -> None:
    """Not cached, not buffered, not compressed, even for clients that would take it."""
    twin = open_twin(Scripted("One."))

    answer = twin.client.post(
        "/api/chat", json={"message": "Hi"}, headers={"Accept-Encoding": "gzip, br"}
    )

    assert answer.headers["content-type"].startswith("text/event-stream")
    assert "no-store" in answer.headers["cache-control"]
    assert answer.headers["x-accel-buffering"] == "no"
    assert "content-encoding" not in answer.headers
    assert "event:" not in answer.text


def test_a_second_tab_sees_every_event_of_the_next_run(open_twin: OpenTwin) -> None:
    """Whoever already follows the thread gets the next run whole: its first event was saved before it began."""
    twin = open_twin(Scripted("One. Two.", "Three. Four."))
    visitor = twin.visitor()
    first = visitor.say("Hi")
    headers = {**visitor.headers, "Last-Event-ID": str(first[-1]["seq"])}

    seen: list[int] = []
    with twin.client.stream(
        "GET", f"/api/threads/{visitor.thread_id}/events", headers=headers
    ) as tab:
        second = visitor.say("Again")
        for line in tab.iter_lines():
            if line.startswith("id: "):
                seen.append(int(line[4:]))
                if seen[-1] == second[-1]["seq"]:
                    break

    assert seen == [event["seq"] for event in second]
