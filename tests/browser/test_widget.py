"""The widget on a plain page of another site."""

import re
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser, FrameLocator, Page, expect

from tests.browser.conftest import FLAGS, OpenTwin
from tests.browser.live import LiveTwin, live_twin, plain_site
from tests.browser.people import ASKED_FOR, OwnerScreen, VisitorScreen

HTML = """<!doctype html><html lang="en"><title>Bakery</title>
<style>:root {{ {style} }} button {{ display: none !important; }} * {{ color: red; }}</style>
<h1>A bakery</h1><script src="{url}/widget.js" {attributes} defer></script></html>"""

BLOCKED = """if (location.pathname === "/widget")
  Object.defineProperty(window, "localStorage", {
    get() { throw new DOMException("blocked", "SecurityError"); } });"""
"""What a browser does that lets no frame of another site keep anything."""


@pytest.fixture
def sites() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def page_with_widget(
    sites: ExitStack, twin: LiveTwin, attributes: str = "", style: str = ""
) -> str:
    """The address of a page that embeds this twin."""
    html = HTML.format(url=twin.url, attributes=attributes, style=style)
    return sites.enter_context(plain_site(html))


def opened(page: Page) -> FrameLocator:
    """The chat, after a click on the launcher."""
    page.get_by_role("button", name="Chat").click()
    frame = page.frame_locator("#sayso-widget iframe")
    expect(frame.locator(".welcome, sayso-turn").first).to_be_visible()
    return frame


def say(frame: FrameLocator, text: str) -> None:
    box = frame.get_by_role("textbox")
    box.fill(text)
    box.press("Enter")


def test_one_script_tag_chats_and_remembers_on_the_next_page(
    paused_twin: LiveTwin, visitor: VisitorScreen, owner: OwnerScreen, sites: ExitStack
) -> None:
    """The host's styles do not reach in; the ending of a request shows as a dot while the widget is closed."""
    site = page_with_widget(sites, paused_twin)
    visitor.page.goto(site)
    frame = opened(visitor.page)
    say(frame, ASKED_FOR)
    expect(frame.locator("sayso-request .status")).to_have_text("Waiting")

    visitor.page.goto(f"{site}/another-page")
    launcher = visitor.page.get_by_role("button", name="Chat")
    expect(launcher).to_have_attribute("aria-expanded", "false")
    owner.sign_in(paused_twin.url).decide("Approve")
    expect(launcher).to_have_attribute("data-news", "")
    expect(launcher).to_have_accessible_name("Chat, there is news")
    frame = opened(visitor.page)

    expect(frame.locator("sayso-request .status")).to_have_text("Approved")
    expect(frame.locator("sayso-turn").last).to_contain_text("The message has been passed on.")
    expect(launcher).not_to_have_attribute("data-news", "")
    frame.get_by_role("button", name="Close").click()
    expect(visitor.page.get_by_role("button", name="Chat", exact=True)).to_be_focused()


def test_escape_closes_it_from_inside_and_a_tag_given_twice_counts_once(
    open_twin: OpenTwin, visitor: VisitorScreen, sites: ExitStack
) -> None:
    twin = open_twin("Hello.")
    tag = f'<script src="{twin.url}/widget.js" defer></script>'
    site = sites.enter_context(
        plain_site(f"<!doctype html><title>Twice</title><h1>Twice</h1>{tag}{tag}")
    )
    visitor.page.goto(site)
    frame = opened(visitor.page)
    expect(visitor.page.locator("#sayso-widget")).to_have_count(1)
    say(frame, "Hi.")
    expect(frame.locator("sayso-turn")).to_contain_text("Hello.")

    # The first Escape belongs to the menu, the second to the widget.
    frame.locator(".menu summary").click()
    expect(frame.locator(".sheet")).to_be_visible()
    visitor.page.keyboard.press("Escape")
    expect(frame.locator(".sheet")).to_be_hidden()
    visitor.page.keyboard.press("Escape")

    expect(visitor.page.locator("#sayso-widget iframe")).to_be_hidden()
    expect(visitor.page.get_by_role("button", name="Chat", exact=True)).to_be_focused()


def test_a_frame_that_may_keep_things_itself_gives_the_site_around_it_nothing(
    open_twin: OpenTwin, visitor: VisitorScreen, sites: ExitStack
) -> None:
    """On a neighbour of the same site; Chromium lets no frame of another site keep anything any more."""
    twin = open_twin("Hello.")
    page = visitor.page
    page.goto(page_with_widget(sites, twin).replace("localhost", "127.0.0.1"))
    frame = opened(page)
    say(frame, "My secret.")
    expect(frame.locator("sayso-turn")).to_contain_text("Hello.")

    assert page.evaluate("JSON.stringify(localStorage)") == '{"sayso.kept":"{\\"waiting\\":false}"}'
    page.reload()
    expect(opened(page).locator("sayso-turn")).to_contain_text("Hello.")


