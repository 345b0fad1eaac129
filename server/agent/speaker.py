"""Lets an answer out sentence by sentence, each with its citations before it."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial

import anyio.from_thread
import anyio.to_thread

from server.agent.filters import Filter, Unchecked, Verify, filter_for
from server.agent.meter import Meter
from server.agent.state import Evidence
from server.domain.events import Event, Text
from server.domain.knowledge import Passage
from server.grounding.citations import citation, cited, with_mark, with_proof, without_marks
from server.grounding.evidence import Evidence as Grounds
from server.grounding.gate import QUOTE, Released, Withheld
from server.grounding.judge import judge
from server.grounding.near import Similar
from server.grounding.repeats import Repeats
from server.ports import Similarity

UNANSWERED = "refusal"
"""The kind of a sentence that says that the answer is not known."""
SAYS_NOTHING_OF_IT = frozenset(
    {"refusal", "offer", "filler", "layout", "greeting", "feeling", "advice", "twin", "echo"}
)


class Speaker:
    """Hears what a model writes and emits what the visitor may see.

    `said` is everything shown so far, beginning with `said_before`: an earlier attempt at the same answer, none of whose
    sentences is said twice. A mark that names no passage is taken out and noted as a flag.
    """

    def __init__(
        self,
        emit: Callable[[Event], None],
        evidence: Sequence[Evidence],
        meter: Meter,
        checks: "Checks | None" = None,
        said_before: str = "",
    ) -> None:
        self._emit = emit
        self._evidence = evidence
        self._meter = meter
        self._checks = checks
        self._filter: Filter = checks.filter() if checks else Unchecked()
        self._own = Unchecked()
        self._repeats = Repeats(said_before)
        self._continues = bool(said_before)
        self._cited: set[int] = set(cited(said_before))
        self._proof: tuple[int, ...] = ()
        self._kinds: set[str] = set()
        self.said = said_before

    @property
    def unsupported(self) -> Sequence[Withheld]:
        """The sentences without support, shown or not."""
        return self._filter.unsupported

    @property
    def says_unknown(self) -> bool:
        """Whether all that was said is that the answer is not known."""
        return UNANSWERED in self._kinds and self._kinds <= SAYS_NOTHING_OF_IT

    async def hear(self, piece: str, *, own: bool = False) -> None:
        """Takes the next piece; shows the sentences it completes. See `TextDelta.own`."""
        # Half a surrogate pair is no text, and could be neither stored nor sent.
        piece = piece.encode("utf-8", "replace").decode()
        if own:
            for released in self._own.feed(piece):
                self._show(released.text)
        else:
            for released in await self._asked(partial(self._filter.feed, piece)):
                self._say(released)

    async def finish(self) -> None:
        """Shows what is left when the model has ended."""
        for released in self._own.finish():
            self._show(released.text)
        for released in await self._asked(self._filter.finish):
            self._say(released)

    async def _asked(self, filter_: Callable[[], list[Released]]) -> list[Released]:
        """In a worker thread where the filter may have to ask for similarities: that takes milliseconds, and awaits."""
        if self._checks is not None and self._checks.similarity is not None:
            return await anyio.to_thread.run_sync(filter_)
        return filter_()

    def _say(self, released: Released) -> None:
        self._kinds.add(released.kind)
        text = released.text
        if self._checks is not None and released.kind == "claim":
            text = self._proven(self._checks, released)
        elif released.kind == QUOTE:
            text = with_mark(text, released.passages)
            self._proof = ()
        if not self._repeats.is_new(text):
            return
        self._show(text)

    def _proven(self, checks: "Checks", released: Released) -> str:
        """A sentence that rests on the same passage as the one before it in its paragraph needs no mark of its own."""
        if "\n\n" in released.text.rstrip():
            self._proof = ()
        goes_on = self._proof == released.passages and not cited(released.text)
        self._proof = () if released.text.endswith("\n\n") else released.passages
        return (
            released.text
            if goes_on
            else with_proof(
                released.text,
                released.passages,
                lambda n: checks.supports(n, without_marks(released.text)),
            )
        )

    def _show(self, sentence: str) -> None:
        numbers = cited(sentence)
        unknown = [n for n in numbers if not 1 <= n <= len(self._evidence)]
        if unknown:
            self._meter.flags.append("verify:unknown_citation")
            sentence = without_marks(sentence, unknown)
        for n in numbers:
            if n not in unknown and n not in self._cited:
                self._cited.add(n)
                self._emit(citation(n, as_passage(self._evidence[n - 1])))
        if self._continues:
            sentence = f"\n\n{sentence.lstrip()}"
            self._continues = False
        self._meter.first_text()
        self._emit(Text(text=sentence))
        self.said += sentence
        self._meter.speaking = self.said


class Checks:
    """What one model answer is held against."""

    def __init__(
        self, verify: Verify, grounds: Grounds, similarity: Similarity | None = None
    ) -> None:
        self.verify = verify
        self.similarity = similarity
        self._grounds = grounds

    def filter(self) -> Filter:
        """A new filter for the answer."""
        return filter_for(self.verify, self._grounds, self._similar())

    def supports(self, n: int, sentence: str) -> bool:
        """Whether passage `n` alone, counted from 1, supports the sentence."""
        if not 1 <= n <= len(self._grounds.passages):
            return False
        alone = replace(self._grounds, passages=(self._grounds.passages[n - 1],), tools=())
        verdict = judge(sentence, alone)
        return verdict.passed and bool(verdict.passages)

    def _similar(self) -> Similar | None:
        ask = self.similarity
        if ask is None:
            return None

        def similar(sentence: str, texts: Sequence[str]) -> Sequence[float]:
            return anyio.from_thread.run(_awaited, ask, sentence, texts)

        return similar


async def _awaited(ask: Similarity, sentence: str, texts: Sequence[str]) -> Sequence[float]:
    answer: Awaitable[Sequence[float]] = ask(sentence, texts)
    return await answer


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
