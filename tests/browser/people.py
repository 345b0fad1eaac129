"""A visitor and an owner at their screens: what they see by name and role, and what they do."""

import json
import re
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from tests.support.twin import OWNER_TOKEN

ASKED_FOR = "Please pass on: would you speak in May?"
DRAFT = {
    "subject": "A talk",
    "message": "Would you speak in May?",
    "sender_contact": "eve@example.org",
}
OUR_TAGS = "sayso-turn, sayso-card, sayso-history, sayso-threads, sayso-messages, .queue"
WOULD_RUN = (
    "script, iframe, img, object, embed, style, link, base, meta, form[action], video, audio, "
    "[onerror], [onload], [onclick], [onfocus], [onmouseover], [onanimationstart], [ontoggle], "
    "a[href^='javascript' i], a[href^='data' i], a[href^='vbscript' i], [style]"
)
"""Nothing that text of strangers may become on our pages. (The composer's own height is set elsewhere.)"""


class Screen:
    """A tab, in a browser context of its own. Notes what must never happen."""

    def __init__(self, browser: Browser, **options: Any) -> None:
        options.setdefault("viewport", {"width": 1180, "height": 800})
        options.setdefault("locale", "en-GB")
        self.context: BrowserContext = browser.new_context(**options)
        self.context.set_default_timeout(20_000)
        self.trouble: list[str] = []
        self.page = self.new_page()

    def new_page(self) -> Page:
        """Another tab of the same person."""
        page = self.context.new_page()
        page.on("pageerror", lambda error: self.trouble.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (self.trouble.append("dialog"), dialog.dismiss()))
        page.on(
            "console",
            lambda message: (
                self.trouble.append(message.text)
                if re.search("Content Security|Trusted|violates", message.text)
                else None
            ),
        )
        return page

    def close(self) -> None:
        """Ends the tab; fails when a script error, a dialog or a breach of the policy was seen."""
        self.context.close()
        assert self.trouble == []

    def nothing_ran(self) -> None:
        """No script of a stranger ran, and nothing stands on the page that could."""
        assert self.page.evaluate("window.pwned") is None
        found = self.page.evaluate(
            """([ours, bad]) => [...document.querySelectorAll(ours)].flatMap(
                 (part) => [...part.querySelectorAll(bad)].map((e) => e.outerHTML.slice(0, 200)))""",
            [OUR_TAGS, WOULD_RUN],
        )
        assert found == []

    def fits(self) -> None:
        """Nothing sticks out sideways."""
        wide = self.page.evaluate(
            "document.scrollingElement.scrollWidth - document.scrollingElement.clientWidth"
        )
        assert wide <= 0, f"{wide} px too wide"


class VisitorScreen(Screen):
    """Somebody who chats."""

    @property
    def box(self) -> Locator:
        """Where they write."""
        return self.page.get_by_role("textbox", name=re.compile("Your message|Je bericht"))

    @property
    def turns(self) -> Locator:
        """What was said and answered."""
        return self.page.locator("sayso-turn")

    @property
    def request(self) -> Locator:
        """The newest approval card."""
        return self.page.locator("sayso-request").last

    def visit(self, url: str) -> "VisitorScreen":
        """Opens the chat, and waits until it can be used."""
        self.page.goto(url)
        expect(self.page.locator(".welcome, sayso-turn").first).to_be_visible()
        return self

    def say(self, text: str) -> None:
        """Writes and sends."""
        self.box.fill(text)
        self.box.press("Enter")

    def sees(self, text: str) -> None:
        """Waits until it is on the page."""
        expect(self.turns.filter(has_text=text).last).to_be_visible()

    def sees_status(self, status: str) -> None:
        """Waits for the newest card's status."""
        expect(self.request.locator(".status")).to_have_text(status)

    def kept(self) -> dict[str, Any]:
        """What this browser stores."""
        kept: dict[str, Any] = json.loads(self.page.evaluate("JSON.stringify(localStorage)"))
        return kept


class OwnerScreen(Screen):
    """Somebody who decides."""

    @property
    def card(self) -> Locator:
        """The card that is open."""
        return self.page.locator("sayso-card")

    @property
    def queue(self) -> Locator:
        """The rows that wait."""
        return self.page.locator(".queue li")

    def sign_in(self, url: str, token: str = OWNER_TOKEN) -> "OwnerScreen":
        """Opens the inbox with the token."""
        self.page.goto(f"{url}/inbox")
        self.page.get_by_label(re.compile("Owner’s token|Token van")).fill(token)
        self.page.get_by_label(re.compile("Owner’s token|Token van")).press("Enter")
        expect(self.page.locator("nav.views")).to_be_visible()
        return self

    def decide(self, button: str, note: str = "") -> None:
        """Presses a button of the card, and confirms."""
        self.card.get_by_role("button", name=re.compile(f"^{button}")).click()
        dialog = self.page.get_by_role("dialog")
        if note:
            dialog.get_by_label("Note").fill(note)
        dialog.get_by_role("button", name=re.compile(f"^{button}")).click()
        expect(dialog).to_be_hidden()

    def goes_to(self, view: str) -> None:
        """Opens one of the views."""
        self.page.get_by_role("navigation").get_by_role("link", name=view).click()
