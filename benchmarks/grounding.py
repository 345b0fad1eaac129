"""What the sentence gate lets through and what it keeps back, wrongly, and what it costs.

    python -m benchmarks.grounding [--semantic] [--sweep] [--show]      our own labelled pairs and prose
    python -m benchmarks.grounding FILE.tsv [FILE.tsv …]                BEGIN's development files

Rules and thresholds were made on the pairs that are not held out; `--show` lists mistakes among those only. BEGIN: "Evaluating
Attribution in Dialogue Systems" (Dziri, Rashkin, Linzen, Reitter, TACL 2022); its data is not part of this project.
"""

import argparse
import csv
import json
import re
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from anyio.from_thread import BlockingPortal, start_blocking_portal

from server.adapters.knowledge.semantic import Embedder, find_embedder
from server.grounding.evidence import Evidence, Source, ToolResult
from server.grounding.gate import Gate
from server.grounding.judge import Verdict, judge
from server.grounding.layout import quotable
from server.grounding.near import Similar
from server.grounding.score import support_score
from server.grounding.sentences import Sentences
from server.grounding.words import FILLING

DATA = Path("evaluation/grounding")
BATCHES = {"": "first", "second batch": "second", "third batch": "third", "fourth batch": "fourth"}
"""What `added` says of a pair or an answer, and which batch that is."""
Item = TypeVar("Item")
PARTS = tuple(f"{batch}, {part}" for part in ("tuned on", "held out") for batch in BATCHES.values())
SEMANTIC_STEPS = (0.86, 0.88, 0.90, 0.91, 0.92, 0.93, 0.94, 0.95, 0.96)


@dataclass(frozen=True, slots=True)
class Pair:
    """A sentence and whether its evidence supports it."""

    id: str
    evidence: Evidence
    sentence: str
    supported: bool
    kind: str
    language: str
    held_out: bool
    added: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """A fluent answer, all of it supported (greetings and offers aside)."""

    id: str
    evidence: Evidence
    text: str
    language: str
    held_out: bool
    added: str = ""


@dataclass(frozen=True, slots=True)
class Share:
    """`part` of `whole`."""

    part: int
    whole: int

    def __str__(self) -> str:
        return f"{self.part}/{self.whole} ({100 * float(self):.1f} %)" if self.whole else "–"

    def __float__(self) -> float:
        return self.part / self.whole if self.whole else 0.0


# --- our own set -----------------------------------------------------------------------------------


def read_evidence(folder: Path = DATA) -> dict[str, Evidence]:
    """The named bodies of evidence that pairs and answers refer to."""
    return {
        row["id"]: Evidence(
            tuple(Source(p["text"], p["language"], p["title"]) for p in row["passages"]),
            tuple(ToolResult(t["tool"], t["text"], t["ok"]) for t in row["tools"]),
            row["visitor"],
            row["owner"],
            row["language"],
        )
        for row in _rows(folder / "evidence.jsonl")
    }


def read_pairs(folder: Path = DATA) -> list[Pair]:
    """The labelled pairs."""
    known = read_evidence(folder)
    return [
        Pair(
            row["id"],
            known[row["evidence"]],
            row["sentence"],
            row["label"] == "supported",
            row["kind"],
            row["language"],
            row["held_out"],
            row.get("added", ""),
        )
        for row in _rows(folder / "pairs.jsonl")
    ]


def read_prose(folder: Path = DATA) -> list[Answer]:
    """The fluent answers; some with a visitor's message of their own."""
    known = read_evidence(folder)
    answers = []
    for row in _rows(folder / "prose.jsonl"):
        evidence = known[row["evidence"]]
        if "visitor" in row:
            evidence = replace(evidence, visitor=row["visitor"])
        answers.append(
            Answer(
                row["id"],
                evidence,
                row["answer"],
                row["language"],
                row["held_out"],
                row.get("added", ""),
            )
        )
    return answers


