"""The process that tells the owner is killed around the telling: another one tells, under the same id."""

from pathlib import Path

import pytest

from tests.chaos.test_die_anywhere import CALL, come_back, doomed
from tests.fakes.hook import Hook
from tests.support.server import PATIENCE_S, until
from tests.support.twin import of_type

pytestmark = [pytest.mark.chaos, pytest.mark.postgres]


@pytest.mark.parametrize(("place", "told"), [("notice.taken", 0), ("notice.sent", 1)])
def test_a_notice_survives_its_sender(
    tmp_path: Path, postgres_url: str, place: str, told: int
) -> None:
    """Killed before it was sent: told once. Killed between sent and noted: told again, and the receiver can know."""
    with Hook() as hook, doomed(tmp_path, postgres_url, f"{place}:1", CALL, hook=hook) as both:
        running, visitor = both
        events = list(visitor.hear("Charge me."))
        running.wait_for_death()
        assert len(hook.calls) == told
        come_back(running)
        until("it is told", lambda: len(hook.calls) == told + 1, PATIENCE_S)
        [card] = visitor.pending()
        assert {call.id for call in hook.calls} == {f"approval_{card['interrupt_id']}"}
        assert all(call.signed for call in hook.calls)
        assert not of_type(events, "error")