def test_it_works_and_remembers_where_the_frame_may_keep_nothing(
    open_twin: OpenTwin, visitor: VisitorScreen, sites: ExitStack
) -> None:
    twin = open_twin("Hello.", "Hello again.")
    visitor.context.add_init_script(BLOCKED)
    visitor.context.route(
        f"{twin.url}/**",
        lambda route: route.continue_(
            headers={k: v for k, v in route.request.headers.items() if k != "cookie"}
        ),
    )
    site = page_with_widget(sites, twin)
    visitor.page.goto(site)
    frame = opened(visitor.page)
    say(frame, "Hi.")
    expect(frame.locator("sayso-turn")).to_contain_text("Hello.")

    visitor.page.goto(f"{site}/another-page")
    frame = opened(visitor.page)

    expect(frame.locator("sayso-turn")).to_contain_text("Hello.")
    say(frame, "And?")
    expect(frame.locator("sayso-turn").last).to_contain_text("Hello again.")
    expect(frame.locator("sayso-turn")).to_have_count(2)


def test_it_works_in_a_browser_that_blocks_third_party_cookies(
    open_twin: OpenTwin, chromium: Browser, sites: ExitStack
) -> None:
    """Chromium's own switch for it, in a browser of this test's own."""
    twin = open_twin("Hello.", "Hello again.")
    browser = chromium.browser_type.launch(
        executable_path="/usr/bin/chromium", args=[*FLAGS, "--test-third-party-cookie-phaseout"]
    )
    visitor = VisitorScreen(browser)
    site = page_with_widget(sites, twin)
    visitor.page.goto(site)
    frame = opened(visitor.page)
    say(frame, "Hi.")
    expect(frame.locator("sayso-turn")).to_contain_text("Hello.")
    assert visitor.context.cookies(twin.url) == []

    visitor.page.reload()
    frame = opened(visitor.page)

    expect(frame.locator("sayso-turn")).to_contain_text("Hello.")
    say(frame, "And?")
    expect(frame.locator("sayso-turn").last).to_contain_text("Hello again.")
    visitor.close()
    browser.close()


def test_it_looks_and_speaks_as_the_tag_says(
    open_twin: OpenTwin, visitor: VisitorScreen, sites: ExitStack
) -> None:
    twin = open_twin("Hallo.")
    site = page_with_widget(
        sites, twin, 'data-theme="dark" data-language="nl" data-position="left" data-label="Vraag Ada"',
        style="--sayso-accent: rgb(120, 60, 160);",
    )  # fmt: skip
    visitor.page.goto(site)
    launcher = visitor.page.get_by_role("button", name="Vraag Ada")
    expect(launcher).to_have_css("background-color", "rgb(120, 60, 160)")
    box = launcher.bounding_box()
    assert box is not None and box["x"] < 100

    launcher.click()

    frame = visitor.page.frame_locator("#sayso-widget iframe")
    expect(frame.get_by_text("Vraag me iets over Ada")).to_be_visible()
    expect(frame.locator(".monogram.large")).to_have_css("background-color", "rgb(120, 60, 160)")
    expect(frame.locator("html")).to_have_attribute("data-theme", "dark")


def test_only_the_widget_may_be_framed_and_only_by_the_sites_named(
    settings,
    visitor: VisitorScreen,
    sites: ExitStack,  # type: ignore[no-untyped-def]
) -> None:
    named = settings.model_copy(update={"frame_ancestors": ("https://ada.example",)})
    twin = sites.enter_context(live_twin(named))
    anybody = sites.enter_context(live_twin(settings))
    frames = "".join(
        f'<iframe src="{url}"></iframe>'
        for url in (
            f"{twin.url}/widget",
            f"{anybody.url}/",
            f"{anybody.url}/inbox",
            f"{anybody.url}/widget",
        )
    )
    site = sites.enter_context(plain_site(f"<!doctype html><title>x</title>{frames}"))

    visitor.page.goto(site)

    inside = [frame.locator("sayso-chat, sayso-inbox") for frame in
              (visitor.page.frame_locator("iframe").nth(n) for n in range(4))]  # fmt: skip
    expect(inside[3]).to_have_count(1)
    for refused in inside[:3]:
        expect(refused).to_have_count(0)
    assert any(re.search("frame-ancestors", line) for line in visitor.trouble)
    visitor.trouble.clear()