def part_of(item: Pair | Answer) -> str:
    """Which of `PARTS` a pair or an answer belongs to."""
    return f"{BATCHES.get(item.added, 'first')}, {'held out' if item.held_out else 'tuned on'}"


def split(items: Iterable[Item], part: Callable[[Item], str]) -> list[list[Item]]:
    """The items of each of `PARTS`, in its order."""
    parts: dict[str, list[Item]] = {name: [] for name in PARTS}
    for item in items:
        parts[part(item)].append(item)
    return list(parts.values())


def _rows(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines() if line.strip()]


def judged(pairs: Iterable[Pair], similar: Similar | None = None) -> list[tuple[Pair, Verdict]]:
    """Each pair with its verdict."""
    return [(pair, judge(pair.sentence, pair.evidence, similar=similar)) for pair in pairs]


def leaks(outcomes: Iterable[tuple[Pair, Verdict]]) -> Share:
    """Unsupported sentences that were let through."""
    passed = [verdict.passed for pair, verdict in outcomes if not pair.supported]
    return Share(sum(passed), len(passed))


def wrongly_withheld(outcomes: Iterable[tuple[Pair, Verdict]]) -> Share:
    """Supported sentences that were kept back."""
    passed = [verdict.passed for pair, verdict in outcomes if pair.supported]
    return Share(len(passed) - sum(passed), len(passed))


def wrongly_unsaid(outcomes: Iterable[tuple[Pair, Verdict]]) -> Share:
    """Supported sentences that were kept back, with no page's own sentence to show instead."""
    unsaid = [
        not verdict.passed and not (verdict.near and quotable(verdict.near.text))
        for pair, verdict in outcomes
        if pair.supported
    ]
    return Share(sum(unsaid), len(unsaid))


def through_gate(answer: Answer, similar: Similar | None = None, step: int = 7) -> tuple[str, Gate]:
    """What is shown of an answer that is written `step` characters at a time, and the gate afterwards."""
    gate = Gate(answer.evidence, similar=similar)
    shown = []
    for at in range(0, len(answer.text), step):
        shown += gate.feed(answer.text[at : at + step])
    shown += gate.finish()
    return "".join(released.text for released in shown), gate


def sentences_of(text: str) -> list[str]:
    """The sentences of a text that have letters or digits."""
    cutter = Sentences()
    return [s for s in [*cutter.feed(text), cutter.rest()] if any(c.isalnum() for c in s)]


def prose_withheld(answers: Iterable[Answer], similar: Similar | None = None) -> Share:
    """Sentences of the answers that did not pass."""
    kept = whole = 0
    for answer in answers:
        _, gate = through_gate(answer, similar)
        kept += len(gate.withheld)
        whole += len(sentences_of(answer.text))
    return Share(kept, whole)


def prose_unsaid(answers: Iterable[Answer], similar: Similar | None = None) -> Share:
    """Sentences of the answers that did not pass, and for which no page's own sentence was shown either."""
    unsaid = whole = 0
    for answer in answers:
        _, gate = through_gate(answer, similar)
        unsaid += sum(not kept.quoted for kept in gate.withheld)
        whole += len(sentences_of(answer.text))
    return Share(unsaid, whole)


def report(title: str, similar: Similar | None, show: bool = False) -> str:
    """Leaks, and what is withheld, per part and per kind."""
    outcomes, prose = judged(read_pairs(), similar), read_prose()
    lines = [
        f"### {title}",
        "",
        "| part | leaks | supported, withheld | of these unsaid | of prose withheld | of prose unsaid |",
        "| --- " * 6 + "|",
    ]
    pairs_in, answers_in = split(outcomes, lambda o: part_of(o[0])), split(prose, part_of)
    for part, pairs, answers in zip(PARTS, pairs_in, answers_in, strict=True):
        cells = (
            leaks(pairs),
            wrongly_withheld(pairs),
            wrongly_unsaid(pairs),
            prose_withheld(answers, similar),
            prose_unsaid(answers, similar),
        )
        lines.append(f"| {part} | " + " | ".join(map(str, cells)) + " |")
    lines += ["", *_per_kind(outcomes)]
    if show:
        lines += ["", *_mistakes(outcomes, prose, similar)]
    return "\n".join(lines) + "\n"


