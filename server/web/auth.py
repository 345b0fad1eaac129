"""From a token to a principal."""

import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import anyio.to_thread
import jwt

from server.domain.errors import AdminDisabled, Unauthenticated, Unavailable
from server.domain.principals import Principal

VISITOR_AUDIENCE = "sayso:visitor"
COOKIE = "sayso_visitor"
LEEWAY_S = 5
LONGEST_SUBJECT = 200
ASYMMETRIC = ["RS256", "ES256", "EdDSA"]
"""What a key set may sign with. No shared secrets: a public key must never serve as one."""
KEYS_AWAY = (
    "The keys that users' tokens are signed with can't be fetched at the moment. Please try again."
)


@dataclass(frozen=True, slots=True)
class UserTokens:
    """How JWTs of users are checked: with a shared secret (HS256) or the keys at a JWKS URL."""

    secret: str | None = None
    jwks: jwt.PyJWKClient | None = None
    audience: str | None = None
    issuer: str | None = None


@dataclass(frozen=True, slots=True)
class Authenticator:
    """Knows every kind of token. `owners` maps names to tokens; empty: the owner's routes are off."""

    secret_key: str
    owners: Mapping[str, str]
    users: UserTokens = UserTokens()

    def mint_visitor(self, now: datetime) -> tuple[Principal, str]:
        """A new visitor and their token: signed, long-lived, and good for nothing but their own threads."""
        visitor = Principal("visitor", secrets.token_urlsafe(16))
        claims = {"sub": visitor.id, "aud": VISITOR_AUDIENCE, "iat": int(now.timestamp())}
        return visitor, jwt.encode(claims, self.secret_key, algorithm="HS256")

    def owner(self, token: str | None) -> Principal:
        """The owner with that token. Raises AdminDisabled when none is configured, Unauthenticated for any other."""
        if not self.owners:
            raise AdminDisabled
        given = (token or "").encode("utf-8", "surrogatepass")
        # Every token is compared, each in constant time, so that time tells nothing.
        matches = [
            name
            for name, known in self.owners.items()
            if hmac.compare_digest(given, known.encode())
        ]
        if not matches:
            raise Unauthenticated
        return Principal("owner", matches[0])

    async def anyone(self, token: str) -> Principal:
        """Whoever holds this token: an owner, a visitor or a user. Raises Unauthenticated."""
        if self.owners:
            try:
                return self.owner(token)
            except Unauthenticated:
                pass
        if visitor := self._visitor(token):
            return visitor
        return await self._user(token)

    def _visitor(self, token: str) -> Principal | None:
        try:
            claims = jwt.decode(
                token,
                self.secret_key,
                algorithms=["HS256"],
                audience=VISITOR_AUDIENCE,
                # A replica whose clock is behind must not turn away what another one has just minted.
                options={"require": ["sub"], "verify_iat": False},
                leeway=LEEWAY_S,
            )
        except jwt.InvalidTokenError:
            return None
        return Principal("visitor", claims["sub"])

    async def _user(self, token: str) -> Principal:
        users = self.users
        try:
            if users.secret is not None:
                claims = self._decode(token, users.secret, ["HS256"])
            elif users.jwks is not None:
                claims = self._decode(token, await _signing_key(users.jwks, token), ASYMMETRIC)
            else:
                raise Unauthenticated
        except jwt.ExpiredSignatureError:
            raise Unauthenticated("The token has expired.", expired=True) from None
        except jwt.PyJWTError:
            raise Unauthenticated from None
        subject = claims.get("sub") or claims.get("user_id")
        if not isinstance(subject, str) or not 0 < len(subject) <= LONGEST_SUBJECT:
            raise Unauthenticated(
                f"'sub' or 'user_id' must name the user, in at most {LONGEST_SUBJECT} characters."
            )
        return Principal("user", subject)

    def _decode(self, token: str, key: Any, algorithms: list[str]) -> dict[str, Any]:
        claims: dict[str, Any] = jwt.decode(
            token,
            key,
            algorithms=algorithms,
            audience=self.users.audience,
            issuer=self.users.issuer,
            leeway=LEEWAY_S,
            options={"require": ["exp"], "verify_aud": self.users.audience is not None},
        )
        return claims


async def _signing_key(jwks: jwt.PyJWKClient, token: str) -> jwt.PyJWK:
    """The key a token names. Raises PyJWTError for a token that can't be one of ours, Unavailable when nobody can tell.

    Keys are kept for minutes; a token that names a new one has the set fetched again, now and then at most.
    """
    header = jwt.get_unverified_header(token)
    if header.get("alg") not in ASYMMETRIC or not isinstance(header.get("kid"), str):
        # Not worth asking anybody about.
        raise jwt.InvalidTokenError
    try:
        # Kept from the last time; if not, whatever goes wrong here is no fault of the token's.
        await anyio.to_thread.run_sync(jwks.get_signing_keys)
    except (jwt.PyJWTError, OSError, ValueError):
        raise Unavailable(KEYS_AWAY) from None
    try:
        return await anyio.to_thread.run_sync(jwks.get_signing_key, header["kid"])
    except (jwt.PyJWKClientConnectionError, OSError, ValueError):
        raise Unavailable(KEYS_AWAY) from None
