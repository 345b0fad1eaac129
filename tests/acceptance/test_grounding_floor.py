"""The sentence gate stays as good as it was measured (docs/grounding.md), on the labelled set and on the demo pages."""

import statistics
import time
from itertools import cycle
from pathlib import Path

import pytest

from benchmarks.grounding import (
    DATA,
    judged,
    leaks,
    part_of,
    prose_unsaid,
    prose_withheld,
    read_pairs,
    read_prose,
    sentences_of,
    wrongly_withheld,
)
from server.adapters.knowledge.files import read_folder
from server.adapters.knowledge.pages import parse_page
from server.grounding.blocks import bare
from server.grounding.evidence import Evidence, Source
from server.grounding.gate import Gate
from server.grounding.judge import judge

ROOT = Path(__file__).parents[2]
PAIRS = read_pairs(ROOT / DATA)
PROSE = read_prose(ROOT / DATA)


def test_the_set_is_what_the_documentation_says() -> None:
    """At least 400 pairs, about half Dutch, a held-back part that is not a handful."""
    assert len(PAIRS) >= 400
    assert 0.4 <= sum(pair.language == "nl" for pair in PAIRS) / len(PAIRS) <= 0.6
    assert sum(pair.held_out for pair in PAIRS) >= 250
    assert len(PROSE) >= 150
    assert len({pair.id for pair in PAIRS}) == len(PAIRS)


@pytest.mark.parametrize(
    ("part", "most_leaks", "most_withheld"),
    [
        ("first, tuned on", 0.01, 0.12),
        ("second, tuned on", 0.01, 0.27),
        ("first, held out", 0.02, 0.15),
        ("second, held out", 0.02, 0.51),
        ("third, tuned on", 0.02, 0.69),
        ("third, held out", 0.02, 0.69),
        ("fourth, tuned on", 0.06, 0.25),
        ("fourth, held out", 0.13, 0.19),
    ],
)
def test_leaks_and_wrongly_withheld(part: str, most_leaks: float, most_withheld: float) -> None:
    """No worse than measured, by words alone (docs/grounding.md says which goals are missed)."""
    outcomes = judged(pair for pair in PAIRS if part_of(pair) == part)
    assert float(leaks(outcomes)) <= most_leaks
    assert float(wrongly_withheld(outcomes)) <= most_withheld


@pytest.mark.parametrize(
    ("part", "most"),
    [
        ("first, tuned on", 0.145),
        ("second, tuned on", 0.30),
        ("first, held out", 0.17),
        ("second, held out", 0.45),
        ("third, tuned on", 0.385),
        ("third, held out", 0.39),
    ],
)
def test_prose_is_not_strangled_more_than_measured(part: str, most: float) -> None:
    """No worse than measured; the goal of 5 % is not met."""
    assert float(prose_withheld(a for a in PROSE if part_of(a) == part)) <= most


@pytest.mark.parametrize(
    ("part", "most"),
    [
        ("first, tuned on", 0.05),
        ("second, tuned on", 0.08),
        ("first, held out", 0.05),
        ("second, held out", 0.13),
        ("third, tuned on", 0.15),
        ("third, held out", 0.15),
    ],
)
def test_little_is_left_unsaid(part: str, most: float) -> None:
    """Of fluent, supported answers: what comes neither in the model's words nor in a page's own."""
    assert float(prose_unsaid(a for a in PROSE if part_of(a) == part)) <= most


def test_a_page_says_what_it_says() -> None:
    """Every sentence of the demo pages passes word for word, so that quoting is always possible."""
    files, _ = read_folder(ROOT / "server/demo/knowledge")
    withheld = []
    for file in files:
        for passage in parse_page(file.path, file.text).passages:
            evidence = Evidence(
                (Source(passage.text, passage.language, passage.title),),
                owner="Ada Lovelace",
                language=passage.language,
            )
            withheld += [s for s in sentences_of(passage.text) if not judge(s, evidence).passed]
    assert withheld == []


def test_an_inventing_model_shows_nothing_false_and_the_rest_in_order() -> None:
    """Each world's supported sentences with every fourth one false: what comes out is exactly what the gate supports, and pages' own
    sentences, word for word, in the place of some of the rest."""
    by_world: dict[int, list[tuple[str, bool]]] = {}
    evidence: dict[int, Evidence] = {}
    for pair in PAIRS:
        if pair.kind not in ("conversational", "echo") and "\n" not in pair.sentence:
            by_world.setdefault(id(pair.evidence), []).append((pair.sentence, pair.supported))
            evidence[id(pair.evidence)] = pair.evidence
    shown_false = 0
    for world, sentences in by_world.items():
        true = [s for s, supported in sentences if supported]
        false = cycle([s for s, supported in sentences if not supported])
        lines = [s for n, s in enumerate(true) for s in ([s, next(false)] if n % 3 == 2 else [s])]
        gate = Gate(evidence[world])
        out = "".join(
            released.text
            for piece in [*(f"{line}\n\n" for line in lines)]
            for released in gate.feed(piece)
        ) + "".join(released.text for released in gate.finish())
        lines_out = [line for line in out.split("\n\n") if line]
        came = [line for line in lines_out if not line.startswith("“")]
        pages = {s for block in evidence[world].blocks for s in block.sentences}
        assert all(bare(line) in pages for line in lines_out if line not in came)
        kept = {kept.text for kept in gate.withheld}
        assert came == [line for line in lines if line not in kept]
        shown_false += sum(
            line in came for line in {s for s, supported in sentences if not supported}
        )
    assert shown_false <= 5  # two of them from the fourth batch, which is made of attempts


def test_a_sentence_costs_little() -> None:
    """Processor time, so that a busy machine does not count; the limit is generous because caches still do."""
    times = []
    for pair in PAIRS[:200]:
        assert pair.evidence.spoken_of is not None
        start = time.thread_time()
        judge(pair.sentence, pair.evidence)
        times.append(time.thread_time() - start)
    assert statistics.median(times) < 0.005
