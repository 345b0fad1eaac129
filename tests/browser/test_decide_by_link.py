"""The page of a link that decides, in a real browser: it fits, is accessible, runs no script, and its buttons decide."""

import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
from playwright.sync_api import Browser, expect

from server.adapters.models.scripted import call
from server.adapters.notifications.recorded import Recorded
from tests.browser.conftest import OpenTwin
from tests.browser.people import ASKED_FOR, DRAFT, OwnerScreen, VisitorScreen
from tests.browser.test_looks import DARK, PHONE, ZOOMED, looked_at
from tests.support.server import until

ODD = {
    **DRAFT,
    "subject": "<img src=x onerror=pwned=1><script>window.pwned=1</script>",
    "message": "Look\u200b here: \u202enow " + "long" * 60,
}
LOOKS = {"desktop": {}, "phone": PHONE, "zoomed": ZOOMED, "dark": DARK, "dutch": {}}


class Asked:
    """A visitor whose request waits, and the link that went to the owner."""

    def __init__(self, url: str, path: str, visitor: VisitorScreen) -> None:
        self.twin = url
        self.url = url + path
        self.visitor = visitor


@pytest.fixture
def ask(open_twin: OpenTwin, visitor: VisitorScreen) -> Callable[..., Asked]:
    def start(draft: dict[str, str] = DRAFT, **changes: Any) -> Asked:
        channel = Recorded(name="webhook")
        twin = open_twin(
            call("draft_contact_message", **draft),
            "The message has been passed on.",
            channels=[channel],
            public_url="https://twin.example",
            **changes,
        )
        visitor.visit(twin.url)
        visitor.say(ASKED_FOR)
        until("the owner is told", lambda: channel.letters)
        return Asked(twin.url, urlsplit(str(channel.letters[0].decide_url)).path, visitor)

    return start


@pytest.fixture(params=LOOKS)
def look(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def phone(chromium: Browser, look: str) -> Iterator[OwnerScreen]:
    """The owner with that screen, signed in nowhere."""
    screen = OwnerScreen(chromium, **LOOKS[look])
    yield screen
    screen.close()


def test_every_page_fits_and_is_accessible(
    ask: Callable[..., Asked], phone: OwnerScreen, look: str
) -> None:
    """The question, the decision, and a refusal; strangers' HTML is text, and no script is needed."""
    asked = ask(ODD, owner_languages=("nl", "en") if look == "dutch" else ("en", "nl"))
    page = phone.page
    page.goto(asked.url)
    expect(page.get_by_text(ODD["subject"], exact=True)).to_be_visible()
    expect(page.locator(".warning")).to_be_visible()
    expect(page.locator("mark").first).to_contain_text("U+200B")
    looked_at(phone)
    assert page.evaluate("window.pwned") is None
    assert page.locator("script, img").count() == 0
    page.get_by_role("button", name=re.compile("Decline|Afwijzen")).click()
    expect(page.get_by_role("heading")).to_have_text(re.compile("Declined|Afgewezen"))
    looked_at(phone)
    page.goto(asked.url)
    expect(page.get_by_text(re.compile("settled already|al afgehandeld"))).to_be_visible()
    looked_at(phone)


def test_a_yes_by_link_reaches_the_visitors_open_page(
    ask: Callable[..., Asked], owner: OwnerScreen
) -> None:
    """Scanners fetched it before; the page is kept nowhere, so Back tells that it was decided."""
    asked = ask()
    for _ in range(3):
        assert httpx.get(asked.url).status_code == 200
    asked.visitor.sees_status("Waiting")
    page = owner.page
    page.goto(asked.url)
    page.get_by_label("A note for the visitor").fill("Gladly, in May.")
    page.get_by_role("button", name="Approve").click()
    expect(page.get_by_role("heading")).to_have_text("Approved")
    asked.visitor.sees("The message has been passed on.")
    expect(asked.visitor.request).to_contain_text("Gladly, in May.")
    page.go_back()
    expect(page.get_by_text("settled already: approved, by link:webhook")).to_be_visible()


def test_it_can_be_used_by_keyboard_and_leads_to_the_inbox(
    ask: Callable[..., Asked], owner: OwnerScreen
) -> None:
    asked = ask()
    page = owner.page
    page.goto(asked.url)
    for name in ("A note for the visitor", "Approve", "Decline", "inbox"):
        page.keyboard.press("Tab")
        focused = page.evaluate(
            "(document.activeElement.labels?.[0] ?? document.activeElement).textContent"
        )
        assert focused.startswith(name)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(re.escape(asked.twin) + "/inbox#/queue/"))
