"""RATE_LIMIT, TRUSTED_PROXIES, ALLOWED_ORIGINS and FRAME_ANCESTORS: what they may say."""

from datetime import timedelta
from ipaddress import ip_network
from typing import Any

import pytest

from server.domain.errors import ConfigurationError
from server.ports import Rate
from server.settings import Settings, read_settings


def reading(**values: Any) -> Settings:
    return read_settings(_env_file=None, **values)


@pytest.mark.parametrize(
    ("text", "rate"),
    [
        ("20/10m", Rate(20, timedelta(minutes=10))),
        (" 5 / 1H ", Rate(5, timedelta(hours=1))),
        ("1/s", Rate(1, timedelta(seconds=1))),
        ("100/1d", Rate(100, timedelta(days=1))),
        ("off", None),
    ],
)
def test_a_rate_is_a_number_per_time(text: str, rate: Rate | None) -> None:
    """Or off."""
    assert reading(rate_limit=text).rate_limit == rate


def test_the_defaults_are_those_of_the_contract(monkeypatch: pytest.MonkeyPatch) -> None:
    """20 per 10 minutes; no proxy is trusted, no other site may ask, any may show the widget."""
    for name in ("RATE_LIMIT", "TRUSTED_PROXIES", "ALLOWED_ORIGINS", "FRAME_ANCESTORS"):
        monkeypatch.delenv(name, raising=False)
    made = reading()
    assert made.rate_limit == Rate(20, timedelta(minutes=10))
    assert (made.trusted_proxies, made.allowed_origins, made.frame_ancestors) == ((), (), ("*",))


def test_they_are_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """As text, not as JSON."""
    monkeypatch.setenv("RATE_LIMIT", "3/1m")
    monkeypatch.setenv("TRUSTED_PROXIES", "10.0.0.0/8, 127.0.0.1,fd00::/8")
    monkeypatch.setenv("ALLOWED_ORIGINS", "https://Example.org/,http://localhost:8080")
    monkeypatch.setenv("FRAME_ANCESTORS", "https://*.example.org,self")
    made = reading()
    assert made.rate_limit == Rate(3, timedelta(minutes=1))
    assert made.trusted_proxies == tuple(
        map(ip_network, ("10.0.0.0/8", "127.0.0.1/32", "fd00::/8"))
    )
    assert made.allowed_origins == ("https://example.org", "http://localhost:8080")
    assert made.frame_ancestors == ("https://*.example.org", "'self'")


def test_origins_are_written_as_browsers_send_them() -> None:
    """Lower case, no slash, no port that goes without saying."""
    made = reading(allowed_origins="https://A.example:443,http://b.example:80,https://[::1]:8443,*")
    assert made.allowed_origins == (
        "https://a.example",
        "http://b.example",
        "https://[::1]:8443",
        "*",
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *(("rate_limit", t) for t in ("20", "0/10m", "-1/1m", "20/0m", "20/10", "many", "1/1w")),
        *(("trusted_proxies", t) for t in ("10.0.0.0/99", "proxy.local", "*", "10.0.0.0/8 ::1")),
        *(("allowed_origins", t) for t in ("example.org", "https://a/b", "null", "https://a b")),
        *(("allowed_origins", t) for t in ("https://*.a.org", "ftp://a", "https://a\nX: y")),
        *(("frame_ancestors", t) for t in ("none,*", "https://a; script-src *", "https://a b")),
    ],
)
def test_anything_else_stops_the_start_by_name(name: str, text: str) -> None:
    """With what would have been right."""
    with pytest.raises(ConfigurationError, match=f"{name.upper()}: .*expected .* such as"):
        reading(**{name: text})


def test_nobody_may_show_the_widget_if_the_owner_says_none() -> None:
    """`none` is an empty list of sources."""
    assert reading(frame_ancestors="none").frame_ancestors == ()
