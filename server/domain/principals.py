"""Who is asking, and what they may do."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Principal:
    """A visitor (anonymous, holds a visitor token), a user (JWT) or an owner (bearer token).

    `id` is the visitor's random id, the JWT's subject, or the owner token's name.
    """

    kind: Literal["visitor", "user", "owner"]
    id: str

    @property
    def key(self) -> str:
        """The form kept in a thread's row: `kind:id`."""
        return f"{self.kind}:{self.id}"

    @classmethod
    def from_key(cls, key: str) -> "Principal":
        """The principal a thread's row names. Raises ValueError for a key that `key` never gives."""
        match key.split(":", 1):
            case ["visitor" | "user" | "owner" as kind, name]:
                return cls(kind, name)
        raise ValueError(f"not a principal's key: {key!r}")


def may_write(principal: Principal, thread_principal: str) -> bool:
    """Only whoever opened a thread may speak in it, cancel, withdraw or forget it."""
    return principal.kind != "owner" and principal.key == thread_principal


def may_read(principal: Principal, thread_principal: str) -> bool:
    """The owner may read every thread; anyone else only their own."""
    return principal.kind == "owner" or principal.key == thread_principal
