"""Text of strangers is text: in the chat and in the inbox, from every side it can come. With the page's policy, which would
stop a script that slipped through, and without it, so that it can't hide one."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, expect
from pydantic import SecretStr

from server.adapters.models.scripted import Answer, Scripted, call
from server.settings import Settings
from tests.browser.live import LiveTwin, live_twin
from tests.browser.payloads import PAYLOADS
from tests.browser.people import OwnerScreen, VisitorScreen
from tests.support.twin import OWNER_TOKEN, events_in

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(params=["with the policy", "without the policy"])
def options(request: pytest.FixtureRequest) -> dict[str, Any]:
    """How the browser is set."""
    return {"bypass_csp": request.param == "without the policy"}


@pytest.fixture
def guest(chromium: Browser, options: dict[str, Any]) -> Iterator[VisitorScreen]:
    screen = VisitorScreen(chromium, **options)
    yield screen
    screen.close()


@pytest.fixture
def boss(chromium: Browser, options: dict[str, Any]) -> Iterator[OwnerScreen]:
    screen = OwnerScreen(chromium, **options)
    yield screen
    screen.close()


class Caller:
    """A visitor without a screen: says things fast."""

    def __init__(self, twin: LiveTwin) -> None:
        self.url = twin.url
        self.token: str | None = None

    def say(self, text: str, thread_id: str) -> None:
        headers = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        body = {"message": text, "thread_id": thread_id}
        answer = httpx.post(f"{self.url}/api/chat", json=body, headers=headers, timeout=30)
        assert answer.status_code == 200, answer.text
        self.token = events_in(answer.text)[0].get("visitor_token", self.token)

    def show(self, screen: VisitorScreen, thread_id: str) -> None:
        """Opens that thread on a screen."""
        screen.page.goto(f"{self.url}/assets/icon.svg")
        screen.page.evaluate(
            "([token, thread]) => { localStorage['sayso.token'] = token; localStorage['sayso.thread'] = thread }",
            [self.token, thread_id],
        )
        screen.visit(self.url)


def test_there_are_enough_of_them() -> None:
    assert len(set(PAYLOADS)) >= 30


def test_what_visitors_and_models_say_stays_text(
    settings: Settings, guest: VisitorScreen, boss: OwnerScreen
) -> None:
    """Every payload as a visitor's message and as the model's answer, in the chat and in the owner's transcript."""
    with live_twin(settings, Scripted(*PAYLOADS)) as twin:
        caller = Caller(twin)
        for payload in PAYLOADS:
            caller.say(payload, "said")
        caller.show(guest, "said")
        expect(guest.turns).to_have_count(len(PAYLOADS))
        for said, payload in zip(guest.page.locator(".said").all(), PAYLOADS, strict=True):
            assert payload.replace("\x00", "") in (said.text_content() or "").replace("\x00", "")
        # Whatever can be clicked is.
        for link in guest.page.locator("sayso-markdown a").all():
            assert (link.get_attribute("href") or "").startswith(("https://", "http://", "mailto:"))
        guest.nothing_ran()

        boss.sign_in(twin.url)
        boss.page.goto(f"{twin.url}/inbox#/threads/said")
        expect(boss.page.locator(".transcript li").first).to_be_visible()
        expect(boss.page.locator(".transcript li[data-role=user]")).to_have_count(len(PAYLOADS))
        boss.nothing_ran()


