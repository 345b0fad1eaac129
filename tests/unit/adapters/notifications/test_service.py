"""NOTIFY_URLS through something that behaves like apprise, and what the owner reads there."""

from dataclasses import replace
from datetime import UTC, timedelta
from zoneinfo import ZoneInfo

import pytest

from server.adapters.notifications.service import Apprise, channel_name, open_service
from server.adapters.notifications.words import body, title
from server.domain.errors import ConfigurationError, NotDelivered
from tests.unit.adapters.notifications.test_webhook import LETTER

URL = "mailtos://ada:hunter2@example.org?to=ada@example.org"
ABOUT = {"secret_key": "k", "owner": "Ada", "language": "en", "zone": UTC}


class Stand:
    """Says what apprise would: whether it knows the URL, and whether the service took it."""

    def __init__(self, knows: bool = True, takes: bool | None = True, fails: bool = False) -> None:
        self.taken: list[tuple[str, str, str | None]] = []
        self._knows = knows
        self._takes = takes
        self._fails = fails

    def add(self, servers: str) -> bool:
        return self._knows

    def notify(self, body: str, title: str = "", *, body_format: str | None = None) -> bool | None:
        if self._fails:
            raise OSError(f"could not reach {URL}")
        self.taken.append((title, body, body_format))
        return self._takes


def made(apprise: Apprise) -> object:
    return open_service(lambda: apprise, URL, 1, **ABOUT)


async def test_a_letter_goes_out_as_plain_text() -> None:
    stand = Stand()
    await open_service(lambda: stand, URL, 1, **ABOUT).send(LETTER)
    [(head, text, kind)] = stand.taken
    assert head == "A request waits for your decision"
    assert kind == "text"
    assert text.splitlines() == [
        "Ada's twin would like to run “issue_refund”, and waits for your decision.",
        "",
        "Since: 2026-12-01 09:30 (UTC)",
        "Until: 2026-12-08 09:30 (UTC)",
        "",
        "See all of it and decide: https://twin.example/decide/x.y",
        "Whoever has this link can decide. It is good for this one question.",
        "",
        "Inbox: https://twin.example/inbox#/queue/a1",
        "Thread t, question a1",
    ]


@pytest.mark.parametrize("stand", [Stand(takes=False), Stand(takes=None), Stand(fails=True)])
async def test_anything_but_taken_is_not_delivered_and_the_url_is_not_told(stand: Stand) -> None:
    """None: apprise had nobody to tell."""
    with pytest.raises(NotDelivered) as refused:
        await open_service(lambda: stand, URL, 1, **ABOUT).send(LETTER)
    assert "hunter2" not in str(refused.value)
    assert refused.value.__cause__ is None


def test_without_the_extra_the_start_stops_and_says_what_to_install() -> None:
    with pytest.raises(ConfigurationError, match=r"pip install 'sayso\[notify\]'"):
        open_service(None, URL, 1, **ABOUT)


def test_a_url_nobody_knows_is_named_by_its_place_only() -> None:
    with pytest.raises(ConfigurationError, match="at place 3") as refused:
        open_service(lambda: Stand(knows=False), URL, 3, **ABOUT)
    assert "hunter2" not in str(refused.value)


def test_a_channels_name_tells_its_scheme_and_nothing_else_of_the_url() -> None:
    """The same after a restart, another one for another URL or key."""
    name = channel_name(URL, "k")
    assert name == channel_name(URL, "k")
    assert name.startswith("mailtos-") and len(name) == len("mailtos-") + 8
    assert len({name, channel_name(URL + "x", "k"), channel_name(URL, "other")}) == 3


def test_a_doubt_is_told_in_dutch_in_the_owners_time() -> None:
    doubt = replace(
        LETTER, kind="effect.in_doubt", effect_id="e1", expires_at=None, decide_url=None
    )
    zone = ZoneInfo("Europe/Amsterdam")
    assert title(doubt, "nl").startswith("Kijk even")
    text = body(doubt, "nl", owner="Ada", zone=zone)
    assert "Sinds: 2026-12-01 10:30 (Europe/Amsterdam)" in text
    assert "Tot:" not in text and "beslissen" not in text
    late = body(
        replace(LETTER, expires_at=LETTER.since + timedelta(hours=1)), "nl", owner="A", zone=zone
    )
    assert "Tot: 2026-12-01 11:30" in late
