"""A visitor chats: answers, sources, and everything that can go wrong on the way."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from server.adapters.models.scripted import Gate
from server.domain.errors import ModelUnavailable
from tests.browser.conftest import OpenTwin
from tests.browser.live import Wire
from tests.browser.people import VisitorScreen
from tests.fakes.chat_backend import DONE, FINISH, ChatBackend, Reply, delta, says
from tests.support.server import server


def test_an_answer_has_numbered_sources_that_open_with_the_quote(
    open_twin: OpenTwin, visitor: VisitorScreen
) -> None:
    twin = open_twin("She was **born in London**. [1]")
    visitor.visit(twin.url)

    visitor.say("Where was Ada Lovelace born?")

    expect(visitor.turns.locator("strong")).to_have_text("born in London")
    mark = visitor.page.get_by_role("button", name=re.compile("^Source 1"), expanded=False).first
    mark.click()
    quote = visitor.page.locator(".quote")
    expect(quote.locator("blockquote")).to_contain_text("born in London on 10 December 1815")
    expect(quote.get_by_role("link")).to_have_attribute("href", "https://ada.example/birth")
    expect(quote.get_by_role("link")).to_have_attribute("rel", re.compile("noopener"))
    visitor.page.get_by_role("button", name=re.compile("^Source 1"), expanded=True).first.click()
    expect(quote).to_be_hidden()


def test_a_suggestion_is_said_with_one_click(open_twin: OpenTwin, visitor: VisitorScreen) -> None:
    twin = open_twin("Ada is a mathematician.")
    visitor.visit(twin.url)

    visitor.page.get_by_role("button", name="Who is Ada?").click()

    visitor.sees("Ada is a mathematician.")
    expect(visitor.page.locator(".said")).to_have_text(re.compile("Who is Ada"))


def test_words_show_while_the_rest_is_written_and_stop_keeps_them(
    open_twin: OpenTwin, visitor: VisitorScreen
) -> None:
    gate = Gate()
    twin = open_twin(["The first sentence is here. ", "And ", gate, "the second."])
    visitor.visit(twin.url)
    visitor.say("Tell me two things.")
    visitor.sees("The first sentence is here.")
    expect(visitor.page.get_by_role("button", name="Send")).to_be_hidden()

    visitor.page.get_by_role("button", name="Stop").click()

    expect(visitor.turns.get_by_text("Stopped")).to_be_visible()
    visitor.sees("The first sentence is here.")
    expect(visitor.page.get_by_role("button", name="Send")).to_be_visible()
    expect(visitor.box).to_be_focused()
    gate.open()


def test_a_failed_answer_is_said_plainly_and_can_be_tried_again(
    open_twin: OpenTwin, visitor: VisitorScreen
) -> None:
    twin = open_twin(ModelUnavailable(), "Here it is.")
    visitor.visit(twin.url)
    visitor.say("Hello?")
    alert = visitor.page.get_by_role("alert")
    expect(alert).to_contain_text("try again")

    alert.get_by_role("button", name="Try again").click()

    visitor.sees("Here it is.")
    expect(visitor.page.get_by_role("button", name="Try again")).to_be_hidden()


def test_the_conversation_is_there_after_a_reload_with_its_sources(
    open_twin: OpenTwin, visitor: VisitorScreen
) -> None:
    twin = open_twin("She was born in London. [1]", "In 1815. [1]")
    visitor.visit(twin.url)
    visitor.say("Where was Ada Lovelace born?")
    visitor.sees("She was born in London.")
    visitor.say("And when was Ada Lovelace born?")
    visitor.sees("In 1815.")

    visitor.page.reload()

    expect(visitor.turns).to_have_count(2)
    expect(visitor.page.locator(".said").nth(1)).to_have_text(re.compile("And when"))
    expect(visitor.turns.nth(0).locator(".mark")).to_have_text("1")
    visitor.turns.nth(1).locator(".chip.source").click()
    expect(visitor.page.locator(".quote")).to_contain_text("10 December 1815")


def test_a_reload_in_the_middle_of_an_answer_goes_on_reading_it(
    open_twin: OpenTwin, visitor: VisitorScreen
) -> None:
    gate = Gate()
    twin = open_twin(["One is here. Two ", gate, "is here too."])
    visitor.visit(twin.url)
    visitor.say("Count.")
    visitor.sees("One is here.")

    visitor.page.reload()
    visitor.sees("One is here.")
    expect(visitor.page.get_by_role("button", name="Stop")).to_be_visible()
    gate.open()

    visitor.sees("Two is here too.")
    expect(visitor.turns).to_have_count(1)
    expect(visitor.page.get_by_role("button", name="Send")).to_be_visible()


def test_a_reload_shows_what_failed_and_what_was_stopped_as_such(
    open_twin: OpenTwin, visitor: VisitorScreen
) -> None:
    gate = Gate()
    twin = open_twin(ModelUnavailable(), ["One is here. ", "Two ", gate, "is not."])
    visitor.visit(twin.url)
    visitor.say("Hello?")
    expect(visitor.page.get_by_role("alert")).to_contain_text("try again")
    visitor.say("Count.")
    visitor.sees("One is here.")
    visitor.page.get_by_role("button", name="Stop").click()
    expect(visitor.turns.get_by_text("Stopped")).to_be_visible()
    gate.open()

    visitor.page.reload()

    expect(visitor.turns).to_have_count(2)
    expect(visitor.turns.nth(0).get_by_role("alert")).to_contain_text("try again")
    expect(visitor.turns.nth(1)).to_contain_text("One is here.")
    expect(visitor.turns.nth(1).get_by_text("Stopped")).to_be_visible()
    expect(visitor.page.get_by_role("button", name="Send")).to_be_visible()


def test_a_second_tab_shows_what_is_said_in_the_first(
    open_twin: OpenTwin, visitor: VisitorScreen
) -> None:
    twin = open_twin("First answer.", "Second answer.")
    visitor.visit(twin.url)
    visitor.say("First question?")
    visitor.sees("First answer.")
    tab = visitor.new_page()
    tab.goto(twin.url)
    expect(tab.locator("sayso-turn")).to_have_count(1)

    visitor.say("Second question?")

    expect(tab.locator("sayso-turn")).to_have_count(2)
    expect(tab.locator("sayso-turn").nth(1)).to_contain_text("Second answer.")
    expect(tab.locator(".said").nth(1)).to_have_text(re.compile("Second question"))


def test_a_cut_network_is_shown_calmly_and_nothing_is_lost(
    open_twin: OpenTwin, visitor: VisitorScreen
) -> None:
    gate = Gate()
    twin = open_twin(["One is here. Two ", gate, "is here too. Three as well."])
    with Wire(twin.port) as wire:
        visitor.visit(wire.url)
        visitor.say("Count.")
        visitor.sees("One is here.")

        wire.cut()
        expect(visitor.page.get_by_text("Connection lost. Reconnecting")).to_be_visible()
        visitor.sees("One is here.")
        gate.open()
        wire.mend()

        visitor.sees("One is here. Two is here too. Three as well.")
        expect(visitor.page.get_by_text("Connection lost. Reconnecting")).to_be_hidden()
        expect(visitor.turns).to_have_count(1)


def test_a_message_that_could_not_be_sent_stays_and_is_sent_once(
    open_twin: OpenTwin, visitor: VisitorScreen
) -> None:
    twin = open_twin("You are here.")
    with Wire(twin.port) as wire:
        visitor.visit(wire.url)
        wire.cut()
        visitor.say("Is anybody there?")
        expect(visitor.page.get_by_role("alert")).to_contain_text("Not sent")
        wire.mend()

        visitor.page.get_by_role("button", name="Try again").click()

        visitor.sees("You are here.")
        expect(visitor.page.locator(".said")).to_have_count(1)


@pytest.mark.postgres
def test_a_server_killed_in_the_middle_of_an_answer_comes_back_with_the_whole_of_it(
    tmp_path: Path, visitor: VisitorScreen
) -> None:
    """kill -9, then the same folder again: the page is never reloaded."""
    gate = Gate()
    half = Reply([delta(content="One is here. "), delta(content="Two "), gate, FINISH, DONE])
    with (
        ChatBackend(half, says("One is here. ", "Two is here too.")) as backend,
        server(
            tmp_path, MODEL_BASE_URL=backend.base_url, MODEL_NAME="fake", LEASE_S="1", VERIFY="off"
        ) as running,
    ):
        visitor.visit(running.url)
        visitor.say("Count.")
        visitor.sees("One is here.")

        running.kill()
        expect(visitor.page.get_by_text("Connection lost. Reconnecting")).to_be_visible()
        running.start()

        visitor.sees("Two is here too.")
        expect(visitor.page.get_by_text("Connection lost. Reconnecting")).to_be_hidden()
        expect(visitor.turns).to_have_count(1)
        text = visitor.turns.first.inner_text()
        assert text.count("One is here.") == 1
        gate.open()


def test_a_forgotten_conversation_is_gone_on_the_page_and_on_the_server(
    open_twin: OpenTwin, visitor: VisitorScreen
) -> None:
    twin = open_twin("A secret is safe with me.")
    visitor.visit(twin.url)
    visitor.say("My secret is X.")
    visitor.sees("A secret is safe with me.")
    kept = visitor.kept()
    path = f"/api/threads/{kept['sayso.thread']}"
    headers = {"Authorization": f"Bearer {kept['sayso.token']}"}
    assert visitor.context.request.get(twin.url + path, headers=headers).status == 200

    visitor.page.get_by_label("Menu").click()
    visitor.page.get_by_role("button", name="Forget this conversation").click()
    visitor.page.get_by_role("dialog").get_by_role("button", name="Forget").click()

    expect(visitor.page.locator(".welcome")).to_be_visible()
    expect(visitor.turns).to_have_count(0)
    assert visitor.context.request.get(twin.url + path, headers=headers).status == 403
    assert "sayso.thread" not in visitor.kept()


def test_an_answer_can_be_copied_and_rated(open_twin: OpenTwin, chromium: Browser) -> None:
    twin = open_twin("She was born in London. [1]")
    visitor = VisitorScreen(chromium, permissions=["clipboard-read", "clipboard-write"])
    visitor.visit(twin.url)
    visitor.say("Where was Ada Lovelace born?")
    visitor.sees("She was born in London.")

    visitor.page.get_by_role("button", name="Copy").click()
    expect(visitor.page.locator(".toast")).to_have_text("Copied")
    assert visitor.page.evaluate("navigator.clipboard.readText()") == "She was born in London."

    visitor.page.get_by_role("button", name="Helpful", exact=True).click()
    expect(visitor.page.locator(".toast")).to_have_text(
        re.compile("Thank you|not available in this version")
    )
    visitor.close()


def test_a_token_that_is_not_good_any_more_is_given_up_for_a_new_one(
    open_twin: OpenTwin, visitor: VisitorScreen
) -> None:
    """As after a change of the server's key: whoever was here before must be able to begin again."""
    twin = open_twin("First.", "Second.", "Third.")
    visitor.visit(twin.url)
    visitor.page.evaluate("localStorage.setItem('sayso.token', 'of another key')")
    visitor.page.reload()
    visitor.say("Nobody knows me.")
    visitor.sees("First.")
    expect(visitor.page.get_by_role("alert")).to_have_count(0)

    visitor.page.evaluate("localStorage.setItem('sayso.token', 'of another key')")
    visitor.say("And now?")
    alert = visitor.page.get_by_role("alert")
    expect(alert).to_contain_text("can’t be opened any more")
    alert.get_by_role("button", name="Start a new conversation").click()
    visitor.say("Then anew.")
    visitor.sees("Second.")

    visitor.page.evaluate("localStorage.setItem('sayso.token', 'of another key')")
    visitor.page.reload()
    visitor.page.get_by_role("button", name="Start a new conversation").click()
    visitor.say("Once more.")
    visitor.sees("Third.")
    expect(visitor.page.get_by_role("alert")).to_have_count(0)


