"""What each model of each stage scored, with its interval and with everything that was not counted beside it."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tui_eval.core.calls import Json
from tui_eval.core.kinds import Metric, Reporter
from tui_eval.core.results import About, Cell, Row, Score, Table
from tui_eval.kinds.shared.inputs import Task
from tui_eval.kinds.shared.judging import NO_TRUTH
from tui_eval.kinds.shared.kind import Kind
from tui_eval.kinds.shared.reply_report import ReplyReport
from tui_eval.results.metrics import is_binary, within
from tui_eval.statistics.estimates import clustered_wilson, repeats, student_t

CLUSTERS = "\nSeveral answers to one question count as one cluster in the interval."
Key = tuple[str, str, str]
"""(stage, model, metric)"""


@dataclass(slots=True)
class Tally:
    """Scores of one stage, model and metric, and of each cluster how many and their sum: for its answers hang together."""

    counts: Counter[str] = field(default_factory=Counter)
    total: array[float] = field(default_factory=lambda: array("d"))
    scored: array[int] = field(default_factory=lambda: array("I"))

    def add(self, score: Score, position: int) -> None:
        """Count a score; `position`: its cluster, counted from 0."""
        while len(self.scored) <= position:
            self.scored.append(0)
            self.total.append(0.0)
        self.counts["total"] += score.why != NO_TRUTH
        if score.value is None:
            self.counts[score.why.split(":")[0]] += 1
            return
        self.counts["scored"] += 1
        self.scored[position] += 1
        self.total[position] += score.value

    @property
    def clustered(self) -> bool:
        """Whether a cluster has several scores."""
        return any(n > 1 for n in self.scored)


class ScoreReport:
    """A table of accuracies for what is right or wrong, and one of means for every other metric.

    `judge`: what the judging model is called where a mark is missing; `expected`: (stage, model) that are in the table
    whatever happens; `meaning`: what a stage's accuracy says; `note`, `also`: words before and after the table's own.
    """

    def __init__(
        self,
        task: Task,
        metrics: Sequence[Metric],
        judge: str = "judge",
        expected: Iterable[tuple[str, str]] = (),
        meaning: Mapping[str, str] | None = None,
        note: str = "",
        also: str = "",
    ) -> None:
        self.ids = {model.name: model.model_id for models in task.asked.values() for model in models}
        self.metrics = {metric.name: metric for metric in metrics}
        self.judge, self.meaning, self.note, self.also = judge, meaning or {}, note, also
        binary = [metric.name for metric in metrics if is_binary(metric)]
        self.tallies: dict[Key, Tally] = {(stage, model, name): Tally() for stage, model in expected for name in binary}
        self._clusters: dict[tuple[str, int], int] = {}

    def add(self, row: Row) -> None:
        """Count one sample's scores."""
        position = self._clusters.setdefault(row.item.cluster, len(self._clusters))
        for score in row.scores:
            self.tallies.setdefault((score.stage, score.model, score.name), Tally()).add(score, position)

    def tables(self) -> Mapping[str, Table]:
        """accuracy: a row per stage and model; scores: a row per stage, model and metric. What has no row is left out."""
        right = {key: tally for key, tally in self.tallies.items() if is_binary(self.metrics[key[2]])}
        marks = {key: tally for key, tally in self.tallies.items() if key not in right}
        found = {}
        if right:
            found["accuracy"] = self._accuracies(right)
        if marks:
            found["scores"] = self._scores(marks)
        return found

    def headline(self) -> Sequence[Table]:
        """The same in short: estimate, interval, n, and what was not counted."""
        return [self._short(table) for table in self.tables().values()]

    def files(self, about: About) -> Mapping[str, Json]:
        """No files but the tables."""
        return {}

    def _accuracies(self, tallies: Mapping[Key, Tally]) -> Table:
        reasons = self._reasons
        columns = (
            "stage", "model", "model_id", "meaning", "n_total", "n_replies", "n_scored", "n_correct", "accuracy", "ci_low",
            "ci_high", "n_questions", "n_effective", *(f"n_{reason.replace(' ', '_')}" for reason in reasons.values()),
            "accuracy_strict", "accuracy_best_case",
        )  # fmt: skip
        rows = tuple(self._accuracy(key, tally, tuple(reasons)) for key, tally in tallies.items())
        note = f"{self.note}n = answers scored; interval: Wilson.{self.also}" + self._clusters_note(tallies.values())
        several = len({metric for _, _, metric in tallies}) > 1
        keys = ("stage", "model", "model_id", *(("meaning",) if several else ()))
        return Table("Accuracy by stage and model", columns, rows, note, keys, self._rests_on(tallies))

    @property
    def _reasons(self) -> Mapping[str, str]:
        """Why a score has no value, as its `why` begins and as columns call it."""
        ordered = [f"{self.judge} unparsed", f"{self.judge} failed", "not scored", "no reply", NO_TRUTH]
        others = {name for tally in self.tallies.values() for name in tally.counts} - {"total", "scored", *ordered}
        return {name: "no truth" if name == NO_TRUTH else name for name in (*ordered, *sorted(others))}

    def _accuracy(self, key: Key, tally: Tally, reasons: Sequence[str]) -> tuple[Cell, ...]:
        stage, model, metric = key
        n = tally.counts
        scored, total, correct = n["scored"], n["total"], round(sum(tally.total))
        low, high, effective = clustered_wilson([round(x) for x in tally.total], tally.scored) or (None, None, None)
        return (
            *map(Cell, (stage, model, self.ids.get(model, model), self.meaning.get(stage, metric))),
            *map(Cell, (total, total - n["no reply"], scored, correct)),
            Cell(correct / scored if scored else None, scored, low, high, "correct / scored"),
            Cell(low),
            Cell(high),
            Cell(sum(1 for size in tally.scored if size)),
            Cell(None if effective is None else round(effective, 3)),
            *(Cell(n[reason]) for reason in reasons),
            Cell(correct / total if total else None, total, formula="correct / total"),
            Cell((correct + total - scored) / total if total else None, total, formula="(correct + missing) / total"),
        )

    def _scores(self, tallies: Mapping[Key, Tally]) -> Table:
        without = {NO_TRUTH} if not any(tally.counts[NO_TRUTH] for tally in tallies.values()) else set()
        found = {why: name for why, name in self._reasons.items() if why not in without}
        columns = (
            "stage", "model", "model_id", "metric", "n_total", "n_scored", "mean", "ci_low", "ci_high", "n_questions",
            *(f"n_{reason.replace(' ', '_')}" for reason in found.values()),
        )  # fmt: skip
        rows = tuple(self._mean(key, tally, tuple(found)) for key, tally in tallies.items())
        scales = "; ".join(f"{m.name} {m.low:g} to {m.high:g}" for m in self.metrics.values() if not is_binary(m))
        note = f"{self.note}Scales: {scales}. mean: of the questions' means; interval: t over questions."
        return Table("Scores by stage, model and metric", columns, rows, note, columns[:4], self._rests_on(tallies))

    def _mean(self, key: Key, tally: Tally, reasons: Sequence[str]) -> tuple[Cell, ...]:
        (stage, model, name), metric = key, self.metrics[key[2]]
        means = [[total / n] for total, n in zip(tally.total, tally.scored, strict=True) if n]
        found = repeats(means)
        half = None if found is None or found.se is None else student_t(0.975, found.n - 1) * found.se
        value = None if found is None else found.mean
        low = None if half is None or value is None else within(metric, value - half)
        high = None if half is None or value is None else within(metric, value + half)
        counts = tally.counts
        return (
            *_cells(stage, model, self.ids.get(model, model), name, counts["total"], counts["scored"]),
            Cell(value, counts["scored"], low, high, "mean of the questions' means"),
            *_cells(low, high, len(means)),
            *(Cell(counts[reason]) for reason in reasons),
        )

    def _rests_on(self, tallies: Iterable[Key]) -> tuple[Mapping[str, Json], ...]:
        """Of each row, which scores it rests on; by name, too, where there are several metrics."""
        named = len(self.metrics) > 1
        return tuple({"stage": stage, "model": model, **({"name": name} if named else {})} for stage, model, name in tallies)

    def _clusters_note(self, tallies: Iterable[Tally]) -> str:
        return CLUSTERS if any(tally.clustered for tally in tallies) else ""

    def _short(self, table: Table) -> Table:
        """Names, the estimate with its interval and n, and what was not counted, as text."""
        at = {name: i for i, name in enumerate(table.columns)}
        estimate = "accuracy" if "accuracy" in at else "mean"
        names = [name for name in ("stage", "model", "metric", "meaning") if name in at and name in table.keys]
        clustered = any(row[at["n_questions"]].value != row[at["n_scored"]].value for row in table.rows)
        rows = []
        for row in table.rows:
            counts = [
                f"{row[at[name]].value} {word}" for name, word in self._words.items() if name in at and row[at[name]].value
            ]
            questions = [str(row[at["n_questions"]].value)] if clustered else []
            cells = [
                *map(Cell, (str(row[at[name]].value) for name in names)),
                *_estimate(row[at[estimate]], estimate == "mean"),
            ]
            rows.append((*cells, *map(Cell, (*questions, ", ".join(counts) or "-"))))
        columns = (*names, estimate, "95 % interval", "n", *(["questions"] if clustered else []), "not counted")
        return Table(table.title, columns, tuple(rows), table.note, rests_on=table.rests_on)

    @property
    def _words(self) -> Mapping[str, str]:
        """Columns of what was not counted, in a word."""
        short = {f"{self.judge} unparsed": "unparsed", "not scored": "unscored"}
        return {f"n_{name.replace(' ', '_')}": short.get(name, name) for name in self._reasons.values()}


def _cells(*values: float | str | None) -> Iterator[Cell]:
    return map(Cell, values)


def _estimate(cell: Cell, is_mean: bool) -> list[Cell]:
    """Estimate, interval and n as text; the estimate can still be opened."""
    if not isinstance(cell.value, float):
        return [replace(cell, value="-"), Cell("-"), Cell(str(cell.n))]
    scale, unit, digits = (1, "", 2) if is_mean else (100, " %", 1)
    told = cell.low is not None and cell.high is not None
    interval = f"[{scale * (cell.low or 0):.{digits}f}, {scale * (cell.high or 0):.{digits}f}]" if told else "-"
    return [replace(cell, value=f"{scale * cell.value:.{digits}f}{unit}"), Cell(interval), Cell(str(cell.n))]


def report_of(kind: Kind, task: Task) -> Reporter:
    """What adds up the rows of an evaluation: the kind's own reports, else its scores, else its replies."""
    if kind.report is not None:
        return kind.report(task)
    return ScoreReport(task, kind.metrics) if kind.metrics else ReplyReport(task)
