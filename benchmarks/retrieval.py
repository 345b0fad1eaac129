"""How well the right passage is found, how often a question is wrongly turned away, and how fast.

    python -m benchmarks.retrieval [--questions FILE] [--folder FOLDER] [--cache FOLDER] [--times]

Thresholds and weights were chosen on two thirds of the questions; every third one (the 3rd, 6th, …) is held out:
no choice was made by it. Both are shown.
"""

import argparse
import json
import random
import statistics
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio

from server.adapters.knowledge.folder import FolderKnowledge
from server.adapters.knowledge.semantic import Embedder, HashedEmbedder, find_embedder

QUESTIONS = Path("evaluation/questions.jsonl")
FOLDER = Path("server/demo/knowledge")
KINDS = ("shared_words", "paraphrase", "dutch", "across", "unanswerable")


@dataclass(frozen=True, slots=True)
class Question:
    """One question and the sections (path#slug) that answer it; none: the folder does not."""

    id: str
    text: str
    kind: str
    expect: frozenset[str]
    held_out: bool


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a search made of a question. `hit`: an expected section is among the results."""

    question: Question
    hit: bool
    answerable: bool


@dataclass(frozen=True, slots=True)
class Share:
    """`part` of `whole`."""

    part: int
    whole: int

    def __str__(self) -> str:
        if not self.whole:
            return "–"
        return f"{self.part}/{self.whole} ({self.part / self.whole:.2f})"

    def __float__(self) -> float:
        return self.part / self.whole if self.whole else 1.0


def read_questions(file: Path) -> list[Question]:
    """The questions in the order of the file."""
    lines = [line for line in file.read_text("utf-8").splitlines() if line.strip()]
    return [
        Question(row["id"], row["question"], row["kind"], frozenset(row["expect"]), number % 3 == 2)
        for number, row in enumerate(map(json.loads, lines))
    ]


async def ask(
    knowledge: FolderKnowledge, questions: Iterable[Question], limit: int = 5
) -> list[Outcome]:
    """Searches for each question and looks at the first `limit` results."""
    outcomes = []
    for question in questions:
        found = await knowledge.search(question.text, limit)
        sections = {one.passage.source for one in found}
        outcomes.append(
            Outcome(question, bool(sections & question.expect), any(f.answerable for f in found))
        )
    return outcomes


def recall(outcomes: Sequence[Outcome], kind: str | None = None) -> Share:
    """Answerable questions with an expected section among the results."""
    chosen = [o for o in outcomes if o.question.expect and kind in (None, o.question.kind)]
    return Share(sum(o.hit for o in chosen), len(chosen))


def refused(outcomes: Sequence[Outcome], kind: str | None = None) -> Share:
    """Questions for which no result was close enough to answer from; without a kind, of all answerable ones."""
    chosen = [o for o in outcomes if (o.question.kind == kind if kind else bool(o.question.expect))]
    return Share(sum(not o.answerable for o in chosen), len(chosen))


def table(name: str, outcomes: Sequence[Outcome]) -> str:
    """Recall and refusals by kind, for all questions and for the parts they were divided into."""
    tuned = [o for o in outcomes if not o.question.held_out]
    held = [o for o in outcomes if o.question.held_out]
    parts = (outcomes, tuned, held)
    rows = [
        f"### {name}",
        "",
        "| kind | recall@5: all | tuned on | held out | turned away: all | tuned on | held out |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for kind in KINDS:
        found = [recall(part, kind) if kind != "unanswerable" else "" for part in parts]
        cells = [*found, *(refused(part, kind) for part in parts)]
        rows.append(f"| {kind} | " + " | ".join(map(str, cells)) + " |")
    cells = [*map(recall, parts), *map(refused, parts)]
    rows.append("| **answerable** | " + " | ".join(map(str, cells)) + " |")
    return "\n".join(rows) + "\n"


# --- time -----------------------------------------------------------------------------------------


def write_synthetic(folder: Path, sources: Path, pages: int) -> None:
    """A folder of that many pages, four sections each, of shuffled sentences of the real one. The same each time."""
    chance = random.Random(1843)
    text = " ".join(file.read_text("utf-8") for file in sorted(sources.rglob("*.md")))
    sentences = [part.strip() for part in text.replace("\n", " ").split(". ") if part.strip()]
    for number in range(pages):
        sections = [
            f"## Part {part}\n\n" + ". ".join(chance.sample(sentences, 5)) + ".\n"
            for part in range(1, 5)
        ]
        (folder / f"page-{number:04}.md").write_text(
            f"# Page {number}\n\n" + "\n".join(sections), "utf-8"
        )


async def timed(
    name: str, folder: Path, embedder: Embedder | None, questions: Sequence[Question]
) -> str:
    """A row: load, a reload that finds nothing changed, and a search."""
    knowledge = FolderKnowledge(folder, embedder)
    start = time.perf_counter()
    await knowledge.load()
    loaded = time.perf_counter()
    await knowledge.reload()
    reloaded = time.perf_counter()
    times = []
    for question in questions:
        begin = time.perf_counter()
        await knowledge.search(question.text)
        times.append((time.perf_counter() - begin) * 1000)
    times.sort()
    return (
        f"| {name} | {knowledge.documents} | {loaded - start:.2f} s | {reloaded - loaded:.3f} s "
        f"| {statistics.median(times):.1f} ms | {times[len(times) * 95 // 100]:.1f} ms |"
    )


async def measure_times(folder: Path, questions: Sequence[Question]) -> str:
    """Rows for the given folder and for 1,000 synthetic pages.

    The large folder gets hashed vectors of e5's size: ranking costs the same, and embedding 4,000 passages on two
    cores would take half an hour; it is the first row's load divided by its passages, and once, thanks to the cache.
    """
    rows = [
        "### Time",
        "",
        "| | pages | load | reload, nothing changed | search, median | search, 95th percentile |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    rows.append(await timed("words", folder, None, questions))
    if (embedder := find_embedder()) is not None:
        rows.append(await timed("words and meaning (e5, no cache)", folder, embedder, questions))
    with tempfile.TemporaryDirectory() as made:
        write_synthetic(Path(made), folder, 1000)
        rows.append(await timed("words, synthetic", Path(made), None, questions))
        hashed = HashedEmbedder(384)
        rows.append(
            await timed("words and hashed vectors, synthetic", Path(made), hashed, questions)
        )
    return "\n".join(rows) + "\n"


async def run(questions_file: Path, folder: Path, cache: Path | None, times: bool) -> None:
    """Prints the tables."""
    questions = read_questions(questions_file)
    by_words = FolderKnowledge(folder)
    await by_words.load()
    print(table("Words only", await ask(by_words, questions)))
    embedder = find_embedder()
    if embedder is None:
        print("The extra [semantic] is not installed: nothing to say about meaning.\n")
    else:
        by_meaning = FolderKnowledge(folder, embedder, cache)
        await by_meaning.load()
        print(table("With [semantic]", await ask(by_meaning, questions)))
    if times:
        print(await measure_times(folder, questions))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.retrieval")
    parser.add_argument("--questions", type=Path, default=QUESTIONS)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--cache", type=Path, default=None, help="where vectors are kept")
    parser.add_argument("--times", action="store_true", help="measure time as well (minutes)")
    given = parser.parse_args()
    anyio.run(run, given.questions, given.folder, given.cache, given.times)


if __name__ == "__main__":
    main()
