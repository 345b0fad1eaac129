"""The documented refund, with plain HTTP: a customer confirms their own refund, and it is paid once."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

from examples.confirmed_refunds import issue_refund
from server.adapters.models.scripted import Gate, Scripted, call
from server.domain.approvals import APPROVAL_SCHEMA
from server.domain.errors import ModelUnavailable
from tests.acceptance.conftest import OpenTwin
from tests.support.graph import JWT, YES, GraphUser, effects, owner, refusal, user, wants_refund

DRAFT = {"subject": "s", "message": "m", "sender_contact": "a@b.org"}
REFUND = {"order_id": "A-17", "amount_cents": 2500}


def paused(open_twin: OpenTwin, **more: Any) -> tuple[Any, GraphUser]:
    """A twin, and a user whose refund waits for their word."""
    twin = open_twin(wants_refund(), tools=[issue_refund], **JWT, **more)
    customer = user(twin)
    answer = customer.say()
    assert answer.status_code == 200, answer.text
    return twin, customer


def test_a_pause_is_read_at_full(open_twin: OpenTwin) -> None:
    """The state says where, why and what for; the question is whole; nothing was paid."""
    twin = open_twin(wants_refund(), tools=[issue_refund], **JWT)
    customer = user(twin)

    answer = customer.say(response_granularity="full")

    assert answer.status_code == 200, answer.text
    data, metadata = answer.json()["data"], answer.json()["metadata"]
    meta = data["state"]["execution_meta"]
    asked = meta["interrupt_data"]["interrupt"]
    [call_block] = data["messages"][-1]["content"]
    call_id = call_block["id"]
    assert call_block == {
        "type": "tool_call",
        "id": call_id,
        "name": "issue_refund",
        "args": REFUND,
    }
    assert asked == {
        "id": asked["id"],
        "key": f"tool:{call_id}:0",
        "node": "request_approval",
        "value": REFUND,
        "message": "Refund 25.00 euros for order A-17?",
        "reason": "tool_approval",
        "response_schema": dict(APPROVAL_SCHEMA),
        "tool_call_id": call_id,
    }
    assert meta == {
        "current_node": "request_approval",
        "status": "interrupted_before",
        "interrupted_node": "request_approval",
        "interrupt_reason": "tool_approval",
        "interrupt_data": {"interrupt": asked},
        "thread_id": "order-a-17",
    }
    assert data["meta"]["interrupt"] == asked
    assert data["meta"]["is_new_thread"] is True
    assert [m["role"] for m in data["state"]["context"]] == ["user", "assistant"]
    assert data["context"] == data["state"]["context"]
    assert data["summary"] is None
    assert metadata["message"] == "OK"
    assert answer.headers["X-Request-ID"] == metadata["request_id"]
    assert answer.headers["X-Timestamp"] == metadata["timestamp"]
    assert effects(twin) == []


def test_a_reload_finds_the_same_interrupt(open_twin: OpenTwin) -> None:
    """The thread's state holds the open question under the id that was given with the pause, each time."""
    twin = open_twin(wants_refund(), tools=[issue_refund], **JWT)
    customer = user(twin)

    first = customer.say().json()["data"]["meta"]["interrupt"]

    assert customer.open_interrupt() == first
    assert customer.open_interrupt() == first


def test_a_resume_pays_once_and_completes(open_twin: OpenTwin) -> None:
    """A yes runs the tool, the model closes, the interrupt fields are null."""
    twin, customer = paused(open_twin)

    answer = customer.invoke(
        resume=YES, interrupt_id=customer.open_interrupt()["id"], response_granularity="full"
    )

    assert answer.status_code == 200, answer.text
    data = answer.json()["data"]
    assert data["state"]["execution_meta"] == {
        "current_node": "__end__",
        "status": "completed",
        "interrupted_node": None,
        "interrupt_reason": None,
        "interrupt_data": None,
        "thread_id": "order-a-17",
    }
    assert "interrupt" not in data["meta"]
    assert data["meta"]["is_new_thread"] is False
    assert [m["role"] for m in data["messages"]] == ["tool", "assistant"]
    assert data["messages"][0]["content"][0]["output"] == "Refunded 25.00 euros for order A-17."
    assert data["messages"][1]["content"] == [{"type": "text", "text": "You got 25.00 back."}]
    [effect] = effects(twin)
    assert (effect.tool, effect.status) == ("issue_refund", "done")
    assert customer.state() == data["state"]


