"""The first tables."""

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

TABLES = """
CREATE SEQUENCE fences;

CREATE TABLE threads (
    id               text PRIMARY KEY,
    principal        text NOT NULL,
    status           text NOT NULL DEFAULT 'idle'
                     CHECK (status IN ('idle', 'busy', 'interrupted', 'error')),
    fence            bigint NOT NULL DEFAULT 0,
    holder           text,
    lease_until      timestamptz,
    active_run       text,
    cancel_requested text,
    last_seq         bigint NOT NULL DEFAULT 0,
    created_at       timestamptz NOT NULL DEFAULT now(),
    updated_at       timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT threads_lease_check CHECK ((holder IS NULL) = (lease_until IS NULL))
);
CREATE INDEX threads_updated_at ON threads (updated_at);
CREATE INDEX threads_principal_updated_at ON threads (principal, updated_at);
CREATE INDEX threads_lease_until ON threads (lease_until) WHERE lease_until IS NOT NULL;

CREATE TABLE thread_queue (
    ticket      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    thread_id   text NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
    alive_until timestamptz NOT NULL
);
CREATE INDEX thread_queue_thread_id_ticket ON thread_queue (thread_id, ticket);

CREATE TABLE events (
    thread_id text NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
    first_seq bigint NOT NULL,
    last_seq  bigint NOT NULL,
    events    json NOT NULL,
    PRIMARY KEY (thread_id, last_seq),
    CONSTRAINT events_order_check CHECK (first_seq <= last_seq)
);

CREATE TABLE turns (
    id         text PRIMARY KEY,
    thread_id  text NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
    position   bigint GENERATED ALWAYS AS IDENTITY,
    said       text NOT NULL,
    messages   json NOT NULL,
    answer     text NOT NULL,
    partial    boolean NOT NULL,
    created_at timestamptz NOT NULL
);
CREATE INDEX turns_thread_id_position ON turns (thread_id, position);

CREATE TABLE runs (
    id            text PRIMARY KEY,
    thread_id     text NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
    turn_id       text NOT NULL,
    status        text NOT NULL
                  CHECK (status IN ('running', 'interrupted', 'success', 'error', 'cancelled')),
    started_at    timestamptz NOT NULL,
    first_seq     bigint NOT NULL,
    resumes       text,
    beside        boolean NOT NULL,
    ended_at      timestamptz,
    outcome       text,
    model         text,
    input_tokens  bigint NOT NULL,
    output_tokens bigint NOT NULL,
    cached_tokens bigint NOT NULL,
    cost_usd      double precision NOT NULL,
    latency_ms    bigint,
    ttft_ms       bigint,
    tools         json NOT NULL,
    flags         json NOT NULL,
    attempts      integer NOT NULL,
    retry_at      timestamptz
);
CREATE INDEX runs_thread_id_started_at ON runs (thread_id, started_at);
CREATE INDEX runs_started_at ON runs (started_at);
CREATE INDEX runs_retry_at ON runs (retry_at) WHERE retry_at IS NOT NULL;

CREATE TABLE approvals (
    interrupt_id       text PRIMARY KEY,
    thread_id          text NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
    position           bigint GENERATED ALWAYS AS IDENTITY,
    run_id             text NOT NULL,
    turn_id            text NOT NULL,
    node               text NOT NULL,
    tool_call_id       text NOT NULL,
    tool               text NOT NULL,
    arguments          json NOT NULL,
    digest             text NOT NULL,
    message            text NOT NULL,
    reason             text NOT NULL,
    response_schema    json NOT NULL,
    approver           text NOT NULL,
    visitor_message    text NOT NULL,
    warnings           json NOT NULL,
    graph_version      text NOT NULL,
    tool_schema_digest text NOT NULL,
    created_at         timestamptz NOT NULL,
    expires_at         timestamptz,
    status             text NOT NULL
                       CHECK (status IN ('pending', 'approved', 'rejected', 'cancelled', 'withdrawn', 'expired', 'orphaned')),
    decided_by         text,
    decided_via        text,
    decided_at         timestamptz,
    note               text,
    edited_arguments   json,
    effective_digest   text,
    answer             json NOT NULL,
    resumed_by         text,
    CONSTRAINT approvals_decided_check CHECK ((status = 'pending') = (decided_at IS NULL))
);
CREATE INDEX approvals_thread_id_position ON approvals (thread_id, position);
CREATE INDEX approvals_status_created_at ON approvals (status, created_at);
CREATE INDEX approvals_expires_at ON approvals (expires_at) WHERE status = 'pending';
CREATE INDEX approvals_unresumed ON approvals (decided_at) WHERE resumed_by IS NULL AND status <> 'pending';

CREATE TABLE effects (
    id              text PRIMARY KEY,
    thread_id       text NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
    tool_call_id    text NOT NULL,
    tool            text NOT NULL,
    digest          text NOT NULL,
    status          text NOT NULL CHECK (status IN ('started', 'done', 'failed', 'in_doubt')),
    idempotency_key text NOT NULL,
    run_id          text NOT NULL,
    started_at      timestamptz NOT NULL,
    ended_at        timestamptz,
    result          text,
    UNIQUE (thread_id, tool_call_id)
);
CREATE INDEX effects_status_started_at ON effects (status, started_at);

CREATE TABLE contact_messages (
    id             text PRIMARY KEY,
    thread_id      text NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
    tool_call_id   text NOT NULL,
    subject        text NOT NULL,
    message        text NOT NULL,
    sender_contact text NOT NULL,
    created_at     timestamptz NOT NULL,
    UNIQUE (thread_id, tool_call_id)
);
CREATE INDEX contact_messages_created_at ON contact_messages (created_at);
"""


def upgrade() -> None:
    for statement in TABLES.split(";\n"):
        if statement.strip():
            op.execute(statement)


def downgrade() -> None:
    op.execute(
        "DROP TABLE contact_messages, effects, approvals, runs, turns, events, thread_queue, threads"
    )
    op.execute("DROP SEQUENCE fences")
