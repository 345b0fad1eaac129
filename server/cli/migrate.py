"""`sayso migrate`: brings the database up to date."""

import anyio
import click

from server.adapters.postgres.migrate import migrate as bring_up_to_date
from server.cli.errors import told_plainly
from server.domain.errors import ConfigurationError
from server.settings import read_settings


@click.command()
def migrate() -> None:
    """Bring the database at DATABASE_URL up to date. `sayso serve` does it too; replicas may do it at once."""
    with told_plainly():
        settings = read_settings()
        url = settings.database_direct_url or settings.database_url
        if url is None:
            raise ConfigurationError(
                "DATABASE_URL is not set: an embedded database is migrated by `sayso serve`."
            )
        anyio.run(bring_up_to_date, url.get_secret_value())
    click.echo("The database is up to date.")
