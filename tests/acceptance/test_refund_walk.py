"""The documented refund from beginning to end, by plain HTTP, with a restart in between: everything else is refused, and it is paid once."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from pydantic import SecretStr

from server.settings import Settings
from tests.support.graph import JWT, YES, effects, refusal, user
from tests.support.till import ORDER, Obedient, Till
from tests.support.twin import events_in, of_type, running_twin

NOTHING = (409, "Nothing to resume: this thread is not paused at an interrupt")


@pytest.mark.postgres
def test_the_refund_from_beginning_to_end(memory_settings: Settings, postgres_url: str) -> None:
    """Pause, wrong answers, wrong people, a restart, busy, `on_busy: cancel`, the resume, the repeat."""
    settings = memory_settings.model_copy(
        update={"database_url": SecretStr(postgres_url), "busy_wait_s": 2.0, **JWT}
    )
    till = Till()
    with running_twin(settings, Obedient().model(), till.tools()) as twin:
        eve, mallory = user(twin), user(twin, "mallory")

        paused = eve.say("visitors", response_granularity="full")

        assert paused.status_code == 200, paused.text
        state = paused.json()["data"]["state"]
        asked = state["execution_meta"]["interrupt_data"]["interrupt"]
        assert state["execution_meta"]["status"] == "interrupted_before"
        assert refusal(eve.invoke(resume=YES, interrupt_id="wrong")) == (
            409,
            f"interrupt_id 'wrong' does not match the open interrupt '{asked['id']}'",
        )
        assert refusal(eve.invoke(resume={"approved": "yes"})) == (
            422,
            f"Resume value does not match the response schema of interrupt '{asked['id']}': "
            "$.approved: expected boolean, got str",
        )
        assert refusal(eve.say("yes")) == (
            422,
            f"Thread is paused at interrupt '{asked['id']}' in node 'request_approval'. "
            "Resume it with {'resume': value}.",
        )
        assert refusal(mallory.invoke(resume=YES)) == (403, "Not authorized to invoke graph")
        assert till.paid == {}

    model = Obedient()
    with running_twin(settings, model.model(), till.tools()) as twin:
        eve = user(twin)
        assert eve.state() == state, "the same interrupt after a restart"
        gate = model.hold()
        with ThreadPoolExecutor(1) as pool:
            body = {"message": "slowly", "thread_id": eve.thread_id}
            beside = pool.submit(eve.request, "POST", "/api/chat", json=body)
            gate.wait_reached()
            assert refusal(eve.invoke(resume=YES)) == (409, "thread is busy")
            assert till.paid == {}

            resumed = eve.invoke(resume=YES, on_busy="cancel", response_granularity="full")

            events = events_in(beside.result().text)
        assert of_type(events, "meta")[0]["outcome"] == "cancelled"
        assert resumed.status_code == 200, resumed.text
        data = resumed.json()["data"]
        assert data["state"]["execution_meta"]["status"] == "completed"
        assert data["messages"][-1]["content"] == [{"type": "text", "text": "Done."}]
        again = [eve.invoke(resume=YES), eve.invoke(resume=YES, interrupt_id=asked["id"])]
        assert [refusal(answer) for answer in again] == [NOTHING] * 2
        assert till.paid == {eve.thread_id: [("visitors", ORDER)]}
        assert [effect.status for effect in effects(twin)] == ["done"]
        assert eve.say("Hello").status_code == 200
