"""The signed webhook: signed as the scheme publishes it, taken by a 2xx only, and never sent on to somewhere else."""

import base64
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime

import httpx
import pytest

from server.adapters.notifications.webhook import Webhook, signature, webhook_key
from server.domain.errors import NotDelivered
from server.domain.notices import Letter
from tests.fakes.hook import SECRET, Hook

LETTER = Letter(
    id="approval_a1",
    kind="approval.opened",
    tool="issue_refund",
    thread_id="t",
    interrupt_id="a1",
    effect_id=None,
    since=datetime(2026, 12, 1, 9, 30, tzinfo=UTC),
    expires_at=datetime(2026, 12, 8, 9, 30, tzinfo=UTC),
    inbox_url="https://twin.example/inbox#/queue/a1",
    decide_url="https://twin.example/decide/x.y",
)


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient() as client:
        yield client


def webhook(client: httpx.AsyncClient, hook: Hook) -> Webhook:
    return Webhook(client, hook.url, webhook_key(SECRET), now=lambda: 1_796_117_400.9)


def test_the_signature_is_that_of_the_published_example() -> None:
    """Secret, id, time, body and signature from the reference libraries of Standard Webhooks."""
    made = signature(
        webhook_key("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "1614265330",
        b'{"test": 2432232314}',
    )
    assert made == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_a_secret_is_base64_of_24_to_64_bytes_with_its_prefix_or_without() -> None:
    for size in (24, 64):
        text = base64.b64encode(bytes(size)).decode()
        assert webhook_key(text) == webhook_key(f"whsec_{text}") == bytes(size)
    short, long = (base64.b64encode(bytes(size)).decode() for size in (23, 65))
    for wrong in ("", "whsec_", "not base64!", short, long):
        with pytest.raises(ValueError):
            webhook_key(wrong)


async def test_a_letter_is_posted_signed_with_id_and_time(client: httpx.AsyncClient) -> None:
    with Hook() as hook:
        await webhook(client, hook).send(LETTER)
    [call] = hook.calls
    assert call.signed
    assert (call.id, call.timestamp) == ("approval_a1", 1_796_117_400)
    assert call.headers["content-type"] == "application/json"
    assert call.body == {
        "type": "approval.opened",
        "timestamp": "2026-12-01T09:30:00.000Z",
        "data": {
            "tool": "issue_refund",
            "thread_id": "t",
            "interrupt_id": "a1",
            "expires_at": "2026-12-08T09:30:00.000Z",
            "inbox_url": "https://twin.example/inbox#/queue/a1",
            "decide_url": "https://twin.example/decide/x.y",
        },
    }


async def test_what_does_not_apply_is_left_out(client: httpx.AsyncClient) -> None:
    doubt = replace(
        LETTER, kind="effect.in_doubt", effect_id="e1", expires_at=None, decide_url=None
    )
    with Hook() as hook:
        await webhook(client, hook).send(doubt)
    data = hook.calls[0].body["data"]
    assert set(data) == {"tool", "thread_id", "interrupt_id", "effect_id", "inbox_url"}


@pytest.mark.parametrize("status", [400, 403, 404, 429, 500, 503])
async def test_any_other_status_is_not_taken(client: httpx.AsyncClient, status: int) -> None:
    with Hook(status) as hook, pytest.raises(NotDelivered, match=f"status {status}") as refused:
        await webhook(client, hook).send(LETTER)
    assert refused.value.facts["final"] is False


async def test_410_says_that_there_is_no_use_in_trying_again(client: httpx.AsyncClient) -> None:
    with Hook(410) as hook, pytest.raises(NotDelivered) as refused:
        await webhook(client, hook).send(LETTER)
    assert refused.value.facts["final"] is True


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_redirect_is_not_followed(status: int) -> None:
    """Also by a client that follows them for others."""
    with Hook() as elsewhere, Hook(status, location=elsewhere.url) as hook:
        async with httpx.AsyncClient(follow_redirects=True) as follows:
            with pytest.raises(NotDelivered, match=f"status {status}"):
                await webhook(follows, hook).send(LETTER)
    assert (len(hook.calls), elsewhere.calls) == (1, [])


async def test_where_nobody_listens_it_is_not_taken_and_the_url_is_not_told(
    client: httpx.AsyncClient,
) -> None:
    with Hook() as gone:
        pass
    with pytest.raises(NotDelivered) as refused:
        await webhook(client, gone).send(LETTER)
    assert refused.value.facts == {"why": "ConnectError", "final": False}
    assert refused.value.__cause__ is None
    assert "127.0.0.1" not in str(refused.value)
