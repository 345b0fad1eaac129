"""What a day's model calls cost, and what is reserved for those under way."""

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Whole nano-dollars, so that sums are exact.
    op.execute(
        """
        CREATE TABLE budget_days (
            day               date PRIMARY KEY,
            reserved_nano_usd bigint NOT NULL,
            charged_nano_usd  bigint NOT NULL,
            CONSTRAINT budget_days_reserved_check CHECK (reserved_nano_usd >= 0)
        )
        """
    )
    op.execute(
        """
        CREATE TABLE budget_reservations (
            id        text PRIMARY KEY,
            thread_id text NOT NULL REFERENCES threads (id) ON DELETE CASCADE,
            run_id    text NOT NULL,
            fence     bigint NOT NULL,
            day       date NOT NULL,
            nano_usd  bigint NOT NULL
        )
        """
    )
    op.execute("CREATE INDEX budget_reservations_thread_id ON budget_reservations (thread_id)")


def downgrade() -> None:
    op.execute("DROP TABLE budget_reservations")
    op.execute("DROP TABLE budget_days")