def test_the_interrupt_id_may_be_left_out(open_twin: OpenTwin) -> None:
    """One question is open, so it is the one that is meant."""
    twin, customer = paused(open_twin)

    assert customer.invoke(resume=YES).status_code == 200
    assert len(effects(twin)) == 1


def test_a_repeated_resume_has_nothing_to_resume(open_twin: OpenTwin) -> None:
    """The second yes is a conflict, with or without the id, and pays nothing."""
    twin, customer = paused(open_twin)
    asked = customer.open_interrupt()
    assert customer.invoke(resume=YES).status_code == 200

    again = [customer.invoke(resume=YES), customer.invoke(resume=YES, interrupt_id=asked["id"])]

    nothing = (409, "Nothing to resume: this thread is not paused at an interrupt")
    assert [refusal(answer) for answer in again] == [nothing, nothing]
    assert len(effects(twin)) == 1


def test_a_thread_that_never_paused_has_nothing_to_resume(open_twin: OpenTwin) -> None:
    """Idle, or not named at all: the same conflict. One that nobody opened looks like somebody else's."""
    twin = open_twin(Scripted("Hello."), **JWT)
    customer = user(twin)
    customer.say("Hi")

    idle = customer.invoke(resume=YES)
    unnamed = customer.invoke(resume=None, config={})
    unknown = user(twin, thread_id="never-opened").invoke(resume=YES)

    nothing = (409, "Nothing to resume: this thread is not paused at an interrupt")
    assert refusal(idle) == refusal(unnamed) == nothing
    assert refusal(unknown) == (403, "Not authorized to invoke graph")


def test_a_wrong_interrupt_id_is_a_conflict(open_twin: OpenTwin) -> None:
    """Both ids are named, nothing runs, and the question stays open under its id."""
    twin, customer = paused(open_twin)
    asked = customer.open_interrupt()

    answer = customer.invoke(resume=YES, interrupt_id="int_wrong")

    assert refusal(answer) == (
        409,
        f"interrupt_id 'int_wrong' does not match the open interrupt '{asked['id']}'",
    )
    assert effects(twin) == []
    assert customer.open_interrupt() == asked


BAD_ANSWERS: list[tuple[Any, str]] = [
    ("yes", "$: expected object, got str"),
    ({"approved": "true"}, "$.approved: expected boolean, got str"),
    ({"approved": 1}, "$.approved: expected boolean, got int"),
    ({"approved": 1.5}, "$.approved: expected boolean, got float"),
    ({"approved": None}, "$.approved: expected boolean, got NoneType"),
    ({"approved": []}, "$.approved: expected boolean, got list"),
    ({"approved": {}}, "$.approved: expected boolean, got dict"),
    ({"approved": True, "note": 7}, "$.note: expected string, got int"),
    (
        {"approved": True, "arguments": {"order_id": 7, "amount_cents": 1}},
        "$.arguments.order_id: expected string, got int",
    ),
    ({}, "$: 'approved' is a required property"),
    (False, "$: expected object, got bool"),
    (0, "$: expected object, got int"),
    ("", "$: expected object, got str"),
    ([], "$: expected object, got list"),
    (True, "$: expected object, got bool"),
]


def test_an_answer_that_breaks_the_schema_changes_nothing(open_twin: OpenTwin) -> None:
    """Falsy values arrive and are judged like others: 422 with the JSON path; the question stays open."""
    twin, customer = paused(open_twin)
    asked = customer.open_interrupt()
    told = f"Resume value does not match the response schema of interrupt '{asked['id']}'"

    for value, problem in BAD_ANSWERS:
        answer = customer.invoke(resume=value, interrupt_id=asked["id"])
        assert refusal(answer) == (422, f"{told}: {problem}")

    assert effects(twin) == []
    assert customer.open_interrupt() == asked


def test_a_no_pays_nothing(open_twin: OpenTwin) -> None:
    """`approved: false` is an answer: the model is told, with the note, and the thread completes."""
    twin, customer = paused(open_twin)

    answer = customer.invoke(resume={"approved": False, "note": "Changed my mind."})

    assert answer.status_code == 200, answer.text
    assert "Changed my mind." in answer.json()["data"]["messages"][0]["content"][0]["output"]
    assert customer.state()["execution_meta"]["status"] == "completed"
    assert effects(twin) == []


