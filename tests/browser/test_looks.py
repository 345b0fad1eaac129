"""Every state on a phone, at 200 %, in the dark, in Dutch; and what axe-core finds there."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from examples.confirmed_refunds import issue_refund
from server.adapters.models.scripted import Answer, Gate, call
from server.domain.errors import ModelUnavailable
from tests.browser.conftest import OpenTwin
from tests.browser.live import LiveTwin, Wire
from tests.browser.people import ASKED_FOR, DRAFT, OwnerScreen, VisitorScreen

AXE = Path(__file__).parents[2] / "clients" / "node_modules" / "axe-core" / "axe.min.js"

PHONE = {"viewport": {"width": 360, "height": 640}}
ZOOMED = {"viewport": {"width": 640, "height": 400}, "device_scale_factor": 2}
"""1280 × 800 at 200 %."""
DARK = {"color_scheme": "dark"}
DUTCH = {"locale": "nl-NL"}
LOOKS = {"desktop": {}, "phone": PHONE, "zoomed": ZOOMED, "dark": DARK, "dutch": DUTCH}

RICH = (
    "## A heading\n\nShe was **born** in London [1], and `code` goes here:\n\n```\na long line of code that does not wrap "
    "at all, whatever the width of the window may be, for it is code\n```\n\n"
    "| Year | What | Where | Why |\n| --- | --- | --- | --- |\n| 1815 | born | London | unknown |\n\n- one\n- two\n"
)


@pytest.fixture(params=LOOKS)
def look(request: pytest.FixtureRequest) -> dict[str, Any]:
    """One way a screen may be."""
    return LOOKS[request.param]


@pytest.fixture
def guest(chromium: Browser, look: dict[str, Any]) -> Iterator[VisitorScreen]:
    """A visitor with that screen."""
    screen = VisitorScreen(chromium, reduced_motion="reduce", **look)
    yield screen
    screen.close()


@pytest.fixture
def boss(chromium: Browser, look: dict[str, Any]) -> Iterator[OwnerScreen]:
    """The owner with that screen."""
    screen = OwnerScreen(chromium, reduced_motion="reduce", **look)
    yield screen
    screen.close()


def accessible(page: Page) -> None:
    """No finding of axe-core at all, of any weight, under WCAG 2.2 A and AA and its best practices."""
    if not AXE.exists():
        pytest.skip("axe-core is not installed (npm ci --prefix clients)")
    # Over the debugger's channel: the page's own policy lets no script of ours in.
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate(
        """async () => (await axe.run(document, { resultTypes: ["violations"] })).violations.map(
             ({ id, impact, nodes }) => ({ id, impact, where: nodes.map((n) => n.target.join(" ") + ": " + n.failureSummary) }))"""
    )
    assert found == [], json.dumps(found, indent=1)


def looked_at(screen: VisitorScreen | OwnerScreen) -> None:
    """What holds for every state of every page."""
    screen.fits()
    accessible(screen.page)


CHAT: dict[str, tuple[list[Answer], Callable[[VisitorScreen, Gate], None]]] = {}


def state(*answers: Answer) -> Callable[[Callable[[VisitorScreen, Gate], None]], None]:
    """Registers a state of the chat page: what the model says, and how to get there."""

    def keep(reach: Callable[[VisitorScreen, Gate], None]) -> None:
        CHAT[reach.__name__] = (list(answers), reach)

    return keep


@state()
def empty(screen: VisitorScreen, _: Gate) -> None:
    expect(screen.page.locator(".welcome")).to_be_visible()
    screen.page.locator(".menu summary").click()
    expect(screen.page.locator(".sheet")).to_be_visible()


@state(RICH)
def answered(screen: VisitorScreen, _: Gate) -> None:
    screen.say("Where was Ada Lovelace born?")
    screen.page.locator("sayso-markdown .mark").click()
    expect(screen.page.locator(".quote")).to_be_visible()


@state(call("draft_contact_message", **DRAFT))
def waiting(screen: VisitorScreen, _: Gate) -> None:
    screen.say(ASKED_FOR)
    expect(screen.page.locator("sayso-request .status")).to_be_visible()


@state(call("draft_contact_message", **DRAFT), "Taken back.")
def withdrawn(screen: VisitorScreen, _: Gate) -> None:
    screen.say(ASKED_FOR)
    screen.request.locator("footer button").click()
    screen.sees("Taken back.")


@state(call("issue_refund", order_id="A-17", amount_cents=2500))
def asked_themselves(screen: VisitorScreen, _: Gate) -> None:
    screen.say("My money back for A-17, please.")
    expect(screen.request.locator(".filled")).to_be_visible()


@state(ModelUnavailable())
def failed(screen: VisitorScreen, _: Gate) -> None:
    screen.say("Hello?")
    expect(screen.page.get_by_role("alert")).to_be_visible()


@pytest.mark.parametrize("name", CHAT)
def test_the_chat_fits_and_is_accessible(
    open_twin: OpenTwin, guest: VisitorScreen, name: str
) -> None:
    answers, reach = CHAT[name]
    twin = open_twin(*answers, tools=[issue_refund])
    guest.visit(twin.url)
    reach(guest, Gate())
    looked_at(guest)


def test_the_chat_is_accessible_while_it_answers_and_while_it_reconnects(
    open_twin: OpenTwin, visitor: VisitorScreen
) -> None:
    gate = Gate()
    twin = open_twin(["One is here. Two ", gate, "too."])
    with Wire(twin.port) as wire:
        visitor.visit(wire.url)
        visitor.say("Count.")
        visitor.sees("One is here.")
        looked_at(visitor)
        wire.cut()
        expect(visitor.page.locator(".notice")).to_be_visible()
        looked_at(visitor)
        wire.mend()
        gate.open()
        visitor.sees("Two too.")
    visitor.page.locator(".menu summary").click()
    visitor.page.get_by_role("button", name="Forget this conversation").click()
    expect(visitor.page.get_by_role("dialog")).to_be_visible()
    looked_at(visitor)


def test_the_inbox_fits_and_is_accessible(
    open_twin: OpenTwin, guest: VisitorScreen, boss: OwnerScreen
) -> None:
    """Signed out, empty, a card, editing, asked once more, and every other view."""
    odd = {**DRAFT, "message": "Look\u200b here: <b>now</b> " + "long" * 60}
    twin = open_twin(call("draft_contact_message", **odd), "It has been passed on.")
    boss.page.goto(f"{twin.url}/inbox")
    expect(boss.page.locator(".sign-in")).to_be_visible()
    looked_at(boss)
    boss.sign_in(twin.url)
    expect(boss.page.locator(".empty")).to_be_visible()
    looked_at(boss)
    guest.visit(twin.url)
    guest.say(ASKED_FOR)
    expect(boss.queue).to_have_count(1)
    if boss.page.locator("sayso-card").count() == 0:
        looked_at(boss)
        boss.queue.locator("a").click()
    expect(boss.card.locator(".warnings")).to_be_visible()
    looked_at(boss)
    boss.page.keyboard.press("e")
    boss.page.locator(".form input").first.fill("Something else")
    expect(boss.page.locator(".changes")).to_be_visible()
    looked_at(boss)
    boss.page.locator(".decide .filled").click()
    expect(boss.page.get_by_role("dialog")).to_be_visible()
    looked_at(boss)
    boss.page.get_by_role("dialog").locator(".filled").click()
    expect(boss.queue).to_have_count(0)
    for view in ("history", "threads", "messages", "gaps", "effects", "stats"):
        boss.page.locator(f"nav.views a[href='#/{view}']").click()
        expect(boss.page.locator(".page :is(.rows, .empty, .tiles)").first).to_be_visible()
        looked_at(boss)


def test_it_speaks_the_browsers_language_and_another_when_asked(
    open_twin: OpenTwin, chromium: Browser
) -> None:
    twin = open_twin()
    screen = VisitorScreen(chromium, **DUTCH)
    screen.visit(twin.url)
    expect(screen.page.get_by_text("Vraag me iets over Ada")).to_be_visible()
    expect(screen.page.locator("html")).to_have_attribute("lang", "nl")

    screen.page.get_by_label("Menu").click()
    screen.page.get_by_role("button", name="English").click()
    expect(screen.page.get_by_text("Ask me about Ada")).to_be_visible()
    screen.page.reload()

    expect(screen.page.get_by_text("Ask me about Ada")).to_be_visible()
    expect(screen.page.locator("html")).to_have_attribute("lang", "en")
    screen.close()


def test_the_appearance_can_be_chosen_and_stays(
    open_twin: OpenTwin, visitor: VisitorScreen
) -> None:
    twin = open_twin()
    visitor.visit(twin.url)
    light = visitor.page.evaluate("getComputedStyle(document.body).backgroundColor")
    visitor.page.get_by_label("Menu").click()
    visitor.page.get_by_role("button", name="Dark").click()
    dark = visitor.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert light != dark

    visitor.page.reload()

    expect(visitor.page.locator("body")).to_have_css("background-color", dark)


def test_the_chat_is_used_with_the_keyboard_alone(
    paused_twin: LiveTwin, visitor: VisitorScreen
) -> None:
    """Write, send, open the card's details, withdraw: Tab, Enter and Space reach everything, and focus is never lost."""
    visitor.visit(paused_twin.url)
    expect(visitor.box).to_be_focused()
    keys = visitor.page.keyboard
    keys.type(ASKED_FOR)
    keys.press("Enter")
    visitor.sees_status("Waiting")
    expect(visitor.box).to_be_focused()

    for _ in range(12):
        keys.press("Shift+Tab")
        if visitor.page.evaluate("document.activeElement.textContent").strip() == "Withdraw":
            break
    outline = visitor.page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    keys.press("Enter")

    visitor.sees_status("Withdrawn")


def test_a_screen_reader_hears_each_answer_once_and_whole(
    open_twin: OpenTwin, visitor: VisitorScreen
) -> None:
    twin = open_twin("One is here. Two is too. [1]", "Another one.")
    visitor.visit(twin.url)
    visitor.say("Where was Ada Lovelace born?")
    visitor.sees("Two is too.")
    visitor.say("And more?")
    visitor.sees("Another one.")

    heard = visitor.page.locator("[role=log] p")
    expect(heard).to_have_text(["One is here. Two is too.", "Another one."])
    visitor.page.reload()
    expect(visitor.turns).to_have_count(2)
    expect(heard).to_have_count(0)
