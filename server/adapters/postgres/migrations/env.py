"""What alembic runs: on the connection `migrate` gives it, or, for developers, on `DATABASE_URL`."""

import os
from typing import Any

from alembic import context
from sqlalchemy import Connection, create_engine, make_url

from server.adapters.postgres.tables import metadata


def only_ours(thing: Any, name: str | None, kind: str, reflected: bool, compare_to: Any) -> bool:
    """LangGraph's saver owns the checkpoint tables."""
    return not (kind == "table" and (name or "").startswith("checkpoint"))


def run_on(connection: Connection) -> None:
    context.configure(
        connection=connection,
        target_metadata=metadata,
        include_object=only_ours,
        compare_type=True,
        compare_server_default=True,
    )
    with context.begin_transaction():
        context.run_migrations()


given: Connection | None = context.config.attributes.get("connection")
if given is not None:
    run_on(given)
else:
    url = make_url(os.environ["DATABASE_URL"]).set(drivername="postgresql+psycopg")
    with create_engine(url, connect_args={"prepare_threshold": None}).connect() as own:
        run_on(own)
