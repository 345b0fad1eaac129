"""A webhook that is signed as Standard Webhooks says: HMAC-SHA256 over id, timestamp and body.

https://www.standardwebhooks.com
"""

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Callable

import httpx

from server.domain.errors import NotDelivered
from server.domain.notices import Letter
from server.domain.times import rfc3339

TIMEOUT = httpx.Timeout(10.0, connect=5.0)
GONE = 410


class Webhook:
    """Posts letters to one URL. Any 2xx means that it was taken; redirects are not followed, answers not read.

    `key` signs; see `webhook_key`. `now` gives seconds since 1970.
    """

    name = "webhook"

    def __init__(
        self,
        client: httpx.AsyncClient,
        url: str,
        key: bytes,
        *,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._client = client
        self._url = url
        self._key = key
        self._now = now

    async def send(self, letter: Letter) -> None:
        body = json.dumps(payload(letter), separators=(",", ":")).encode()
        timestamp = str(int(self._now()))
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "Sayso",
            "webhook-id": letter.id,
            "webhook-timestamp": timestamp,
            "webhook-signature": signature(self._key, letter.id, timestamp, body),
        }
        request = self._client.build_request(
            "POST", self._url, content=body, headers=headers, timeout=TIMEOUT
        )
        try:
            answer = await self._client.send(request, stream=True, follow_redirects=False)
            await answer.aclose()
        except httpx.HTTPError as error:
            raise NotDelivered(type(error).__name__) from None
        if not answer.is_success:
            status = answer.status_code
            raise NotDelivered(f"status {status}", final=status == GONE)


def payload(letter: Letter) -> dict[str, object]:
    """The body: what happened, when, and where to go. Fields that don't apply are left out."""
    found = {
        "tool": letter.tool,
        "thread_id": letter.thread_id,
        "interrupt_id": letter.interrupt_id,
        "effect_id": letter.effect_id,
        "expires_at": rfc3339(letter.expires_at),
        "inbox_url": letter.inbox_url,
        "decide_url": letter.decide_url,
    }
    told = {name: value for name, value in found.items() if value is not None}
    return {"type": letter.kind, "timestamp": rfc3339(letter.since), "data": told}


def signature(key: bytes, webhook_id: str, timestamp: str, body: bytes) -> str:
    """The header `webhook-signature`: version 1 of the scheme."""
    signed = f"{webhook_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()


def webhook_key(secret: str) -> bytes:
    """The bytes of a secret: base64, after `whsec_` if that is there.

    Raises ValueError unless they are 24 to 64, as the scheme has it.
    """
    key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    if not 24 <= len(key) <= 64:
        raise ValueError("a webhook's secret has 24 to 64 bytes")
    return key
