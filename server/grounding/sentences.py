"""Cuts a growing text into sentences, so that each can be looked at before it is shown."""

import re

_BEFORE_A_NAME = """dr mr mrs ms prof st sr jr rev hon gen col capt sgt lt gov sen rep dhr mevr mw drs ir ing ds mgr bc fam
    bijv evt ca vgl zgn zg nl resp incl excl m.n z.g o.a d.w.z t.a.v m.b.t i.v.m a.u.b s.v.p o.l.v i.p.v t.o.v e.g i.e
    cf vs viz approx dept est feat ft inc. aka"""
_BEFORE_A_NUMBER = "no nr nos vol p pp blz fig art ch hfst par sec jl eds tel afb tab ed"
_ABBREVIATION = re.compile(
    rf"(?:(?<![\w.])(?:{'|'.join(map(re.escape, _BEFORE_A_NAME.split()))})|\b[^\W\d_](?<!I)(?<=[A-Z]))\.$",
    re.IGNORECASE,
)
_INITIAL = re.compile(r"(?<![\w.])(?:[A-HJ-Z]\.)+$")
_NUMBERED = re.compile(rf"(?<![\w.])(?:{_BEFORE_A_NUMBER.replace(' ', '|')})\.$", re.IGNORECASE)
_MARKER = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])$")
_END = re.compile(r"[.!?…]+[\"'”’»)\]*_`]*(?:\s*\[\d{1,3}\])*(?=\s)|\n")
_MARKS_BEGUN = re.compile(r"(?:\[\d{1,3}\]\s*)*(?:\[\d{0,3})?")
_FENCE = re.compile(r" {0,3}(```+|~~~+)[^\n]*\n")
_LINE = re.compile(r"\s*(?:\||#{1,6}\s)")
LONGEST_OPEN = 600
"""Characters after which an open quotation or bracket no longer holds a sentence together."""


class Sentences:
    """Feed it pieces of text; it gives back whole sentences, with their white space, as they are complete.

    What it gives, joined, is exactly what it was fed, and it is the same however the text was cut into pieces. A
    sentence ends at `.`, `!`, `?` or `…` followed by white space (with closing quotes and citation marks before it)
    and something that can begin a sentence, or at a line's end unless the next line goes on in small letters.
    Headings and table rows are sentences, a fenced block of code is one.
    """

    def __init__(self) -> None:
        self._open = ""

    def feed(self, piece: str) -> list[str]:
        """The sentences that this piece completes, in order."""
        self._open += piece
        whole: list[str] = []
        while (cut := _first_cut(self._open)) is not None:
            whole.append(self._open[:cut])
            self._open = self._open[cut:]
        return whole

    def rest(self) -> str:
        """What is left when nothing more will come."""
        rest, self._open = self._open, ""
        return rest


def _first_cut(text: str) -> int | None:
    """Where the first sentence ends, with the white space after it; None while that cannot be known."""
    if fence := _FENCE.match(text):
        closed = re.compile(rf"^ {{0,3}}{re.escape(fence[1])}[`~]*[ \t]*\n", re.MULTILINE).search(
            text, fence.end()
        )
        return _next_begin(text, closed.end()) if closed else None
    if _LINE.match(text):
        end = text.find("\n", re.match(r"\s*", text).end())  # type: ignore[union-attr]
        return _next_begin(text, end) if end >= 0 else None
    for found in _END.finditer(text):
        if found[0] == "\n" and not text[: found.start()].strip():
            continue
        begin = _next_begin(text, found.end())
        if begin is None:
            return None
        if not _goes_on(text, found, begin):
            return begin
    return None


def _next_begin(text: str, at: int) -> int | None:
    """Where the next sentence begins; None while white space or a citation mark may still follow."""
    while at < len(text) and text[at].isspace():
        at += 1
    return None if at == len(text) or _MARKS_BEGUN.fullmatch(text, at) else at


def _goes_on(text: str, found: re.Match[str], begin: int) -> bool:
    """Whether the sentence does not end here after all."""
    after = text[begin]
    space = text[found.end() :][: begin - found.end()]
    if found[0] == "\n":
        return after.islower() and "\n" not in space
    if "\n" in space and not after.islower():
        return False
    before = text[: found.end()]
    bare = before.rstrip("\"'”’»)]*_`")
    if after.islower() or (_MARKER.match(bare) and "\n" not in bare.strip()):
        return True
    if _ABBREVIATION.search(bare) or _INITIAL.search(bare):
        return True
    if _NUMBERED.search(bare) and after.isdigit():
        return True
    return found.end() < LONGEST_OPEN and _is_open(before)


def _is_open(text: str) -> bool:
    """Whether a quotation or a bracket has begun and not ended."""
    line = text[text.rfind("\n") + 1 :]
    if line.count('"') % 2 or line.count("“") + line.count("„") > line.count("”") + line.count(
        "“"
    ) * line.count("„"):
        return True
    return line.count("(") > line.count(")")
