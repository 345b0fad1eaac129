"""Two replicas, started once for the tests of a file."""

from collections.abc import Iterator

import pytest

from tests.chaos.replicas import Replicas, replicas
from tests.conftest import new_database


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
