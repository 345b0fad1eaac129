"""What this process counts, for Prometheus. Each replica tells its own; nothing in here says who asked or what."""

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from server.domain.approvals import ApprovalStatus
from server.domain.conversation import Run
from server.domain.notices import NoticeStatus

CONTENT_TYPE = CONTENT_TYPE_LATEST
SECONDS = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120)


class Metrics:
    """One per application, with a registry of its own. `active` gives how many runs execute here now."""

    def __init__(self, active: Callable[[], int]) -> None:
        self._registry = CollectorRegistry()
        at = self._registry
        self._runs = Counter("sayso_runs", "Runs that ended here", ["outcome"], registry=at)
        self._seconds = Histogram(
            "sayso_run_seconds", "From a run's start to its end", buckets=SECONDS, registry=at
        )
        self._first_text = Histogram(
            "sayso_first_text_seconds",
            "From a run's start to its first text",
            buckets=SECONDS,
            registry=at,
        )
        self._withheld = Counter(
            "sayso_withheld_sentences", "Sentences nothing supported, not shown", registry=at
        )
        self._tokens = Counter(
            "sayso_tokens", "Tokens of model calls, as the provider counts", ["kind"], registry=at
        )
        self._cost = Counter("sayso_cost_usd", "What model calls cost", registry=at)
        self._approvals = Counter(
            "sayso_approvals", "Questions: opened, and settled as what", ["status"], registry=at
        )
        self._notices = Counter(
            "sayso_notices",
            "Notices to the owner: sent from here, or given up",
            ["status"],
            registry=at,
        )
        running = Gauge("sayso_active_runs", "Runs that execute here now", registry=at)
        running.set_function(active)

    def run_ended(self, run: Run, withheld: int) -> None:
        """Counts a run whose end is written."""
        self._runs.labels(run.outcome or "error").inc()
        self._withheld.inc(withheld)
        self._cost.inc(run.cost_usd)
        self._tokens.labels("input").inc(run.usage.input_tokens)
        self._tokens.labels("output").inc(run.usage.output_tokens)
        self._tokens.labels("cached").inc(run.usage.cached_tokens)
        if run.latency_ms is not None:
            self._seconds.observe(run.latency_ms / 1000)
        if run.ttft_ms is not None:
            self._first_text.observe(run.ttft_ms / 1000)

    def approval(self, status: ApprovalStatus) -> None:
        """Counts a question that was opened (`pending`) or settled."""
        self._approvals.labels(status).inc()

    def notice(self, status: NoticeStatus) -> None:
        """Counts a notice whose end was reached here."""
        self._notices.labels(status).inc()

    def exposed(self) -> bytes:
        """Everything, in Prometheus' text format."""
        return generate_latest(self._registry)
