"""The owner's way to a running twin: its address and token."""

import os
from pathlib import Path
from typing import Any

import click
import httpx

from server.cli.errors import check
from server.cli.kept import ADMIN_TOKEN
from server.settings import read_settings

DEFAULT_URL = "http://127.0.0.1:8000"


def admin_token() -> str:
    """ADMIN_TOKEN, the first of ADMIN_TOKENS, or the one `sayso serve` keeps. Raises ClickException."""
    settings = read_settings()
    if tokens := settings.owner_tokens():
        return next(iter(tokens.values()))
    kept: Path = settings.state_dir / ADMIN_TOKEN
    try:
        return kept.read_text().strip()
    except OSError:
        raise click.ClickException(
            f"No admin token: set ADMIN_TOKEN, or run this where `sayso serve` keeps {kept}."
        ) from None


class OwnerClient:
    """Calls the owner's routes. Use as a context manager."""

    def __init__(self, url: str) -> None:
        self._client = httpx.Client(
            base_url=url,
            headers={"Authorization": f"Bearer {admin_token()}", "Sayso-Via": "terminal"},
            # A decision waits for the closing answer; `timeout` covers the silence until then.
            timeout=httpx.Timeout(180.0, connect=5.0),
        )

    def __enter__(self) -> "OwnerClient":
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def get(self, path: str) -> Any:
        """The JSON at a path. Raises ClickException with the problem's detail."""
        response = self._client.get(path)
        check(response)
        return response.json()

    def post(self, path: str, body: dict[str, Any]) -> Any:
        """The JSON that answers. Raises ClickException with the problem's detail."""
        response = self._client.post(path, json=body)
        check(response)
        return response.json()


def url_option(command: Any) -> Any:
    """`--url`, or SAYSO_URL."""
    default = os.environ.get("SAYSO_URL", DEFAULT_URL)
    return click.option("--url", default=default, show_default=True, help="Where the twin runs.")(
        command
    )