def test_null_cancels_without_being_judged(open_twin: OpenTwin) -> None:
    """The key is there, so it is a resume; `null` is no answer of the schema and cancels."""
    twin, customer = paused(open_twin)

    answer = customer.invoke(resume=None)

    assert answer.status_code == 200, answer.text
    assert "cancelled" in answer.json()["data"]["messages"][0]["content"][0]["output"]
    assert effects(twin) == []
    [past] = twin.owner("GET", "/approvals?status=cancelled").json()["approvals"]
    assert past["decided_by"] == "user:eve"


def test_a_message_on_a_paused_thread_is_refused(open_twin: OpenTwin) -> None:
    """Whatever it says, it is no answer; the interrupt and its node are named."""
    twin, customer = paused(open_twin)
    asked = customer.open_interrupt()

    answers = [customer.say(text) for text in ("yes", '{"approved": true}')]

    told = (
        f"Thread is paused at interrupt '{asked['id']}' in node 'request_approval'. "
        "Resume it with {'resume': value}."
    )
    assert [refusal(answer) for answer in answers] == [(422, told)] * 2
    assert customer.open_interrupt() == asked
    assert effects(twin) == []


def test_messages_and_resume_together_leave_the_thread_alone(open_twin: OpenTwin) -> None:
    """422 before anything is looked at; the question is still open."""
    twin, customer = paused(open_twin)
    before = customer.state()

    for value in (YES, None, False):
        answer = customer.say(resume=value)
        assert refusal(answer) == (422, "$: send either 'messages' or 'resume'")
        assert answer.json()["error"]["details"] == [
            {
                "loc": ["body"],
                "msg": "send either 'messages' or 'resume'",
                "type": "value_error",
            }
        ]

    assert customer.state() == before
    assert effects(twin) == []


def test_another_user_may_do_nothing_with_it(open_twin: OpenTwin) -> None:
    """403 on every route, in the words of the route, and the same for a thread that nobody opened."""
    twin, customer = paused(open_twin)
    asked = customer.open_interrupt()
    mallory = user(twin, "mallory")

    refusals = {
        "invoke": [mallory.invoke(resume=YES), mallory.say(), mallory.invoke(resume="yes")],
        "stream": [mallory.stream(resume=YES, interrupt_id=asked["id"])],
        "stop": [mallory.request("POST", "/v1/graph/stop", json={"thread_id": "order-a-17"})],
    }
    reads = [
        mallory.request("GET", f"/v1/threads/{name}{path}")
        for name in ("order-a-17", "never-opened")
        for path in ("", "/state", "/messages")
    ]

    for action, answers in refusals.items():
        assert {refusal(a) for a in answers} == {(403, f"Not authorized to {action} graph")}
    assert {refusal(a) for a in reads} == {(403, "Not authorized to read checkpointer")}
    assert mallory.request("DELETE", "/v1/threads/order-a-17").status_code == 403
    assert customer.open_interrupt() == asked
    assert effects(twin) == []


def test_the_same_name_as_a_visitor_is_somebody_else(open_twin: OpenTwin) -> None:
    """A visitor's token opens the visitor's threads only."""
    twin, customer = paused(open_twin)
    visitor = twin.visitor()
    visitor.say("Hi")

    answer = GraphUser(twin, visitor.token).invoke(resume=YES)

    assert refusal(answer) == (403, "Not authorized to invoke graph")
    assert customer.open_interrupt()


def test_what_asks_the_owner_is_not_the_users_to_answer(open_twin: OpenTwin) -> None:
    """A tool without `approver="user"`: 403 for the thread's own user, 200 for the owner's token."""
    twin = open_twin(Scripted(call("draft_contact_message", **DRAFT), "Passed on."), **JWT)
    customer = user(twin)
    asked = customer.say().json()["data"]["meta"]["interrupt"]

    refused = [customer.invoke(resume=value) for value in (YES, None, "yes")]

    assert {refusal(a) for a in refused} == {(403, "Not authorized to invoke graph")}
    assert effects(twin) == []
    answer = owner(twin).invoke(resume=YES, interrupt_id=asked["id"])
    assert answer.status_code == 200, answer.text
    assert len(effects(twin)) == 1


