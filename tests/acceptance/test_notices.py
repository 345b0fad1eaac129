"""The owner is told that something waits: nothing is lost, nothing told twice but for a crash, and nothing told too much."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import anyio
import pytest
from pydantic import SecretStr
from starlette.testclient import TestClient

from server.adapters.models.scripted import Scripted, call
from server.adapters.notifications.recorded import Recorded
from server.domain.errors import ConfigurationError, NotDelivered
from server.domain.notices import Notice
from server.domain.tools import Tool
from server.main import create_app
from server.runs.tell_owner import RETRIES_S, TAKEN, tell_owner
from server.settings import Settings
from tests.acceptance.conftest import OpenTwin
from tests.fakes.hook import SECRET, Hook
from tests.support.server import until
from tests.support.twin import RunningTwin, Visitor, running_twin

PUBLIC = "https://twin.example"
PASS_ON = call(
    "draft_contact_message",
    subject="About my diagnosis",
    message="Please call my doctor",
    sender_contact="eve@example.org",
)
NO_ARGUMENTS = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.now = datetime(2026, 12, 1, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


def paused(twin: RunningTwin) -> Visitor:
    visitor = twin.visitor()
    visitor.say("Please tell her about my diagnosis. I am eve@example.org.")
    return visitor


def outbox(twin: RunningTwin, visitor: Visitor) -> list[Notice]:
    found: list[Notice] = twin.call(twin.services.store.outbox.of_thread, str(visitor.thread_id))
    return found


def ends(twin: RunningTwin, visitor: Visitor, *statuses: str) -> Callable[[], bool]:
    return lambda: [notice.status for notice in outbox(twin, visitor)] == list(statuses)


def look(twin: RunningTwin, channel: Recorded) -> int:
    """What the sender does every few seconds."""
    taken: int = twin.call(tell_owner, twin.services, channel)
    return taken


def test_a_pause_is_told_once_through_each_channel(open_twin: OpenTwin) -> None:
    mail, chat = Recorded(name="mail"), Recorded(name="chat")
    twin = open_twin(Scripted(PASS_ON), channels=[mail, chat], public_url=PUBLIC)
    visitor = paused(twin)
    [card] = twin.pending()

    until("both are told", ends(twin, visitor, "sent", "sent"))

    assert (len(mail.letters), len(chat.letters)) == (1, 1)
    [letter] = mail.letters
    assert letter.id == chat.letters[0].id == f"approval_{card['interrupt_id']}"
    assert (letter.kind, letter.tool) == ("approval.opened", "draft_contact_message")
    assert (letter.thread_id, letter.interrupt_id) == (visitor.thread_id, card["interrupt_id"])
    assert letter.inbox_url == f"{PUBLIC}/inbox#/queue/{card['interrupt_id']}"
    assert letter.decide_url != chat.letters[0].decide_url  # each channel's link is its own
    assert letter.expires_at is not None and letter.expires_at > letter.since
    assert look(twin, mail) == 0
    assert 'sayso_notices_total{status="sent"} 2.0' in twin.client.get("/metrics").text


def test_a_webhook_is_signed_and_says_nothing_of_what_was_said(
    open_twin: OpenTwin, capfd: pytest.CaptureFixture[str]
) -> None:
    """No message, no contact, no argument; and neither the link nor the hook's address gets into the log."""
    with Hook() as hook:
        twin = open_twin(
            Scripted(PASS_ON),
            webhook_url=SecretStr(hook.url),
            webhook_secret=SecretStr(SECRET),
            public_url=PUBLIC,
        )
        visitor = paused(twin)
        until("it is told", ends(twin, visitor, "sent"))
    [told] = hook.calls
    assert told.signed
    assert set(told.body) == {"type", "timestamp", "data"}
    assert set(told.body["data"]) == {
        "tool",
        "thread_id",
        "interrupt_id",
        "expires_at",
        "inbox_url",
        "decide_url",
    }
    assert not [word for word in ("diagnosis", "doctor", "eve@") if word in told.text]
    assert str(visitor.token) not in told.text
    shown = "".join(capfd.readouterr())
    token = told.body["data"]["decide_url"].rsplit("/", 1)[1]
    assert token not in shown and hook.url not in shown


