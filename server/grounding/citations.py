"""Citation marks: `[n]` in an answer names passage n of the turn's evidence, counted from 1."""

import re
from collections.abc import Sequence

from server.domain.events import Citation
from server.domain.knowledge import Passage

_MARK = re.compile(r"\[(\d{1,3})\]")
QUOTE_CHARACTERS = 300
LONG_ANSWER_WORDS = 25


def cited(text: str) -> list[int]:
    """The numbers cited in the text, in order of first use."""
    return list(dict.fromkeys(int(n) for n in _MARK.findall(text)))


def without_marks(text: str, unknown: Sequence[int]) -> str:
    """The text without the marks that name no passage."""
    return _MARK.sub(lambda m: "" if int(m.group(1)) in unknown else m.group(0), text)


def citation(n: int, passage: Passage) -> Citation:
    """What the visitor is shown of passage n."""
    quote = passage.text.strip()
    if len(quote) > QUOTE_CHARACTERS:
        quote = quote[:QUOTE_CHARACTERS].rsplit(" ", 1)[0] + " …"
    return Citation(n=n, title=passage.title, source=passage.source, quote=quote, url=passage.url)


def citation_flags(text: str, passages: int) -> list[str]:
    """What is doubtful about an answer's citations: marks without a passage, a long answer without a mark."""
    flags = []
    numbers = cited(text)
    if any(not 1 <= n <= passages for n in numbers):
        flags.append("verify:unknown_citation")
    if not numbers and len(text.split()) >= LONG_ANSWER_WORDS:
        flags.append("verify:uncited")
    return flags
