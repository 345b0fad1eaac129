"""How the owner is told: the channels that are set, what links are made of, and a bell for this process's sender."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import anyio

from server.domain.approvals import Approval
from server.domain.decision_links import PATH, as_token, link_to
from server.ports import Channel


@dataclass(slots=True)
class Telling:
    """No channels: nobody is told, and owners look by themselves.

    `secret_key` signs links and is never empty. `public_url` has no slash at its end.
    """

    secret_key: str = field(repr=False)
    public_url: str = ""
    channels: Mapping[str, Channel] = field(default_factory=dict)
    _bells: dict[str, anyio.Event] = field(default_factory=dict)

    @property
    def names(self) -> tuple[str, ...]:
        """The channels' names, as notices are addressed to them."""
        return tuple(self.channels)

    def ring(self) -> None:
        """Something was posted in this process: its senders look at once."""
        for channel in self.channels:
            self._bells.setdefault(channel, anyio.Event()).set()

    async def wait(self, channel: str, seconds: float) -> None:
        """Returns when the bell was rung since the last time, or the time is up."""
        with anyio.move_on_after(seconds):
            await self._bells.setdefault(channel, anyio.Event()).wait()
        self._bells[channel] = anyio.Event()

    def inbox_url(self, place: str) -> str:
        """Where the inbox shows it."""
        return f"{self.public_url}/inbox#/{place}"

    def decide_url(self, asked: Approval, channel: str) -> str:
        """A link to decide the question with, of that channel's own."""
        return self.public_url + PATH + as_token(link_to(asked, channel), self.secret_key)
