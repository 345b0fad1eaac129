"""The tables, as SQLAlchemy sees them. Migrations make them; `tests/contract` checks that both agree.

Everything but rate limits, the budget's days and the line that a thread was forgotten hangs on a thread and goes with it. LangGraph's checkpoint tables are not here: its saver owns them.
"""

from typing import Any, get_args

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Date,
    Float,
    ForeignKey,
    Identity,
    Index,
    Integer,
    MetaData,
    Sequence,
    Table,
    UniqueConstraint,
    func,
    text,
)

from server.adapters.postgres.columns import AnyText, Json, Time
from server.domain.approvals import ApprovalStatus, EffectStatus
from server.domain.conversation import RunStatus, ThreadStatus
from server.domain.gaps import GapStatus
from server.domain.notices import NoticeStatus

metadata = MetaData(
    naming_convention={
        "pk": "%(table_name)s_pkey",
        "fk": "%(table_name)s_%(column_0_name)s_fkey",
        "uq": "%(table_name)s_%(column_0_N_name)s_key",
        "ck": "%(table_name)s_%(constraint_name)s_check",
    }
)

fences = Sequence("fences", metadata=metadata)
"""One sequence for all threads: a thread that is deleted and opened again never repeats a fence."""


def _text(name: str, *, null: bool = False, key: bool = False) -> Column[str]:
    return Column(name, AnyText, nullable=null, primary_key=key)


def _time(name: str, *, null: bool = False, now: bool = False) -> Column[Any]:
    return Column(name, Time, nullable=null, server_default=func.now() if now else None)


def _json(name: str, *, null: bool = False) -> Column[Any]:
    return Column(name, Json, nullable=null)


def _thread(*, key: bool = False) -> Column[str]:
    return Column(
        "thread_id",
        AnyText,
        ForeignKey("threads.id", ondelete="CASCADE"),
        nullable=False,
        primary_key=key,
    )


def _is_status(statuses: Any) -> CheckConstraint:
    listed = ", ".join(f"'{status}'" for status in get_args(statuses))
    return CheckConstraint(f"status IN ({listed})", name="status")


threads = Table(
    "threads",
    metadata,
    _text("id", key=True),
    _text("principal"),
    Column("status", AnyText, nullable=False, server_default="idle"),
    Column("fence", BigInteger, nullable=False, server_default=text("0")),
    _text("holder", null=True),
    _time("lease_until", null=True),
    _text("active_run", null=True),
    _text("cancel_requested", null=True),
    Column("last_seq", BigInteger, nullable=False, server_default=text("0")),
    _time("created_at", now=True),
    _time("updated_at", now=True),
    _is_status(ThreadStatus),
    CheckConstraint("(holder IS NULL) = (lease_until IS NULL)", name="lease"),
    Index("threads_updated_at", "updated_at"),
    Index("threads_principal_updated_at", "principal", "updated_at"),
)
Index(
    "threads_lease_until",
    threads.c.lease_until,
    postgresql_where=threads.c.lease_until.is_not(None),
)

thread_queue = Table(
    "thread_queue",
    metadata,
    Column("ticket", BigInteger, Identity(always=True), primary_key=True),
    _thread(),
    _time("alive_until"),
    Index("thread_queue_thread_id_ticket", "thread_id", "ticket"),
)

# A row is a batch, `[[seq, body], …]`: deltas are many and small, rows are not free.
events = Table(
    "events",
    metadata,
    _thread(key=True),
    Column("first_seq", BigInteger, nullable=False),
    Column("last_seq", BigInteger, primary_key=True, autoincrement=False),
    _json("events"),
    CheckConstraint("first_seq <= last_seq", name="order"),
)

turns = Table(
    "turns",
    metadata,
    _text("id", key=True),
    _thread(),
    Column("position", BigInteger, Identity(always=True), nullable=False),
    _text("said"),
    _json("messages"),
    _text("answer"),
    Column("partial", Boolean, nullable=False),
    _time("created_at"),
    Index("turns_thread_id_position", "thread_id", "position"),
    Index("turns_created_at", "created_at"),
)

runs = Table(
    "runs",
    metadata,
    _text("id", key=True),
    _thread(),
    _text("turn_id"),
    _text("status"),
    _time("started_at"),
    Column("first_seq", BigInteger, nullable=False),
    _text("resumes", null=True),
    Column("beside", Boolean, nullable=False),
    _time("ended_at", null=True),
    _text("outcome", null=True),
    _text("model", null=True),
    Column("input_tokens", BigInteger, nullable=False),
    Column("output_tokens", BigInteger, nullable=False),
    Column("cached_tokens", BigInteger, nullable=False),
    Column("cost_usd", Float, nullable=False),
    Column("latency_ms", BigInteger),
    Column("ttft_ms", BigInteger),
    _json("tools"),
    _json("flags"),
    Column("attempts", Integer, nullable=False),
    _time("retry_at", null=True),
    Column("kept_seq", BigInteger),
    _is_status(RunStatus),
    Index("runs_thread_id_started_at", "thread_id", "started_at"),
    Index("runs_started_at", "started_at"),
)
Index("runs_retry_at", runs.c.retry_at, postgresql_where=runs.c.retry_at.is_not(None))

