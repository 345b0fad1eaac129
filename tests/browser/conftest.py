"""One Chromium for all browser tests; a twin and screens for each."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect, sync_playwright
from pydantic import SecretStr

from server.adapters.models.scripted import Answer, Scripted, call
from server.domain.tools import Tool
from server.ports import Channel
from server.settings import Settings
from tests.browser.live import LiveTwin, live_twin
from tests.browser.people import DRAFT, OwnerScreen, VisitorScreen
from tests.support.twin import OWNER_TOKEN

CHROMIUM = Path("/usr/bin/chromium")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
HERE = Path(__file__).parent

OpenTwin = Callable[..., LiveTwin]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)


# Not for the session: while it runs, this thread has a running event loop, which other tests may not have.
@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """The browser. Nothing is downloaded: it is on the machine, or these tests are skipped."""
    if not CHROMIUM.exists():
        pytest.skip(f"no Chromium at {CHROMIUM} (Debian: apt-get install chromium)")
    expect.set_options(timeout=20_000)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small folder of knowledge."""
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "ada.md").write_text(
        "---\ntitle: Ada\nlanguage: en\nurl: https://ada.example/birth\n---\n# Ada\n\n## Birth\n\n"
        "Ada Lovelace was born in London on 10 December 1815.\n"
    )
    return folder


@pytest.fixture
def settings(tmp_path: Path, folder: Path) -> Settings:
    """Everything in memory, and nothing between the scripted model and the page."""
    more: dict[str, Any] = {"verify": "off"}
    return Settings(
        _env_file=None,
        admin_token=SecretStr(OWNER_TOKEN),
        secret_key=SecretStr("a secret key for tests, long enough"),
        knowledge_dir=folder,
        owner_name="Ada",
        semantic="off",
        rate_limit=None,
        state_dir=tmp_path / "state",
        **more,
    )


@pytest.fixture
def open_twin(settings: Settings) -> Iterator[OpenTwin]:
    """Starts a twin that answers as told; keyword arguments change settings."""
    with ExitStack() as stack:

        def start(
            *answers: Answer,
            tools: list[Tool] | None = None,
            channels: list[Channel] | None = None,
            **changes: Any,
        ) -> LiveTwin:
            changed = settings.model_copy(update=changes)
            return stack.enter_context(
                live_twin(changed, Scripted(*answers), tools or [], channels or [])
            )

        yield start


@pytest.fixture
def paused_twin(open_twin: OpenTwin) -> LiveTwin:
    """A twin that asks to pass a message on, and closes after the decision."""
    return open_twin(call("draft_contact_message", **DRAFT), "The message has been passed on.")


@pytest.fixture
def visitor(chromium: Browser) -> Iterator[VisitorScreen]:
    """A visitor's screen."""
    screen = VisitorScreen(chromium)
    yield screen
    screen.close()


@pytest.fixture
def owner(chromium: Browser) -> Iterator[OwnerScreen]:
    """The owner's screen: another browser context, nothing shared with the visitor's."""
    screen = OwnerScreen(chromium)
    yield screen
    screen.close()
