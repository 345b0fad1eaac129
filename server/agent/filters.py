"""What stands between a model's words and the visitor: the gate, the gate as a counter only, or nothing."""

from collections.abc import Sequence
from typing import Literal, Protocol, assert_never

from server.grounding.evidence import Evidence
from server.grounding.gate import Gate, Released, Withheld
from server.grounding.near import Similar
from server.grounding.sentences import Sentences

Verify = Literal["gate", "flag", "off"]
"""`gate`: a sentence of fact without support is not shown. `flag`: it is shown, and the run gets a flag. `off`: nobody looks."""


class Filter(Protocol):
    """Takes an answer in pieces, gives what may be shown, whole sentences in order."""

    def feed(self, piece: str) -> list[Released]:
        """What this piece lets through."""

    def finish(self) -> list[Released]:
        """What is left when nothing more will come."""

    @property
    def unsupported(self) -> Sequence[Withheld]:
        """The sentences without support so far."""


class Unchecked:
    """Lets everything through, sentence by sentence."""

    unsupported: Sequence[Withheld] = ()

    def __init__(self) -> None:
        self._sentences = Sentences()

    def feed(self, piece: str) -> list[Released]:
        """The sentences this piece completes."""
        return [Released(sentence, ()) for sentence in self._sentences.feed(piece) if sentence]

    def finish(self) -> list[Released]:
        """The unfinished one."""
        rest = self._sentences.rest()
        return [Released(rest, ())] if rest.strip() else []


class Gated:
    """Keeps back what has no support."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate

    def feed(self, piece: str) -> list[Released]:
        """See `Gate.feed`."""
        return self._gate.feed(piece)

    def finish(self) -> list[Released]:
        """See `Gate.finish`."""
        return self._gate.finish()

    @property
    def unsupported(self) -> Sequence[Withheld]:
        """What was kept back."""
        return self._gate.withheld


class Flagged(Gated):
    """Lets everything through, and notes what the gate would have kept back."""

    def __init__(self, gate: Gate) -> None:
        super().__init__(gate)
        self._all = Unchecked()

    def feed(self, piece: str) -> list[Released]:
        """The sentences this piece completes."""
        super().feed(piece)
        return self._all.feed(piece)

    def finish(self) -> list[Released]:
        """The unfinished one."""
        super().finish()
        return self._all.finish()


def filter_for(verify: Verify, grounds: Evidence, similar: Similar | None) -> Filter:
    """The filter of one model answer."""
    match verify:
        case "gate":
            return Gated(Gate(grounds, similar=similar))
        case "flag":
            return Flagged(Gate(grounds, similar=similar))
        case "off":
            return Unchecked()
        case _:
            assert_never(verify)