approvals = Table(
    "approvals",
    metadata,
    _text("interrupt_id", key=True),
    _thread(),
    Column("position", BigInteger, Identity(always=True), nullable=False),
    _text("run_id"),
    _text("turn_id"),
    _text("node"),
    _text("tool_call_id"),
    _text("tool"),
    _json("arguments"),
    _text("digest"),
    _text("message"),
    _text("reason"),
    _json("response_schema"),
    _text("approver"),
    _text("visitor_message"),
    _json("warnings"),
    _text("graph_version"),
    _text("tool_schema_digest"),
    _time("created_at"),
    _time("expires_at", null=True),
    _text("status"),
    _text("decided_by", null=True),
    _text("decided_via", null=True),
    _time("decided_at", null=True),
    _text("note", null=True),
    _json("edited_arguments", null=True),
    _text("effective_digest", null=True),
    _json("answer"),
    _text("resumed_by", null=True),
    _is_status(ApprovalStatus),
    CheckConstraint("(status = 'pending') = (decided_at IS NULL)", name="decided"),
    Index("approvals_thread_id_position", "thread_id", "position"),
    Index("approvals_status_created_at", "status", "created_at"),
)
Index(
    "approvals_expires_at",
    approvals.c.expires_at,
    postgresql_where=approvals.c.status == "pending",
)
Index(
    "approvals_unresumed",
    approvals.c.decided_at,
    postgresql_where=approvals.c.resumed_by.is_(None) & (approvals.c.status != "pending"),
)

effects = Table(
    "effects",
    metadata,
    _text("id", key=True),
    _thread(),
    _text("tool_call_id"),
    _text("tool"),
    _text("digest"),
    _text("status"),
    _text("idempotency_key"),
    _text("run_id"),
    _time("started_at"),
    _time("ended_at", null=True),
    _text("result", null=True),
    UniqueConstraint("thread_id", "tool_call_id"),
    _is_status(EffectStatus),
    Index("effects_status_started_at", "status", "started_at"),
)

contact_messages = Table(
    "contact_messages",
    metadata,
    _text("id", key=True),
    _thread(),
    _text("tool_call_id"),
    _text("subject"),
    _text("message"),
    _text("sender_contact"),
    _time("created_at"),
    UniqueConstraint("thread_id", "tool_call_id"),
    Index("contact_messages_created_at", "created_at"),
)

gaps = Table(
    "gaps",
    metadata,
    _text("id", key=True),
    _thread(),
    _text("turn_id"),
    _text("question"),
    _text("language"),
    _time("asked_at"),
    _text("status"),
    _text("settled_by", null=True),
    _time("settled_at", null=True),
    _text("page", null=True),
    UniqueConstraint("thread_id", "turn_id"),
    _is_status(GapStatus),
    CheckConstraint("(status = 'open') = (settled_at IS NULL)", name="settled"),
    Index("gaps_asked_at", "asked_at"),
    Index("gaps_status_settled_at", "status", "settled_at"),
)
Index("gaps_open", gaps.c.asked_at, postgresql_where=gaps.c.status == "open")

feedback = Table(
    "feedback",
    metadata,
    _thread(key=True),
    _text("run_id", key=True),
    Column("seq", BigInteger, nullable=False),
    _text("verdict"),
    _text("comment", null=True),
    _time("said_at"),
    CheckConstraint("verdict IN ('up', 'down')", name="verdict"),
    Index("feedback_said_at", "said_at"),
)

# The outbox. What was sent stays, so that posting it again after an unknown commit changes nothing.
notices = Table(
    "notices",
    metadata,
    _text("id", key=True),
    _text("channel", key=True),
    _thread(),
    Column("position", BigInteger, Identity(always=True), nullable=False),
    _text("kind"),
    _text("about"),
    _text("tool"),
    _time("since"),
    _text("status"),
    Column("attempts", Integer, nullable=False),
    _time("next_at", null=True),
    _is_status(NoticeStatus),
    Index("notices_thread_id", "thread_id"),
)
Index(
    "notices_waiting",
    notices.c.channel,
    notices.c.position,
    postgresql_where=notices.c.status == "waiting",
)

# Lines are only added. They go with their thread; that it was forgotten is a line without one.
audit = Table(
    "audit",
    metadata,
    Column("position", BigInteger, Identity(always=True), primary_key=True),
    _time("at"),
    _text("what"),
    _text("by", null=True),
    _text("via", null=True),
    Column("thread_id", AnyText, ForeignKey("threads.id", ondelete="CASCADE")),
    _text("thread_digest", null=True),
    _text("interrupt_id", null=True),
    _text("effect_id", null=True),
    _text("tool", null=True),
    _text("digest", null=True),
    _text("effective_digest", null=True),
    Column("edited", Boolean, nullable=False),
    _text("note", null=True),
    CheckConstraint("(thread_id IS NULL) = (what = 'forgotten')", name="thread"),
    Index("audit_thread_id", "thread_id"),
)

# Belongs to no thread. `tat` is GCRA's theoretical arrival time; `admitted` is what the last one who asked was told.
rate_limits = Table(
    "rate_limits",
    metadata,
    _text("key", key=True),
    _time("tat"),
    Column("admitted", Boolean, nullable=False),
)

# Belongs to no thread: a day's spending stays when threads are forgotten.
budget_days = Table(
    "budget_days",
    metadata,
    Column("day", Date, primary_key=True),
    Column("reserved_nano_usd", BigInteger, nullable=False),
    Column("charged_nano_usd", BigInteger, nullable=False),
    CheckConstraint("reserved_nano_usd >= 0", name="reserved"),
)

# `fence` is the one the reserving process held the thread under: whoever takes the thread over finds what is left.
budget_reservations = Table(
    "budget_reservations",
    metadata,
    _text("id", key=True),
    _thread(),
    _text("run_id"),
    Column("fence", BigInteger, nullable=False),
    Column("day", Date, nullable=False),
    Column("nano_usd", BigInteger, nullable=False),
    Index("budget_reservations_thread_id", "thread_id"),
)
