"""A link that lets whoever holds it decide one question: what it says, signed.

The token is `<what it says>.<MAC>`, both in URL-safe base64. What it says is the question's id, the digest of the
arguments that were shown, until when it may be used and through which channel it went out. It can be told from a forged
one without looking anything up.
"""

import base64
import binascii
import hashlib
import hmac
import json
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from server.domain.approvals import Approval

PATH = "/decide/"
LONGEST = timedelta(days=30)
"""How long a link to a question that does not expire may be used."""
_PURPOSE = b"sayso decision link"


@dataclass(frozen=True, slots=True)
class DecisionLink:
    """Good for one question with exactly these arguments, until `expires_at`."""

    interrupt_id: str
    digest: str
    channel: str
    expires_at: datetime


def link_to(asked: Approval, channel: str) -> DecisionLink:
    """The link to a question. It expires with the question."""
    expires_at = asked.expires_at or asked.created_at + LONGEST
    return DecisionLink(asked.interrupt_id, asked.digest, channel, expires_at)


def as_token(link: DecisionLink, secret_key: str) -> str:
    """The link's token. Whole seconds: it ends with the second its question ends in."""
    until = int(link.expires_at.timestamp())
    says = json.dumps([link.interrupt_id, link.digest, link.channel, until], separators=(",", ":"))
    return f"{_encoded(says.encode())}.{_encoded(_mac(says.encode(), secret_key))}"


def read_token(token: str, secret_key: str) -> DecisionLink | None:
    """What a token of ours says; None for any other. Whether it is still in time is not looked at."""
    try:
        says, mac = (_decoded(part) for part in token.encode("ascii").split(b"."))
    except (ValueError, binascii.Error):
        return None
    if not hmac.compare_digest(mac, _mac(says, secret_key)):
        return None
    interrupt_id, digest, channel, until = json.loads(says)
    return DecisionLink(interrupt_id, digest, channel, datetime.fromtimestamp(until, UTC))


def _mac(says: bytes, secret_key: str) -> bytes:
    # A key of its own: what signs visitors' tokens signs no link, and the other way round.
    key = hmac.digest(secret_key.encode(), _PURPOSE, hashlib.sha256)
    return hmac.digest(key, says, hashlib.sha256)


def _encoded(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _decoded(part: bytes) -> bytes:
    raw = base64.b64decode(part + b"=" * (-len(part) % 4), altchars=b"-_", validate=True)
    if _encoded(raw).encode() != part:
        raise ValueError("not the one way to write these bytes")
    return raw
