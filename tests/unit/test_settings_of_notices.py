"""WEBHOOK_URL, WEBHOOK_SECRET, NOTIFY_URLS and PUBLIC_URL: what they may say, and what they need."""

from typing import Any

import pytest

from server.domain.errors import ConfigurationError
from server.settings import Settings, read_settings
from tests.fakes.hook import SECRET

HOOK = {"webhook_url": "https://hooks.example/s3cret", "webhook_secret": SECRET}
AT = {"public_url": "https://twin.example"}


def reading(**values: Any) -> Settings:
    return read_settings(_env_file=None, **values)


def test_a_webhook_has_a_url_a_secret_and_a_twin_the_world_can_find() -> None:
    made = reading(**HOOK, **AT)
    assert made.webhook_url is not None
    assert made.webhook_url.get_secret_value() == "https://hooks.example/s3cret"
    assert "s3cret" not in repr(made)
    assert SECRET not in repr(made)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"webhook_url": HOOK["webhook_url"], **AT}, "WEBHOOK_URL and WEBHOOK_SECRET need each"),
        ({"webhook_secret": SECRET, **AT}, "WEBHOOK_URL and WEBHOOK_SECRET need each"),
        (HOOK, "need PUBLIC_URL"),
        ({"notify_urls": "ntfy://topic"}, "need PUBLIC_URL"),
        ({**HOOK, **AT, "webhook_url": "hooks.example/s3cret"}, "WEBHOOK_URL: expected a URL"),
        ({**HOOK, **AT, "webhook_url": "file:///s3cret"}, "WEBHOOK_URL: expected a URL"),
        ({**HOOK, **AT, "webhook_url": "https:///s3cret"}, "WEBHOOK_URL: expected a URL"),
        ({**HOOK, **AT, "webhook_url": "https://a/ s3cret"}, "WEBHOOK_URL: expected a URL"),
        ({**HOOK, **AT, "webhook_secret": "whsec_s3cret"}, "WEBHOOK_SECRET: expected whsec_"),
        ({**HOOK, **AT, "webhook_secret": "c2hvcnQ="}, "WEBHOOK_SECRET: expected whsec_"),
        ({"public_url": "twin.example"}, "PUBLIC_URL: .*expected a URL"),
        ({"public_url": "https://twin.example/?a=b"}, "PUBLIC_URL: .*expected a URL"),
        ({"notify_urls": "s3cret", **AT}, "NOTIFY_URLS: .*expected URLs"),
        ({"notify_urls": "ntfy://, s3cret", **AT}, "NOTIFY_URLS: .*expected URLs"),
    ],
)
def test_what_contradicts_itself_stops_the_start_and_is_not_repeated(
    values: dict[str, Any], said: str
) -> None:
    with pytest.raises(ConfigurationError, match=said) as refused:
        reading(**values)
    assert "s3cret" not in str(refused.value)


def test_the_public_url_has_no_slash_at_its_end_and_may_have_a_path() -> None:
    assert reading(public_url="https://example.org/twin/").public_url == "https://example.org/twin"


def test_several_services_are_told_apart_and_commas_inside_of_one_stay(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = "tgram://token/1,mailto://u:p@example.org?to=a@b.org,c@d.org  ntfy://topic"
    monkeypatch.setenv("NOTIFY_URLS", text)
    found = [url.get_secret_value() for url in reading(**AT).notify_urls]
    assert found == [
        "tgram://token/1",
        "mailto://u:p@example.org?to=a@b.org,c@d.org",
        "ntfy://topic",
    ]
