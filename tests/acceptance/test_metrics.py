"""What an operator's Prometheus reads."""

from prometheus_client.parser import text_string_to_metric_families

from server.adapters.models.scripted import Scripted, call
from server.domain.conversation import Usage
from server.ports import Finished
from tests.acceptance.conftest import OpenTwin
from tests.support.twin import RunningTwin

DRAFT = call("draft_contact_message", subject="Hi", message="Hello!", sender_contact="a@b.example")
FALSE = "She had seven children and a parrot."


def samples(twin: RunningTwin) -> dict[tuple[str, str], float]:
    """By name and label."""
    answer = twin.client.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    return {
        (sample.name, next(iter(sample.labels.values()), "")): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def test_what_ran_is_counted(open_twin: OpenTwin) -> None:
    """Runs by outcome, tokens, cost, withheld sentences, questions; and nothing of what was said."""
    twin = open_twin(
        Scripted(
            ["Ada Lovelace was born in London.", Finished(Usage(100, 10, 40))],
            [FALSE, Finished(Usage(1, 1))],
            [FALSE, Finished(Usage(1, 1))],
            [DRAFT, Finished(Usage(1, 1))],
            ["Your message has been passed on.", Finished(Usage(1, 1))],
        ),
        verify="gate",
        model_price_input=10.0,
        model_price_output=20.0,
        model_price_cached=1.0,
    )
    for message in ("Where was Ada born?", "How many children had she?"):
        twin.visitor().say(message)
    visitor = twin.visitor()
    visitor.say("Please pass on Hello! from a@b.example.")
    assert twin.decide(str(visitor.thread_id), approved=True).status_code == 200

    counted = samples(twin)
    assert counted["sayso_runs_total", "answered"] == 2
    assert counted["sayso_runs_total", "refused"] == 1
    assert counted["sayso_runs_total", "pending_approval"] == 1
    assert counted["sayso_withheld_sentences_total", ""] == 2
    assert counted["sayso_tokens_total", "input"] == 104
    assert counted["sayso_tokens_total", "cached"] == 40
    assert round(counted["sayso_cost_usd_total", ""], 6) == 0.00096
    assert counted["sayso_approvals_total", "pending"] == 1
    assert counted["sayso_approvals_total", "approved"] == 1
    assert counted["sayso_run_seconds_count", ""] == 4
    assert counted["sayso_active_runs", ""] == 0
    assert "parrot" not in twin.client.get("/metrics").text


def test_two_applications_count_apart(open_twin: OpenTwin) -> None:
    """No registry of the process."""
    first, second = open_twin(Scripted("Hi.")), open_twin(Scripted())
    first.visitor().say("Hello")
    assert samples(first)["sayso_runs_total", "answered"] == 1
    assert ("sayso_runs_total", "answered") not in samples(second)
