"""A link decides one question, once, when its form is sent; and opening it decides nothing."""

import logging
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import httpx
import pytest
from pydantic import SecretStr

from server.adapters.models.scripted import Scripted, call
from server.adapters.notifications.recorded import Recorded
from server.domain.decision_links import LONGEST, DecisionLink, as_token
from tests.acceptance.conftest import OpenTwin
from tests.browser.live import live_twin
from tests.support.server import until
from tests.support.twin import RunningTwin, Visitor, running_twin

PUBLIC = "https://twin.example"
KEY = "a secret key for tests, long enough"
PASS_ON = call(
    "draft_contact_message",
    subject="Dinner <b>now</b>",
    message="See you\u202e at 8 & bring “wine”",
    sender_contact="eve@example.org",
)
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


class Linked:
    """A paused thread, and the path its notice leads to."""

    def __init__(self, twin: RunningTwin, *channels: Recorded) -> None:
        self.twin = twin
        self.visitor: Visitor = twin.visitor()
        self.visitor.say("Please pass on: see you at 8.")
        until("the owner is told", lambda: all(channel.letters for channel in channels))
        self.paths = [urlsplit(str(channel.letters[-1].decide_url)).path for channel in channels]
        self.path = self.paths[0]

    @property
    def thread_id(self) -> str:
        return str(self.visitor.thread_id)

    def get(self, path: str | None = None) -> Any:
        self.twin.client.cookies.clear()
        return self.twin.client.get(path or self.path)

    def send(self, decision: str, note: str | None = None, path: str | None = None) -> Any:
        form = {"decision": decision} | ({} if note is None else {"note": note})
        return self.twin.client.post(path or self.path, data=form)

    def record(self) -> dict[str, Any]:
        """What is kept of the decision."""
        for status in ("approved", "rejected", "withdrawn", "expired"):
            found = self.twin.owner("GET", f"/approvals?status={status}").json()["approvals"]
            if found:
                [card] = found
                return dict(card)
        return {}

    def effects(self) -> int:
        return len(self.twin.owner("GET", "/contact-messages").json()["contact_messages"])


Open = Callable[..., Linked]


@pytest.fixture
def linked(open_twin: OpenTwin) -> Open:
    def start(*channels: Recorded, **changes: Any) -> Linked:
        channels = channels or (Recorded(name="webhook"),)
        twin = open_twin(
            Scripted(PASS_ON, then="That is settled."),
            channels=list(channels),
            public_url=PUBLIC,
            **changes,
        )
        return Linked(twin, *channels)

    return start


def words(page: str) -> str:
    """What is read on a page."""
    body = page.partition("</head>")[2]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", body))


def test_opening_it_shows_everything_and_decides_nothing(linked: Open) -> None:
    """Ten times, and by HEAD: mail scanners do that. Text is text; what hides in it is written out."""
    one = linked()
    for _ in range(10):
        page = one.get()
    assert one.twin.client.head(one.path).status_code == 200
    assert page.status_code == 200
    assert "Dinner &lt;b&gt;now&lt;/b&gt;" in page.text
    assert "<mark>⟨U+202E⟩</mark> at 8 &amp; bring “wine”" in page.text
    assert "\u202e" not in page.text
    read = words(page.text)
    for shown in (
        "Should Ada ’s twin do this?",
        "draft_contact_message",
        "eve@example.org",
        "Please pass on: see you at 8.",
        "Look closely",
        "Since",
        "Until",
        "Opening this page decides nothing",
    ):
        assert shown in read
    assert len(one.twin.pending()) == 1
    assert one.effects() == 0


def test_its_page_loads_and_runs_nothing_and_is_kept_nowhere(linked: Open) -> None:
    page = linked().get()
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "form-action 'self'" in policy
    assert "frame-ancestors 'none'" in policy and "script" not in policy
    assert "unsafe" not in policy
    assert page.headers["cache-control"] == "no-store"
    assert page.headers["referrer-policy"] == "no-referrer"
    assert page.headers["x-frame-options"] == "DENY"
    assert "noindex" in page.headers["x-robots-tag"]
    assert "<script" not in page.text and "set-cookie" not in page.headers


@pytest.mark.parametrize(
    ("decision", "status", "said", "effects"),
    [("approve", "approved", "Approved", 1), ("decline", "rejected", "Declined", 0)],
)
def test_its_form_decides_as_the_link(
    linked: Open, decision: str, status: str, said: str, effects: int
) -> None:
    """By the channel it went out through, with a note that reaches the visitor; the conversation goes on."""
    one = linked()

    answer = one.send(decision, "With\r\npleasure.")

    assert answer.status_code == 200
    assert said in words(answer.text)
    one.visitor.log()
    record = one.record()
    assert record["status"] == status
    assert (record["decided_by"], record["decided_via"]) == ("link:webhook", "link")
    assert record["note"] == "With\npleasure."
    assert one.effects() == effects
    assert one.visitor.get().json()["status"] == "idle"


