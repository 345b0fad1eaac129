"""What an owner did not choose is made once and kept beside the data: the admin token and the secret key."""

import os
import secrets
from contextlib import suppress
from pathlib import Path

from pydantic import SecretStr

from server.settings import Settings

ADMIN_TOKEN = "admin-token"  # noqa: S105  the name of a file
SECRET_KEY = "secret-key"  # noqa: S105  the name of a file


def with_kept_secrets(settings: Settings) -> Settings:
    """The settings, with an admin token and a secret key from files in `state_dir` (0600) where none are set."""
    found: dict[str, SecretStr] = {}
    if not settings.owner_tokens():
        found["admin_token"] = SecretStr(_kept(settings.state_dir / ADMIN_TOKEN))
    if settings.secret_key is None:
        found["secret_key"] = SecretStr(_kept(settings.state_dir / SECRET_KEY))
    return settings.model_copy(update=found)


def _kept(path: Path) -> str:
    """The file's text; a new secret is put there first if there is none. Two starts at once agree on one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    try:
        file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(file, "w") as out:
            out.write(secrets.token_urlsafe(32) + "\n")
        # Fails if it is there, and never shows a half-written file.
        with suppress(FileExistsError):
            os.link(draft, path)
    finally:
        draft.unlink(missing_ok=True)
    return path.read_text().strip()
