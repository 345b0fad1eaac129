"""Lets an answer out sentence by sentence, each with its citations before it."""

from collections.abc import Callable, Sequence

from server.agent.meter import Meter
from server.agent.state import Evidence
from server.domain.events import Event, Text
from server.domain.knowledge import Passage
from server.grounding.citations import citation, cited, without_marks
from server.grounding.sentences import Sentences


class Speaker:
    """Hears what a model writes and emits what the visitor may see.

    `said` is everything shown so far. A mark that names no passage is taken out and noted as a flag.
    """

    def __init__(
        self, emit: Callable[[Event], None], evidence: Sequence[Evidence], meter: Meter
    ) -> None:
        self._emit = emit
        self._evidence = evidence
        self._meter = meter
        self._sentences = Sentences()
        self._cited: set[int] = set()
        self.said = ""

    def hear(self, piece: str) -> None:
        """Takes the next piece; shows the sentences it completes."""
        # Half a surrogate pair is no text, and could be neither stored nor sent.
        piece = piece.encode("utf-8", "replace").decode()
        for sentence in self._sentences.feed(piece):
            if sentence:
                self._say(sentence)

    def finish(self) -> None:
        """Shows what is left when the model has ended."""
        rest = self._sentences.rest()
        if rest.strip():
            self._say(rest)

    def _say(self, sentence: str) -> None:
        numbers = cited(sentence)
        unknown = [n for n in numbers if not 1 <= n <= len(self._evidence)]
        if unknown:
            self._meter.flags.append("verify:unknown_citation")
            sentence = without_marks(sentence, unknown)
        for n in numbers:
            if n not in unknown and n not in self._cited:
                self._cited.add(n)
                self._emit(citation(n, as_passage(self._evidence[n - 1])))
        self._meter.first_text()
        self._emit(Text(text=sentence))
        self.said += sentence
        self._meter.speaking = self.said


def as_passage(evidence: Evidence) -> Passage:
    """The passage a piece of evidence was made from."""
    return Passage(
        id=evidence["id"],
        title=evidence["title"],
        source=evidence["source"],
        text=evidence["text"],
        language=evidence["language"],
        url=evidence["url"],
    )