def test_the_owner_may_answer_but_not_speak(open_twin: OpenTwin) -> None:
    """The owner's token resumes a user's question; messages, stop and delete are the user's."""
    twin, customer = paused(open_twin)
    boss = owner(twin)

    spoken = [boss.say(), boss.say(config={"thread_id": "a-new-one"})]
    stopped = boss.request("POST", "/v1/graph/stop", json={"thread_id": "order-a-17"})

    assert {refusal(a) for a in spoken} == {(403, "Not authorized to invoke graph")}
    assert refusal(stopped) == (403, "Not authorized to stop graph")
    assert boss.request("GET", "/v1/threads/a-new-one").status_code == 404
    assert boss.state()["execution_meta"] == customer.state()["execution_meta"]
    assert boss.invoke(resume=YES).status_code == 200
    assert len(effects(twin)) == 1


def test_four_equal_resumes_at_once_pay_once(open_twin: OpenTwin) -> None:
    """One 200, three conflicts that say there is nothing to resume, one effect."""
    twin, customer = paused(open_twin)
    asked = customer.open_interrupt()

    with ThreadPoolExecutor(4) as pool:
        answers = list(
            pool.map(
                lambda _: customer.invoke(resume=YES, interrupt_id=asked["id"]),
                range(4),
            )
        )

    by_status = sorted(answers, key=lambda answer: answer.status_code)
    assert [answer.status_code for answer in by_status] == [200, 409, 409, 409]
    nothing = (409, "Nothing to resume: this thread is not paused at an interrupt")
    assert [refusal(answer) for answer in by_status[1:]] == [nothing] * 3
    assert len(effects(twin)) == 1


def test_a_busy_thread_is_a_conflict(open_twin: OpenTwin) -> None:
    """Past the wait: 409 `thread is busy`, for a message and before the first byte of a stream."""
    gate = Gate()
    twin = open_twin(Scripted(["One. ", gate], then="Two."), busy_wait_s=0.0, **JWT)
    customer = user(twin)

    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(customer.say, "first")
        gate.wait_reached()
        second, third = customer.say("second"), customer.stream(messages=[hello()])
        gate.open()

    assert refusal(second) == refusal(third) == (409, "thread is busy")
    assert first.result().status_code == 200
    assert customer.say("fourth").json()["data"]["messages"][-1]["content"][0]["text"] == "Two."


def test_on_busy_cancel_stops_the_active_run_first(open_twin: OpenTwin) -> None:
    """The active run ends with what it showed kept, marked partial; then this one runs."""
    gate = Gate()
    model = Scripted(["She was born. And then ", gate, "never."], "Two.")
    twin = open_twin(model, **JWT)
    customer = user(twin)

    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(customer.say, "first")
        gate.wait_reached()
        second = customer.say("second", on_busy="cancel")
        cut = first.result()

    assert second.json()["data"]["messages"][-1]["content"][0]["text"] == "Two."
    last = cut.json()["data"]["messages"][-1]
    assert last["content"][0]["text"].startswith("She was born.")
    assert last["metadata"] == {"partial": True}
    assert [m["role"] for m in model.requests[1].messages] == ["user", "assistant", "user"]


def test_stop_ends_the_active_run(open_twin: OpenTwin) -> None:
    """`running` says whether there was one; a thread at rest has none."""
    gate = Gate()
    twin = open_twin(Scripted(["One. ", gate]), **JWT)
    customer = user(twin)

    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(customer.say, "first")
        gate.wait_reached()
        body = {"thread_id": "order-a-17", "config": {}}
        stopped = customer.request("POST", "/v1/graph/stop", json=body)
        cut = first.result()
    again = customer.request("POST", "/v1/graph/stop", json=body)

    assert stopped.json()["data"] == {"ok": True, "running": True}
    assert cut.status_code == 200
    assert again.json()["data"] == {"ok": True, "running": False}


def test_stop_leaves_a_pause_alone(open_twin: OpenTwin) -> None:
    """A paused thread has no run to stop, and stays paused."""
    _, customer = paused(open_twin)
    asked = customer.open_interrupt()

    answer = customer.request("POST", "/v1/graph/stop", json={"thread_id": "order-a-17"})

    assert answer.json()["data"] == {"ok": True, "running": False}
    assert customer.open_interrupt() == asked


