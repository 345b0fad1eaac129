"""A visitor asks for something on the owner's behalf; the owner decides in another browser; the visitor sees the ending."""

import re
from datetime import timedelta

import pytest
from playwright.sync_api import Browser, expect

from server.adapters.models.scripted import call
from tests.browser.conftest import OpenTwin
from tests.browser.live import LiveTwin
from tests.browser.people import ASKED_FOR, DRAFT, OwnerScreen, VisitorScreen


def test_an_edited_yes_reaches_the_visitor_without_a_reload(
    paused_twin: LiveTwin, visitor: VisitorScreen, owner: OwnerScreen
) -> None:
    """The whole promise at once: asked, shown, changed, approved, done once, told."""
    owner.sign_in(paused_twin.url)
    expect(owner.page.get_by_text("Nothing waits for you")).to_be_visible()
    visitor.visit(paused_twin.url)
    visitor.say(ASKED_FOR)
    visitor.sees_status("Waiting")
    expect(visitor.request).to_contain_text("Nothing is sent before Ada approves exactly this.")
    for value in DRAFT.values():
        expect(visitor.request).to_contain_text(value)

    # It is there without anybody doing anything.
    expect(owner.queue).to_have_count(1)
    expect(owner.card).to_contain_text(DRAFT["message"])
    expect(owner.card.locator(".transcript")).to_contain_text(ASKED_FOR)
    owner.card.get_by_role("button", name="Edit").click()
    owner.card.get_by_label("Subject").fill("A talk in May")
    expect(owner.card.locator(".changes ins")).to_have_text(" in May")
    owner.decide("Approve with changes", note="With pleasure.")

    expect(owner.page.get_by_text("Approved. The twin is telling the visitor.")).to_be_visible()
    visitor.sees_status("Approved")
    visitor.sees("The message has been passed on.")
    expect(visitor.turns.last).to_contain_text("About your request")
    expect(visitor.request).to_contain_text("With pleasure.")
    visitor.request.get_by_text("What was approved").click()
    expect(visitor.request).to_contain_text("A talk in May")
    expect(visitor.request.locator(".changed")).to_have_count(1)
    owner.goes_to("Messages")
    expect(owner.page.locator(".letter")).to_have_count(1)
    expect(owner.page.locator(".letter")).to_contain_text("A talk in May")
    owner.goes_to("Decided")
    owner.page.locator(".row-card summary").click()
    expect(owner.page.locator(".row-body")).to_contain_text("· inbox ·")


def test_a_decline_with_a_note_is_shown_word_for_word(
    paused_twin: LiveTwin, visitor: VisitorScreen, owner: OwnerScreen
) -> None:
    visitor.visit(paused_twin.url)
    visitor.say(ASKED_FOR)
    visitor.sees_status("Waiting")
    owner.sign_in(paused_twin.url)

    owner.decide("Decline", note="Not this year, sorry.")

    visitor.sees_status("Declined")
    expect(visitor.request.locator(".note")).to_contain_text("Not this year, sorry.")
    expect(visitor.request).to_contain_text("Nothing was sent")
    owner.goes_to("Messages")
    expect(owner.page.get_by_text("No messages yet")).to_be_visible()


def test_cleared_without_judging_is_neither_a_yes_nor_a_no(
    paused_twin: LiveTwin, visitor: VisitorScreen, owner: OwnerScreen
) -> None:
    visitor.visit(paused_twin.url)
    visitor.say(ASKED_FOR)
    owner.sign_in(paused_twin.url)

    owner.decide("Clear")

    visitor.sees_status("Cancelled")
    expect(visitor.request).to_contain_text("without judging")


def test_the_visitor_takes_it_back_and_the_owner_sees_that(
    paused_twin: LiveTwin, visitor: VisitorScreen, owner: OwnerScreen
) -> None:
    visitor.visit(paused_twin.url)
    visitor.say(ASKED_FOR)
    owner.sign_in(paused_twin.url)
    expect(owner.card).to_contain_text(DRAFT["subject"])

    visitor.request.get_by_role("button", name="Withdraw").click()

    visitor.sees_status("Withdrawn")
    expect(owner.card.locator(".elsewhere")).to_contain_text("Withdrawn by the visitor")
    expect(owner.card.get_by_role("button", name="Approve")).to_have_count(0)


def test_expiry_is_told_apart_from_a_refusal(open_twin: OpenTwin, visitor: VisitorScreen) -> None:
    twin = open_twin(
        call("draft_contact_message", **DRAFT), "There was no decision in time.",
        approval_ttl=timedelta(seconds=2),
    )  # fmt: skip
    visitor.visit(twin.url)
    visitor.say(ASKED_FOR)
    visitor.sees_status("Waiting")

    visitor.sees_status("Expired")
    expect(visitor.request).to_contain_text("it is not a refusal")
    visitor.sees("There was no decision in time.")

    visitor.page.reload()

    visitor.sees_status("Expired")
    expect(visitor.page.locator("sayso-request")).to_have_count(1)
    expect(visitor.request).to_contain_text("it is not a refusal")
    expect(visitor.request.get_by_role("button", name="Withdraw")).to_have_count(0)
    visitor.sees("There was no decision in time.")


