"""Where a request really comes from, as far as the proxies in front can be believed."""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

Network = IPv4Network | IPv6Network
Address = IPv4Address | IPv6Address

MOST_HOPS = 32
"""So many entries of X-Forwarded-For are looked at, from the right."""


class TrustedProxies:
    """Puts the client's address and the scheme it used into the scope, if a proxy of ours says so.

    X-Forwarded-For and X-Forwarded-Proto count only from an address in `networks`. Of the first, the right-most address
    that is not a proxy of ours wins: what stands left of it was written by somebody we don't know. What can't be read
    ends the search. The server underneath must leave these headers alone (uvicorn: `proxy_headers=False`).
    """

    def __init__(self, app: ASGIApp, networks: Sequence[Network]) -> None:
        self._app = app
        self._networks = networks

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        if scope["type"] in ("http", "websocket"):
            peer = parse_address(scope["client"][0]) if scope.get("client") else None
            if peer is not None and self._trusts(peer):
                scope = {**scope, **self._forwarded(peer, Headers(scope=scope))}
        await self._app(scope, receive, send)

    def _trusts(self, address: Address) -> bool:
        return any(address in network for network in self._networks)

    def _forwarded(self, peer: Address, headers: Headers) -> Scope:
        client = peer
        hops = ",".join(headers.getlist("x-forwarded-for")).rsplit(",", MOST_HOPS)[-MOST_HOPS:]
        for hop in reversed(hops):
            address = parse_address(hop)
            if address is None:
                break
            client = address
            if not self._trusts(address):
                break
        changed: Scope = {"client": (str(client), 0)}
        scheme = headers.get("x-forwarded-proto", "").rsplit(",", 1)[-1].strip().lower()
        if scheme in ("http", "https"):
            changed["scheme"] = scheme
        return changed


def parse_address(text: str) -> Address | None:
    """`192.0.2.1`, `192.0.2.1:80`, `2001:db8::1` or `[2001:db8::1]:80`; None for anything else.

    An IPv4 address written as IPv6 is that IPv4 address.
    """
    text = text.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text.partition("%")[0])
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def one_household(host: str | None) -> str:
    """What stands for an address where they are counted: itself, or the /64 that an IPv6 user has all of."""
    address = parse_address(host or "")
    if isinstance(address, IPv6Address):
        return str(ip_network((address, 64), strict=False))
    return str(address or host or "unknown")
