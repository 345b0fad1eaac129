"""The owner's inbox: sign-in, cards, keyboard, and the views that look back."""

import re
import time

import httpx
import pytest
from playwright.sync_api import expect

from server.adapters.models.scripted import Scripted, call
from server.domain.tools import Tool
from server.settings import Settings
from tests.browser.conftest import OpenTwin
from tests.browser.live import LiveTwin, live_twin
from tests.browser.people import ASKED_FOR, DRAFT, OwnerScreen, VisitorScreen
from tests.support.twin import OWNER_TOKEN


def test_a_wrong_token_is_refused_and_no_token_is_ever_in_an_address(
    paused_twin: LiveTwin, owner: OwnerScreen
) -> None:
    asked: list[str] = []
    owner.page.on("request", lambda request: asked.append(request.url))
    owner.page.goto(f"{paused_twin.url}/inbox")
    field = owner.page.get_by_label("Owner’s token")
    field.fill("wrong")
    field.press("Enter")
    expect(owner.page.get_by_role("alert")).to_contain_text("not valid")

    field.fill(OWNER_TOKEN)
    field.press("Enter")

    expect(owner.page.locator("nav.views")).to_be_visible()
    assert owner.page.evaluate("localStorage.length + document.cookie.length") == 0
    assert not any(OWNER_TOKEN.split()[-1] in url for url in asked)
    owner.page.reload()
    expect(owner.page.locator("nav.views")).to_be_visible()
    owner.page.get_by_role("button", name="Sign out").click()
    expect(field).to_be_visible()
    assert owner.page.evaluate("sessionStorage.length") == 0


def test_a_server_without_a_token_says_that_the_inbox_is_off(
    open_twin: OpenTwin, owner: OwnerScreen
) -> None:
    twin = open_twin("Hello.", admin_token=None)
    owner.page.goto(f"{twin.url}/inbox")
    owner.page.get_by_label("Owner’s token").fill("anything")
    owner.page.get_by_label("Owner’s token").press("Enter")

    expect(owner.page.get_by_role("alert")).to_contain_text("ADMIN_TOKEN")


