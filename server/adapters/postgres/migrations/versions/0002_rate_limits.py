"""Who asked how often."""

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # No index on `tat`: it changes with every row's use, and what is swept is found by looking at all of them.
    op.execute(
        """
        CREATE TABLE rate_limits (
            key      text PRIMARY KEY,
            tat      timestamptz NOT NULL,
            admitted boolean NOT NULL
        )
        """
    )


def downgrade() -> None:
    op.execute("DROP TABLE rate_limits")