def test_what_is_not_taken_is_tried_again_later_and_later_under_the_same_id(
    open_twin: OpenTwin,
) -> None:
    clock = Clock()
    channel = Recorded(NotDelivered("status 503"), NotDelivered("ConnectError"))
    twin = open_twin(
        Scripted(PASS_ON), channels=[channel], public_url=PUBLIC, clock=clock, approval_ttl=None
    )
    visitor = paused(twin)
    for attempt, wait in enumerate(RETRIES_S[:2], 1):
        due = clock.now + timedelta(seconds=wait)
        until("it is put off", lambda due=due: outbox(twin, visitor)[0].next_at == due)
        assert outbox(twin, visitor)[0].attempts == attempt
        clock.now = due - timedelta(milliseconds=1)
        assert look(twin, channel) == 0
        clock.now = due
        look(twin, channel)
    until("it is taken at last", ends(twin, visitor, "sent"))
    [letter] = channel.letters
    assert letter.id == outbox(twin, visitor)[0].id


def test_there_is_an_end_to_trying(open_twin: OpenTwin) -> None:
    """Two and a half days after the first try; the question itself stays open."""
    clock = Clock()
    channel = Recorded(*(NotDelivered("status 500") for _ in range(99)))
    twin = open_twin(
        Scripted(PASS_ON), channels=[channel], public_url=PUBLIC, clock=clock, approval_ttl=None
    )
    visitor = paused(twin)
    for attempt, wait in enumerate(RETRIES_S, 1):
        until("it is tried", lambda n=attempt: _put_off(outbox(twin, visitor)[0], n, clock.now))
        clock.now += timedelta(seconds=wait)
        look(twin, channel)
    until("it is given up", ends(twin, visitor, "failed"))
    assert outbox(twin, visitor)[0].attempts == len(RETRIES_S) + 1
    assert clock.now - Clock().now < timedelta(days=3)
    assert len(twin.pending()) == 1
    assert 'sayso_notices_total{status="failed"} 1.0' in twin.client.get("/metrics").text


def _put_off(notice: Notice, attempts: int, now: datetime) -> bool:
    at = now + timedelta(seconds=RETRIES_S[attempts - 1])
    return (notice.attempts, notice.next_at) == (attempts, at)


def test_a_receiver_that_is_gone_is_not_tried_again(open_twin: OpenTwin) -> None:
    channel = Recorded(NotDelivered("status 410", final=True))
    twin = open_twin(Scripted(PASS_ON), channels=[channel], public_url=PUBLIC)
    visitor = paused(twin)
    until("it is given up", ends(twin, visitor, "failed"))
    assert outbox(twin, visitor)[0].attempts == 1


class Unlucky:
    """Dies, as far as the sender can tell, the first time it gets there."""

    def __init__(self, place: str) -> None:
        self.place = place

    def __call__(self, place: str) -> None:
        if place == self.place:
            self.place = ""
            raise RuntimeError("killed")


@pytest.mark.parametrize(("place", "letters"), [("notice.taken", 1), ("notice.sent", 2)])
def test_a_sender_that_dies_loses_nothing_and_repeats_under_the_same_id(
    open_twin: OpenTwin, place: str, letters: int
) -> None:
    """Before it was sent: told once. Between sent and noted nobody can know, so it is told again, as the same notice."""
    clock, channel = Clock(), Recorded()
    twin = open_twin(
        Scripted(PASS_ON),
        channels=[channel],
        public_url=PUBLIC,
        clock=clock,
        reach=Unlucky(place),
    )
    visitor = paused(twin)
    until("it is somebody's", lambda: outbox(twin, visitor)[0].attempts == 1)
    clock.now += TAKEN - timedelta(milliseconds=1)
    assert look(twin, channel) == 0
    clock.now += timedelta(milliseconds=1)
    look(twin, channel)
    until("it is noted", ends(twin, visitor, "sent"))
    assert len(channel.letters) == letters
    assert len({letter.id for letter in channel.letters}) == 1


class Odd(Recorded):
    """A channel of somebody's own with a fault of its own."""

    async def send(self, letter: Any) -> None:
        if not self.letters:
            self.letters.append(letter)
            raise ValueError("https://user:hunter2@example.org")


def test_a_channel_with_a_fault_of_its_own_costs_a_try_and_tells_no_secret(
    open_twin: OpenTwin, capfd: pytest.CaptureFixture[str]
) -> None:
    clock, channel = Clock(), Odd()
    twin = open_twin(Scripted(PASS_ON), channels=[channel], public_url=PUBLIC, clock=clock)
    visitor = paused(twin)
    due = clock.now + timedelta(seconds=RETRIES_S[0])
    until("it is put off", lambda: outbox(twin, visitor)[0].next_at == due)
    clock.now = due
    look(twin, channel)
    until("it is taken", ends(twin, visitor, "sent"))
    assert "hunter2" not in "".join(capfd.readouterr())


