"""Run folders for tests of comparisons: results and logs as a run writes them, of scores that a test names."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from makers import attempt

from tui_eval.core.calls import Usage
from tui_eval.core.units import QUESTIONS, Units, digest
from tui_eval.results.comparison import files
from tui_eval.results.comparison.comparing import ComparedPair, Comparison, compare_runs
from tui_eval.results.stored_scores import split_options
from tui_eval.runs.record import line_of

Scores = Mapping[str, Sequence[float | Sequence[float | None] | None]]
"""By model, of each question its score; a list where it was asked several times, None where there is none."""
OPTIONS = ("the whole", "the pores", "the grains", "no part")


def lettered(number: int, order: Sequence[int] = (0, 1, 2, 3)) -> tuple[str, str]:
    """A question with its options in an order, and its truth."""
    lines = [f"{letter}) {OPTIONS[i]}" for letter, i in zip("ABCD", order, strict=True)]
    return "\n".join([f"What of rock {number} is empty?", *lines]), lines[list(order).index(1)]


def unit(line: Mapping[str, Any]) -> dict[str, Any]:
    """What a line says that its scores are about: the question, its options whatever their order, and its truth."""
    stem, options = split_options(line["question"])
    truth = next((option for option in options if (line["truth"] or "").startswith(option, 3)), line["truth"])
    item = digest(" ".join(stem.split()), sorted(options), truth)
    return {"item": item, "clusters": [line["doc_id"], f"{line['doc_id']}/{line['q_index']}"], "variant": ""}


def item(model: str, number: int, value: float | None, repeat: int = 0, **changes: Any) -> dict[str, Any]:
    """A line of results.jsonl: one model's answer to one question."""
    question, truth = lettered(number)
    mark = {"stage": "answer", "model": model, "call_index": 0, "name": "correct", "value": value, "version": "robust/1"}
    reply = {
        "stage": "answer",
        "model": model,
        "call_index": 0,
        "about": "",
        "status": "ok",
        "why": "",
        "finish_reason": "stop",
    }
    line = {
        "item_id": f"{model}/q{number}",
        "repeat": repeat,
        "lane": model,
        "doc_id": f"q{number}",
        "q_index": number,
        "finished": True,
        "error": "",
        "question": question,
        "truth": truth,
        "groups": {"difficulty": ["easy" if number % 2 else "hard"]},
        "primary": [0],
        "replies": [{**reply, "latency_ms": 1000, "text": f"{model} on {number}"}],
        "scores": [{**mark, "why": "" if value is not None else "no reply: timeout", "read": None, "pattern": ""}],
        **changes,
    }
    return line if "unit" in line else {**line, "unit": unit(line)}


def restated(line: Mapping[str, Any], **changes: Any) -> dict[str, Any]:
    """A line with other fields, and what it is about by these."""
    changed = {**line, **changes}
    return {**changed, "unit": unit(changed)}


def items(scores: Scores, **changes: Any) -> list[dict[str, Any]]:
    """The lines of a run in which these models got these scores."""
    found = []
    for model, values in scores.items():
        for number, value in enumerate(values):
            several = value if isinstance(value, list | tuple) else [value]
            found += [item(model, number, one, repeat, **changes) for repeat, one in enumerate(several)]
    return found


def older(lines: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The same as versions before 0.7 wrote them, which say of no line what it is about."""
    return [{name: value for name, value in line.items() if name != "unit"} for line in lines]


def write_run(
    path: Path,
    lines: Sequence[Mapping[str, Any]],
    calls: Mapping[str, tuple[int, float]] | None = None,
    units: Units | None = QUESTIONS,
) -> Path:
    """A run folder with these results. `calls`: by model how many calls, and what each cost in USD; `units`: what its numbers
    are about, None = the run is of an older version, which said nothing of it."""
    path.mkdir(parents=True)
    (path / "config.toml").write_text('kind = "choice"\n')
    manifest = {
        "run_id": path.name,
        "kind": "choice",
        "name": "rocks",
        "simulated": False,
        "started_at": "2026-01-02T03:04:05Z",
        **({} if units is None else {"units": units.words}),
    }
    (path / "manifest.json").write_text(json.dumps(manifest))
    (path / "progress.json").write_text(json.dumps({"state": "done"}))
    stated = older(lines) if units is None else lines
    (path / "results.jsonl").write_text("".join(json.dumps(line) + "\n" for line in stated))
    made = attempt()
    with (path / "call_logs.jsonl").open("w") as log:
        for model, (many, cost) in (calls or {}).items():
            for number in range(many):
                usage = Usage(prompt_tokens=10, completion_tokens=1, total_tokens=11, cost_usd=cost)
                call = {"stage": "answer", "model": model, "item_id": f"{model}/q{number}", "latency_ms": 1000 + number}
                log.write(line_of(replace(made, attempt_id=f"life-{number:06}", usage=usage, **call), "{}"))
    return path


def only(comparison: Comparison) -> ComparedPair:
    """The one pair of a comparison."""
    assert len(comparison.pairs) == 1
    return comparison.pairs[0]


def of_two(path: Path, a: Sequence[Any], b: Sequence[Any], units: Units | None = QUESTIONS, **changes: Any) -> ComparedPair:
    """A run of two models with these scores, compared."""
    return only(compare_runs([write_run(path, items({"a": a, "b": b}, **changes), units=units)]))


def written(comparison: Comparison, folder: Path, flips_of: Sequence[str] = ()) -> dict[str, str]:
    """The files of a comparison by name, as they are written into a new folder."""
    return {path.name: path.read_text() for path in files.write(comparison, folder, flips_of).iterdir()}
