"""Runs made up by chance, as a kind's report adds them up and as a run folder holds them: of every shape that kinds have."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from agree import AGREE

from tui_eval.configuring.evaluation import Evaluation
from tui_eval.core.kinds import Metric
from tui_eval.core.results import SampleResult, Score
from tui_eval.core.samples import Sample
from tui_eval.core.units import Unit, Units, digest
from tui_eval.evaluation.inputs import Task
from tui_eval.evaluation.score_report import ScoreReport
from tui_eval.reporting.result_lines import result_line
from tui_eval.results.sums.metrics import NO_END, written_metrics
from tui_eval.results.sums.series import NO_TRUTH
from tui_eval.results.sums.verdict import verdict_of
from tui_eval.results.tables import json_text, table_cells

RIGHT, VALID = Metric("correct", threshold=1.0), Metric("valid", threshold=1.0)
MARK, OVERALL, ERRORS = Metric("mark", 1, 5), Metric("overall", 0, 1, threshold=0.7), Metric("errors", 0, NO_END, "lower")
PICTURE = "Transcribe what you are shown."
"""What is asked of every picture: the same words."""


def unit_of(task: Any, sample: Sample) -> Unit:
    """What a sample carries."""
    unit: Unit = sample.data
    return unit


@dataclass(frozen=True, slots=True)
class Invented:
    """A run of this shape, drawn from a seed."""

    evaluation: Evaluation
    rows: Sequence[SampleResult]

    @property
    def metrics(self) -> list[Metric]:
        """What it is scored by."""
        return list(self.evaluation.kind.metrics)

    def report(self) -> ScoreReport:
        """Its scores, added up."""
        found = ScoreReport(self.evaluation.task, self.metrics)
        for row in self.rows:
            found.add(row)
        return found


def invented(seed: int) -> Invented:
    """Models of one stage or two, with repeats and turns, variants, documents in common, pictures, equal items, gaps."""
    random = Random(seed)
    metrics = random.sample((RIGHT, VALID, MARK, OVERALL, ERRORS), random.randint(1, 4))
    variant = random.choice(("", "", "prompt"))
    headline = tuple(metric.name for metric in metrics[: random.randint(1, len(metrics))]) if random.random() < 0.7 else ()
    levels = random.choice(((), ("document",), ("document", "question")))
    units = Units(random.choice(("question", "file", "brief")), "answer", levels, variant, headline, unit_of)
    items = _items(random, random.choice((3, 5, 8, 24, 40)), len(levels))
    models = [f"m{n}" for n in range(random.randint(2, 4))]
    repeats, turns = random.choice((1, 1, 2, 3)), random.choice((1, 1, 2))
    rows = []
    for model in models:
        gaps, skill = random.choice((0.0, 0.02, 0.2)), random.random()
        for place, (unit, question) in enumerate(items):
            for version in ("v1", "v2") if variant else ("",):
                for repeat in range(repeats):
                    if random.random() < 0.03:
                        continue
                    scores = [
                        _score(random, "answer" if turn == 0 or not place % 3 else "later", model, turn, metric, skill, gaps)
                        for turn in range(random.randint(1, turns))
                        for metric in metrics
                    ]
                    name, own = f"{model}/{place}{version}", unit._replace(variant=version)
                    groups = {"difficulty": (random.choice(("easy", "hard")),), **({variant: (version,)} if variant else {})}
                    sample = Sample(
                        name,
                        question,
                        repeat=repeat,
                        queue=model,
                        doc_id=unit.clusters[0],
                        q_index=place,
                        groups=groups,
                        data=own,
                    )
                    rows.append(SampleResult(sample, (), tuple(scores)))
    if random.random() < 0.5:
        random.shuffle(rows)
    kind = replace(AGREE, name="invented", metrics=tuple(metrics), units=units)
    task = Task(config=None, asked={}, units=units)
    return Invented(Evaluation(kind, "invented", task, {}, (), {}, repeats, run_id="invented"), rows)


def _items(random: Random, n: int, levels: int) -> list[tuple[Unit, str]]:
    """Questions, or pictures that are asked the same; some of them twice in the set."""
    pictures, found = random.random() < 0.3, []
    for place in range(n):
        what = digest("item", place if random.random() < 0.9 else 0)
        shared = (f"d{place * random.choice((3, 5)) // n}", f"q{place % 5}")[:levels]
        found.append((Unit(what, (*shared, f"own {place}")), PICTURE if pictures else f"What is {what}?"))
    return found


def _score(random: Random, stage: str, model: str, turn: int, metric: Metric, skill: float, gaps: float) -> Score:
    if random.random() < gaps:
        return Score(stage, model, turn, metric.name, None, random.choice(("no reply: timeout", "judge unparsed", NO_TRUTH)))
    value = {
        "mark": lambda: float(random.choice((1, 2, 3, 4, 5, 5))),
        "overall": lambda: random.random() ** (1 - skill / 2),
        "errors": lambda: random.lognormvariate(-2, 1.5),
    }.get(metric.name, lambda: float(random.random() < skill))()
    return Score(stage, model, turn, metric.name, value, version="made up/1")


def written_run(path: Path, found: Invented) -> dict[str, Any]:
    """Write it as a run folder; its report."""
    path.mkdir(parents=True)
    units = found.evaluation.kind.units
    manifest = {"run_id": path.name, "kind": "invented", "name": "invented", "simulated": False, "units": units.words}
    (path / "config.toml").write_text('kind = "invented"\n')
    (path / "manifest.json").write_text(json.dumps(manifest))
    (path / "progress.json").write_text(json.dumps({"state": "done"}))
    (path / "call_logs.jsonl").write_text("")
    (path / "results.jsonl").write_text("".join(result_line(found.evaluation, row) for row in found.rows))
    made = found.report()
    tables = {name: table_cells(table) for name, table in made.tables().items()}
    text = json_text({
        **manifest, **written_metrics(found.metrics), "tables": tables, "verdict": verdict_of(made.board),
        "headline": [table_cells(table) for table in made.headline()],
    })  # fmt: skip
    (path / "report.json").write_text(text)
    report: dict[str, Any] = json.loads(text)
    return report