def _per_kind(outcomes: Sequence[tuple[Pair, Verdict]]) -> list[str]:
    """All batches together."""
    lines = [
        "| kind | leaks: tuned on | leaks: held out | withheld: tuned on | withheld: held out |",
        "| --- " * 5 + "|",
    ]

    def row(name: str, chosen: Iterable[tuple[Pair, Verdict]]) -> str:
        tuned: list[tuple[Pair, Verdict]] = []
        held: list[tuple[Pair, Verdict]] = []
        for outcome in chosen:
            (held if outcome[0].held_out else tuned).append(outcome)
        cells = (leaks(tuned), leaks(held), wrongly_withheld(tuned), wrongly_withheld(held))
        return f"| {name} | " + " | ".join(map(str, cells)) + " |"

    kinds = sorted({pair.kind for pair, _ in outcomes})
    lines += [row(kind, [o for o in outcomes if o[0].kind == kind]) for kind in kinds]
    for language in ("en", "nl"):
        lines.append(row(f"*{language}*", [o for o in outcomes if o[0].language == language]))
    lines.append(row("*one language*", [o for o in outcomes if o[0].kind != "cross_language"]))
    return [*lines, row("**all**", outcomes)]


def _mistakes(
    outcomes: Iterable[tuple[Pair, Verdict]], prose: Iterable[Answer], similar: Similar | None
) -> Iterable[str]:
    for pair, verdict in outcomes:
        if not pair.held_out and verdict.passed != pair.supported:
            what = "leak" if verdict.passed else f"withheld ({verdict.reason})"
            yield f"- {what}, {pair.kind}, {pair.id}: {pair.sentence}"
    for answer in prose:
        if not answer.held_out:
            for kept in through_gate(answer, similar)[1].withheld:
                yield f"- prose withheld ({kept.reason}), {answer.id}: {kept.text}"


def cost() -> str:
    """Milliseconds of processor time (this machine may be busy) for a sentence and for a passage, each never seen
    before; passages are taken apart once."""
    pairs = read_pairs()
    cold = []
    for evidence in read_evidence().values():
        start = time.thread_time()
        assert evidence.spoken_of is not None and evidence.names is not None
        cold.append((time.thread_time() - start) / max(1, len(evidence.passages)))
    times = []
    for pair in pairs:
        start = time.thread_time()
        judge(pair.sentence, pair.evidence)
        times.append(time.thread_time() - start)
    times.sort()
    return (
        f"per sentence, never seen before: median {1000 * statistics.median(times):.2f} ms, "
        f"mean {1000 * statistics.mean(times):.2f} ms, 95 % within {1000 * times[int(0.95 * len(times))]:.2f} ms; "
        f"a passage, once: {1000 * statistics.median(cold):.2f} ms\n"
    )


# --- similarity ------------------------------------------------------------------------------------


def similarity(portal: BlockingPortal, embedder: Embedder) -> Similar:
    """The embedder as the gate asks for it; each text is embedded once."""
    known: dict[str, Sequence[float]] = {}

    def vectors(texts: Sequence[str]) -> list[Sequence[float]]:
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            for text, row in zip(new, portal.call(embedder.passages, new), strict=True):
                known[text] = [float(number) for number in row]
        return [known[text] for text in texts]

    def similar(sentence: str, texts: Sequence[str]) -> list[float]:
        own, *others = vectors([sentence, *texts])
        return [sum(a * b for a, b in zip(own, other, strict=True)) for other in others]

    return similar