def test_a_second_sending_is_told_who_decided_and_when(linked: Open) -> None:
    """The same button twice, the other one, and the page itself."""
    one = linked()
    assert one.send("approve").status_code == 200
    one.visitor.log()
    for again in (one.send("approve"), one.send("decline"), one.get()):
        assert again.status_code == 409
        assert "settled already: approved , by link:webhook , at 20" in words(again.text)
        assert "<form" not in again.text
    assert one.effects() == 1


@pytest.mark.parametrize("others", ["form", "link", "inbox", "withdraw"])
def test_of_many_at_once_one_decides(linked: Open, others: str) -> None:
    """A double click, two links, link against inbox, link against the visitor: one is taken, the rest are refused."""
    one = linked(Recorded(name="webhook"), Recorded(name="mail"))
    interrupt_id = one.twin.pending()[0]["interrupt_id"]
    withdraw = f"/api/threads/{one.thread_id}/approvals/{interrupt_id}/withdraw"
    other: dict[str, Callable[[], Any]] = {
        "form": lambda: one.send("approve"),
        "link": lambda: one.send("decline", path=one.paths[1]),
        "inbox": lambda: one.twin.decide(one.thread_id, approved=False, interrupt_id=interrupt_id),
        "withdraw": lambda: one.twin.client.post(withdraw, headers=one.visitor.headers),
    }

    with ThreadPoolExecutor(8) as people:
        tries = [
            people.submit(act)
            for _ in range(4)
            for act in (lambda: one.send("approve"), other[others])
        ]
        statuses = sorted(one_try.result().status_code for one_try in tries)

    assert statuses == [200] + [409] * 7
    one.visitor.log()
    assert one.effects() == (1 if one.record()["status"] == "approved" else 0)


def test_the_inbox_is_told_that_a_link_was_faster_and_the_other_way_round(linked: Open) -> None:
    one = linked()
    assert one.twin.decide(one.thread_id, approved=False).status_code == 200
    late = one.send("approve")
    assert late.status_code == 409
    assert "declined , by owner" in words(late.text)
    assert one.effects() == 0


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (b"", FORM),
        (b"note=yes", FORM),
        (b"decision=", FORM),
        (b"decision=true", FORM),
        (b"decision=Approve", FORM),
        (b"decision=approve&decision=decline", FORM),
        (b"decision=approve&decision=approve", FORM),
        (b"decision=approve&note=a&note=b", FORM),
        (b"decision=approve&arguments=%7B%7D", FORM),
        (b"decision=approve", {"Content-Type": "text/plain"}),
        (b'{"decision": "approve"}', {"Content-Type": "application/json"}),
        (b"decision=approve", {}),
        (b"\xff\xfe", FORM),
        (b"decision=approve&note=" + b"x" * 501, FORM),
    ],
)
def test_anything_but_one_of_its_buttons_decides_nothing(
    linked: Open, body: bytes, kind: dict[str, str]
) -> None:
    one = linked()
    refused = one.twin.client.post(one.path, content=body, headers=kind)
    assert refused.status_code == 422
    assert refused.headers["content-type"].startswith("text/html")
    assert len(one.twin.pending()) == 1


def test_five_hundred_characters_are_counted_as_a_browser_does(linked: Open) -> None:
    note = "\r\n".join("x" * 9 for _ in range(50))  # 499 with single line breaks
    one = linked()
    assert one.send("decline", note).status_code == 200
    assert len(one.record()["note"]) == 499


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 12, 1, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


def test_it_ends_with_its_question(linked: Open) -> None:
    """To the millisecond. A yes and a no are refused alike: the link has ended, too."""
    clock = Clock()
    one = linked(clock=clock, approval_ttl=timedelta(hours=1), lease_s=3600.0)
    clock.now += timedelta(hours=1) - timedelta(milliseconds=1)
    assert one.get().status_code == 200
    clock.now += timedelta(milliseconds=1)
    for refused in (one.get(), one.send("approve"), one.send("decline")):
        assert refused.status_code == 409
        assert "ran out at 2026-12-01 10:00 (UTC)" in words(refused.text)
    assert one.effects() == 0


def test_one_to_a_question_without_an_end_ends_after_thirty_days(linked: Open) -> None:
    """The question stays open, for the inbox."""
    clock = Clock()
    one = linked(clock=clock, approval_ttl=None)
    assert "Until you decide" in words(one.get().text).replace("  ", " ")
    clock.now += LONGEST
    assert one.send("approve").status_code == 409
    assert one.twin.decide(one.thread_id, approved=True).status_code == 200


