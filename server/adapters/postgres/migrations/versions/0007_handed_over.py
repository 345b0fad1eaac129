"""How far a run's checkpoint holds what it showed: whoever goes on with it takes nothing of that back."""

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE runs ADD COLUMN kept_seq bigint")


def downgrade() -> None:
    op.execute("ALTER TABLE runs DROP COLUMN kept_seq")
