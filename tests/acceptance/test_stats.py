"""What the owner's days add up to."""

import json
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from server.adapters.models.scripted import Scripted, call
from server.domain.conversation import Usage
from server.ports import Finished
from tests.acceptance.conftest import OpenTwin

ASKS = call("draft_contact_message", subject="s", message="Top secret", sender_contact="a@b.org")
GAP = ["I can't find that in my sources.", Finished(unanswered=True)]
PRICES = {"model_price_input": 1.0, "model_price_output": 2.0, "model_price_cached": 0.5}


def test_the_days_add_up(open_twin: OpenTwin) -> None:
    """Conversations, turns, how runs ended, cost, tokens, questions and how they ended, verdicts, gaps; and no text."""
    now = [datetime(2026, 12, 1, 12, tzinfo=UTC)]
    used = Finished(Usage(1_000_000, 100_000, 200_000))
    model = Scripted(
        ["Hello.", used], [ASKS, used], ["Passed on.", used], [ASKS, used], ["Not."], GAP
    )
    twin = open_twin(model, clock=lambda: now[0], approval_ttl=None, **PRICES)
    first, second = twin.visitor(), twin.visitor()
    seq = first.say("Hi, something private")[1]["seq"]
    first.say("Pass it on.")
    now[0] += timedelta(seconds=90)
    twin.decide(str(first.thread_id), approved=True)
    second.say("Pass it on.")
    now[0] += timedelta(days=1)
    twin.decide(str(second.thread_id), approved=False)
    body = {"thread_id": first.thread_id, "seq": seq, "verdict": "down", "comment": "private too"}
    twin.client.cookies.clear()
    assert twin.client.post("/api/feedback", json=body, headers=first.headers).status_code == 204
    twin.visitor().say("What is private here?")

    answer = twin.owner("GET", "/stats?days=3")

    assert answer.status_code == 200, answer.text
    assert not any(word in answer.text for word in ("private", "secret", "Passed", first.thread_id))
    found = answer.json()
    assert found["timezone"] == "UTC"
    assert [day["day"] for day in found["days"]] == ["2026-11-30", "2026-12-01", "2026-12-02"]
    quiet, busy, today = found["days"]
    assert not any(json.dumps(n) not in ("0", "0.0", "null") for n in _numbers(quiet))
    assert (busy["conversations"], busy["turns"], busy["cost_usd"]) == (2, 3, 4.4)
    tokens = [busy[name] for name in ("input_tokens", "output_tokens", "cached_tokens")]
    assert tokens == [4_000_000, 400_000, 800_000]
    assert busy["outcomes"] == _zeros(busy["outcomes"]) | {"answered": 2, "pending_approval": 2}
    assert busy["approvals"] == _zeros(busy["approvals"]) | {"asked": 2, "approved": 1}
    assert busy["median_decide_s"] == 90.0
    assert today["approvals"] == _zeros(today["approvals"]) | {"rejected": 1}
    assert today["feedback"] == {"up": 0, "down": 1}
    assert (today["gaps"], today["outcomes"]["refused"]) == (1, 1)
    total = found["total"]
    assert (total["conversations"], total["turns"], total["gaps"]) == (3, 4, 1)
    assert total["median_decide_s"] == (90 + 24 * 3600) / 2


def test_a_day_begins_where_the_owner_lives(open_twin: OpenTwin) -> None:
    """Half past eleven at night in UTC is tomorrow in Amsterdam; so is the date of an answer's page."""
    late = datetime(2026, 11, 30, 23, 30, tzinfo=UTC)
    twin = open_twin(
        Scripted(GAP), clock=lambda: late, budget_timezone=ZoneInfo("Europe/Amsterdam")
    )
    twin.visitor().say("Is it late?")

    found = twin.owner("GET", "/stats?days=2").json()

    assert found["timezone"] == "Europe/Amsterdam"
    assert [(day["day"], day["turns"]) for day in found["days"]] == [
        ("2026-11-30", 0),
        ("2026-12-01", 1),
    ]
    [gap] = twin.owner("GET", "/gaps").json()["gaps"]
    page = twin.owner("POST", f"/gaps/{gap['id']}", json={"answer": "Ada says it is."}).json()[
        "page"
    ]
    assert page == "answers/2026-12-01-is-it-late.md"


def test_thirty_days_unless_said_otherwise_and_a_year_at_most(open_twin: OpenTwin) -> None:
    twin = open_twin(Scripted())
    assert len(twin.owner("GET", "/stats").json()["days"]) == 30
    assert len(twin.owner("GET", "/stats?days=1").json()["days"]) == 1
    assert len(twin.owner("GET", "/stats?days=366").json()["days"]) == 366
    for wrong in ("0", "367", "-1", "many"):
        assert twin.owner("GET", f"/stats?days={wrong}").status_code == 422


def _zeros(counts: dict[str, int]) -> dict[str, int]:
    return dict.fromkeys(counts, 0)


def _numbers(day: dict[str, object]) -> list[object]:
    flat: list[object] = []
    for name, value in day.items():
        flat += value.values() if isinstance(value, dict) else [value] if name != "day" else []
    return flat
