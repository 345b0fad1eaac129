"""A channel that keeps what it is given, for tests of your own twin: nothing leaves the process."""

from server.domain.errors import NotDelivered
from server.domain.notices import Letter


class Recorded:
    """`letters` is what was taken, in order. `refusals` are raised first, one a try."""

    def __init__(self, *refusals: NotDelivered, name: str = "recorded") -> None:
        self.name = name
        self.letters: list[Letter] = []
        self._refusals = list(refusals)

    async def send(self, letter: Letter) -> None:
        if self._refusals:
            raise self._refusals.pop(0)
        self.letters.append(letter)