def test_what_is_settled_before_it_could_be_told_is_not_told(open_twin: OpenTwin) -> None:
    clock = Clock()
    channel = Recorded(NotDelivered("status 503"))
    twin = open_twin(
        Scripted(PASS_ON, "Passed on."), channels=[channel], public_url=PUBLIC, clock=clock
    )
    visitor = paused(twin)
    due = clock.now + timedelta(seconds=RETRIES_S[0])
    until("it is put off", lambda: outbox(twin, visitor)[0].next_at == due)
    assert twin.decide(str(visitor.thread_id), approved=True).status_code == 200
    clock.now = due
    look(twin, channel)
    until("it is dropped", ends(twin, visitor, "moot"))
    assert channel.letters == []


async def _never() -> str:
    await anyio.sleep_forever()
    return ""


def test_an_effect_in_doubt_is_told_each_time_it_is(open_twin: OpenTwin) -> None:
    """Without a link to decide with; tried again and in doubt again, there is a second notice."""
    channel = Recorded()
    charge = Tool("charge", "Charge.", NO_ARGUMENTS, _never, timeout_s=0.1, high_risk=True)
    twin = open_twin(
        Scripted(call("charge"), "I don't know yet."),
        tools=[charge],
        channels=[channel],
        public_url=PUBLIC,
    )
    visitor = paused(twin)
    until("the question is told", ends(twin, visitor, "sent"))
    assert twin.decide(str(visitor.thread_id), approved=True).status_code == 200
    until("the doubt is told", ends(twin, visitor, "sent", "sent"))
    [effect] = twin.owner("GET", "/effects?status=in_doubt").json()["effects"]
    twin.owner("POST", f"/effects/{effect['id']}", json={"settle": "retry"})
    until("and again", ends(twin, visitor, "sent", "sent", "sent"))

    question, first, second = channel.letters
    assert (first.kind, first.effect_id) == ("effect.in_doubt", effect["id"])
    assert first.interrupt_id == question.interrupt_id
    assert first.inbox_url == f"{PUBLIC}/inbox#/effects"
    assert first.decide_url is None
    assert first.id != second.id


def test_a_visitors_own_word_is_not_the_owners_to_be_told(open_twin: OpenTwin) -> None:
    own = Tool("own", "Own.", NO_ARGUMENTS, _never, high_risk=True, approver="user")
    twin = open_twin(Scripted(call("own")), tools=[own], channels=[Recorded()], public_url=PUBLIC)
    visitor = paused(twin)
    assert len(twin.pending()) == 1
    assert outbox(twin, visitor) == []


def test_without_a_channel_nothing_is_kept_to_be_told(open_twin: OpenTwin) -> None:
    twin = open_twin(Scripted(PASS_ON))
    assert outbox(twin, paused(twin)) == []


def test_what_is_forgotten_is_not_told(open_twin: OpenTwin) -> None:
    clock = Clock()
    channel = Recorded(NotDelivered("status 503"))
    twin = open_twin(Scripted(PASS_ON), channels=[channel], public_url=PUBLIC, clock=clock)
    visitor = paused(twin)
    until(
        "it is put off", lambda: outbox(twin, visitor)[0].next_at not in (None, clock.now + TAKEN)
    )
    path = f"/api/threads/{visitor.thread_id}"
    assert twin.client.delete(path, headers=visitor.headers).status_code == 204
    clock.now += timedelta(hours=1)
    assert look(twin, channel) == 0
    assert channel.letters == []


@pytest.mark.postgres
def test_two_replicas_tell_each_pause_once(memory_settings: Settings, postgres_url: str) -> None:
    settings = memory_settings.model_copy(
        update={"database_url": SecretStr(postgres_url), "public_url": PUBLIC}
    )
    here, there = Recorded(), Recorded()
    with (
        running_twin(settings, Scripted(*[PASS_ON] * 6), channels=[here]) as one,
        running_twin(settings, Scripted(*[PASS_ON] * 6), channels=[there]) as other,
    ):
        visitors = [paused(twin) for twin in (one, other) * 6]
        for visitor in visitors:
            until("it is told", ends(one, visitor, "sent"))
    told = [letter.interrupt_id for letter in here.letters + there.letters]
    assert len(told) == len(set(told)) == 12


def test_channels_need_a_public_url_and_a_key_that_stays(memory_settings: Settings) -> None:
    """Links and channels' names are made with it; in a database they outlive the process."""
    for changes, said in [
        ({}, "PUBLIC_URL"),
        ({"public_url": PUBLIC, "secret_key": None, "database_url": SecretStr("x")}, "SECRET_KEY"),
    ]:
        settings = memory_settings.model_copy(update=changes)
        with pytest.raises((ConfigurationError, ExceptionGroup), match=said):
            _start(settings)


def _start(settings: Settings) -> None:
    with TestClient(create_app(settings, channels=[Recorded()])):
        pass