def test_arguments_and_notes_stay_text(
    settings: Settings, guest: VisitorScreen, boss: OwnerScreen, options: dict[str, Any]
) -> None:
    """Every payload in the arguments of a request and in the owner's note: cards, form, differences, history, messages."""
    drafts = [call("draft_contact_message", **draft(payload)) for payload in PAYLOADS]
    closing: list[Answer] = ["It has been passed on."] * len(PAYLOADS)
    with live_twin(settings, Scripted(*drafts, *closing)) as twin:
        caller = Caller(twin)
        for number, payload in enumerate(PAYLOADS):
            caller.say(f"Please pass this on: {payload}", f"asks-{number}")
        owner = {"Authorization": f"Bearer {OWNER_TOKEN}"}
        listed = httpx.get(f"{twin.url}/api/admin/approvals", headers=owner, timeout=30).json()
        waiting = {card["thread_id"]: card["interrupt_id"] for card in listed["pending"]}
        boss.sign_in(twin.url)
        expect(boss.queue).to_have_count(len(PAYLOADS))
        # All stand in the list; each third is opened, other ones with the policy than without it.
        start = 0 if options["bypass_csp"] else 1
        for number in range(start, len(PAYLOADS), 3):
            boss.page.goto(f"{twin.url}/inbox#/queue/{waiting[f'asks-{number}']}")
            expect(boss.card.locator(".asked").first).to_contain_text("pass on a message")
            boss.page.keyboard.press("e")
            expect(boss.page.locator(".form")).to_be_visible()
            boss.page.locator(".form textarea, .form input").first.fill("Something else <b>")
            expect(boss.page.locator(".changes")).to_be_visible()
            boss.nothing_ran()
            boss.page.keyboard.press("Escape")

        for number, payload in enumerate(PAYLOADS):
            body = {"approved": True, "note": payload[:500]}
            done = httpx.post(
                f"{twin.url}/api/admin/approvals/asks-{number}",
                json=body,
                headers=owner,
                timeout=30,
            )
            assert done.status_code == 200, done.text
        expect(boss.page.locator(".queue li")).to_have_count(0)
        boss.nothing_ran()
        for view in ("history", "messages", "threads"):
            boss.page.goto(f"{twin.url}/inbox#/{view}")
            expect(boss.page.locator(".rows li").first).to_be_visible()
            boss.page.evaluate(
                "document.querySelectorAll('details').forEach((d) => { d.open = true })"
            )
            boss.nothing_ran()
        for number in range(0, len(PAYLOADS), 6):
            caller.show(guest, f"asks-{number}")
            expect(guest.request.locator(".note")).to_be_visible()
            guest.page.evaluate(
                "document.querySelectorAll('details').forEach((d) => { d.open = true })"
            )
            guest.nothing_ran()


def test_knowledge_stays_text(settings: Settings, guest: VisitorScreen, folder: Path) -> None:
    """Every payload as title, text and address of a page that is cited."""
    for number, payload in enumerate(PAYLOADS):
        one_line = " ".join(payload.replace("\x00", "").split())
        title = one_line.replace("'", "''")
        (folder / f"page{number}.md").write_text(
            f"---\ntitle: '{title}'\nlanguage: en\nurl: /javascript{number}\n---\n"
            f"Zebra number{number} lives in the zoo of town{number}. {one_line}\n"
        )
    with live_twin(settings, Scripted(*["It lives in the zoo. [1]"] * len(PAYLOADS))) as twin:
        caller = Caller(twin)
        for number in range(len(PAYLOADS)):
            caller.say(f"Where does zebra number{number} of town{number} live?", "known")
        caller.show(guest, "known")
        expect(guest.turns).to_have_count(len(PAYLOADS))
        chips = guest.page.locator(".chip.source")
        assert chips.count() >= len(PAYLOADS) * 0.8
        for chip in chips.all():
            chip.evaluate("(button) => button.click()")
        expect(guest.page.locator(".quote").first).to_be_visible()
        guest.nothing_ran()


def test_the_owners_name_stays_text(settings: Settings, guest: VisitorScreen) -> None:
    name = '"><script>window.pwned=1</script><img src=x onerror=window.pwned=1> {{languages}}'
    odd = settings.model_copy(update={"owner_name": name, "admin_token": SecretStr(OWNER_TOKEN)})
    with live_twin(odd, Scripted()) as twin:
        guest.visit(twin.url)
        expect(guest.page.get_by_role("heading", level=1)).to_contain_text("<script>")
        assert guest.page.evaluate("window.pwned") is None


def draft(payload: str) -> dict[str, str]:
    """Arguments that carry it wherever it fits."""
    return {
        "subject": payload[:150],
        "message": payload,
        "sender_contact": (payload + "...")[:200],
    }