def test_everything_is_decided_with_the_keyboard(
    open_twin: OpenTwin, visitor: VisitorScreen, owner: OwnerScreen
) -> None:
    """j, k, e, a, r, ? and nothing else; a single key never decides."""
    ask = call("draft_contact_message", **DRAFT)
    twin = open_twin(ask, ask, then := "It has been passed on.", then)
    for number in (1, 2):
        visitor.visit(twin.url)
        visitor.say(f"Request {number}, please.")
        visitor.sees_status("Waiting")
        visitor.page.evaluate("localStorage.removeItem('sayso.thread')")
    owner.sign_in(twin.url)
    keys = owner.page.keyboard
    expect(owner.queue).to_have_count(2)
    expect(owner.card).to_contain_text("Request 1, please.")

    keys.press("j")
    expect(owner.card).to_contain_text("Request 2, please.")
    keys.press("k")
    expect(owner.card).to_contain_text("Request 1, please.")
    keys.press("?")
    expect(owner.page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    keys.press("Escape")
    keys.press("e")
    expect(owner.card.get_by_label("Subject")).to_be_focused()
    keys.type("jkar")
    expect(owner.card.locator(".changes")).to_be_visible()
    keys.press("Escape")
    expect(owner.card.locator(".form")).to_have_count(0)
    keys.press("a")
    expect(owner.page.get_by_role("dialog", name="Approve this?")).to_be_visible()
    keys.press("Escape")
    expect(owner.queue).to_have_count(2)
    keys.press("a")
    expect(owner.page.get_by_role("dialog").get_by_role("button", name="Approve")).to_be_focused()
    keys.press("Enter")
    expect(owner.queue).to_have_count(1)
    expect(owner.card).to_contain_text("Request 2, please.")
    keys.press("r")
    expect(owner.page.get_by_role("dialog").get_by_label("Note")).to_be_focused()
    keys.type("Not now.")
    keys.press("Control+Enter")

    expect(owner.page.get_by_text("Nothing waits for you")).to_be_visible()
    owner.goes_to("Decided")
    expect(owner.page.locator(".row-card")).to_have_count(2)
    owner.page.get_by_role("button", name="Declined").click()
    expect(owner.page.locator(".row-card")).to_have_count(1)
    owner.page.locator(".row-card summary").click()
    expect(owner.page.locator(".row-card")).to_contain_text("Not now.")


def test_what_text_hides_is_shown_and_what_is_approved_is_what_runs(
    open_twin: OpenTwin, visitor: VisitorScreen, owner: OwnerScreen
) -> None:
    hidden = {
        "subject": "Pay\u200bment <b>now</b>",
        "message": "Send it to \u202ekcabyap\u202c" + " " * 60 + "and to pаypal too",
        "sender_contact": "eve@example.org",
    }
    twin = open_twin(call("draft_contact_message", **hidden), "It has been passed on.")
    visitor.visit(twin.url)
    visitor.say(ASKED_FOR)
    visitor.sees_status("Waiting")
    owner.sign_in(twin.url)

    warnings = owner.card.locator(".warnings")
    for words in ("can’t be seen", "direction of text", "runs of blanks", "look-alikes", "HTML"):
        expect(warnings).to_contain_text(words)
    for box in ("U+200B", "U+202E", "U+202C", "60 × blank"):
        expect(owner.card.locator(".exact").get_by_text(box).first).to_be_visible()
    expect(owner.card.locator(".exact mark")).to_have_text("pаypal")
    owner.page.keyboard.press("e")
    expect(owner.card.locator(".form .hidden-in").filter(has_text="U+202E")).to_be_visible()
    owner.page.keyboard.press("Escape")
    owner.nothing_ran()
    owner.decide("Approve")

    visitor.sees_status("Approved")
    answer = owner.context.request.get(
        f"{twin.url}/api/admin/contact-messages", headers={"Authorization": f"Bearer {OWNER_TOKEN}"}
    )
    [row] = answer.json()["contact_messages"]
    assert {name: row[name] for name in hidden} == hidden


def test_a_form_keeps_the_types_of_any_tool(
    open_twin: OpenTwin, visitor: VisitorScreen, owner: OwnerScreen
) -> None:
    """Numbers stay numbers, booleans booleans, lists lists; what is no JSON can't be sent."""
    ran: list[object] = []

    def refund(order_id: int, amount: float, express: bool, lines: list[str]) -> str:
        ran.append((order_id, amount, express, lines))
        return "Refunded."

    properties = {
        "order_id": {"type": "integer"},
        "amount": {"type": "number"},
        "express": {"type": "boolean"},
        "lines": {"type": "array", "items": {"type": "string"}},
    }
    tool = Tool(
        name="refund",
        description="Refund an order.",
        parameters={
            "type": "object",
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        },
        run=refund,
        high_risk=True,
    )
    asked = call("refund", order_id=7, amount=9.5, express=False, lines=["a"])
    twin = open_twin(asked, "It is refunded.", tools=[tool])
    visitor.visit(twin.url)
    visitor.say("Refund my order.")
    visitor.sees_status("Waiting")
    owner.sign_in(twin.url)
    owner.card.get_by_role("button", name="Edit").click()
    owner.card.get_by_label("Order").fill("8")
    owner.card.get_by_label("Express").check()
    lines = owner.card.get_by_label("Lines")
    lines.fill('["a", ')
    expect(owner.card.get_by_text("This is not valid JSON.")).to_be_visible()
    expect(owner.card.get_by_role("button", name="Approve with changes")).to_be_disabled()
    lines.fill('["a", "b"]')
    owner.decide("Approve with changes")

    visitor.sees("It is refunded.")
    assert ran == [(8, 9.5, True, ["a", "b"])]


def test_an_edit_the_server_refuses_stays_open_with_the_reason(
    paused_twin: LiveTwin, visitor: VisitorScreen, owner: OwnerScreen
) -> None:
    visitor.visit(paused_twin.url)
    visitor.say(ASKED_FOR)
    owner.sign_in(paused_twin.url)
    owner.card.get_by_role("button", name="Edit").click()
    owner.card.get_by_label("Subject").fill("x" * 151)
    # Where the server sends the schema along, the form itself holds the limit; then there is nothing to refuse.
    if len(owner.card.get_by_label("Subject").input_value()) == 151:
        owner.decide("Approve with changes")
        expect(owner.card.get_by_role("alert")).to_contain_text("did not accept")
        expect(owner.card.locator(".form")).to_be_visible()
    visitor.sees_status("Waiting")


def test_conversations_messages_and_numbers_look_back(
    paused_twin: LiveTwin, visitor: VisitorScreen, owner: OwnerScreen
) -> None:
    visitor.visit(paused_twin.url)
    visitor.say(ASKED_FOR)
    visitor.sees_status("Waiting")
    owner.sign_in(paused_twin.url).decide("Approve")
    visitor.sees_status("Approved")
    visitor.sees("The message has been passed on.")

    owner.goes_to("Conversations")
    expect(owner.page.locator(".row-said")).to_have_text(ASKED_FOR)
    owner.page.locator(".row-link").click()
    expect(owner.page.locator(".transcript")).to_contain_text(ASKED_FOR)
    owner.goes_to("Messages")
    expect(owner.page.locator(".letter")).to_contain_text(DRAFT["message"])
    with owner.page.expect_download() as download:
        owner.page.get_by_role("button", name="Download CSV").click()
    text = download.value.path().read_text("utf-8-sig")
    assert text.splitlines()[0] == "created_at,sender_contact,subject,message,thread_id"
    assert "eve@example.org,A talk,Would you speak in May?" in text
    owner.goes_to("Numbers")
    expect(owner.page.locator(".tiles")).to_contain_text(re.compile(r"Conversations\s*1"))
    expect(owner.page.get_by_text("How requests ended")).to_be_visible()
    for view in ("Unanswered", "In doubt"):
        owner.goes_to(view)
        expect(owner.page.locator(".empty h2")).to_be_visible()


@pytest.mark.parametrize("place", ["#/queue/%E0%A4%A", "#/zzz/%", "#/threads/gone", "#"])
def test_an_address_that_leads_nowhere_still_opens_the_inbox(
    paused_twin: LiveTwin, owner: OwnerScreen, place: str
) -> None:
    owner.sign_in(paused_twin.url)
    owner.page.goto(f"{paused_twin.url}/inbox{place}")
    owner.page.reload()
    gone = "This conversation is not here" if "threads" in place else "Nothing waits for you"
    expect(owner.page.get_by_text(gone)).to_be_visible()


def test_five_hundred_that_wait_can_be_gone_through(settings: Settings, owner: OwnerScreen) -> None:
    """Every one is there, and the keyboard is not slowed down; the newest decision leaves one less."""
    asks = Scripted(then=call("draft_contact_message", **DRAFT))
    with live_twin(settings, asks) as twin, httpx.Client(timeout=60) as client:
        for number in range(500):
            client.post(f"{twin.url}/api/chat", json={"message": f"Number {number}"})
            client.cookies.clear()
        owner.sign_in(twin.url)
        expect(owner.queue).to_have_count(500)
        began = time.monotonic()
        for _ in range(10):
            owner.page.keyboard.press("j")
        expect(owner.card).to_contain_text("Number 10")
        took = time.monotonic() - began

        owner.decide("Decline")

        expect(owner.queue).to_have_count(499)
        expect(owner.card).to_contain_text("Number 11")
        print(f"\n500 that wait: {took * 100:.0f} ms a step")
        assert took < 10


def test_a_lost_connection_is_shown_and_the_queue_stays(
    paused_twin: LiveTwin, visitor: VisitorScreen, owner: OwnerScreen
) -> None:
    visitor.visit(paused_twin.url)
    visitor.say(ASKED_FOR)
    owner.sign_in(paused_twin.url)
    expect(owner.queue).to_have_count(1)

    owner.context.set_offline(True)
    expect(owner.page.get_by_text("Reconnecting")).to_be_visible()
    expect(owner.queue).to_have_count(1)
    owner.context.set_offline(False)

    expect(owner.page.get_by_text("Live", exact=True)).to_be_visible()