def test_a_resume_with_cancel_stops_a_turn_beside_the_pause(open_twin: OpenTwin) -> None:
    """The chat of `/api` may go on beside a pause; `on_busy: cancel` does not wait for it."""
    gate = Gate()
    model = Scripted(
        call("issue_refund", order_id="A-17", amount_cents=2500), ["Beside. ", gate], "Paid."
    )
    twin = open_twin(model, tools=[issue_refund], busy_wait_s=5.0, **JWT)
    customer = user(twin)
    customer.say()

    with ThreadPoolExecutor(1) as pool:
        body = {"message": "And?", "thread_id": "order-a-17"}
        beside = pool.submit(customer.request, "POST", "/api/chat", json=body)
        gate.wait_reached()
        answer = customer.invoke(resume=YES, on_busy="cancel")
        beside.result()

    assert answer.status_code == 200, answer.text
    assert len(effects(twin)) == 1


def test_several_questions_are_all_listed_and_each_answered(open_twin: OpenTwin) -> None:
    """`interrupts` lists all, `interrupt` is the first; each gets its own answer, in any order; then the run goes on."""
    orders = ("A-1", "A-2", "A-3")
    model = Scripted(
        [call("issue_refund", order_id=order, amount_cents=100) for order in orders],
        "Two were paid.",
    )
    twin = open_twin(model, tools=[issue_refund], **JWT)
    customer = user(twin)
    customer.say()
    data = customer.state()["execution_meta"]["interrupt_data"]
    assert [asked["value"]["order_id"] for asked in data["interrupts"]] == list(orders)
    assert data["interrupt"] == data["interrupts"][0]
    first, second, third = (asked["id"] for asked in data["interrupts"])

    unnamed = customer.invoke(resume=YES)
    wrong = customer.invoke(resume=YES, interrupt_id="x")
    after_third = customer.invoke(resume=YES, interrupt_id=third)
    repeated = customer.invoke(resume=YES, interrupt_id=third)
    after_first = customer.invoke(resume={"approved": False}, interrupt_id=first)
    after_second = customer.invoke(resume=YES, interrupt_id=second)

    assert unnamed.status_code == 409
    assert all(known in refusal(unnamed)[1] for known in (first, second, third))
    assert refusal(wrong) == (
        409,
        f"interrupt_id 'x' does not match one of the open interrupts '{first}', '{second}', '{third}'",
    )
    assert after_third.json()["data"]["messages"] == []
    assert after_third.json()["data"]["meta"]["interrupt"]["id"] == first
    assert refusal(repeated)[0] == 409
    assert after_first.json()["data"]["meta"]["interrupt"]["id"] == second
    written = after_second.json()["data"]["messages"]
    assert [m["role"] for m in written] == ["tool", "tool", "tool", "assistant"]
    assert ["Refunded" in m["content"][0]["output"] for m in written[:3]] == [False, True, True]
    assert len(effects(twin)) == 2


def test_an_answer_after_its_time_is_a_conflict(open_twin: OpenTwin) -> None:
    """A yes 1 ms past the expiry runs nothing, even while nobody has swept."""
    now = [datetime.now(UTC)]
    twin, customer = paused(
        open_twin, clock=lambda: now[0], approval_ttl=timedelta(minutes=1), lease_s=3600.0
    )
    now[0] += timedelta(minutes=1, milliseconds=1)

    answer = customer.invoke(resume=YES)

    assert answer.status_code == 409
    assert answer.json()["error"]["code"] == "EXPIRED"
    assert effects(twin) == []


def test_a_closing_answer_that_fails_leaves_the_decision(open_twin: OpenTwin) -> None:
    """The refund was paid, so the resume is a 200 that says what failed; it is not paid again."""
    model = Scripted(call("issue_refund", order_id="A-17", amount_cents=2500), ModelUnavailable())
    twin = open_twin(model, tools=[issue_refund], **JWT)
    customer = user(twin)
    customer.say()

    answer = customer.invoke(resume=YES, response_granularity="full")

    assert answer.status_code == 200, answer.text
    assert answer.json()["data"]["meta"]["error"] == str(ModelUnavailable())
    assert answer.json()["data"]["state"]["execution_meta"]["status"] == "error"
    assert refusal(customer.invoke(resume=YES))[0] == 409
    assert [effect.status for effect in effects(twin)] == ["done"]


def hello() -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "text", "text": "Hello"}], "message_id": "0"}
