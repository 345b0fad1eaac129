"""The audit trail. It begins with what is known of the time before it."""

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(
        """
        CREATE TABLE audit (
            position         bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
            at               timestamptz NOT NULL,
            what             text NOT NULL,
            by               text,
            via              text,
            thread_id        text REFERENCES threads (id) ON DELETE CASCADE,
            thread_digest    text,
            interrupt_id     text,
            effect_id        text,
            tool             text,
            digest           text,
            effective_digest text,
            edited           boolean NOT NULL,
            note             text,
            CONSTRAINT audit_thread_check CHECK ((thread_id IS NULL) = (what = 'forgotten'))
        )
        """
    )
    op.execute("CREATE INDEX audit_thread_id ON audit (thread_id)")
    op.execute(
        """
        INSERT INTO audit (at, what, by, via, thread_id, interrupt_id, effect_id, tool, digest, effective_digest, edited, note)
        SELECT decided_at AS at, status AS what, decided_by, decided_via, thread_id, interrupt_id, NULL AS effect_id, tool,
               digest, effective_digest, edited_arguments IS NOT NULL,
               CASE WHEN decided_by ~ '^(visitor|user):' THEN NULL ELSE note END
        FROM approvals WHERE status <> 'pending'
        UNION ALL
        SELECT coalesce(e.ended_at, e.started_at), 'effect_' || e.status, NULL, NULL, e.thread_id, a.interrupt_id, e.id, e.tool,
               a.digest, e.digest, coalesce(a.edited_arguments IS NOT NULL, false), NULL
        FROM effects e LEFT JOIN approvals a ON a.thread_id = e.thread_id AND a.tool_call_id = e.tool_call_id
        WHERE e.status <> 'started'
        ORDER BY at, effect_id NULLS FIRST
        """
    )


def downgrade() -> None:
    op.execute("DROP TABLE audit")
