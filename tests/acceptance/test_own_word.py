"""A tool that asks for the visitor's own word speaks of theirs, and not of the owner's."""

from datetime import timedelta
from typing import Any

import pytest

from examples.confirmed_refunds import issue_refund
from server.adapters.models.scripted import Scripted, call
from server.agent.phrases import notice, please_confirm
from server.domain.errors import Forbidden
from server.domain.principals import Principal
from server.runs.decide import decide
from server.runs.expire import expire
from tests.acceptance.conftest import OpenTwin
from tests.support.graph import JWT, GraphUser, effects, user, wants_refund
from tests.support.till import Clock
from tests.support.twin import RunningTwin, Visitor, of_type, text_of

DRAFT = {"subject": "s", "message": "m", "sender_contact": "a@b.org"}


def asked(open_twin: OpenTwin, **more: Any) -> tuple[RunningTwin, Visitor, Scripted]:
    """A visitor whose refund waits for their own word."""
    model = wants_refund("As you wish.")
    twin = open_twin(model, tools=[issue_refund], **more)
    visitor = twin.visitor()
    visitor.say("My money back for A-17, please.")
    return twin, visitor, model


@pytest.mark.parametrize(
    ("said", "language"),
    [("Could you give me my money back, please?", "en"), ("Ik wil mijn geld terug.", "nl")],
)
def test_the_notice_asks_the_visitor(open_twin: OpenTwin, said: str, language: Any) -> None:
    """Their confirmation is what is missing; the owner is not mentioned."""
    twin = open_twin(wants_refund(), tools=[issue_refund])

    events = twin.visitor().say(said)

    assert text_of(events) == please_confirm(language)
    assert "Ada" not in text_of(events)


def test_of_two_who_are_asked_both_are_named(open_twin: OpenTwin) -> None:
    """One question for the owner and one for the visitor in one pause: two notices, once each."""
    refund = call("issue_refund", order_id="A-17", amount_cents=2500)
    model = Scripted([call("draft_contact_message", **DRAFT), refund])
    twin = open_twin(model, tools=[issue_refund])

    events = twin.visitor().say("Tell Ada, and give me my money back, please.")

    assert text_of(events) == f"{notice('Ada', 'en')} {please_confirm('en')}"
    assert len(of_type(events, "text")) == 1


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({"approved": False}, "was not confirmed"),
        ({"approved": False, "note": "Changed my mind."}, 'word for word: "Changed my mind."'),
        (None, "cancelled before it was confirmed"),
    ],
)
def test_the_model_is_told_that_it_was_not_confirmed(
    open_twin: OpenTwin, answer: Any, told: str
) -> None:
    """Not that the owner declined, who was never asked."""
    twin, visitor, model = asked(open_twin)
    here = GraphUser(twin, visitor.token, str(visitor.thread_id))

    assert here.invoke(resume=answer).status_code == 200

    result = model.requests[1].messages[-1]["content"]
    assert told in result
    assert "owner" not in result
    assert effects(twin) == []


def test_taken_back_and_lapsed_are_told_apart(open_twin: OpenTwin) -> None:
    """A withdrawal is the visitor's doing, and so is letting the time pass."""
    clock = Clock()
    twin, visitor, model = asked(
        open_twin, clock=clock, approval_ttl=timedelta(hours=1), lease_s=3600.0
    )
    clock.move(timedelta(hours=2))
    twin.call(expire, twin.services)
    visitor.log()
    lapsed = model.requests[1].messages[-1]["content"]

    assert "did not confirm this request in time" in lapsed
    assert "owner" not in lapsed

    twin, visitor, model = asked(open_twin)
    [card] = twin.pending()
    visitor.post(f"/approvals/{card['interrupt_id']}/withdraw")
    visitor.log()
    taken_back = model.requests[1].messages[-1]["content"]
    assert "withdrew this request before confirming" in taken_back
    assert "owner" not in taken_back


def test_who_may_not_answer_is_told_only_that(open_twin: OpenTwin) -> None:
    """403 before the answer is looked at: a stranger, and the visitor where the owner is asked, learn nothing from a bad one."""
    twin = open_twin(Scripted(call("draft_contact_message", **DRAFT)), **JWT)
    eve = user(twin)
    eve.say()

    for who in (Principal("user", "eve"), Principal("user", "mallory"), Principal("visitor", "x")):
        for answer in ({"approved": True}, {"approved": "yes"}, {}, None):
            for interrupt_id in (None, "unknown"):
                with pytest.raises(Forbidden):
                    twin.call(
                        lambda w=who, a=answer, i=interrupt_id: decide(
                            twin.services, eve.thread_id, a, by=w, interrupt_id=i
                        )
                    )
    assert effects(twin) == []
    assert len(twin.pending()) == 1
