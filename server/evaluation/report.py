"""What came of a set of cases, as Markdown and as JSON. Pure."""

import statistics
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from server.evaluation.judging import findings, tools_asked_for
from server.evaluation.play import Played


@dataclass(frozen=True, slots=True)
class Result:
    """One case: `wrong` is empty when it passed. `latency_ms` and `cost_usd` are of the judged runs."""

    id: str
    kind: str
    language: str
    said: tuple[str, ...]
    read: str
    wrong: tuple[str, ...]
    tools: tuple[str, ...]
    withheld: int
    latency_ms: int
    ttft_ms: int | None
    cost_usd: float

    @classmethod
    def of(cls, played: Played) -> "Result":
        """The result of a case that was played."""
        metas = played.of_type("meta")
        return cls(
            id=played.case.id,
            kind=played.case.kind,
            language=played.case.language,
            said=played.case.say,
            read=played.text,
            wrong=tuple(findings(played)),
            tools=tools_asked_for(played),
            withheld=sum(event["withheld"] for event in played.of_type("trace")),
            latency_ms=sum(meta["latency_ms"] for meta in metas),
            ttft_ms=metas[0]["ttft_ms"],
            cost_usd=sum(meta["cost_usd"] for meta in metas),
        )

    @classmethod
    def failed(
        cls, id_: str, kind: str, language: str, said: tuple[str, ...], why: str
    ) -> "Result":
        """The result of a case that could not be played to its end."""
        return cls(id_, kind, language, said, "", (why,), (), 0, 0, None, 0.0)


def passed(results: Sequence[Result]) -> float:
    """The share that passed, from 0 to 1."""
    return sum(not result.wrong for result in results) / len(results)


def as_json(results: Sequence[Result], model: str) -> dict[str, Any]:
    """For machines: everything."""
    return {
        "model": model,
        "passed": sum(not result.wrong for result in results),
        "cases": [
            {name: getattr(result, name) for name in Result.__dataclass_fields__}
            for result in results
        ],
    }


def as_markdown(results: Sequence[Result], model: str) -> str:
    """For people: figures by kind and language, then every case that failed, with what was read."""
    good = sum(not result.wrong for result in results)
    first = [result.ttft_ms for result in results if result.ttft_ms is not None]
    lines = [
        f"# Evaluation of `{model}`",
        "",
        f"**{good} of {len(results)} cases passed.** "
        f"Sentences kept back: {sum(result.withheld for result in results)}. "
        f"Cost: ${sum(result.cost_usd for result in results):.4f}. "
        f"Time to the first text, median: {round(statistics.median(first)) if first else '-'} ms; "
        f"to the end: {round(statistics.median(r.latency_ms for r in results))} ms.",
        "",
        "| kind | en | nl |",
        "| --- | --- | --- |",
    ]
    by_kind: dict[str, dict[str, list[Result]]] = defaultdict(lambda: defaultdict(list))
    for result in results:
        by_kind[result.kind][result.language].append(result)
    lines += [
        f"| {kind} | {_share(by_kind[kind]['en'])} | {_share(by_kind[kind]['nl'])} |"
        for kind in sorted(by_kind)
    ]
    failed = [result for result in results if result.wrong]
    if failed:
        lines += ["", "## What failed"]
    for result in failed:
        lines += [
            "",
            f"### {result.id}",
            "",
            *(f"- {each}" for each in result.wrong),
            "",
            *(_quoted(f"visitor: {said}") for said in result.said),
            ">",
            _quoted(f"twin: {result.read or '(nothing)'}"),
        ]
    return "\n".join(lines) + "\n"


def _share(results: Sequence[Result]) -> str:
    return f"{sum(not result.wrong for result in results)}/{len(results)}" if results else ""


def _quoted(text: str) -> str:
    return "\n".join(f"> {line}" for line in text.splitlines())
