"""Citation marks: `[n]` in an answer names passage n of the turn's evidence, counted from 1."""

import re
from collections.abc import Callable, Sequence

from server.domain.events import Citation
from server.domain.knowledge import Passage

_MARK = re.compile(r"[ \t]?\[(\d{1,3})\]")
_END = re.compile(r"[.!?…]*[\"'”’)*_]*\s*$")
QUOTE_CHARACTERS = 300
LONG_ANSWER_WORDS = 25


def cited(text: str) -> list[int]:
    """The numbers cited in the text, in order of first use."""
    return list(dict.fromkeys(int(n) for n in _MARK.findall(text)))


def without_marks(text: str, numbers: Sequence[int] | None = None) -> str:
    """The text without the marks of these numbers; without any mark when none are given."""
    return _MARK.sub(
        lambda m: "" if numbers is None or int(m.group(1)) in numbers else m.group(0), text
    )


def with_proof(text: str, passages: Sequence[int], supports: Callable[[int], bool]) -> str:
    """The sentence with marks of passages that support it, and no others: cited is not the same as mentioned.

    `passages` are those it was found to rest on; `supports(n)` is asked about another one that the sentence names. A sentence
    whose marks all go, or that has none, gets those of `passages`, before its full stop.
    """
    named = cited(text)
    wrong = [n for n in named if n not in passages and not supports(n)]
    text = without_marks(text, wrong)
    if len(wrong) < len(named) or not passages or text.rstrip().endswith("|"):
        return text
    end = _END.search(text)
    place = end.start() if end else len(text)
    return f"{text[:place]} {''.join(f'[{n}]' for n in passages)}{text[place:]}"


def with_mark(text: str, passages: Sequence[int]) -> str:
    """The text with the marks of these passages at its very end: after a quotation, not inside it."""
    core = text.rstrip()
    return f"{core} {''.join(f'[{n}]' for n in passages)}{text[len(core) :]}"


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
