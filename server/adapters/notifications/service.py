"""Any of the services apprise knows, by a URL of its own: mail, Telegram, Slack, ntfy, Matrix and some 130 more."""

import hashlib
import hmac
import importlib
import importlib.util
from collections.abc import Callable
from datetime import tzinfo
from typing import Protocol

import anyio
import anyio.to_thread

from server.adapters.notifications.words import body, title
from server.domain.errors import ConfigurationError, NotDelivered
from server.domain.notices import Letter
from server.ports import SEND_WITHIN_S

NOT_INSTALLED = (
    "NOTIFY_URLS needs the extra `notify`, which is not installed: pip install 'sayso[notify]'; "
    "or leave NOTIFY_URLS empty"
)


class Apprise(Protocol):
    """What is used of an `apprise.Apprise`."""

    def add(self, servers: str) -> bool:
        """False: no such service, or a URL it can't use."""

    def notify(self, body: str, title: str = "", *, body_format: str | None = None) -> object:
        """True in a condition when every service took it: a bool or None, since apprise 2.3 an object of its own."""


def find_apprise() -> Callable[[], Apprise] | None:
    """Makes a new one each time; None when the extra is not installed."""
    if importlib.util.find_spec("apprise") is None:
        return None
    make: Callable[[], Apprise] = importlib.import_module("apprise").Apprise
    return make


class Service:
    """One of NOTIFY_URLS."""

    def __init__(
        self,
        apprise: Apprise,
        name: str,
        *,
        owner: str,
        language: str,
        zone: tzinfo,
    ) -> None:
        self.name = name
        self._apprise = apprise
        self._owner = owner
        self._language = language
        self._zone = zone

    async def send(self, letter: Letter) -> None:
        head = title(letter, self._language)
        text = body(letter, self._language, owner=self._owner, zone=self._zone)

        def notify() -> object:
            return self._apprise.notify(text, head, body_format="text")

        try:
            with anyio.fail_after(SEND_WITHIN_S):
                # A thread can't be stopped: past the time it is left behind, and has time limits of its own.
                taken = await anyio.to_thread.run_sync(notify, abandon_on_cancel=True)
        except TimeoutError:
            raise NotDelivered("no answer in time") from None
        except Exception as error:
            # Its text may hold the URL, and with it a password.
            raise NotDelivered(type(error).__name__) from None
        if not taken:
            raise NotDelivered("the service did not take it")


def open_service(
    make: Callable[[], Apprise] | None,
    url: str,
    place: int,
    *,
    secret_key: str,
    owner: str,
    language: str,
    zone: tzinfo,
) -> Service:
    """The channel of the URL at that place of the list, counted from 1.

    Raises ConfigurationError when apprise is not there or knows no such service. The URL, which may hold a password, is in
    neither.
    """
    if make is None:
        raise ConfigurationError(NOT_INSTALLED)
    apprise = make()
    if not apprise.add(url):
        raise ConfigurationError(f"NOTIFY_URLS: apprise can't use the URL at place {place}")
    return Service(
        apprise, channel_name(url, secret_key), owner=owner, language=language, zone=zone
    )


def channel_name(url: str, secret_key: str) -> str:
    """The service's scheme and a mark of the whole URL that tells nothing of it."""
    mark = hmac.digest(secret_key.encode(), b"sayso channel " + url.encode(), hashlib.sha256)
    return f"{url.partition(':')[0].lower()}-{mark.hex()[:8]}"
