"""The API at `/docs`: from this server alone, under its policy, and good for a try."""

from playwright.sync_api import expect

from tests.browser.conftest import OpenTwin
from tests.browser.people import OwnerScreen

METHODS = {"get", "post", "put", "patch", "delete"}


def test_it_lists_every_operation_and_asks_nobody_else(
    open_twin: OpenTwin, owner: OwnerScreen
) -> None:
    twin = open_twin()
    asked: list[str] = []
    owner.page.on("request", lambda request: asked.append(request.url))

    owner.page.goto(f"{twin.url}/docs")

    described = owner.context.request.get(f"{twin.url}/openapi.json").json()
    operations = sum(len(METHODS & set(path)) for path in described["paths"].values())
    assert operations > 30
    expect(owner.page.locator(".opblock")).to_have_count(operations)
    assert len(asked) > 3
    assert [url for url in asked if not url.startswith((twin.url + "/", "data:"))] == []


def test_an_operation_is_tried_from_the_page(open_twin: OpenTwin, owner: OwnerScreen) -> None:
    twin = open_twin()
    owner.page.goto(f"{twin.url}/docs")
    operation = owner.page.locator(".opblock", has_text="/api/health")
    operation.locator(".opblock-summary-control").click()
    operation.get_by_role("button", name="Try it out").click()

    operation.get_by_role("button", name="Execute").click()

    expect(operation.locator(".live-responses-table")).to_contain_text('"documents": 1')
