"""What stands between quotation marks must stand in the evidence, word for word."""

import re

from server.grounding.blocks import bare
from server.grounding.evidence import Evidence
from server.grounding.words import plain

_QUOTED = re.compile(r'"([^"\n]{2,})"|(?<![\w\'])\'([^\'\n]{8,})\'(?!\w)')


def altered(text: str, evidence: Evidence) -> bool:
    """Whether something quoted is in no passage, tool result or message of the visitor as it is quoted."""
    quoted = [bare(double or single) for double, single in _QUOTED.findall(plain(text))]
    if not quoted:
        return False
    where = [
        bare(s)
        for s in (
            *(b.text for b in evidence.blocks),
            *(p.title for p in evidence.passages),
            evidence.visitor,
        )
    ]
    return any(quote and not any(f" {quote} " in f" {text} " for text in where) for quote in quoted)


def is_verbatim(text: str, evidence: Evidence) -> bool:
    """Whether the whole text, as a block of code is, stands in a passage or a tool result."""
    body = bare(text)
    return bool(body) and any(f" {body} " in f" {bare(block.text)} " for block in evidence.blocks)
