"""Where a request comes from: what proxies of ours say counts, what anybody else says does not."""

from ipaddress import ip_network
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.web.proxies import TrustedProxies, one_household, parse_address

OURS = [ip_network("10.0.0.0/8"), ip_network("fd00::/8"), ip_network("127.0.0.1")]


async def seen(peer: Any, *headers: tuple[str, str], networks: Any = OURS) -> tuple[Any, str]:
    """The client's address and the scheme an application underneath is told."""
    scopes: list[Any] = []

    async def app(scope: Any, _receive: Any, _send: Any) -> None:
        scopes.append(scope)

    given_ = {
        "type": "http",
        "scheme": "http",
        "client": peer and (peer, 4711),
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in headers],
    }
    await TrustedProxies(app, networks)(given_, None, None)  # type: ignore[arg-type]
    [scope] = scopes
    return scope["client"] and scope["client"][0], scope["scheme"]


def forwarded(value: str) -> tuple[str, str]:
    return ("x-forwarded-for", value)


@pytest.mark.parametrize(
    ("peer", "value", "client"),
    [
        ("10.0.0.1", "198.51.100.7", "198.51.100.7"),
        ("10.0.0.1", "1.1.1.1, 198.51.100.7", "198.51.100.7"),
        ("10.0.0.1", "1.1.1.1, 198.51.100.7, 10.9.9.9, 127.0.0.1", "198.51.100.7"),
        ("10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"),
        ("10.0.0.1", "198.51.100.7:8080", "198.51.100.7"),
        ("10.0.0.1", "[2001:db8::1]:443", "2001:db8::1"),
        ("10.0.0.1", "2001:db8::1", "2001:db8::1"),
        ("10.0.0.1", "::ffff:198.51.100.7", "198.51.100.7"),
        ("::ffff:10.0.0.1", "198.51.100.7", "198.51.100.7"),
        ("fd00::1", "198.51.100.7", "198.51.100.7"),
        ("198.51.100.7", "1.1.1.1", "198.51.100.7"),
        ("testclient", "1.1.1.1", "testclient"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("10.0.0.1", "unknown", "10.0.0.1"),
        ("10.0.0.1", "1.1.1.1, unknown", "10.0.0.1"),
        ("10.0.0.1", "1.1.1.1, unknown, 10.0.0.2", "10.0.0.2"),
        ("10.0.0.1", "<script>, 1.1.1.1 2.2.2.2", "10.0.0.1"),
        ("10.0.0.1", "999.1.1.1", "10.0.0.1"),
        ("10.0.0.1", "é\x80", "10.0.0.1"),
        ("10.0.0.1", "8.8.8.8," + "10.0.0.2," * 500 + "10.0.0.3", "10.0.0.2"),
    ],
)
async def test_the_right_most_address_that_is_not_ours_wins(
    peer: str, value: str, client: str
) -> None:
    """And only if the peer is ours; whatever can't be read ends the search."""
    assert (await seen(peer, forwarded(value)))[0] == client


async def test_several_headers_are_one_list() -> None:
    """In the order they came."""
    headers = [forwarded("1.1.1.1"), forwarded("198.51.100.7, 10.0.0.2")]
    assert (await seen("10.0.0.1", *headers))[0] == "198.51.100.7"


async def test_without_trusted_proxies_nothing_is_believed() -> None:
    """The default."""
    headers = [forwarded("1.1.1.1"), ("x-forwarded-proto", "https")]
    assert await seen("127.0.0.1", *headers, networks=()) == ("127.0.0.1", "http")
    assert await seen(None, *headers) == (None, "http")


@pytest.mark.parametrize(
    ("peer", "value", "scheme"),
    [
        ("10.0.0.1", "https", "https"),
        ("10.0.0.1", "HTTPS ", "https"),
        ("10.0.0.1", "http, https", "https"),
        ("10.0.0.1", "https, http", "http"),
        ("10.0.0.1", "javascript", "http"),
        ("10.0.0.1", "", "http"),
        ("198.51.100.7", "https", "http"),
    ],
)
async def test_the_scheme_is_what_the_proxy_next_to_us_says(
    peer: str, value: str, scheme: str
) -> None:
    """Of a list, the last: the others were there when it came."""
    assert (await seen(peer, ("x-forwarded-proto", value)))[1] == scheme


@given(st.text(st.characters(max_codepoint=255)))
def test_no_text_breaks_the_reading_of_an_address(text: str) -> None:
    """It is an address, or none."""
    parse_address(text)
    one_household(text)


def test_an_ipv6_user_counts_as_one_whatever_the_last_64_bits() -> None:
    """An IPv4 user by address; and whoever has no address counts together with all others that have none."""
    same = {one_household(f"2001:db8:1:2:{rest}") for rest in ("1::1", "ffff:1:1:1", "0:0:0:1")}
    assert same == {"2001:db8:1:2::/64"}
    assert one_household("2001:db8:1:3::1") not in same
    assert one_household("198.51.100.7") == "198.51.100.7"
    assert one_household("::ffff:198.51.100.7") == "198.51.100.7"
    assert one_household(None) == "unknown"
