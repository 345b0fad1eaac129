"""A visitor is asked to confirm their own action: on their card, and on the owner's."""

import re

import pytest
from playwright.sync_api import Browser, Route, expect

from examples.confirmed_refunds import issue_refund
from server.adapters.models.scripted import call
from tests.browser.conftest import OpenTwin
from tests.browser.live import LiveTwin
from tests.browser.people import OwnerScreen, VisitorScreen

WANTS_MONEY = "My money back for A-17, please."


@pytest.fixture
def refunding_twin(open_twin: OpenTwin) -> LiveTwin:
    """A twin that asks the visitor before it refunds, and closes in words."""
    refund = call("issue_refund", order_id="A-17", amount_cents=2500)
    return open_twin(refund, "That is settled.", tools=[issue_refund])


def ask(twin: LiveTwin, visitor: VisitorScreen) -> VisitorScreen:
    """The visitor wants their money back, and is asked."""
    visitor.visit(twin.url)
    visitor.say(WANTS_MONEY)
    expect(visitor.request).to_be_visible()
    return visitor


def test_the_card_asks_the_visitor_and_their_yes_is_carried_out(
    refunding_twin: LiveTwin, visitor: VisitorScreen, owner: OwnerScreen
) -> None:
    """Not a word of the owner; confirmed with the keyboard; the ending comes without a reload and is there after one."""
    ask(refunding_twin, visitor)
    visitor.sees_status("Waiting for you")
    expect(visitor.request).to_contain_text("Refund 25.00 euros for order A-17?")
    expect(visitor.request).to_contain_text("nothing is done before you confirm exactly this")
    expect(visitor.request).to_contain_text("What will be done")
    expect(visitor.request).not_to_contain_text("Ada")
    expect(visitor.request).not_to_contain_text("sent")
    expect(visitor.request.get_by_role("button", name="Withdraw")).to_have_count(0)

    visitor.request.get_by_role("button", name="Confirm").focus()
    visitor.page.keyboard.press("Enter")

    visitor.sees_status("Confirmed")
    visitor.sees("That is settled.")
    expect(visitor.request).to_contain_text("What was confirmed")
    expect(visitor.request.get_by_role("button")).to_have_count(0)
    expect(visitor.request.get_by_role("region")).to_be_focused()
    visitor.page.reload()
    visitor.sees_status("Confirmed")
    visitor.sees("That is settled.")
    owner.sign_in(refunding_twin.url)
    owner.goes_to("Decided")
    expect(owner.page.locator(".row-side")).to_contain_text("the visitor")


def test_a_no_of_the_visitor_does_nothing(
    refunding_twin: LiveTwin, visitor: VisitorScreen, owner: OwnerScreen
) -> None:
    ask(refunding_twin, visitor).request.get_by_role("button", name="Decline").click()

    visitor.sees_status("Declined")
    expect(visitor.request).to_contain_text("This was declined. Nothing was done.")
    visitor.sees("That is settled.")
    owner.sign_in(refunding_twin.url)
    owner.goes_to("In doubt")
    expect(owner.page.get_by_text("Nothing is in doubt")).to_be_visible()


def test_the_inbox_says_that_the_visitor_is_asked_and_does_not_count_it(
    refunding_twin: LiveTwin, visitor: VisitorScreen, owner: OwnerScreen
) -> None:
    """The owner may answer in their place, and is told so before."""
    ask(refunding_twin, visitor)
    owner.sign_in(refunding_twin.url)
    expect(owner.queue).to_contain_text("The visitor is asked")
    expect(owner.card).to_contain_text("The visitor is asked, not you")
    expect(owner.page.locator(".count")).to_have_count(0)
    expect(owner.page).to_have_title(re.compile("^Inbox"))

    owner.card.get_by_role("button", name=re.compile("^Approve")).click()
    expect(owner.page.get_by_role("dialog")).to_contain_text("The visitor was asked, not you.")
    owner.page.get_by_role("dialog").get_by_role("button", name="Approve").click()

    visitor.sees_status("Confirmed")
    visitor.sees("That is settled.")


def test_of_two_tabs_that_answer_the_slower_one_is_told(
    refunding_twin: LiveTwin, visitor: VisitorScreen
) -> None:
    """A no in one, and a yes that was pressed before and arrives after it: the no stands."""
    ask(refunding_twin, visitor)
    tab = visitor.new_page()
    tab.goto(refunding_twin.url)
    slow = tab.locator("sayso-request").last
    held: list[Route] = []
    tab.route("**/v1/graph/invoke", lambda route: held.append(route))
    slow.get_by_role("button", name="Confirm").click()
    expect(slow.get_by_role("button", name="One moment")).to_be_disabled()

    visitor.request.get_by_role("button", name="Decline").click()
    visitor.sees_status("Declined")
    held[0].continue_()

    expect(slow).to_contain_text("It was decided a moment ago.")
    expect(slow.locator(".status")).to_have_text("Declined")
    expect(tab.locator("sayso-turn").last).to_contain_text("That is settled.")


def test_it_is_asked_in_dutch(refunding_twin: LiveTwin, chromium: Browser) -> None:
    visitor = VisitorScreen(chromium, locale="nl-NL")
    ask(refunding_twin, visitor)
    visitor.sees_status("Wacht op jou")
    expect(visitor.request).to_contain_text("voordat je precies dit bevestigt")
    visitor.request.get_by_role("button", name="Bevestigen").click()
    visitor.sees_status("Bevestigd")
    visitor.close()
    owner = OwnerScreen(chromium, locale="nl-NL").sign_in(refunding_twin.url)
    owner.page.get_by_role("navigation").get_by_role("link", name="Beslist").click()
    expect(owner.page.locator(".row-side")).to_contain_text("de bezoeker")
    owner.close()
