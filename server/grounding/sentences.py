"""Cuts a growing text into sentences, so that each can be looked at before it is shown."""

import re

_ABBREVIATIONS = re.compile(
    r"(?:\b(?:dr|mr|mrs|ms|prof|st|vol|no|nr|pp|p|ca|etc|vs|bijv|bv|dhr|mevr|drs|ir|ing|jr|sr|fig|ed|eds|"
    r"i\.e|e\.g|d\.w\.z|o\.a|t\.a\.v|m\.b\.t|a\.u\.b)|\b[A-Z])\.$",
    re.IGNORECASE,
)
_END = re.compile(r"(?:[.!?…]+[\"'”’)\]*_]*(?:\s*\[\d{1,3}\])*(?=\s)|\n)")
_MARK_BEGUN = re.compile(r"\[\d{0,3}")


class Sentences:
    """Feed it pieces of text; it gives back whole sentences, with their white space, as they are complete.

    What it gives, joined, is exactly what it was fed. A sentence ends at `.`, `!`, `?` or `…` followed by white
    space (with closing quotes and citation marks before it), or at a line's end. It waits for the
    character after a full stop, so a decimal or an address is not cut.
    """

    def __init__(self) -> None:
        self._open = ""

    def feed(self, piece: str) -> list[str]:
        """The sentences that this piece completes, in order."""
        self._open += piece
        whole: list[str] = []
        start = 0
        for end in _END.finditer(self._open):
            if _ABBREVIATIONS.search(self._open[start : end.end()].rstrip("\"'”’)]*_")):
                continue
            cut = end.end()
            while cut < len(self._open) and self._open[cut].isspace():
                cut += 1
            # The white space may go on in the next piece, and a citation mark may follow it.
            if cut == len(self._open) or _MARK_BEGUN.fullmatch(self._open, cut):
                break
            whole.append(self._open[start:cut])
            start = cut
        self._open = self._open[start:]
        return whole

    def rest(self) -> str:
        """What is left when nothing more will come."""
        rest, self._open = self._open, ""
        return rest
