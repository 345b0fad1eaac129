"""What a visitor may see of what a model writes, piece by piece."""

from collections.abc import Sequence

import pytest

from server.agent.meter import Meter
from server.agent.speaker import Checks, Speaker
from server.agent.state import Evidence
from server.domain.events import Citation, Event, Text
from server.grounding.evidence import Evidence as Grounds
from server.grounding.evidence import Source

PAGES = ("Ada was born in London in 1815.", "The quokka frolicked merrily.")


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def evidence(*texts: str) -> list[Evidence]:
    return [
        Evidence(
            id=f"p{n}",
            title=f"Page {n}",
            source=f"p{n}.md",
            text=text,
            language="en",
            url=None,
            score=1.0,
            answerable=True,
        )
        for n, text in enumerate(texts, 1)
    ]


def grounds(*texts: str) -> Grounds:
    return Grounds(tuple(Source(text, "en", "Page") for text in texts), language="en")


def shown(events: Sequence[Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, Text))


@pytest.mark.anyio
async def test_a_sentence_is_out_before_the_next_is_written() -> None:
    """With its citation before it; an unsupported one is not shown at all."""
    events: list[Event] = []
    speaker = Speaker(events.append, evidence(*PAGES), Meter(), Checks("gate", grounds(*PAGES)))
    await speaker.hear("Ada was born in London in 1815. Ada")
    assert [type(event) for event in events] == [Citation, Text]
    assert shown(events) == "Ada was born in London in 1815 [1]."
    await speaker.hear(" had a parrot.")
    await speaker.finish()
    assert speaker.said == shown(events) == "Ada was born in London in 1815 [1]."
    assert [kept.text for kept in speaker.unsupported] == ["Ada had a parrot."]


@pytest.mark.anyio
@pytest.mark.parametrize(("cosine", "passes"), [(0.99, True), (0.5, False)])
async def test_similarity_is_asked_for_without_holding_up_the_loop(
    cosine: float, passes: bool
) -> None:
    """In a worker thread, of a sentence in another language than its page; what is not close enough stays behind."""
    asked: list[str] = []

    async def similarity(sentence: str, texts: Sequence[str]) -> list[float]:
        asked.append(sentence)
        return [cosine] * len(texts)

    events: list[Event] = []
    checks = Checks("gate", grounds(*PAGES), similarity)
    speaker = Speaker(events.append, evidence(*PAGES), Meter(), checks)
    await speaker.hear("De kwokka dartelde vrolijk rond.")
    await speaker.finish()
    assert asked == ["De kwokka dartelde vrolijk rond."]
    assert bool(shown(events)) is passes


@pytest.mark.anyio
async def test_the_products_own_words_are_not_judged() -> None:
    """They come from no model. Without checks nothing is."""
    events: list[Event] = []
    speaker = Speaker(events.append, [], Meter(), Checks("gate", grounds()))
    await speaker.hear("The tide is at nine.", own=True)
    await speaker.finish()
    assert shown(events) == "The tide is at nine."


@pytest.mark.anyio
async def test_a_second_answer_follows_in_a_paragraph_of_its_own() -> None:
    """Without what was said, and without a citation that was sent."""
    events: list[Event] = []
    before = "Ada was born in London in 1815 [1]."
    speaker = Speaker(
        events.append, evidence(*PAGES), Meter(), Checks("gate", grounds(*PAGES)), before
    )
    await speaker.hear("**Ada** was born in London in 1815. The quokka frolicked merrily.")
    await speaker.finish()
    assert shown(events) == "\n\nThe quokka frolicked merrily [2]."
    assert [event.n for event in events if isinstance(event, Citation)] == [2]
    assert speaker.said == before + shown(events)


@pytest.mark.anyio
async def test_half_a_character_is_no_text() -> None:
    """It could be neither stored nor sent."""
    events: list[Event] = []
    speaker = Speaker(events.append, [], Meter())
    await speaker.hear("So \ud83d it goes.")
    await speaker.finish()
    shown(events).encode()
