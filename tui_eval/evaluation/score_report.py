"""Scores of each model of each stage, with their intervals and with everything that was not counted beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Protocol, runtime_checkable

from tui_eval.core.calls import Json
from tui_eval.core.kinds import Metric
from tui_eval.core.reports import HumanRating
from tui_eval.core.results import About, Cell, SampleResult, Score, Table
from tui_eval.core.units import Unit
from tui_eval.evaluation.consistency import Consistency, consistency
from tui_eval.evaluation.inputs import Task
from tui_eval.evaluation.item_table import ItemPart
from tui_eval.evaluation.judging.judge_attacks import AttackReport
from tui_eval.evaluation.judging.judge_frames import PromptMarks
from tui_eval.evaluation.judging.person_report import PersonReport
from tui_eval.evaluation.noise_table import NoiseTable
from tui_eval.evaluation.report_parts import ReportPart, with_columns
from tui_eval.evaluation.sum_cells import (
    CONSISTENCY,
    MEAN,
    PAIR,
    RATE,
    RESTS_ON,
    Cells,
    consistency_cells,
    mean_cells,
    pair_cells,
    table_of,
)
from tui_eval.evaluation.variant_matrix import VariantMatrix
from tui_eval.results.sums.board import Board, Side
from tui_eval.results.sums.in_words import rank
from tui_eval.results.sums.judge_certificates import CertificateCopy
from tui_eval.results.sums.judge_in_words import coverage_words
from tui_eval.results.sums.metrics import all_alike, is_binary, passes, scale_of
from tui_eval.results.sums.series import NO_CLAIMS, NO_TRUTH, Group, Series

MANY = 5
"""Metrics whose scales are told one by one."""
WITHOUT_REPLY = ("no reply", "no question")
"""How the reason of a score begins where nobody replied: a call failed, or there was nothing to ask."""
TITLES = ("Accuracy by stage and model", "Scores by stage, model and metric")
PAIRED = (
    "Paired on common {items}; p_holm: corrected for all pairs tested, below 0.05 a pair differs significantly. Right or wrong"
    " once: exact McNemar and Tango's interval; else t of the {items}' means. What has no p is part of what is tested."
)


@runtime_checkable
class BoardReporter(Protocol):
    """A report whose scores stand on a board, so that a verdict can be made of them."""

    @property
    def board(self) -> Board:
        """The board."""
        ...


class ScoreReport:
    """A table of rates for what is right or wrong, and one of means for every other metric.

    `judge`: what the judging model is called where a mark is missing; `expected`: (stage, model), or these with a variant,
    that are in the table whatever happens; `meaning`: what a rate says, by stage or by metric; `note`, `also`: words before
    and after the table's own; `judged`: metrics that a model marks; `unmarked`: how the reasons begin why there was nothing
    for it to mark; `titles`: of the two tables.
    """

    own_columns: tuple[str, ...] = ()
    """A kind's own behind the rates, and behind what several answers have in common; `_row` and `_repeats` fill them."""
    repeat_columns: tuple[str, ...] = ()
    lacking = "not counted"
    """What is said in short of the answers that `_words` names."""
    shows_metric = False
    """Whether rates show their metric though there is one."""

    def __init__(
        self,
        task: Task,
        metrics: Sequence[Metric],
        judge: str = "judge",
        expected: Iterable[tuple[str, ...]] = (),
        meaning: Mapping[str, str] | None = None,
        note: str = "",
        also: str = "",
        judged: Collection[str] = (),
        unmarked: Collection[str] = (NO_CLAIMS,),
        titles: tuple[str, str] = TITLES,
    ) -> None:
        self._of_task, self.units = task, task.units
        self.ids = {model.name: model.model_id for models in task.asked.values() for model in models}
        self.judge, self.meaning, self.note, self.also, self._titles = judge, meaning or {}, note, also, titles
        self._judged, self._unmarked = frozenset(judged), frozenset(unmarked)
        binary = [metric.name for metric in metrics if is_binary(metric) and metric.name not in task.rubrics]
        self._board = Board.empty(self.units, metrics, [_side(owner, name) for owner in expected for name in binary])
        self._made: Mapping[str, Table] | None = None
        self.prompt_marks = PromptMarks()
        self.attacks = None if task.attacks is None else AttackReport(task.attacks)
        self.parts = self._parts(task, metrics)

    def _parts(self, task: Task, metrics: Sequence[Metric]) -> list[ReportPart]:
        """Return the parts: of persons, where they can rate by what models mark; of items, where what is tested is right or
        wrong; of noise."""
        people = PersonReport(task, metrics, self._judged, lambda: self.board)
        tests_rates = any(is_binary(metric) and task.units.tests(metric.name) for metric in metrics)
        return [
            *([people] if people.metrics else []),
            *([ItemPart(task, lambda: self.board)] if tests_rates else []),
            NoiseTable(task, self._judged, lambda: self.board),
        ]

    def add(self, row: SampleResult) -> None:
        """Count one sample's scores; those of attacks on judges apart from all others."""
        if row.sample.checks_judge:
            self._made = None
            if self.attacks is not None:
                self.attacks.add(row)
            return
        self.prompt_marks.add(row)
        unit = self.units.unit(self._of_task, row.sample)
        for part in self.parts:
            part.add(row, unit)
        self.count(unit, row.sample.groups, row.scores, row.sample.repeat)

    def count(
        self, unit: Unit, groups: Mapping[str, Sequence[str]], scores: Iterable[Score], repeat: int = 0, of: str | None = None
    ) -> None:
        """Count scores of an item; `of`: what they stand under in place of their models."""
        self._made = None
        self.board.add(unit, groups, repeat, scores, of)

    def check(self, ratings: Sequence[HumanRating]) -> None:
        """Take in what persons said of answers."""
        self._made = None
        for part in self.parts:
            part.check(ratings)

    def certify(self, certificates: Sequence[CertificateCopy]) -> None:
        """Take in the certificates that the run has of its judges."""
        self._made = None
        for part in self.parts:
            part.certify(certificates)

    @property
    def board(self) -> Board:
        """Board of the scores."""
        return self._board

    @property
    def stands_beside(self) -> bool:
        """Return whether the run has metrics that are in another report."""
        return self.shows_metric or bool(self._of_task.scorers.names - self.metrics.keys())

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """Metrics of the scores, by name."""
        return self.board.metrics

    def tables(self) -> Mapping[str, Table]:
        """accuracy and scores by stage, model and metric; groups, pairs, consistency. What has no row is left out."""
        if self._made is not None:
            return self._made
        right = {side: series for side, series in self.board.series.items() if is_binary(self.board.metric(side))}
        marks = {side: series for side, series in self.board.series.items() if side not in right}
        tables = {
            "accuracy": self._accuracies(right),
            "scores": self._scores(marks),
            "groups": self._by_group(right, binary=True),
            "group_scores": self._by_group(marks, binary=False),
            "pairs": self._pairs(),
            "consistency": self._consistency(),
            **self._matrix(),
            "prompt_marks": self.prompt_marks.table(),
            **(self.attacks.tables() if self.attacks else {}),
            **{name: table for part in self.parts for name, table in part.tables().items()},
            **self.own_tables(),
        }
        tables |= {name: with_columns(self.parts, tables[name]) for name in ("scores", "group_scores")}
        self._made = {name: table for name, table in tables.items() if table.rows}
        return self._made

    def own_tables(self) -> Mapping[str, Table]:
        """Those that a kind has besides."""
        return {}

    def headline(self) -> Sequence[Table]:
        """The same in short: estimate, interval, n, and what was not counted; what is tested first."""
        tables = [table for name, table in self.tables().items() if name in ("accuracy", "scores")]
        ordered = reversed(tables) if self._marks_first else tables
        short_tables = [with_columns(self.parts, self._short(table), in_short=True) for table in ordered]
        matrix = VariantMatrix.of(self.board)
        return [*short_tables, *(matrix.short() if matrix else ())]

    def _matrix(self) -> Mapping[str, Table]:
        """The headline by model and version of what is asked, where there are several."""
        matrix = VariantMatrix.of(self.board)
        return {"matrix": matrix.table(self.ids)} if matrix else {}

    @property
    def _marks_first(self) -> bool:
        """Return whether the first metric that is tested is no rate."""
        first = next((metric for name, metric in self.metrics.items() if self.units.tests(name)), None)
        return first is not None and not is_binary(first)

    def files(self, about: About) -> Mapping[str, Json]:
        """No files but the tables."""
        return {}

    @property
    def _keys(self) -> tuple[str, ...]:
        """The columns that name a side, but for its metric."""
        return ("stage", "model", *([self.units.variant] if self.board.variants else []))

    def _accuracies(self, series_by_side: Mapping[Side, Series]) -> Table:
        reasons = self._reasons
        rows = [self._row(side, series, reasons) for side, series in series_by_side.items()]
        columns = (
            *self._ranks(series_by_side), *self._keys, "model_id", "meaning", "n_total", "n_replies", "n_scored", "n_correct",
            *RATE[:5],
            *(f"n_{reason.replace(' ', '_')}" for reason in reasons.values()), *RATE[5:], *self.own_columns,
        )  # fmt: skip
        units = self.units
        note = f"{self.note}Mean over {units.item}s; interval: Wilson, 95 %.{self.also}"
        repeated = any(n > 1 for series in series_by_side.values() for n in series.scored)
        note += f" {units.answer.capitalize()}s of one {units.item} are averaged first." * repeated
        note += self._warned(binary=True) + self._shared + self._ranked(series_by_side) + self._apart(series_by_side)
        several = len(self.metrics) > 1 or self.stands_beside
        return table_of(self._titles[0], rows, columns, note, (*self._keys, "model_id", *(("meaning",) if several else ())))

    @property
    def _reasons(self) -> Mapping[str, str]:
        """Why a score has no value, as its `why` begins and as columns call it."""
        ordered = [f"{self.judge} unparsed", f"{self.judge} failed", "not scored", "no reply", NO_TRUTH]
        extra_reasons = {name for series in self.board.series.values() for name in series.why} - set(ordered)
        return {name: "no truth" if name == NO_TRUTH else name for name in (*ordered, *sorted(extra_reasons))}

    def _row(self, side: Side, series: Series, reasons: Mapping[str, str]) -> Cells:
        estimate, (best, worst) = self.board.estimate(side), self.board.ranks.get(side) or (None, None)
        return {
            "rank_best": best,
            "rank_worst": worst,
            **self._name_cells(side),
            "metric": side.metric,
            "meaning": self.meaning.get(side.metric, self.meaning.get(side.stage, side.metric)),
            "n_total": estimate.asked,
            "n_replies": estimate.asked - sum(series.why[why] for why in WITHOUT_REPLY),
            "n_scored": estimate.scored,
            "n_correct": estimate.right,
            **mean_cells(estimate, self.units.item),
            **{f"n_{name.replace(' ', '_')}": series.why[why] for why, name in reasons.items()},
        }

    def _scores(self, series_by_side: Mapping[Side, Series]) -> Table:
        without = {NO_TRUTH} if not any(series.why[NO_TRUTH] for series in series_by_side.values()) else set()
        reasons = {why: name for why, name in self._reasons.items() if why not in without}
        counts = (f"n_{reason.replace(' ', '_')}" for reason in reasons.values())
        columns = (*self._ranks(series_by_side), *self._keys, "model_id", "metric", "n_total", "n_scored", *MEAN, *counts)
        rows = [self._row(side, series, reasons) for side, series in series_by_side.items()]
        note = f"{self.note}{self._scales} Mean of the {self.units.item}s' means; interval: Gaffke, 95 %."
        note += "".join(f"\n{sentence}" for sentence in self._all_alike(series_by_side))
        note += self._warned(binary=False) + self._shared + self._ranked(series_by_side) + self._apart(series_by_side)
        return table_of(self._titles[1], rows, columns, note, (*self._keys, "model_id", "metric"))

    def _ranks(self, sides: Iterable[Side]) -> tuple[str, ...]:
        """The columns of the ranks that the tested pairs leave open, where any side has one."""
        return ("rank_best", "rank_worst") if any(side in self.board.ranks for side in sides) else ()

    @property
    def _scales(self) -> str:
        """On which scale each metric lies; where there are many, and on one scale, in a word."""
        metrics = [metric for metric in self.metrics.values() if not is_binary(metric)]
        if len(metrics) > MANY and len({(metric.low, metric.high) for metric in metrics}) == 1:
            return f"Scale of all: {scale_of(metrics[0])}."
        own = self._of_task.rubrics  # whose direction a person has chosen, and nobody else knows
        ends = ((each, ", lower is better" if each.name in own and each.better == "lower" else "") for each in metrics)
        return f"Scales: {'; '.join(f'{each.name} {scale_of(each)}{end}' for each, end in ends)}."

    @property
    def _shared(self) -> str:
        """Note on how the intervals account for what items share."""
        words = self.board.shared_words()
        return f"\n{words}" if words else ""

    def _ranked(self, sides: Iterable[Side]) -> str:
        """Among whom ranks are, where a model has several sides."""
        several = self.board.variants and self._ranks(sides)
        return f"\nRanks are those among the models of one {self.units.variant}." if several else ""

    def _apart(self, sides: Mapping[Side, Series]) -> str:
        """Say which of these sides are no pair, though both have scores."""
        words = self.board.apart_words(sides)
        return f"\n{words}" if words else ""

    def low_coverage(self, binary: bool) -> str:
        """A warning of judged metrics that too many answers have no mark of, model by model, with their stages where there are
        several; empty where none is. `binary`: of those that are right or wrong, or of all others."""
        judged = {
            side: series
            for side, series in self.board.series.items()
            if side.metric in self._judged and is_binary(self.board.metric(side)) == binary
        }
        several = len({side.stage for side in judged}) > 1
        return coverage_words(
            (side.metric, f"{side.stage} {name}" if several else name, sum(series.scored), self._expected_marks(series))
            for side, series in judged.items()
            for name in [self.board.named(side)]
        )

    def _warned(self, binary: bool) -> str:
        has_means = any(not is_binary(self.board.metric(side)) for side in self.board.series)
        sentences = [self.low_coverage(binary), *(self.judge_sentences() if binary != has_means else ())]
        return "".join(f"\n{sentence}" for sentence in sentences if sentence)

    def judge_sentences(self) -> list[str]:
        """Return the notes on the judges, whatever they judge: marks of their prompts in texts, and the effect of attacks."""
        attacks = self.attacks.sentences() if self.attacks else ()
        return [
            *filter(None, [self.prompt_marks.sentence()]),
            *attacks,
            *(sentence for part in self.parts for sentence in part.sentences()),
        ]

    def _expected_marks(self, series: Series) -> int:
        """Return the number of marks that were wanted: one of each answer, but for those with nothing to mark."""
        return sum(series.asked) - sum(n for why, n in series.why.items() if why in self._unmarked)

    def _all_alike(self, series_by_side: Mapping[Side, Series]) -> Iterator[str]:
        """Say which metrics are uninformative, since nearly all scores of all models are the same."""
        for name, metric in self.metrics.items():
            marks = sum((series.marks() for side, series in series_by_side.items() if side.metric == name), Counter[float]())
            if sentence := all_alike(metric, marks):
                yield sentence

    @property
    def groups(self) -> Sequence[Group]:
        """Groups that its tables are broken down by."""
        return [group for group in self.board.groups if group.by != self.units.variant]

    def _by_group(self, sides: Mapping[Side, Series], binary: bool) -> Table:
        """The same for the items of each group."""
        rows: list[Cells] = []
        for group in self.groups:
            by = {"by": group.by, "value": group.value}
            for side in sides:
                estimate = self.board.estimate(side, group)
                counts = {"n_total": estimate.asked, "n_scored": estimate.scored, "metric": side.metric}
                row = {**self._name_cells(side), **by, **counts, **mean_cells(estimate, self.units.item)}
                rows.append({**row, RESTS_ON: {**self._rests_on(side), **by}})
        columns = ("by", "value", *self._keys, "metric", "n_total", "n_scored", *(RATE[:4] if binary else MEAN))
        title = "Rates by group" if binary else "Scores by group"
        return table_of(title, rows, columns, self.note.strip(), columns[: 3 + len(self._keys)])

    def _pairs(self) -> Table:
        """Every two sides of a stage that differ in one thing, by each metric; the difference is a's mean less b's."""
        beside = tuple(f"{self.units.variant}_{end}" for end in "ab") if self.board.variants else ()
        rows: list[Cells] = []
        for pair in self.board.pairs:
            a, b = pair.a, pair.b
            rests_on = {"stage": a.stage, "models": list(dict.fromkeys([a.model, b.model])), "name": a.metric}
            if beside:
                same = a.variant == b.variant
                rests_on |= {"variant": a.variant} if same else {"variants": [a.variant, b.variant]}
            names = {"stage": a.stage, "metric": a.metric, "model_a": a.model, "model_b": b.model}
            names |= dict(zip(beside, (a.variant, b.variant), strict=False))
            rows.append({RESTS_ON: rests_on, **names, **pair_cells(pair, f"mean a - mean b, by {self.units.item}")})
        columns = ("stage", "metric", "model_a", "model_b", *beside, *PAIR)
        return table_of("Pairs of models", rows, columns, PAIRED.format(items=f"{self.units.item}s"))

    def _consistency(self) -> Table:
        rows: list[Cells] = []
        for side, series in self.board.series.items():
            if not series.repeated:
                continue
            values, metric = series.values(), self.board.metric(side)
            passed = [[bool(passes(metric, value)) for value in answers] for answers in values]
            result = consistency(values, passed if metric.threshold is not None else ())
            if result is not None:
                rows.append({**self._name_cells(side), "metric": side.metric, **self._repeats(side, result)})
        columns = (*self._keys, "model_id", "metric", "n_items", *CONSISTENCY, *self.repeat_columns)
        note = f"Over the {self.units.item}s with several {self.units.answer}s."
        return table_of("Consistency", rows, columns, note, (*self._keys, "model_id", "metric"))

    def _repeats(self, side: Side, result: Consistency) -> Cells:
        """Return the cells on the consistency of several answers to one item."""
        return consistency_cells(result)

    def _name_cells(self, side: Side) -> Cells:
        """A row's own names, and which scores it rests on."""
        variant = {self.units.variant: side.variant} if self.board.variants else {}
        model_id = self.ids.get(side.model, side.model)
        return {RESTS_ON: self._rests_on(side), "stage": side.stage, "model": side.model, **variant, "model_id": model_id}

    def _rests_on(self, side: Side) -> Mapping[str, Json]:
        """By name, too, where there are several metrics, its own or those of scorers beside it."""
        several = len(self.metrics) > 1 or self.stands_beside
        name = {"name": side.metric} if several else {}
        variant = {"variant": side.variant} if self.board.variants else {}
        return {"stage": side.stage, "model": side.model, **name, **variant}

    def _short(self, table: Table) -> Table:
        """Names, the estimate with its interval and n, and what was not counted, as text."""
        at = {name: i for i, name in enumerate(table.columns)}
        estimate = "accuracy" if "accuracy" in at else "mean"
        names = [name for name in (*self._keys, "metric", "meaning") if name in at and name in table.keys]
        ranked = "rank_best" in at
        several = any(row[at["n_items"]].value != row[at["n_scored"]].value for row in table.rows)
        rows = []
        for row in table.rows:
            counts = [
                f"{row[at[name]].value} {word}" for name, word in self._words.items() if name in at and row[at[name]].value
            ]
            texts = [str(row[at[name]].value) for name in ("n_items", *(["n_scored"] if several else []))]
            cells = [Cell(rank(rank_of(row[at["rank_best"]], row[at["rank_worst"]])))] if ranked else []
            cells += [Cell(str(row[at[name]].value)) for name in names]
            cells += [*_estimate(row[at[estimate]], estimate == "mean"), *map(Cell, (*texts, ", ".join(counts) or "-"))]
            rows.append(tuple(cells))
        units = self.units
        count_columns = (f"{units.item}s", *([f"{units.answer}s"] if several else []))
        rate = "rate" if estimate == "accuracy" else "mean"
        columns = (*(["rank"] if ranked else []), *names, rate, "95 % interval", *count_columns, self.lacking)
        return Table(table.title, columns, tuple(rows), table.note, rests_on=table.rests_on)

    @property
    def _words(self) -> Mapping[str, str]:
        """Columns of what was not counted, in a word."""
        short = {f"{self.judge} unparsed": "unparsed", "not scored": "unscored"}
        return {f"n_{name.replace(' ', '_')}": short.get(name, name) for name in self._reasons.values()}


def rank_of(best: Cell, worst: Cell) -> tuple[int, int] | None:
    """A rank from its two cells."""
    return (int(best.value), int(worst.value)) if best.value is not None and worst.value is not None else None


def _side(owner: Sequence[str], metric: str) -> Side:
    stage, model, variant = (*owner, "")[:3]
    return Side(stage, model, metric, variant)


def _estimate(cell: Cell, is_mean: bool) -> list[Cell]:
    """Estimate and interval as text; the estimate can still be opened."""
    if not isinstance(cell.value, float):
        return [cell._replace(value="-"), Cell("-")]
    scale, unit, digits = (1, "", 2) if is_mean else (100, " %", 1)
    has_interval = cell.low is not None and cell.high is not None
    interval = f"[{scale * (cell.low or 0):.{digits}f}, {scale * (cell.high or 0):.{digits}f}]" if has_interval else "-"
    return [cell._replace(value=f"{scale * cell.value:.{digits}f}{unit}"), Cell(interval)]