def sweep(similar: Similar) -> str:
    """Which threshold lets through what, on the pairs that are not held out and words leave in doubt."""
    scores: dict[bool, list[float]] = {True: [], False: []}
    for pair in read_pairs():
        if not pair.held_out:
            verdict = judge(pair.sentence, pair.evidence, similar=similar)
            if verdict.score is not None:
                scores[pair.supported].append(verdict.score)
    lines = ["| from | rightly let through | leaks |", "| --- | --- | --- |"]
    for step in SEMANTIC_STEPS:
        rightly, leaked = (
            Share(sum(s >= step for s in scores[label]), len(scores[label]))
            for label in (True, False)
        )
        lines.append(f"| {step:.2f} | {rightly} | {leaked} |")
    return "\n".join(lines) + "\n"


# --- BEGIN -----------------------------------------------------------------------------------------


def overlap(response: str, knowledge: str) -> float:
    """The plain baseline: the share of the response's content words that the knowledge has."""
    known = set(re.findall(r"\w+", knowledge.lower()))
    content = [w for w in re.findall(r"\w+", response.lower()) if w not in FILLING["en"]]
    return sum(word in known for word in content) / len(content) if content else 0.0


def area(positive: Sequence[float], negative: Sequence[float]) -> float:
    """The area under the ROC curve: how often a supported one scores above an unsupported one; ties count half."""
    wins = sum((p > n) + 0.5 * (p == n) for p in positive for n in negative)
    return wins / (len(positive) * len(negative))


def leak_rate(
    positive: Sequence[float], negative: Sequence[float], withheld: float = 0.10
) -> float:
    """The share of unsupported ones let through by the threshold that keeps that share of supported ones back."""
    threshold = sorted(positive)[int(withheld * len(positive))]
    return sum(score >= threshold for score in negative) / len(negative)


def begin(file: Path) -> str:
    """Rows for one file: ours and the baseline."""
    with file.open(encoding="utf-8", newline="") as lines:
        rows = [r for r in csv.DictReader(lines, delimiter="\t") if r["begin_label"] != "Generic"]
    out = []
    scorers: dict[str, Callable[[str, str], float]] = {
        "support score": lambda response, knowledge: support_score(response, [knowledge]),
        "word overlap": overlap,
    }
    for name, scorer in scorers.items():
        split: dict[bool, list[float]] = {True: [], False: []}
        start = time.thread_time()
        for row in rows:
            supported = row["begin_label"] == "Fully attributable"
            split[supported].append(scorer(row["response"], row["knowledge"]))
        ms = 1000 * (time.thread_time() - start) / len(rows)
        auc, leaked = area(split[True], split[False]), leak_rate(split[True], split[False])
        out.append(f"| {file.name} | {name} | {auc:.3f} | {100 * leaked:.1f} % | {ms:.2f} |")
    return "\n".join(out)


def main() -> None:
    """Prints Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("begin", nargs="*", type=Path, help="BEGIN's TSV files")
    parser.add_argument("--semantic", action="store_true", help="also with the [semantic] extra")
    parser.add_argument("--sweep", action="store_true", help="thresholds for similarity")
    parser.add_argument("--show", action="store_true", help="list mistakes that are not held out")
    arguments = parser.parse_args()
    if arguments.begin:
        print(
            "| file | score | AUC | leaks at 10 % withheld | ms |\n| --- | --- | --- | --- | --- |"
        )
        for file in arguments.begin:
            print(begin(file))
        return
    print(cost())
    print(report("words alone", None, arguments.show))
    if arguments.semantic or arguments.sweep:
        embedder = find_embedder()
        if embedder is None:
            print("the [semantic] extra is not installed")
            return
        with start_blocking_portal() as portal:
            similar = similarity(portal, embedder)
            if arguments.sweep:
                print(sweep(similar))
            if arguments.semantic:
                print(report("with the semantic extra", similar, arguments.show))


if __name__ == "__main__":
    main()