def test_what_was_taken_back_or_forgotten_is_not_decided_any_more(linked: Open) -> None:
    one = linked()
    interrupt_id = one.twin.pending()[0]["interrupt_id"]
    one.visitor.post(f"/approvals/{interrupt_id}/withdraw")
    refused = one.send("approve")
    assert refused.status_code == 409
    assert "taken back by the visitor" in words(refused.text)
    path = f"/api/threads/{one.thread_id}"
    assert one.twin.client.delete(path, headers=one.visitor.headers).status_code == 204
    assert one.send("approve").status_code == one.get().status_code == 404


def test_a_forged_link_is_a_page_that_says_so(linked: Open) -> None:
    """Cut, changed, under another key, or for another question; all alike."""
    one = linked()
    card = one.twin.pending()[0]
    token = one.path.rsplit("/", 1)[1]
    until_ = datetime(2030, 1, 1, tzinfo=UTC)
    honest = DecisionLink(card["interrupt_id"], card["digest"], "webhook", until_)
    forged = [
        token[:-1],
        token[1:],
        "A" + token[1:],
        token.swapcase(),
        "x",
        as_token(honest, "another key"),
        as_token(honest, ""),
        as_token(DecisionLink("unknown", card["digest"], "webhook", until_), KEY),
    ]
    for text in forged:
        for answer in (one.get(f"/decide/{text}"), one.send("approve", path=f"/decide/{text}")):
            assert answer.status_code == 404
            assert "not valid" in words(answer.text)
    assert len(one.twin.pending()) == 1


def test_it_is_good_for_the_arguments_that_were_shown_only(linked: Open) -> None:
    """One that we signed for other arguments, as after a change of the question: stale."""
    one = linked()
    card = one.twin.pending()[0]
    stale = DecisionLink(
        card["interrupt_id"], "0" * 64, "webhook", datetime(2030, 1, 1, tzinfo=UTC)
    )
    path = f"/decide/{as_token(stale, KEY)}"
    assert one.send("approve", path=path).status_code == one.get(path).status_code == 409
    assert len(one.twin.pending()) == 1


def test_without_owners_nobody_decides_by_link(linked: Open) -> None:
    one = linked(admin_token=None)
    assert one.send("approve").status_code == 404


def test_it_is_refused_when_tried_too_often_though_messages_are_not_counted(linked: Open) -> None:
    one = linked()
    statuses = [one.get("/decide/guess").status_code for _ in range(40)]
    assert statuses[:30] == [404] * 30
    assert 429 in statuses[30:]
    refused = one.send("approve")
    if refused.status_code == 429:
        assert int(refused.headers["retry-after"]) >= 1
        assert len(one.twin.pending()) == 1


def test_it_speaks_the_owners_first_language_in_the_owners_time(linked: Open) -> None:
    zone = ZoneInfo("Europe/Amsterdam")
    clock = Clock()
    one = linked(owner_languages=("nl", "en"), budget_timezone=zone, clock=clock)
    page = one.get()
    assert '<html lang="nl">' in page.text
    read = words(page.text)
    assert "Mag de twin van Ada dit doen?" in read
    assert "2026-12-01 10:00 (Europe/Amsterdam)" in read
    assert "Afgewezen" in words(one.send("decline").text)
    assert "al afgehandeld" in words(one.get().text)


@pytest.mark.postgres
def test_a_link_of_one_replica_is_good_on_another(memory_settings: Any, postgres_url: str) -> None:
    """Both know the key; also when only one of them has the channel."""
    settings = memory_settings.model_copy(
        update={"database_url": SecretStr(postgres_url), "public_url": PUBLIC}
    )
    channel = Recorded(name="webhook")
    model = Scripted(PASS_ON, then="Settled.")
    with (
        running_twin(settings, model, channels=[channel]) as here,
        running_twin(settings, model) as there,
    ):
        one = Linked(here, channel)
        assert there.client.post(one.path, data={"decision": "approve"}).status_code == 200
        assert one.send("approve").status_code == 409
        one.visitor.log()
        assert one.effects() == 1


def test_its_token_is_in_no_log(
    memory_settings: Any, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """A server that logs every request, as uvicorn does unless it is told otherwise."""
    channel = Recorded(name="webhook")
    settings = memory_settings.model_copy(update={"public_url": PUBLIC})
    caplog.set_level(logging.DEBUG)
    model = Scripted(PASS_ON, then="Settled.")
    with live_twin(settings, model, channels=[channel]) as twin:
        url = twin.url
        httpx.post(f"{url}/api/chat", json={"message": "Pass it on."}, timeout=60)
        until("the owner is told", lambda: channel.letters)
        path = urlsplit(str(channel.letters[0].decide_url)).path
        logging.getLogger("httpx").setLevel(logging.WARNING)
        logging.getLogger("httpcore").setLevel(logging.WARNING)
        caplog.clear()
        assert httpx.get(url + path).status_code == 200
        assert httpx.post(url + path, data={"decision": "approve"}).status_code == 200
    told = caplog.text + "".join(capfd.readouterr())
    assert "/decide/-" in told
    assert path.rsplit("/", 1)[1] not in told
