"""How often each model of each stage agrees with the truth, with everything that was not counted beside it."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tui_eval.core.calls import Json
from tui_eval.core.results import About, Cell, Row, Score, Table
from tui_eval.kinds.panel.grading import NO_TRUTH
from tui_eval.kinds.panel.panel_table import Config, model_ids, stages
from tui_eval.statistics.estimates import clustered_wilson

JUDGES = "\nA judge's row: how often its text agrees with the truth, not how well it judges."
MEANING = {"doer": "answer agrees with truth", "judge": "text agrees with truth", "final": "answer agrees with truth"}


class _Answers:
    """Counts of one stage and model, and of each question what was scored: several answers to it are one cluster."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.correct = array("I")
        self.scored = array("I")

    def add(self, score: Score, position: int) -> None:
        while len(self.scored) <= position:
            self.scored.append(0)
            self.correct.append(0)
        self.counts["total"] += score.why != NO_TRUTH
        if score.value is None:
            self.counts[score.why.split(":")[0]] += 1
            return
        self.counts["scored"] += 1
        self.counts["correct"] += int(score.value)
        self.scored[position] += 1
        self.correct[position] += int(score.value)


class AccuracyReport:
    """Accuracy per stage and model: over the answers that were scored, with everything that was not counted beside it."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.answers = {(stage, row.model): _Answers() for stage, rows in stages(config).items() for row in rows}
        self._repeat = 0
        self._position = -1

    def add(self, row: Row) -> None:
        """Count one item's scores. Items come in the same order in every repeat."""
        self._position = self._position + 1 if row.item.repeat == self._repeat else 0
        self._repeat = row.item.repeat
        for score in row.scores:
            self.answers[score.stage, score.model].add(score, self._position)

    def tables(self) -> Mapping[str, Table]:
        """accuracy: one row per stage and model. Nothing without a benchmark."""
        if self.config.benchmark is None:
            return {}
        ids = model_ids(self.config)
        rows = tuple(_accuracy_row(stage, model, ids[model], a) for (stage, model), a in self.answers.items())
        by = {"exact": "Exact match.", "llm": "Compared by the scorer model."}[self.config.benchmark.mode]
        note = f"{by} n = answers scored; interval: Wilson." + (JUDGES if self.config.judges else "")
        if any(sum(a.scored) > sum(1 for n in a.scored if n) for a in self.answers.values()):
            note += "\nSeveral answers to one question count as one cluster in the interval."
        keys, rests_on = (
            ("stage", "model", "model_id"),
            tuple({"stage": stage, "model": model} for stage, model in self.answers),
        )
        return {"accuracy": Table("Accuracy by stage and model", ACCURACY_COLUMNS, rows, note, keys, rests_on)}

    def headline(self) -> Sequence[Table]:
        """The accuracy table in short: estimate, interval, n, and what was not counted."""
        return [_short(table) for table in self.tables().values()]

    def files(self, about: About) -> Mapping[str, Json]:
        """The panel has no files but its tables."""
        return {}


def _accuracy_row(stage: str, model: str, model_id: str, answers: _Answers) -> tuple[Cell, ...]:
    n = answers.counts
    scored, correct, total = n["scored"], n["correct"], n["total"]
    low, high, effective = clustered_wilson(answers.correct, answers.scored) or (None, None, None)
    return (
        Cell(stage),
        Cell(model),
        Cell(model_id),
        Cell(MEANING[stage]),
        Cell(total),
        Cell(total - n["no reply"]),
        Cell(scored),
        Cell(correct),
        Cell(correct / scored if scored else None, scored, low, high, "correct / scored"),
        Cell(low),
        Cell(high),
        Cell(sum(1 for size in answers.scored if size)),
        Cell(None if effective is None else round(effective, 3)),
        Cell(n["scorer unparsed"]),
        Cell(n["scorer failed"]),
        Cell(n["not scored"]),
        Cell(n["no reply"]),
        Cell(n[NO_TRUTH]),
        Cell(correct / total if total else None, total, formula="correct / total"),
        Cell((correct + total - scored) / total if total else None, total, formula="(correct + missing) / total"),
    )


MISSING = {
    "n_scorer_unparsed": "unparsed",
    "n_scorer_failed": "scorer failed",
    "n_not_scored": "unscored",
    "n_no_reply": "no reply",
    "n_no_truth": "no truth",
}


def _short(table: Table) -> Table:
    """Names, the estimate with its interval and n, and what was not counted, as text."""
    at = {name: i for i, name in enumerate(table.columns)}
    clustered = any(row[at["n_questions"]].value != row[at["n_scored"]].value for row in table.rows)
    rows = []
    for row in table.rows:
        counts = [f"{row[at[name]].value} {word}" for name, word in MISSING.items() if row[at[name]].value]
        names = [str(row[at[name]].value) for name in ("stage", "model")]
        questions = [str(row[at["n_questions"]].value)] if clustered else []
        rows.append((*map(Cell, names), *_estimate(row[at["accuracy"]]), *map(Cell, (*questions, ", ".join(counts) or "-"))))
    columns = ("stage", "model", "accuracy", "95 % interval", "n", *(["questions"] if clustered else []), "not counted")
    return Table(table.title, columns, tuple(rows), table.note, rests_on=table.rests_on)


def _estimate(cell: Cell) -> list[Cell]:
    """Estimate, interval and n as text; the estimate can still be opened."""
    if not isinstance(cell.value, float) or cell.low is None or cell.high is None:
        return [replace(cell, value="-"), Cell("-"), Cell(str(cell.n))]
    interval = f"[{100 * cell.low:.1f}, {100 * cell.high:.1f}]"
    return [replace(cell, value=f"{100 * cell.value:.1f} %"), Cell(interval), Cell(str(cell.n))]


ACCURACY_COLUMNS = (
    "stage",
    "model",
    "model_id",
    "meaning",
    "n_total",
    "n_replies",
    "n_scored",
    "n_correct",
    "accuracy",
    "ci_low",
    "ci_high",
    "n_questions",
    "n_effective",
    "n_scorer_unparsed",
    "n_scorer_failed",
    "n_not_scored",
    "n_no_reply",
    "n_no_truth",
    "accuracy_strict",
    "accuracy_best_case",
)
