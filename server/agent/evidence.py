"""Passages on their way into and out of the state."""

from collections.abc import Iterable, Sequence

from server.agent.speaker import as_passage
from server.agent.state import Evidence
from server.domain.knowledge import Found


def as_evidence(found: Iterable[Found], known: Sequence[Evidence] = ()) -> list[Evidence]:
    """The passages as plain JSON, without those that are known already."""
    seen = {e["id"] for e in known}
    return [
        Evidence(
            id=f.passage.id,
            title=f.passage.title,
            source=f.passage.source,
            text=f.passage.text,
            language=f.passage.language,
            url=f.passage.url,
            score=round(float(f.score), 6),
            answerable=f.answerable,
        )
        for f in found
        if f.passage.id not in seen
    ]


def as_found(evidence: Iterable[Evidence]) -> tuple[Found, ...]:
    """The other way, for models that pick from passages instead of reading a prompt."""
    return tuple(Found(as_passage(e), e["score"], e["answerable"]) for e in evidence)
