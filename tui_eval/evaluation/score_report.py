"""What each model of each stage scored, with its interval and with everything that was not counted beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tui_eval.core.calls import Json
from tui_eval.core.kinds import Metric
from tui_eval.core.reports import Reporter
from tui_eval.core.results import About, Cell, SampleResult, Score, Table
from tui_eval.evaluation.consistency import consistency
from tui_eval.evaluation.inputs import Task
from tui_eval.evaluation.judging.judge_attacks import AttackReport
from tui_eval.evaluation.judging.judge_frames import PromptMarks
from tui_eval.evaluation.kind import Kind
from tui_eval.evaluation.reply_report import ReplyReport
from tui_eval.evaluation.sum_cells import (
    CONSISTENCY,
    PAIR,
    RATE,
    RESTS_ON,
    Cells,
    consistency_cells,
    pair_cells,
    rate_cells,
    table_of,
)
from tui_eval.results.sums.differences import corrected, every_pair
from tui_eval.results.sums.judge_in_words import coverage_words
from tui_eval.results.sums.means import Sources, clusterings, mean_of, rate, shared_words
from tui_eval.results.sums.metrics import all_alike, is_binary, passes, scale_of
from tui_eval.results.sums.series import NO_CLAIMS, NO_TRUTH, Group, Series, grouped

MANY = 5
"""Metrics whose scales are told one by one."""
WITHOUT_REPLY = ("no reply", "no question")
"""How the reason of a score begins where nobody replied: a call failed, or there was nothing to ask."""
Key = tuple[str, str, str]
"""(stage, model, metric)"""


@dataclass(frozen=True, slots=True)
class Nouns:
    """The words of a kind for what its tables count: titles, answers, what these answer, and what several of those share."""

    accuracy: str = "Accuracy by stage and model"
    """The title of the table of what is right or wrong."""
    scores: str = "Scores by stage, model and metric"
    answers: str = "answers"
    to_question: str = "to one question"
    questions: str = "questions"
    about_document: str = "about one document"
    documents: str = "documents"

    @property
    def paired(self) -> str:
        """How pairs are told apart."""
        return (
            f"Paired on common {self.questions}; p_holm: corrected for all pairs listed, below 0.05 a pair is told apart. Right"
            f" or wrong once: exact McNemar and Tango's interval; else t of the {self.questions}' means, p of sign flips up to"
            " 16 that differ."
        )

    @property
    def clusters(self) -> str:
        """That answers to one question are no independent evidence."""
        return f"\nSeveral {self.answers} {self.to_question} count as one cluster in the interval."


class ScoreReport:
    """A table of accuracies for what is right or wrong, and one of means for every other metric.

    `judge`: what the judging model is called where a mark is missing; `expected`: (stage, model) that are in the table
    whatever happens; `meaning`: what a stage's accuracy says; `note`, `also`: words before and after the table's own; `paired`:
    the metrics that pairs are told apart by, where others are only what these are made of; `judged`: those that a model marks;
    `unmarked`: how the reasons begin why there was nothing for it to mark.
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
        paired: Collection[str] | None = None,
        judged: Collection[str] = (),
        unmarked: Collection[str] = (NO_CLAIMS,),
        nouns: Nouns = Nouns(),
    ) -> None:
        self._nouns = nouns
        self.ids = {model.name: model.model_id for models in task.asked.values() for model in models}
        self.metrics = {metric.name: metric for metric in metrics}
        self.judge, self.meaning, self.note, self.also = judge, meaning or {}, note, also
        self._judged, self._unmarked = frozenset(judged), frozenset(unmarked)
        self._paired = frozenset(self.metrics if paired is None else paired)
        binary = [metric.name for metric in metrics if is_binary(metric)]
        self.series: dict[Key, Series] = {(stage, model, name): Series() for stage, model in expected for name in binary}
        self._questions: dict[tuple[str, Hashable], int] = {}
        self._groups: list[Mapping[str, Sequence[str]]] = []
        self._sources: Sources = ()
        self._made: Mapping[str, Table] | None = None
        self.prompt_marks = PromptMarks()
        self.attacks = None if task.attacks is None else AttackReport(task.attacks)

    def add(self, row: SampleResult) -> None:
        """Count one sample's scores; those of attacks on judges apart from all others."""
        if row.sample.checks_judge:
            self._made = None
            if self.attacks is not None:
                self.attacks.add(row)
            return
        self.prompt_marks.add(row)
        self.count(row.sample.cluster, row.sample.groups, row.scores)

    def count(
        self, question: tuple[str, Hashable], groups: Mapping[str, Sequence[str]], scores: Iterable[Score], of: str = ""
    ) -> None:
        """Count scores of a question; `of`: what they stand under in place of their models."""
        self._made = None
        place = self._questions.setdefault(question, len(self._questions))
        if place == len(self._groups):
            self._groups.append(groups)
        for score in scores:
            key = (score.stage, of or score.model, score.name)
            (self.series.get(key) or self.series.setdefault(key, Series())).add(place, score.value, score.why)

    def tables(self) -> Mapping[str, Table]:
        """accuracy and scores by stage, model and metric; groups, pairs, consistency. What has no row is left out."""
        if self._made is not None:
            return self._made
        self._sources = tuple(zip(*self._questions, strict=True))
        right = {key: series for key, series in self.series.items() if is_binary(self.metrics[key[2]])}
        marks = {key: series for key, series in self.series.items() if key not in right}
        made = {
            "accuracy": self._accuracies(right),
            "scores": self._scores(marks),
            "groups": self._by_group(right, binary=True),
            "group_scores": self._by_group(marks, binary=False),
            "pairs": self._pairs(),
            "consistency": self._consistency(),
            "prompt_marks": self.prompt_marks.table(),
            **(self.attacks.tables() if self.attacks else {}),
        }
        self._made = {name: table for name, table in made.items() if table.rows}
        return self._made

    def headline(self) -> Sequence[Table]:
        """The same in short: estimate, interval, n, and what was not counted."""
        return [self._short(table) for name, table in self.tables().items() if name in ("accuracy", "scores")]

    def files(self, about: About) -> Mapping[str, Json]:
        """No files but the tables."""
        return {}

    def _accuracies(self, found: Mapping[Key, Series]) -> Table:
        reasons = self._reasons
        columns = (
            "stage", "model", "model_id", "meaning", "n_total", "n_replies", "n_scored", "n_correct", *RATE[:5],
            *(f"n_{reason.replace(' ', '_')}" for reason in reasons.values()), *RATE[5:],
        )  # fmt: skip
        rows = [self._accuracy(key, series, reasons) for key, series in found.items()]
        note = f"{self.note}n = {self._nouns.answers} scored; interval: Wilson.{self.also}"
        note += self._nouns.clusters if any(n > 1 for series in found.values() for n in series.scored) else ""
        note += self._warned(binary=True) + self._shared
        several = len({metric for _, _, metric in found}) > 1
        keys = ("stage", "model", "model_id", *(("meaning",) if several else ()))
        return table_of(self._nouns.accuracy, rows, columns, note, keys)

    @property
    def _reasons(self) -> Mapping[str, str]:
        """Why a score has no value, as its `why` begins and as columns call it."""
        ordered = [f"{self.judge} unparsed", f"{self.judge} failed", "not scored", "no reply", NO_TRUTH]
        others = {name for series in self.series.values() for name in series.why} - set(ordered)
        return {name: "no truth" if name == NO_TRUTH else name for name in (*ordered, *sorted(others))}

    def _accuracy(self, key: Key, series: Series, reasons: Mapping[str, str]) -> Cells:
        found = rate(series, sources=self._sources)
        return {
            **self._named(key),
            "meaning": self.meaning.get(key[0], key[2]),
            "n_total": found.asked,
            "n_replies": found.asked - sum(series.why[why] for why in WITHOUT_REPLY),
            "n_scored": found.scored,
            "n_correct": found.right,
            **rate_cells(found, "correct / scored", "total"),
            **{f"n_{name.replace(' ', '_')}": series.why[why] for why, name in reasons.items()},
        }

    def _scores(self, found: Mapping[Key, Series]) -> Table:
        without = {NO_TRUTH} if not any(series.why[NO_TRUTH] for series in found.values()) else set()
        reasons = {why: name for why, name in self._reasons.items() if why not in without}
        columns = (
            "stage", "model", "model_id", "metric", "n_total", "n_scored", "mean", "ci_low", "ci_high", "n_questions",
            *(f"n_{reason.replace(' ', '_')}" for reason in reasons.values()),
        )  # fmt: skip
        rows = [self._mean(key, series, reasons) for key, series in found.items()]
        nouns = self._nouns
        note = f"{self.note}{self._scales} mean: of the {nouns.questions}' means; interval: t, by {nouns.documents} that "
        note += f"{nouns.questions} share."
        note += "".join(f"\n{sentence}" for sentence in self._all_alike(found))
        note += self._warned(binary=False) + self._shared
        return table_of(nouns.scores, rows, columns, note, columns[:4])

    @property
    def _scales(self) -> str:
        """On which scale each metric lies; where there are many, and on one scale, in a word."""
        found = [metric for metric in self.metrics.values() if not is_binary(metric)]
        if len(found) > MANY and len({(metric.low, metric.high) for metric in found}) == 1:
            return f"Scale of all: {scale_of(found[0])}."
        return f"Scales: {'; '.join(f'{metric.name} {scale_of(metric)}' for metric in found)}."

    @property
    def _shared(self) -> str:
        """What the intervals take into account of documents and questions that answers share."""
        nouns = self._nouns
        words = (nouns.answers, nouns.about_document, nouns.to_question, nouns.documents, nouns.questions)
        said = shared_words(*self._sources, nouns=words) if self._sources else ""
        return f"\n{said}" if said else ""

    def low_coverage(self, binary: bool) -> str:
        """A warning of judged metrics that too many answers have no mark of, model by model, with their stages where there are
        several; empty where none is. `binary`: of those that are right or wrong, or of all others."""
        judged = {
            key: series
            for key, series in self.series.items()
            if key[2] in self._judged and is_binary(self.metrics[key[2]]) == binary
        }
        several = len({stage for stage, _, _ in judged}) > 1
        return coverage_words(
            (name, f"{stage} {model}" if several else model, sum(series.scored), self._wanted(series))
            for (stage, model, name), series in judged.items()
        )

    def _warned(self, binary: bool) -> str:
        has_means = any(not is_binary(self.metrics[key[2]]) for key in self.series)
        said = [self.low_coverage(binary), *(self.judge_sentences() if binary != has_means else ())]
        return "".join(f"\n{one}" for one in said if one)

    def judge_sentences(self) -> list[str]:
        """What is known of the judges whatever they judge: marks of their prompts in texts, and whether attacks move them."""
        return [*filter(None, [self.prompt_marks.sentence()]), *(self.attacks.sentences() if self.attacks else ())]

    def _wanted(self, series: Series) -> int:
        """How many marks were wanted: one of each answer, but for those with nothing to mark."""
        return sum(series.asked) - sum(n for why, n in series.why.items() if why in self._unmarked)

    def _all_alike(self, found: Mapping[Key, Series]) -> Iterator[str]:
        """Which metrics tell nothing apart, since nearly all marks of all models are the same."""
        for name, metric in self.metrics.items():
            marks = sum((series.marks() for key, series in found.items() if key[2] == name), Counter[float]())
            if said := all_alike(metric, marks):
                yield said

    def _mean(self, key: Key, series: Series, reasons: Mapping[str, str]) -> Cells:
        scored = sum(series.scored)
        return {
            **self._named(key),
            "metric": key[2],
            "n_total": sum(series.asked),
            "n_scored": scored,
            **self._mean_cells(key, series.means(), scored),
            **{f"n_{name.replace(' ', '_')}": series.why[why] for why, name in reasons.items()},
        }

    def _by_group(self, found: Mapping[Key, Series], binary: bool) -> Table:
        """The same for the questions of each group."""
        rows: list[Cells] = [
            {**self._grouped(key, group), **self._in_group(key, series, group)}
            for group in grouped(self._groups)
            for key, series in found.items()
        ]
        estimate = ("accuracy", "ci_low", "ci_high") if binary else ("mean", "ci_low", "ci_high")
        columns = ("by", "value", "stage", "model", "metric", "n_total", "n_scored", *estimate, "n_questions")
        return table_of("Accuracy by group" if binary else "Scores by group", rows, columns, self.note.strip(), columns[:5])

    def _grouped(self, key: Key, group: Group) -> Cells:
        by = {"by": group.by, "value": group.value}
        return {**self._named(key), "metric": key[2], **by, RESTS_ON: {**self._rests_on(key), **by}}

    def _in_group(self, key: Key, series: Series, group: Group) -> Cells:
        if is_binary(self.metrics[key[2]]):
            found = rate(series, group, self._sources)
            return {"n_total": found.asked, "n_scored": found.scored, **rate_cells(found, "correct / scored", "total")}
        places = [place for place in group.indexes if place < len(series.asked)]
        scored = sum(series.scored[place] for place in places)
        means = {place: value for place in places if (value := series.mean(place)) is not None}
        return {
            "n_total": sum(series.asked[place] for place in places),
            "n_scored": scored,
            **self._mean_cells(key, means, scored),
        }

    def _mean_cells(self, key: Key, means: Mapping[int, float], scored: int) -> Cells:
        """A mean of marks; `means`: by question. `scored`: marks that they are made of."""
        ways = clusterings(*([source[place] for place in means] for source in self._sources))
        found = mean_of(list(means.values()), ways, self.metrics[key[2]])
        return {
            "mean": Cell(found.value, scored, found.low, found.high, "mean of the questions' means"),
            "ci_low": found.low,
            "ci_high": found.high,
            "n_questions": found.n,
        }

    def _pairs(self) -> Table:
        """Every two models of a stage, by each metric; the difference is a's mean less b's."""
        stages: dict[tuple[str, str], list[tuple[Key, Series]]] = {}
        for key, series in self.series.items():
            if key[2] in self._paired:
                stages.setdefault((key[0], key[2]), []).append((key, series))
        found = [pair for (_, name), inside in stages.items() for pair in every_pair(inside, self.metrics[name], self._sources)]
        rows: list[Cells] = [
            {
                RESTS_ON: {"stage": pair.a[0], "models": [pair.a[1], pair.b[1]], "name": pair.a[2]},
                "stage": pair.a[0],
                "metric": pair.a[2],
                "model_a": pair.a[1],
                "model_b": pair.b[1],
                **pair_cells(pair, "mean a - mean b, by question"),
            }
            for pair in corrected(found)
        ]
        columns = ("stage", "metric", "model_a", "model_b", "n", "a_higher", "b_higher", *PAIR[3:])
        return table_of("Pairs of models", rows, columns, self._nouns.paired)

    def _consistency(self) -> Table:
        rows: list[Cells] = []
        for key, series in self.series.items():
            if not series.repeated:
                continue
            values, metric = series.values(), self.metrics[key[2]]
            told = [[bool(passes(metric, value)) for value in answers] for answers in values]
            found = consistency(values, told if metric.threshold is not None else ())
            if found is not None:
                rows.append({**self._named(key), "metric": key[2], **consistency_cells(found)})
        columns = ("stage", "model", "model_id", "metric", "n_questions", *CONSISTENCY)
        return table_of(
            "Consistency", rows, columns, f"Over the {self._nouns.questions} with several {self._nouns.answers}.", columns[:4]
        )

    def _named(self, key: Key) -> Cells:
        """A row's own names, and which scores it rests on."""
        stage, model, _ = key
        return {RESTS_ON: self._rests_on(key), "stage": stage, "model": model, "model_id": self.ids.get(model, model)}

    def _rests_on(self, key: Key) -> Mapping[str, Json]:
        """By name, too, where there are several metrics."""
        stage, model, name = key
        return {"stage": stage, "model": model, **({"name": name} if len(self.metrics) > 1 else {})}

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
        columns = (*names, estimate, "95 % interval", "n", *([self._nouns.questions] if clustered else []), "not counted")
        return Table(table.title, columns, tuple(rows), table.note, rests_on=table.rests_on)

    @property
    def _words(self) -> Mapping[str, str]:
        """Columns of what was not counted, in a word."""
        short = {f"{self.judge} unparsed": "unparsed", "not scored": "unscored"}
        return {f"n_{name.replace(' ', '_')}": short.get(name, name) for name in self._reasons.values()}


def _estimate(cell: Cell, is_mean: bool) -> list[Cell]:
    """Estimate, interval and n as text; the estimate can still be opened."""
    if not isinstance(cell.value, float):
        return [cell._replace(value="-"), Cell("-"), Cell(str(cell.n))]
    scale, unit, digits = (1, "", 2) if is_mean else (100, " %", 1)
    told = cell.low is not None and cell.high is not None
    interval = f"[{scale * (cell.low or 0):.{digits}f}, {scale * (cell.high or 0):.{digits}f}]" if told else "-"
    return [cell._replace(value=f"{scale * cell.value:.{digits}f}{unit}"), Cell(interval), Cell(str(cell.n))]


def report_of(kind: Kind, task: Task) -> Reporter:
    """What adds up the rows of an evaluation: the kind's own reports, else its scores, else its replies."""
    if kind.report is not None:
        return kind.report(task)
    has_judge = any(stage.role == "judge" for stage in kind.stages)
    judged = [metric.name for metric in kind.metrics if has_judge]
    return ScoreReport(task, kind.metrics, judged=judged) if kind.metrics else ReplyReport(task)
