"""An application that closes leaves its runs to the next one where a node ends: no model call is made again, and nothing is taken back."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest
from pydantic import SecretStr

from server.adapters.models.scripted import Gate, Scripted, call
from server.domain.conversation import Usage
from server.ports import Finished
from server.settings import Settings
from server.tools.decorator import tool
from tests.support.server import until
from tests.support.till import Till
from tests.support.twin import RunningTwin, of_type, running_twin, text_of

pytestmark = pytest.mark.postgres

USED = Finished(Usage(10, 5, 0))


@pytest.fixture
def settings(memory_settings: Settings, postgres_url: str) -> Settings:
    """On Postgres: what is in memory nobody can go on with."""
    return memory_settings.model_copy(update={"database_url": SecretStr(postgres_url)})


@contextmanager
def leaving(twin: RunningTwin) -> Iterator[None]:
    """The application closes, and has asked its runs to leave; what is inside happens meanwhile."""
    active = twin.services.active
    with ThreadPoolExecutor(1) as pool:
        drained = pool.submit(twin.call, partial(active.drain, finish_s=0.0, leave_s=60.0))
        until("its runs are to leave", lambda: active.leaving)
        yield
        drained.result()


def runs(twin: RunningTwin, thread_id: str) -> list[Any]:
    found: list[Any] = twin.call(partial(twin.services.store.runs.newest, thread_id=thread_id))
    return found


def test_a_run_goes_on_elsewhere_after_its_first_model_call(settings: Settings) -> None:
    """One stream, open all the while, reads the whole answer once; each call is made once, and the row has both."""
    gate, till = Gate(), Till()
    model = Scripted(
        ["Let me look. ", gate, call("look"), USED], ["There is ", "money.", USED], name="counted"
    )
    with running_twin(settings, model, till.tools()) as here, ThreadPoolExecutor(1) as pool:
        visitor = here.visitor()
        hearing = pool.submit(visitor.say, "Is there money?")
        gate.wait_reached()
        with leaving(here):
            gate.open()
        assert len(model.requests) == 1
        with running_twin(settings, model, till.tools()) as there:
            events = hearing.result()
            assert text_of(events) == "Let me look. There is money."
            assert of_type(events, "retract") == []
            assert [len(of_type(events, kind)) for kind in ("thread", "meta", "done")] == [1, 1, 1]
            assert len(model.requests) == 2
            assert [m["role"] for m in model.requests[1].messages] == ["user", "assistant", "tool"]
            thread_id = visitor.thread_id
            assert thread_id is not None
            assert till.looks[thread_id] == 1
            [run] = runs(there, thread_id)
            assert (run.status, run.usage, run.model) == ("success", Usage(20, 10, 0), "counted")
            assert run.tools == ("look:done",)
            [_, answer] = visitor.get().json()["messages"]
            assert answer["content"] == "Let me look. There is money."
            assert visitor.log()[1:] == events[1:]


def test_a_resumed_run_goes_on_elsewhere_after_its_tool(settings: Settings) -> None:
    """The tool has run and is not begun again; the closing answer is asked for once, and the question stays answered."""
    begun, may_end = threading.Event(), threading.Event()

    def refund(amount_cents: int) -> str:
        """Pay back.

        Args:
            amount_cents: how much
        """
        begun.set()
        assert may_end.wait(60)
        return "Paid."

    tools = [tool(refund, high_risk=True)]
    model = Scripted(["I will ask. ", call("refund", amount_cents=5)], "Paid it is.")
    with running_twin(settings, model, tools) as here, ThreadPoolExecutor(1) as pool:
        visitor = here.visitor()
        visitor.say("My money back.")
        thread_id = visitor.thread_id
        assert thread_id is not None
        deciding = pool.submit(partial(here.decide, thread_id, approved=True))
        assert begun.wait(60)
        with leaving(here):
            may_end.set()
        assert deciding.result().json()["answer"] == ""
        assert len(model.requests) == 1
        with running_twin(settings, model, tools) as there:
            log = visitor.log()
            assert of_type(log, "retract") == []
            assert text_of(log).endswith("Paid it is.")
            assert len(model.requests) == 2
            [effect] = there.call(there.services.store.effects.newest, None)
            assert (effect.status, effect.result) == ("done", "Paid.")
            assert [run.status for run in runs(there, thread_id)] == ["success", "interrupted"]