def test_each_text_runs_in_its_own_direction_and_none_is_too_wide(
    open_twin: OpenTwin, chromium: Browser
) -> None:
    long = "W" * 1500
    twin = open_twin(f"\u05e9\u05dc\u05d5\u05dd. {long}\n\nHello.", "ok")
    visitor = VisitorScreen(chromium, viewport={"width": 360, "height": 640})
    visitor.visit(twin.url)
    visitor.say("\u05de\u05d4 \u05e9\u05dc\u05d5\u05de\u05da? " + "x" * 2000)
    visitor.sees("Hello.")

    visitor.fits()
    wide = "(area) => area.scrollWidth - area.clientWidth"
    assert visitor.page.locator(".scroller").evaluate(wide) <= 0
    expect(visitor.turns.locator("sayso-markdown p").first).to_have_css("unicode-bidi", "plaintext")
    expect(visitor.page.locator(".said")).to_have_css("unicode-bidi", "plaintext")
    visitor.close()


def test_a_verdict_is_still_shown_after_a_reload(
    open_twin: OpenTwin, visitor: VisitorScreen
) -> None:
    """The last one said, on the answer it was given on and no other."""
    twin = open_twin("She was born in London. [1]", "In 1815. [1]")
    visitor.visit(twin.url)
    visitor.say("Where was Ada Lovelace born?")
    visitor.sees("She was born in London.")
    visitor.say("And when?")
    visitor.sees("In 1815.")
    first, second = visitor.turns.nth(0), visitor.turns.nth(1)
    second.get_by_role("button", name="Helpful", exact=True).click()
    expect(second.get_by_role("button", name="Helpful", exact=True, pressed=True)).to_be_visible()
    second.get_by_role("button", name="Not helpful").click()
    expect(second.get_by_role("button", name="Not helpful", pressed=True)).to_be_visible()

    visitor.page.reload()

    expect(second.get_by_role("button", name="Not helpful", pressed=True)).to_be_visible()
    expect(second.get_by_role("button", name="Helpful", exact=True, pressed=False)).to_be_visible()
    expect(first.get_by_role("button", pressed=True)).to_have_count(0)


def test_a_thread_of_somebody_else_is_not_shown_and_a_new_one_can_begin(
    open_twin: OpenTwin, visitor: VisitorScreen
) -> None:
    twin = open_twin("Hello.")
    visitor.page.goto(twin.url)
    visitor.page.evaluate("localStorage.setItem('sayso.thread', 'not-mine')")
    visitor.page.reload()
    expect(visitor.page.get_by_role("alert")).to_be_visible()

    visitor.page.get_by_role("button", name="Start a new conversation").click()
    visitor.say("Hi.")

    visitor.sees("Hello.")
