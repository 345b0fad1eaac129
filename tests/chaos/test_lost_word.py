"""What was committed and not heard of, and what was true when it was looked up and is not any more. In one process."""

import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from server.adapters.models.scripted import Gate, Scripted, call
from server.domain.conversation import Lease, Run
from server.domain.errors import ModelUnavailable, Unavailable
from server.domain.events import as_json
from server.domain.principals import Principal
from server.ports import Units, Writes
from server.runs.clock import utc_now
from server.runs.decide import decide
from server.runs.recover import recover
from server.runs.services import Services
from server.runs.start import start
from server.settings import Settings
from tests.chaos.charging import charge, charges
from tests.chaos.replicas import read_as_a_page
from tests.support.server import until
from tests.support.twin import OWNER_TOKEN, RunningTwin, of_type, running_twin, text_of

pytestmark = pytest.mark.chaos
VISITOR, OWNER = Principal.from_key("visitor:v"), Principal("owner", "owner")


class Later:
    """A clock that can be put forward."""

    def __init__(self) -> None:
        self.by = timedelta()

    def __call__(self) -> datetime:
        return utc_now() + self.by


@dataclass
class OneWordLost:
    """The first transaction is committed, and whoever made it is told that the database can't be reached."""

    units: Units
    lost: bool = False

    @asynccontextmanager
    async def hold(self, lease: Lease) -> AsyncIterator[Writes]:
        async with self.units.hold(lease) as held:
            yield held
        if not self.lost:
            self.lost = True
            raise Unavailable


@dataclass
class Opened:
    """A twin in memory, with its folder and clock."""

    twin: RunningTwin
    folder: Path
    clock: Later

    @property
    def services(self) -> Services:
        """As they are."""
        return self.twin.services

    def losing_a_word(self) -> Services:
        """The same, with one commit nobody hears of."""
        units = OneWordLost(self.services.store.units)
        return replace(self.services, store=replace(self.services.store, units=units))

    def comes_to_rest(self, status: str) -> None:
        """Waits until nobody holds the thread and it has that status."""

        def rested() -> bool:
            thread = self.twin.call(self.services.store.threads.get, "t")
            return thread.status == status and thread.active_run is None

        until(f"the thread is {status}", rested, 20)

    def events(self) -> list[dict[str, Any]]:
        """The thread's log."""
        rows = self.twin.call(self.services.store.log.read, "t", 0)
        return [as_json(event) | {"seq": seq} for seq, event in rows]


@pytest.fixture
def opened(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Opened]:
    """With the script that the test was given."""
    clock = Later()
    settings = Settings(
        _env_file=None,
        admin_token=SecretStr(OWNER_TOKEN),
        secret_key=SecretStr("a secret key for tests, long enough"),
        semantic="off",
        state_dir=tmp_path / "state",
        lease_s=1,
        verify="off",
    )
    model = Scripted(*request.param)
    with running_twin(settings, model, [charge(folder=tmp_path)], clock) as twin:
        yield Opened(twin, tmp_path, clock)


def begin(opened: Opened, services: Services, said: str) -> None:
    """A turn, to its end."""

    async def turn() -> None:
        started = await start(services, VISITOR, said, thread_id="t")
        await started.active.wait()

    opened.twin.call(turn)


def say_yes(opened: Opened, services: Services) -> None:
    """The owner's, and what follows from it."""

    async def yes() -> None:
        settled = await decide(services, "t", {"approved": True}, by=OWNER)
        if settled.run:
            await settled.run.wait()

    opened.twin.call(yes)


PAUSES = call("charge", amount_cents=500)


@pytest.mark.parametrize("opened", [[PAUSES, "Charged it."]], indirect=True)
def test_a_recorded_yes_is_not_lost_with_the_word_of_it(opened: Opened) -> None:
    """The connection broke between the commit and its reply: the owner is told 503, and the yes still counts."""
    begin(opened, opened.services, "Charge me.")
    with pytest.raises(Unavailable):
        say_yes(opened, opened.losing_a_word())
    opened.comes_to_rest("idle")
    assert len(charges(opened.folder)) == 1
    [effect] = opened.twin.call(opened.services.store.effects.newest, None)
    assert effect.status == "done"
    assert text_of(opened.events()).endswith("Charged it.")


@pytest.mark.parametrize("opened", [["Hello."]], indirect=True)
def test_a_recorded_turn_is_not_lost_with_the_word_of_it(opened: Opened) -> None:
    """The same when a visitor speaks: what is in the history is answered."""
    with pytest.raises(Unavailable):
        begin(opened, opened.losing_a_word(), "Hi")
    opened.comes_to_rest("idle")
    assert text_of(opened.events()) == "Hello."
    [run] = opened.twin.call(opened.services.store.runs.newest)
    assert run.status == "success"


@dataclass
class AsOfBefore:
    """Gives the failed runs that were due when another replica looked."""

    runs: Any
    then: list[Run]

    async def due(self, _now: datetime, _limit: int) -> list[Run]:
        return self.then

    def __getattr__(self, name: str) -> Any:
        return getattr(self.runs, name)


@pytest.mark.parametrize("opened", [[PAUSES, ModelUnavailable(), "Charged it."]], indirect=True)
def test_a_closing_answer_is_tried_again_by_one_replica_only(opened: Opened) -> None:
    """Two replicas saw the same failed run; the slower one takes the thread after the faster one is done with it."""
    begin(opened, opened.services, "Charge me.")
    say_yes(opened, opened.services)
    opened.comes_to_rest("error")
    much_later = opened.clock() + timedelta(hours=1)
    seen = opened.twin.call(opened.services.store.runs.due, much_later, 10)
    assert len(seen) == 1
    opened.clock.by = timedelta(hours=1)
    opened.comes_to_rest("idle")
    before = opened.events()

    runs = AsOfBefore(opened.services.store.runs, seen)
    slower = replace(opened.services, store=replace(opened.services.store, runs=runs))  # type: ignore[arg-type]
    opened.twin.call(recover, slower)

    opened.comes_to_rest("idle")
    assert opened.events() == before
    assert len(charges(opened.folder)) == 1
    assert len(of_type(before, "done")) == 3


GATE = Gate()


@pytest.mark.parametrize("opened", [[["First. ", "Second", GATE, "."], "Third."]], indirect=True)
def test_a_process_that_wakes_up_takes_over_from_itself(opened: Opened) -> None:
    """It stood still for longer than its lease: its own recovery may be faster than its own heartbeat."""

    async def turn() -> str:
        started = await start(opened.services, VISITOR, "Hi", thread_id="t")
        return started.run_id

    async def stand_still() -> None:
        time.sleep(1.5)  # noqa: ASYNC251 - the loop, and with it the process, does nothing for that long

    opened.twin.call(turn)
    GATE.wait_reached()
    opened.twin.call(stand_still)
    until("it has looked around", lambda: opened.twin.call(opened.services.store.check) is None)
    GATE.open()
    opened.comes_to_rest("idle")
    runs = opened.twin.call(opened.services.store.runs.newest)
    assert [run.status for run in runs] == ["success"]
    assert read_as_a_page(opened.events()) in ("First. Second.", "Third.")
    # What keeps the process going still does.
    opened.twin.call(opened.services.store.check)
    assert not opened.services.active.draining
