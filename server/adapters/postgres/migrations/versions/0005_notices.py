"""The outbox of notices to the owner."""

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(
        """
        CREATE TABLE notices (
            id        text NOT NULL,
            channel   text NOT NULL,
            thread_id text NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
            position  bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
            kind      text NOT NULL,
            about     text NOT NULL,
            tool      text NOT NULL,
            since     timestamptz NOT NULL,
            status    text NOT NULL
                      CONSTRAINT notices_status_check CHECK (status IN ('waiting', 'sent', 'moot', 'failed')),
            attempts  integer NOT NULL,
            next_at   timestamptz,
            PRIMARY KEY (id, channel)
        )
        """
    )
    op.execute("CREATE INDEX notices_thread_id ON notices (thread_id)")
    op.execute(
        "CREATE INDEX notices_waiting ON notices (channel, position) WHERE status = 'waiting'"
    )


def downgrade() -> None:
    op.execute("DROP TABLE notices")
