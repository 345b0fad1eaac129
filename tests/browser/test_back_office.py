"""What the inbox shows besides requests: questions nobody could answer, actions in doubt, the days' numbers, what visitors thought."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from playwright.sync_api import Browser, Locator, expect

from server.adapters.models.extractive import Extractive
from server.adapters.models.scripted import call
from server.domain.conversation import Usage
from server.domain.tools import Tool
from server.ports import Finished
from server.settings import Settings
from tests.browser.conftest import OpenTwin
from tests.browser.live import LiveTwin, live_twin
from tests.browser.people import ASKED_FOR, DRAFT, OwnerScreen, VisitorScreen
from tests.browser.test_looks import LOOKS, looked_at
from tests.support.twin import OWNER_TOKEN

SIZE = "What is her shoe size?"
PAYLOAD = "<img src=x onerror=window.pwned=1> what\u202eis it?"


def ask(twin: LiveTwin, *messages: str) -> None:
    """Each by somebody new, over HTTP."""
    for message in messages:
        answer = httpx.post(f"{twin.url}/api/chat", json={"message": message}, timeout=30)
        assert answer.status_code == 200, answer.text


def owner_reads(twin: LiveTwin, path: str) -> Any:
    headers = {"Authorization": f"Bearer {OWNER_TOKEN}"}
    answer = httpx.get(f"{twin.url}/api/admin{path}", headers=headers, timeout=30)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.fixture
def honest_twin(settings: Settings) -> Iterator[LiveTwin]:
    """Quotes its pages, and says when they hold no answer."""
    proving = settings.model_copy(update={"verify": "gate"})
    with live_twin(proving, Extractive("Ada")) as twin:
        yield twin


def gap(owner: OwnerScreen, question: str) -> Locator:
    return owner.page.locator(".gap").filter(has_text=question)


def test_a_question_nobody_could_answer_is_answered_once_and_then_by_the_twin(
    honest_twin: LiveTwin, visitor: VisitorScreen, owner: OwnerScreen, folder: Path
) -> None:
    """Asked on the page, answered in the inbox, asked again: the answer is there, with its source."""
    visitor.visit(honest_twin.url)
    visitor.say(SIZE)
    visitor.sees("I can't find that in my sources.")
    ask(honest_twin, "what's Ada's shoe size", "Do you sell vacuum cleaners?")
    owner.sign_in(honest_twin.url)
    owner.goes_to("Unanswered")
    expect(owner.page.locator(".gap")).to_have_count(2)
    shoes = gap(owner, SIZE)
    expect(shoes).to_contain_text("asked 2 times")
    shoes.get_by_text("As it was asked").click()
    expect(shoes.locator(".asked-as li")).to_have_count(2)

    shoes.get_by_role("button", name="Answer").click()
    expect(shoes.get_by_label("Your answer")).to_be_focused()
    expect(shoes.get_by_label("Title")).to_have_value(SIZE)
    shoes.get_by_label("Title").fill("Ada's shoes")
    shoes.get_by_label("Your answer").fill("Ada wore shoes of size 38.")
    shoes.get_by_role("button", name="Add to my pages").click()

    expect(owner.page.get_by_text("Whoever asks next gets this answer.")).to_be_visible()
    expect(owner.page.locator(".gap")).to_have_count(1)
    [page] = (folder / "answers").glob("*-ada-s-shoes.md")
    owner.page.get_by_role("button", name="Answered").click()
    expect(owner.page.locator(".gap")).to_contain_text("Answered by owner")
    expect(owner.page.locator(".gap")).to_contain_text(f"answers/{page.name}")
    visitor.say("What is the shoe size of Ada?")
    visitor.sees("Ada wore shoes of size 38.")
    visitor.turns.last.locator(".chip.source").click()
    expect(visitor.turns.last.locator(".quote")).to_contain_text("Ada wore shoes of size 38.")
    expect(visitor.turns.last.locator(".quote cite")).to_contain_text(page.name)


def test_gaps_are_gone_through_with_the_keyboard_and_dismissed(
    honest_twin: LiveTwin, owner: OwnerScreen
) -> None:
    ask(honest_twin, "Do you sell bicycles?", SIZE)
    owner.sign_in(honest_twin.url)
    owner.goes_to("Unanswered")
    expect(owner.page.locator(".gap")).to_have_count(2)
    keys = owner.page.keyboard

    keys.press("j")
    expect(gap(owner, SIZE).locator("h2")).to_be_focused()
    keys.press("j")
    expect(gap(owner, "bicycles").locator("h2")).to_be_focused()
    keys.press("a")
    expect(gap(owner, "bicycles").get_by_label("Your answer")).to_be_focused()
    keys.type("jka")
    keys.press("Escape")
    expect(gap(owner, "bicycles").locator("h2")).to_be_focused()
    expect(owner.page.locator(".gap form")).to_have_count(0)
    keys.press("k")
    expect(gap(owner, SIZE).locator("h2")).to_be_focused()
    keys.press("Tab")
    gap(owner, SIZE).get_by_role("button", name="Dismiss").press("Enter")

    expect(owner.page.get_by_text("Off the list.")).to_be_visible()
    expect(gap(owner, "bicycles").locator("h2")).to_be_focused()
    gap(owner, "bicycles").get_by_role("button", name="Dismiss").click()
    expect(owner.page.get_by_text("No open questions")).to_be_visible()
    owner.page.get_by_role("button", name="Answered").click()
    expect(owner.page.get_by_text("Nothing answered yet")).to_be_visible()


def test_an_answer_that_can_not_be_kept_stays_in_the_form_with_the_reason(
    settings: Settings, owner: OwnerScreen
) -> None:
    """The demo's folder is nobody's to write to."""
    demo = settings.model_copy(update={"verify": "gate", "knowledge_dir": None})
    with live_twin(demo, Extractive("Ada")) as twin:
        ask(twin, "Do you sell vacuum cleaners?")
        owner.sign_in(twin.url)
        owner.goes_to("Unanswered")
        owner.page.get_by_role("button", name="Answer", exact=True).click()
        owner.page.get_by_label("Your answer").fill("Ada sells no vacuum cleaners.")
        owner.page.get_by_role("button", name="Add to my pages").click()

        expect(owner.page.get_by_role("alert")).to_contain_text("Nothing was saved.")
        expect(owner.page.get_by_role("alert")).to_contain_text("KNOWLEDGE_DIR")
        expect(owner.page.get_by_label("Your answer")).to_have_value(
            "Ada sells no vacuum cleaners."
        )
        looked_at(owner)


def test_what_visitors_write_stays_text_in_gaps_and_feedback(
    open_twin: OpenTwin, visitor: VisitorScreen, owner: OwnerScreen
) -> None:
    """Hidden characters are shown, and nothing runs."""
    unknown = ["I can't find that in my sources.", Finished(unanswered=True)]
    twin = open_twin(unknown, "An answer.")
    visitor.visit(twin.url)
    visitor.say(PAYLOAD)
    visitor.sees("I can't find that in my sources.")
    visitor.turns.last.get_by_role("button", name="Not helpful").click()
    visitor.page.get_by_label("What was wrong?").fill(PAYLOAD)
    visitor.page.get_by_label("What was wrong?").press("Enter")
    expect(visitor.page.get_by_label("What was wrong?")).to_have_count(0)
    owner.sign_in(twin.url)

    owner.goes_to("Unanswered")
    expect(owner.page.locator(".gap h2")).to_contain_text("<img src=x")
    expect(owner.page.locator(".gap h2")).to_contain_text("U+202E")
    assert owner.page.locator(".gap img").count() == 0
    owner.page.locator(".gap a").click()

    expect(owner.page.locator(".verdicts")).to_contain_text("Not helpful: <img src=x")
    expect(owner.page.locator(".verdicts")).to_contain_text("U+202E")
    assert owner.page.locator(".verdicts img").count() == 0
    owner.nothing_ran()


def test_what_a_visitor_thinks_of_an_answer_reaches_the_owner(
    open_twin: OpenTwin, visitor: VisitorScreen, owner: OwnerScreen
) -> None:
    """Said again it replaces; why it was no help is asked, and may be left out."""
    twin = open_twin("One answer.", "Another one.")
    visitor.visit(twin.url)
    visitor.say("Hello?")
    visitor.sees("One answer.")
    visitor.page.get_by_role("button", name="Helpful", exact=True).click()
    expect(visitor.page.locator(".toast")).to_have_text("Thank you")
    visitor.say("And?")
    visitor.sees("Another one.")
    visitor.turns.last.get_by_role("button", name="Helpful", exact=True).click()
    down = visitor.turns.last.get_by_role("button", name="Not helpful")
    down.click()
    expect(down).to_have_attribute("aria-pressed", "true")
    looked_at(visitor)
    visitor.page.get_by_label("What was wrong?").fill("Too short.")
    visitor.turns.last.get_by_role("button", name="Send").click()
    expect(visitor.page.get_by_label("What was wrong?")).to_have_count(0)

    [thread] = owner_reads(twin, "/threads")["threads"]
    given = owner_reads(twin, f"/threads/{thread['thread_id']}")["feedback"]
    assert [(one["verdict"], one["comment"]) for one in given] == [
        ("up", None),
        ("down", "Too short."),
    ]
    owner.sign_in(twin.url)
    owner.page.goto(f"{twin.url}/inbox#/threads/{thread['thread_id']}")
    expect(owner.page.locator(".verdicts li")).to_have_count(2)
    expect(owner.page.locator(".verdicts li").last).to_contain_text("Not helpful: Too short.")


@pytest.fixture
def doubtful(open_twin: OpenTwin, visitor: VisitorScreen, owner: OwnerScreen) -> list[int]:
    """An approved refund that timed out, seen by its owner; counts how often it ran."""
    ran: list[int] = []

    async def refund(order_id: int) -> str:
        ran.append(order_id)
        if len(ran) == 1:
            await anyio.sleep_forever()
        return "refunded"

    tool = Tool(
        "refund",
        "Refund an order.",
        {
            "type": "object",
            "properties": {"order_id": {"type": "integer"}},
            "required": ["order_id"],
            "additionalProperties": False,
        },
        refund,
        timeout_s=0.2,
        high_risk=True,
    )
    twin = open_twin(call("refund", order_id=17), "I don't know yet.", tools=[tool])
    visitor.visit(twin.url)
    visitor.say("My money back for order 17, please.")
    visitor.sees_status("Waiting")
    owner.sign_in(twin.url).decide("Approve")
    visitor.sees("I don't know yet.")
    owner.goes_to("In doubt")
    expect(owner.page.locator("[data-effect]")).to_contain_text("17")
    return ran


def test_an_action_in_doubt_is_done_once_more_from_the_inbox(
    doubtful: list[int], owner: OwnerScreen
) -> None:
    looked_at(owner)
    owner.page.get_by_role("button", name="Try again").click()
    expect(owner.page.get_by_text("Settled: it was done.")).to_be_visible()
    expect(owner.page.get_by_text("Nothing is in doubt")).to_be_visible()
    assert doubtful == [17, 17]


def test_an_action_in_doubt_is_settled_as_done_in_the_owners_words(
    doubtful: list[int], owner: OwnerScreen
) -> None:
    owner.page.get_by_label("What came of it").fill("Seen on the statement")
    owner.page.get_by_role("button", name="It happened").click()
    expect(owner.page.get_by_text("Nothing is in doubt")).to_be_visible()
    assert doubtful == [17]
    origin = owner.page.url.split("/inbox")[0]
    answer = owner.context.request.get(
        f"{origin}/api/admin/effects?status=done",
        headers={"Authorization": f"Bearer {OWNER_TOKEN}"},
    )
    assert [row["result"] for row in answer.json()["effects"]] == ["Seen on the statement"]


@pytest.fixture
def busy_twin(open_twin: OpenTwin) -> LiveTwin:
    """A day with answers, a gap, costs, decisions and verdicts."""
    used = Finished(Usage(200_000, 20_000, 0))
    asks = [call("draft_contact_message", **DRAFT), used]
    twin = open_twin(
        ["Hello.", used],
        ["I can't find that in my sources.", Finished(unanswered=True)],
        asks,
        "It has been passed on.",
        asks,
        "It was declined.",
        asks,
        model_price_input=1.0,
        model_price_output=2.0,
    )
    ask(twin, "Hello!", SIZE)
    headers = {"Authorization": f"Bearer {OWNER_TOKEN}"}
    for approved in (True, False, None):
        ask(twin, ASKED_FOR)
        [card] = owner_reads(twin, "/approvals")["pending"]
        if approved is not None:
            path = f"{twin.url}/api/admin/approvals/{card['thread_id']}"
            httpx.post(path, json={"approved": approved}, headers=headers, timeout=30)
    return twin


@pytest.mark.parametrize("look", LOOKS)
def test_the_days_numbers_are_drawn_and_can_be_read_as_tables(
    busy_twin: LiveTwin, chromium: Browser, look: str
) -> None:
    """On every kind of screen; nothing sticks out, and axe-core finds nothing."""
    boss = OwnerScreen(chromium, reduced_motion="reduce", **LOOKS[look])
    boss.sign_in(busy_twin.url)
    boss.page.goto(f"{busy_twin.url}/inbox#/stats")
    expect(boss.page.locator(".tiles > div")).to_have_count(8)
    expect(boss.page.locator(".tiles")).to_contain_text("$0.96")
    plots = boss.page.locator(".plot")
    expect(plots).to_have_count(7)
    expect(boss.page.locator("svg[role=img]")).to_have_count(5)
    expect(boss.page.locator("svg[role=img]").first.locator("title")).to_have_count(30)
    plots.first.locator("summary").click()
    expect(plots.first.locator("tbody tr")).to_have_count(30)
    expect(plots.first.locator("tbody tr").last).to_have_text(re.compile(r"5$"))
    looked_at(boss)
    boss.page.locator(".filters button").first.click()
    expect(boss.page.locator("svg[role=img]").first.locator("title")).to_have_count(7)
    boss.close()


@pytest.mark.parametrize("look", LOOKS)
def test_gaps_fit_every_screen(honest_twin: LiveTwin, chromium: Browser, look: str) -> None:
    """The list, the form, and what was answered."""
    ask(honest_twin, SIZE, "what is Ada's shoe size", "Heeft u een " + "fiets" * 40 + "?")
    boss = OwnerScreen(chromium, reduced_motion="reduce", **LOOKS[look])
    boss.sign_in(honest_twin.url)
    boss.page.goto(f"{honest_twin.url}/inbox#/gaps")
    expect(boss.page.locator(".gap")).to_have_count(2)
    looked_at(boss)
    boss.page.locator(".gap").last.locator("button.filled").click()
    boss.page.locator(".gap textarea").fill("Ada wore shoes of size 38.")
    looked_at(boss)
    boss.page.locator(".gap form button.filled").click()
    expect(boss.page.locator(".gap")).to_have_count(1)
    boss.page.locator(".filters button").last.click()
    expect(boss.page.locator(".gap .mono")).to_be_visible()
    looked_at(boss)
    boss.close()


def test_numbers_of_a_twin_nobody_spoke_to_and_of_one_that_is_away(
    open_twin: OpenTwin, owner: OwnerScreen
) -> None:
    """Empty says so; failed says so and can be tried again."""
    twin = open_twin()
    owner.sign_in(twin.url)
    owner.goes_to("Numbers")
    expect(owner.page.get_by_text("Nobody has asked anything in these days.")).to_be_visible()
    owner.goes_to("Unanswered")
    for view in ("stats", "gaps"):
        owner.page.route(f"**/api/admin/{view}?*", lambda route: route.abort())
    owner.goes_to("Numbers")
    expect(owner.page.get_by_role("alert")).to_contain_text("That could not be loaded")
    looked_at(owner)
    owner.page.unroute_all()
    owner.page.get_by_role("button", name="Try again").click()
    expect(owner.page.get_by_text("Nobody has asked anything in these days.")).to_be_visible()


def test_the_audit_says_that_the_inbox_settled_it(doubtful: list[int], owner: OwnerScreen) -> None:
    owner.page.get_by_role("button", name="Try again").click()
    expect(owner.page.get_by_text("Nothing is in doubt")).to_be_visible()
    origin = owner.page.url.split("/inbox")[0]
    answer = owner.context.request.get(
        f"{origin}/api/admin/audit", headers={"Authorization": f"Bearer {OWNER_TOKEN}"}
    )
    via = {line["what"]: line["via"] for line in answer.json()["audit"]}
    assert (via["approved"], via["effect_retried"]) == ("web", "web")
    assert doubtful == [17, 17]
