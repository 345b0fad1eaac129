"""Tells what was said already, when an answer is written a second time."""

from server.grounding.citations import without_marks
from server.grounding.sentences import Sentences
from server.grounding.words import fold


class Repeats:
    """Remembers the sentences of a text. Marks, case, markup and white space make no difference."""

    def __init__(self, text: str) -> None:
        sentences = Sentences()
        self._known = {_bare(one) for one in [*sentences.feed(text), sentences.rest()]} - {""}

    def is_new(self, text: str) -> bool:
        """Whether any sentence of the text was not said before. Text without a letter or digit is as new as what it leads to."""
        sentences = Sentences()
        bare = {_bare(one) for one in [*sentences.feed(text), sentences.rest()]} - {""}
        return not bare or not bare <= self._known


def _bare(sentence: str) -> str:
    folded = fold(without_marks(sentence))
    return " ".join("".join(c if c.isalnum() else " " for c in folded).split())
