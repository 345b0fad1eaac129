"""Passages on their way into and out of the state."""

from collections.abc import Iterable, Sequence

from server.agent.context import Twin
from server.agent.phrases import language_of
from server.agent.speaker import as_passage
from server.agent.state import Evidence, Result, State
from server.domain.conversation import AWAITING_DECISION, Message
from server.domain.knowledge import Found, Passage
from server.grounding.evidence import Evidence as Grounds
from server.grounding.evidence import Source, ToolResult
from server.guards.orders import without_orders


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


def in_place(found: Sequence[Found], whole: Sequence[Passage]) -> Sequence[Found]:
    """Of a small folder every passage, each at its place whatever the question, so that prompts begin alike; what was found keeps
    its score. Without `whole`, what was found."""
    if not whole:
        return found
    scored = {each.passage.id: each for each in found}
    return [scored.get(passage.id, Found(passage, 0.0, False)) for passage in whole]


def as_found(evidence: Iterable[Evidence]) -> tuple[Found, ...]:
    """The other way, for models that pick from passages instead of reading a prompt."""
    return tuple(Found(as_passage(e), e["score"], e["answerable"]) for e in evidence)


_WAITING = Result(tool="", text=AWAITING_DECISION, ok=False)


def as_grounds(
    state: State,
    evidence: Sequence[Evidence],
    history: Sequence[Message],
    twin: Twin,
    *,
    beside: bool,
) -> Grounds:
    """What the sentences of the turn's next answer may rest on.

    What visitors wrote can be echoed, and proves nothing; nor does what a page or a result says to the assistant. `beside`: a request of this thread is known to wait.
    """
    said = [m["content"] for m in (*history, *state["messages"]) if m["role"] == "user"]
    return Grounds(
        passages=tuple(
            Source(without_orders(e["text"]), e["language"], e["title"]) for e in evidence
        ),
        tools=tuple(
            ToolResult(result["tool"], without_orders(result["text"]), result["ok"])
            for result in [*state.get("results", ()), *([_WAITING] if beside else [])]
        ),
        visitor="\n".join(said),
        owner=twin.owner_name,
        language=language_of(state["message"], twin.languages),
    )


MOST_TITLES = 3


def titles(evidence: Sequence[Evidence]) -> list[str]:
    """What the best passages are about, for telling what the sources do cover."""
    best = sorted(evidence, key=lambda e: -e["score"])
    return list(dict.fromkeys(e["title"] for e in best if e["title"]))[:MOST_TITLES]