def test_two_inboxes_never_fight(
    paused_twin: LiveTwin, visitor: VisitorScreen, owner: OwnerScreen, chromium: Browser
) -> None:
    """The slower one is told by whom and when, and has no button left to press."""
    visitor.visit(paused_twin.url)
    visitor.say(ASKED_FOR)
    visitor.sees_status("Waiting")
    owner.sign_in(paused_twin.url)
    second = OwnerScreen(chromium)
    second.sign_in(paused_twin.url)
    # Both are about to press: the slower one's list must not have noticed yet.
    second.card.get_by_role("button", name=re.compile("^Decline")).click()
    second.page.route("**/api/admin/approvals", lambda route: route.abort())

    owner.decide("Approve")
    visitor.sees_status("Approved")
    second.page.get_by_role("dialog").get_by_role("button", name="Decline").click()

    expect(second.card.locator(".elsewhere")).to_contain_text(re.compile("Approved by owner, "))
    expect(second.card.get_by_role("button", name="Decline")).to_have_count(0)
    visitor.sees_status("Approved")
    second.close()


def test_a_card_decided_elsewhere_says_so_by_itself(
    paused_twin: LiveTwin, visitor: VisitorScreen, owner: OwnerScreen, chromium: Browser
) -> None:
    visitor.visit(paused_twin.url)
    visitor.say(ASKED_FOR)
    visitor.sees_status("Waiting")
    owner.sign_in(paused_twin.url)
    second = OwnerScreen(chromium)
    second.sign_in(paused_twin.url)
    second.page.keyboard.press("a")
    expect(second.page.get_by_role("dialog")).to_be_visible()

    owner.decide("Decline", note="No.")

    expect(second.card.locator(".elsewhere")).to_contain_text(re.compile("Declined by owner, "))
    expect(second.page.get_by_role("dialog")).to_be_hidden()
    expect(second.queue).to_have_count(0)
    second.close()


@pytest.mark.parametrize("ending", ["Waiting", "Approved", "Declined", "Withdrawn"])
def test_a_reload_shows_the_request_as_it_stands(
    paused_twin: LiveTwin, visitor: VisitorScreen, owner: OwnerScreen, ending: str
) -> None:
    visitor.visit(paused_twin.url)
    visitor.say(ASKED_FOR)
    visitor.sees_status("Waiting")
    match ending:
        case "Approved":
            owner.sign_in(paused_twin.url).decide("Approve")
        case "Declined":
            owner.sign_in(paused_twin.url).decide("Decline", note="A note.")
        case "Withdrawn":
            visitor.request.get_by_role("button", name="Withdraw").click()
    visitor.sees_status(ending)

    visitor.page.reload()

    visitor.sees_status(ending)
    expect(visitor.page.locator("sayso-request")).to_have_count(1)
    expect(visitor.page.locator(".said")).to_have_text(re.compile(re.escape(ASKED_FOR)))
    expect(visitor.request.locator("time").first).to_be_visible()
    if ending == "Declined":
        expect(visitor.request).to_contain_text("A note.")
    if ending != "Waiting":
        visitor.sees("The message has been passed on.")


def test_the_chat_goes_on_beside_a_request_that_waits(
    open_twin: OpenTwin, visitor: VisitorScreen, owner: OwnerScreen
) -> None:
    twin = open_twin(
        call("draft_contact_message", **DRAFT), "It is half past nine.", "The message has been passed on."
    )  # fmt: skip
    visitor.visit(twin.url)
    visitor.say(ASKED_FOR)
    visitor.sees_status("Waiting")

    visitor.say("Meanwhile: what time is it?")
    visitor.sees("It is half past nine.")
    visitor.sees_status("Waiting")
    owner.sign_in(twin.url).decide("Approve")

    visitor.sees("The message has been passed on.")
    visitor.sees_status("Approved")
    expect(visitor.turns).to_have_count(3)
    visitor.page.reload()
    expect(visitor.turns).to_have_count(3)
    visitor.sees_status("Approved")


def test_a_late_ending_is_there_when_the_visitor_comes_back(
    paused_twin: LiveTwin, visitor: VisitorScreen, owner: OwnerScreen
) -> None:
    """Nobody is looking when the decision falls."""
    visitor.visit(paused_twin.url)
    visitor.say(ASKED_FOR)
    visitor.sees_status("Waiting")
    visitor.page.goto("about:blank")
    owner.sign_in(paused_twin.url).decide("Approve")
    expect(owner.page.get_by_text("Nothing waits for you")).to_be_visible()

    visitor.visit(paused_twin.url)

    visitor.sees_status("Approved")
    visitor.sees("The message has been passed on.")
