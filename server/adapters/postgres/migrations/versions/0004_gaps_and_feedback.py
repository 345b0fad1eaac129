"""What visitors asked that was not answered, what they think of answers, and what statistics look up by time."""

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

TABLES = """
CREATE TABLE gaps (
    id         text PRIMARY KEY,
    thread_id  text NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
    turn_id    text NOT NULL,
    question   text NOT NULL,
    language   text NOT NULL,
    asked_at   timestamptz NOT NULL,
    status     text NOT NULL CHECK (status IN ('open', 'answered', 'dismissed')),
    settled_by text,
    settled_at timestamptz,
    page       text,
    UNIQUE (thread_id, turn_id),
    CONSTRAINT gaps_settled_check CHECK ((status = 'open') = (settled_at IS NULL))
);
CREATE INDEX gaps_asked_at ON gaps (asked_at);
CREATE INDEX gaps_open ON gaps (asked_at) WHERE status = 'open';
CREATE INDEX gaps_status_settled_at ON gaps (status, settled_at);

CREATE TABLE feedback (
    thread_id text NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
    run_id    text NOT NULL,
    seq       bigint NOT NULL,
    verdict   text NOT NULL CONSTRAINT feedback_verdict_check CHECK (verdict IN ('up', 'down')),
    comment   text,
    said_at   timestamptz NOT NULL,
    PRIMARY KEY (thread_id, run_id)
);
CREATE INDEX feedback_said_at ON feedback (said_at);

CREATE INDEX turns_created_at ON turns (created_at);
"""


def upgrade() -> None:
    for statement in TABLES.split(";\n"):
        if statement.strip():
            op.execute(statement)


def downgrade() -> None:
    op.execute("DROP INDEX turns_created_at")
    op.execute("DROP TABLE feedback")
    op.execute("DROP TABLE gaps")
