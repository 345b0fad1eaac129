"""Lets a growing answer through sentence by sentence; what has no support stays behind, and the rest still reads well."""

from dataclasses import dataclass

from server.grounding.blocks import bare
from server.grounding.evidence import Evidence
from server.grounding.judge import Verdict, judge
from server.grounding.layout import (
    OpenList,
    Piece,
    Shape,
    is_dependent,
    joined,
    piece_of,
    quotable,
    topic_holds,
)
from server.grounding.near import Similar
from server.grounding.quotes import is_verbatim
from server.grounding.sentences import Sentences

QUOTE = "quote"
"""The kind of a page's own sentence, shown instead of one that was withheld."""
LEAST_ON_ITS_OWN = 4
"""Words of an item that can stand without its introduction."""


@dataclass(frozen=True, slots=True)
class Released:
    """Text to show as it is, the numbers of the passages it rests on, and what its last sentence is (`Verdict.kind`, `QUOTE`; "" for
    code)."""

    text: str
    passages: tuple[int, ...]
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Withheld:
    """A sentence that was not shown, and why: for the count, and for asking the model again. `quoted`: a page's own sentence about the
    same was shown instead, in this place or before."""

    text: str
    reason: str
    quoted: bool = False


class Gate:
    """Feed it pieces of an answer; it gives back what may be shown, in order, as soon as that is known.

    A heading, the introduction of a list, a table's head and a bare "Yes." wait for something they lead to and vanish
    without it. A withheld item goes with its bullet and what is nested in it. A sentence that leans on a withheld one
    ("It is …") goes too. Where a page says something about the same, its own sentence is shown instead of the withheld one, in
    quotation marks. `withheld` grows as sentences are kept back.
    """

    def __init__(self, evidence: Evidence, *, similar: Similar | None = None) -> None:
        self._evidence = evidence
        self._similar = similar
        self._sentences = Sentences()
        self._waiting: list[Piece] = []
        self._list = OpenList()
        self._space = "\n"  # before the next piece, as it was written
        self._gap = ""  # before the next text, as it will be shown
        self._before = ""
        self._broken = False
        self._table = False
        self._any = False
        self._said: set[str] = set()
        self.withheld: list[Withheld] = []

    def feed(self, piece: str) -> list[Released]:
        """What this piece lets through."""
        return [out for sentence in self._sentences.feed(piece) for out in self._take(sentence)]

    def finish(self) -> list[Released]:
        """What is left when nothing more will come."""
        rest = self._sentences.rest()
        released = self._take(rest) if rest.strip() else []
        self._drop(self._waiting)
        return released

    def _take(self, sentence: str) -> list[Released]:
        piece = piece_of(sentence, self._space, in_item=self._list.open, in_table=self._table)
        self._space = piece.space
        if piece.shape in (Shape.HEADING, Shape.INTRO) or (
            self._list.open and piece.shape not in (Shape.ITEM, Shape.CONTINUED)
        ):
            self._leave_list()
        self._table = piece.shape is Shape.ROW or (
            piece.shape is Shape.RULE and any(w.shape is Shape.TABLE_HEAD for w in self._waiting)
        )
        match piece.shape:
            case Shape.HEADING:
                return self._heading(piece)
            case Shape.CODE:
                return self._settle(piece, is_verbatim(piece.body, self._evidence), "code")
            case Shape.TABLE_HEAD if not topic_holds(piece.body, self._evidence):
                return self._keep(piece, "table head")
            case Shape.TABLE_HEAD | Shape.RULE:
                return self._wait(piece)
            case Shape.INTRO:
                return self._intro(piece)
            case Shape.ITEM | Shape.CONTINUED:
                return self._item(piece)
            case Shape.ROW | Shape.PROSE:
                return self._prose(piece)

    def _heading(self, piece: Piece) -> list[Released]:
        same_or_lower = [
            w for w in self._waiting if w.shape is not Shape.HEADING or w.level >= piece.level
        ]
        self._drop(same_or_lower)
        if not (topic_holds(piece.body, self._evidence) or self._judge(piece).passed):
            return self._keep(piece, "heading")
        return self._wait(piece)

    def _intro(self, piece: Piece) -> list[Released]:
        passed = topic_holds(piece.body, self._evidence) or self._judge(piece).passed
        self._list = OpenList(piece.body, passed)
        return self._wait(piece) if passed else self._keep(piece, "introduction")

    def _item(self, piece: Piece) -> list[Released]:
        now = self._list
        if piece.shape is Shape.ITEM:
            if now.open and not now.shown and piece.indent > now.indent:
                return self._keep(piece, "under a withheld item")
            now.indent, now.open = piece.indent, True
        elif not now.shown:
            return self._keep(piece, "in a withheld item")
        verdict = self._judge(piece, now.intro)
        unclear = not now.intro_passed and len(piece.body.split()) < LEAST_ON_ITS_OWN
        now.shown = verdict.passed and not unclear
        if now.shown and piece.number is not None:
            piece = self._renumbered(piece, piece.number)
        return self._settle(piece, now.shown, verdict.reason or "introduction", verdict)

    def _renumbered(self, piece: Piece, number: int) -> Piece:
        """The item with the number after the last one shown, so that a withheld one leaves no gap."""
        numbers = self._list.numbers
        for deeper in [indent for indent in numbers if indent > piece.indent]:
            del numbers[deeper]
        numbers[piece.indent] = (
            numbers[piece.indent] + 1 if piece.indent in numbers else min(number, 1)
        )
        return piece.renumbered(numbers[piece.indent])

    def _prose(self, piece: Piece) -> list[Released]:
        if self._broken and is_dependent(piece.body):
            return self._keep(piece, "leans on a withheld sentence")
        verdict = self._judge(piece)
        if verdict.passed and verdict.kind in ("filler", "layout"):
            return self._wait(piece)
        return self._settle(piece, verdict.passed, verdict.reason, verdict)

    def _judge(self, piece: Piece, topic: str = "") -> Verdict:
        return judge(
            piece.body, self._evidence, similar=self._similar, topic=topic, before=self._before
        )

    # --- what becomes of a piece --------------------------------------------------------------------

    def _settle(
        self, piece: Piece, passed: bool, reason: str, verdict: Verdict | None = None
    ) -> list[Released]:
        if not passed:
            return self._instead(piece, reason, verdict)
        text = "".join(self._shown(one) for one in [*self._waiting, piece])
        self._waiting = []
        self._broken = False
        if verdict is not None and verdict.kind == "claim":
            self._before = piece.body
            self._said.add(bare(piece.body))
        return [Released(text, verdict.passages, verdict.kind) if verdict else Released(text, ())]

    def _instead(self, piece: Piece, reason: str, verdict: Verdict | None) -> list[Released]:
        """What a page says about the same as the withheld piece, if that is a sentence that can be shown by itself."""
        near = verdict.near if verdict else None
        words = quotable(near.text) if near and piece.shape is not Shape.ROW else ""
        if near is None or not words:
            return self._keep(piece, reason)
        self._drop([w for w in self._waiting[-1:] if w.shape is Shape.PROSE])
        self.withheld.append(Withheld(piece.core.strip(), reason, quoted=True))
        self._broken = "\n" not in piece.space
        if bare(words) in self._said:
            self._close_up(piece)
            return []
        self._said.add(bare(words))
        if piece.shape is Shape.ITEM and piece.number is not None:
            piece = self._renumbered(piece, piece.number)
        text = "".join(self._shown(one) for one in [*self._waiting, piece.saying(f"“{words}”")])
        self._waiting = []
        return [Released(text, (near.n,), QUOTE)]

    def _shown(self, piece: Piece) -> str:
        text = self._gap + piece.core
        self._gap = piece.space
        self._any = True
        return text

    def _wait(self, piece: Piece) -> list[Released]:
        self._waiting.append(piece)
        return []

    def _keep(self, piece: Piece, reason: str) -> list[Released]:
        """Keeps the piece back, and the bare "Yes." before it."""
        self._drop([w for w in self._waiting[-1:] if w.shape is Shape.PROSE])
        self._lose(piece, reason)
        self._broken = "\n" not in piece.space
        return []

    def _drop(self, pieces: list[Piece]) -> None:
        for piece in pieces:
            self._lose(piece, "leads to nothing")
        self._waiting = [w for w in self._waiting if w not in pieces]

    def _lose(self, piece: Piece, reason: str) -> None:
        if any(character.isalnum() for character in piece.core):
            self.withheld.append(Withheld(piece.core.strip(), reason))
        self._close_up(piece)

    def _close_up(self, piece: Piece) -> None:
        """Leaves no hole where the piece was."""
        before = self._waiting[-1] if self._waiting and self._waiting[-1] is not piece else None
        if before is not None:
            self._waiting[-1] = before.followed_by(joined(before.space, piece.space))
        elif self._any:
            self._gap = joined(self._gap, piece.space)

    def _leave_list(self) -> None:
        self._drop(
            [
                w
                for w in self._waiting
                if w.shape not in (Shape.HEADING, Shape.PROSE, Shape.TABLE_HEAD, Shape.RULE)
            ]
        )
        self._list = OpenList()
