"""The whole application in a TestClient, on memory and on Postgres."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from server.domain.tools import Tool
from server.ports import Channel, Clock, Model, Reach, pass_by
from server.settings import Settings
from tests.support.twin import OWNER_TOKEN, RunningTwin, running_twin

OpenTwin = Callable[..., RunningTwin]


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """A small folder of knowledge."""
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "ada.md").write_text(
        "---\ntitle: Ada\nlanguage: en\n---\n# Ada\n\n## Birth\n\nAda Lovelace was born in London on 10 December 1815.\n"
    )
    return folder


@pytest.fixture
def memory_settings(tmp_path: Path, pages: Path) -> Settings:
    """Everything in memory."""
    return Settings(
        _env_file=None,
        admin_token=SecretStr(OWNER_TOKEN),
        secret_key=SecretStr("a secret key for tests, long enough"),
        knowledge_dir=pages,
        owner_name="Ada",
        semantic="off",
        rate_limit=None,
        state_dir=tmp_path / "state",
        # Most scripts here say what no page supports; `test_gate.py` is about that.
        verify="off",
    )


@pytest.fixture(params=["memory", "postgres"])
def settings(request: pytest.FixtureRequest, memory_settings: Settings) -> Settings:
    """The same settings, on memory and on a Postgres database of this test's own."""
    if request.param == "memory":
        return memory_settings
    url = request.getfixturevalue("postgres_url")
    return memory_settings.model_copy(update={"database_url": SecretStr(url)})


@pytest.fixture
def open_twin(settings: Settings) -> Iterator[OpenTwin]:
    """Starts the application with a model; each is closed at the end. Keyword arguments change settings."""
    with ExitStack() as stack:

        def start(
            model: Model,
            *,
            tools: list[Tool] | None = None,
            clock: Clock | None = None,
            channels: list[Channel] | None = None,
            reach: Reach = pass_by,
            **changes: Any,
        ) -> RunningTwin:
            changed = settings.model_copy(update=changes)
            return stack.enter_context(
                running_twin(changed, model, tools or [], clock, channels or [], reach)
            )

        yield start
