"""Users whose tokens are signed with a key from a key set: JWT_JWKS_URL."""

import base64
import hashlib
import hmac
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import jwt
import pytest

from server.adapters.models.scripted import Scripted
from server.domain.errors import ConfigurationError
from server.settings import Settings, read_settings
from tests.fakes.key_server import Key, KeyServer, claims_of
from tests.support.twin import RunningTwin, running_twin

RSA, ELLIPTIC, UNKNOWN = Key("first"), Key("second", "ES256"), Key("third")


@pytest.fixture
def keys() -> Iterator[KeyServer]:
    """Serves an RSA and an elliptic key."""
    with KeyServer(RSA, ELLIPTIC) as server:
        yield server


@pytest.fixture
def twin(memory_settings: Settings, keys: KeyServer) -> Iterator[RunningTwin]:
    """A twin that takes what these keys signed."""
    settings = memory_settings.model_copy(update={"jwt_jwks_url": keys.url})
    with running_twin(settings, Scripted(then="Hello.")) as running:
        yield running


def threads(twin: RunningTwin, token: str | bytes) -> Any:
    """The response to whoever holds the token, asking for their threads."""
    twin.client.cookies.clear()
    text = token.decode() if isinstance(token, bytes) else token
    return twin.client.get("/v1/threads", headers={"Authorization": f"Bearer {text}"})


@pytest.mark.parametrize("key", [RSA, ELLIPTIC], ids=["RS256", "ES256"])
def test_a_token_signed_with_a_key_of_the_set_is_a_users(twin: RunningTwin, key: Key) -> None:
    """And what they open is theirs."""
    headers = {"Authorization": f"Bearer {key.token('eve')}"}
    body = {"message": "Hello?", "thread_id": "eves"}

    assert twin.client.post("/api/chat", json=body, headers=headers).status_code == 200

    thread = twin.call(twin.services.store.threads.get, "eves")
    assert thread.principal == "user:eve"
    assert threads(twin, key.token("mallory")).json()["data"] == {"threads": []}


def test_the_set_is_fetched_once_for_many_tokens(twin: RunningTwin, keys: KeyServer) -> None:
    """It is kept for minutes, so that the key server is not asked for each request."""
    answers = [threads(twin, key.token(name)) for key in (RSA, ELLIPTIC) for name in "abcde"]

    assert {answer.status_code for answer in answers} == {200}
    assert keys.asked == 1


def forged(algorithm: str, key: bytes, kid: str = "first") -> str:
    """A token as an attacker writes one, whatever a library would refuse to sign."""

    def part(value: bytes) -> str:
        return base64.urlsafe_b64encode(value).rstrip(b"=").decode()

    header = part(json.dumps({"alg": algorithm, "typ": "JWT", "kid": kid}).encode())
    claims = part(json.dumps({"sub": "eve", "exp": 4_000_000_000}).encode())
    signed = f"{header}.{claims}"
    signature = b"" if not key else hmac.new(key, signed.encode(), hashlib.sha256).digest()
    return f"{signed}.{part(signature)}"


FORGERIES: dict[str, str] = {
    "alg none": forged("none", b""),
    "HS256 with the public key": forged("HS256", RSA.public_pem()),
    "RS256 that is an HMAC": forged("RS256", RSA.public_pem()),
    "the other key's name": RSA.token(kid="second"),
    "a key of nobody's, under a known name": UNKNOWN.token(kid="first"),
    "no kid": jwt.encode(claims_of("eve"), "a secret, long enough for the hash", "HS256"),
    "expired": RSA.token(exp=datetime.now(UTC) - timedelta(minutes=1)),
    "not yet valid": RSA.token(nbf=datetime.now(UTC) + timedelta(days=1)),
    "without exp": RSA.token(exp=None),
    "without a subject": RSA.token(sub=None),
    "garbage": "garbage",
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_token_that_no_key_signed_is_nobodys(twin: RunningTwin, name: str) -> None:
    """401 with `WWW-Authenticate`, whatever algorithm it names; only a real one is told that it has expired."""
    answer = threads(twin, FORGERIES[name])

    assert answer.status_code == 401
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    code = "EXPIRED_TOKEN" if name == "expired" else "INVALID_TOKEN"
    assert answer.json()["error"]["code"] == code


def test_a_key_nobody_knows_is_not_looked_for_again_and_again(
    twin: RunningTwin, keys: KeyServer
) -> None:
    """401; inventing names of keys does not make the twin ask each time."""
    assert threads(twin, RSA.token()).status_code == 200

    answers = [threads(twin, UNKNOWN.token(kid=f"invented-{n}")) for n in range(20)]

    assert {answer.status_code for answer in answers} == {401}
    assert keys.asked <= 2


def test_what_names_no_key_of_a_set_asks_nobody(twin: RunningTwin, keys: KeyServer) -> None:
    """A wrong algorithm or no name of a key is refused here."""
    for name in ("alg none", "HS256 with the public key", "no kid", "garbage"):
        assert threads(twin, FORGERIES[name]).status_code == 401

    assert keys.asked == 0


def test_a_rotated_key_counts_once_the_set_is_fetched_again(
    memory_settings: Settings, keys: KeyServer
) -> None:
    """The new key is found, and what the old one signed is not taken any more."""
    settings = memory_settings.model_copy(update={"jwt_jwks_url": keys.url})
    keys.keys = [UNKNOWN]

    with running_twin(settings, Scripted()) as twin:
        assert threads(twin, UNKNOWN.token()).status_code == 200
        assert threads(twin, RSA.token()).status_code == 401


def test_known_keys_outlast_the_key_server(twin: RunningTwin, keys: KeyServer) -> None:
    """While it is away, users whose key is known go on; they are not signed out."""
    assert threads(twin, RSA.token()).status_code == 200
    keys.stop()

    assert threads(twin, RSA.token("ulla")).status_code == 200
    assert threads(twin, ELLIPTIC.token()).status_code == 200
    assert threads(twin, FORGERIES["HS256 with the public key"]).status_code == 401


@pytest.mark.parametrize("said", [None, b"<html>", b"[]", b'{"keys": []}', b"{}"])
def test_without_keys_nobody_can_tell(
    twin: RunningTwin, keys: KeyServer, said: bytes | None
) -> None:
    """Away, or no key set: 503 with `Retry-After`, because the token may well be good; visitors chat on."""
    if said is None:
        keys.stop()
    keys.body = said

    answer = threads(twin, RSA.token())

    assert answer.status_code == 503, answer.text
    assert answer.headers["Retry-After"]
    assert answer.json()["error"]["code"] == "UNAVAILABLE"
    visitor = twin.visitor()
    visitor.say("Hello?")
    assert visitor.get().status_code == 200


def test_a_secret_and_a_key_set_contradict_each_other() -> None:
    """Only one of them would count, so neither start is guessed at."""
    with pytest.raises(ConfigurationError, match="JWT_SECRET or JWT_JWKS_URL"):
        read_settings(
            _env_file=None, jwt_secret="a secret, long enough", jwt_jwks_url="https://k.example"
        )
