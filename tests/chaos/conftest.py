"""Two replicas, started once for the tests of a file."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chaos.replicas import Replicas, replicas
from tests.conftest import new_database

LONG = {
    "test_database_away.py",
    "test_frozen.py",
    "test_random_kills.py",
    "test_rolling_restart.py",
}
"""Those that go by the clock, or take more than a minute."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The long ones run when they are asked for."""
    if os.environ.get("LONG_CHAOS"):
        return
    skip = pytest.mark.skip(reason="takes minutes on two cores: LONG_CHAOS=1 runs it")
    for item in items:
        if item.path.parent == Path(__file__).parent and item.path.name in LONG:
            item.add_marker(skip)


@pytest.fixture(scope="module")
def module_database(postgres_server: str, migrated_template: str) -> Iterator[str]:
    """A migrated database for the tests of one file."""
    with new_database(postgres_server, template=migrated_template) as url:
        yield url


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory, module_database: str) -> Iterator[Replicas]:
    """Two replicas on one database, whose leases are long enough for a busy machine."""
    with replicas(tmp_path_factory.mktemp("pair"), module_database, module_database) as running:
        yield running
