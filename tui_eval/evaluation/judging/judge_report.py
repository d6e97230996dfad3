"""The report on judges: noise of hidden duplicates, agreement, biases, the ladder of degraded texts (METHOD.md 4.7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean

from tui_eval.core.calls import Json, Reply
from tui_eval.core.gathering import gathered
from tui_eval.core.kinds import Metric
from tui_eval.core.reports import AnswerByMetric, HumanRating
from tui_eval.core.results import Cell, SampleResult, Score, Table
from tui_eval.evaluation.inputs import Task
from tui_eval.evaluation.judging.judge_checks import AnswerMarks, JudgeCheck, OwnModels, judge_checks, noise_of
from tui_eval.evaluation.judging.judge_panel import judge_families, own_models, said_of
from tui_eval.evaluation.judging.judge_results import JudgeResults
from tui_eval.evaluation.sum_cells import RESTS_ON, Cells, rounded, table_of
from tui_eval.results.sums.judge_in_words import ladder_words
from tui_eval.results.sums.judge_sentences import say_of_judge
from tui_eval.statistics.judge_ladder import STEPS, USABLE, Ladder, judge_ladder
from tui_eval.statistics.judge_noise import JudgeNoise

OUTCOMES = {True: "PASS", False: "FAIL", None: "INCONCLUSIVE"}


def ladder_of(answers: Sequence[AnswerMarks], judge: str, high: float | None = None) -> Ladder:
    """A judge's marks of each text, whose steps are its questions in order; a step without a mark has none."""
    texts: dict[Hashable, dict[int, float | None]] = {}
    for answer in answers:
        if answer.key is not None:
            texts.setdefault((answer.model, answer.key[0]), {})[answer.key[2] - 1] = answer.marks.get(judge)
    return judge_ladder([[marks_by_step.get(step) for step in range(len(STEPS))] for marks_by_step in texts.values()], high)


def ladder_verdict(ladder: Ladder, judge: str, metric: str, stage: str = "judge") -> dict[str, Json]:
    """The verdict on a judge as an entry of a report's gates.

    What cannot be told does not pass, but for a judge that is usable for yes/no questions, with that clause in its text.
    """
    orders = "no order of steps is known" if ladder.value is None else f"orders {100 * ladder.value:.0f} % of steps"
    return {
        "name": "judge ladder", "metric": metric, "stage": stage, "model": judge,
        "verdict": OUTCOMES[ladder.passes or ladder.usable], "text": ladder_words(judge, ladder), "found": orders,
        "wanted": f"orders {100 * USABLE:.0f} % of steps", "value": rounded(ladder.value), "low": rounded(ladder.low),
        "high": rounded(ladder.high), "n": sum(ladder.n), "missing": ladder.asked - sum(ladder.n), "threshold": USABLE,
        "needed": None, "passed": ladder.passes,
    }  # fmt: skip


_NOISE = ("judge", "metric", "n_twice", "n_same", "mean_distance", "noise", "noise_low", "noise_high", "n_flips", "n_unread")
_CHECKS = ("check", "metric", "judge", "figure", "low", "high", "n", "found", "in_words")
NOISE_IS = "noise: standard deviation of a score about what the same judge gives the same answer on average (hidden duplicates)"

_CHECKS_ARE = (
    f"{NOISE_IS}; agreement: weighted (quadratic) kappa; alpha: Krippendorff's; others: rank correlation of a judge's score"
    " and the mean of the others'; without it: their alpha without this judge; length: rank correlation of score and length of"
    " answers to one question; length beside a person: of score and length, human ratings of the same answers partialled out;"
    " own answers: how much more than judges of other families a judge likes its own family's. Intervals draw whole"
    " conversations."
)


def mean_ratings(ratings: Iterable[HumanRating], metrics: Mapping[str, Metric]) -> dict[AnswerByMetric, float]:
    """By answer and metric the mean of what persons gave it, who count once each; not of its claims, nor off the scale."""
    latest = {(rating.answer, rating.person): rating for rating in ratings if not rating.claim and rating.metric in metrics}
    by_answer = gathered(
        (rating.answer, rating.mark)
        for rating in latest.values()
        if rating.mark is not None and metrics[rating.metric].holds(rating.mark)
    )
    return {answer: fmean(marks) for answer, marks in by_answer.items()}


def _upwards(metric: Metric) -> Metric:
    """The metric of marks that are turned so that more is better."""
    if metric.better == "higher":
        return metric
    threshold = None if metric.threshold is None else metric.low + metric.high - metric.threshold
    return replace(metric, better="higher", threshold=threshold)


class JudgeReport:
    """Adds up the marks of `judge_panel.judged`, answer by answer."""

    def __init__(
        self, task: Task, metrics: Sequence[Metric], stage: str = "judge", answering: Sequence[str] = ("answer",)
    ) -> None:  # fmt: skip
        """`stage`: the one in which its judges are asked; `answering`: those whose models they judge."""
        self.judges = [model.name for model in task.asked[stage]]
        answering_models = [model for name in answering for model in task.asked.get(name, ())]
        self._metrics = {metric.name: _upwards(metric) for metric in metrics}
        self._turned = {metric.name: metric.low + metric.high for metric in metrics if metric.better == "lower"}
        """By metric of which less is better: what its marks are taken from, so that more of the rest is better. That changes
        neither noise nor agreement, and what is said of better scores holds."""
        self._twice = {name for name, metric in self._metrics.items() if metric.high > 1} | task.rubrics.keys()
        self._own = OwnModels(own_models(task.asked[stage], answering_models), judge_families(task.asked[stage]))
        self._answers: dict[str, list[AnswerMarks]] = {}
        self._results = JudgeResults(task, metrics, self.judges)
        self._checks: list[JudgeCheck] | None = None
        self._noise: dict[tuple[str, str | None], JudgeNoise] = {}
        self._rated: Mapping[AnswerByMetric, float] = {}

    def check(self, ratings: Sequence[HumanRating]) -> None:
        """Take in what persons said: whether scores follow length is held beside it."""
        rated = mean_ratings(ratings, self._metrics)
        self._rated, self._checks = {answer: self._upward(answer[-1], mark) for answer, mark in rated.items()}, None

    def _upward(self, metric: str, mark: float) -> float:
        """A mark of a metric, turned so that more is better."""
        return self._turned[metric] - mark if metric in self._turned else mark

    def add(self, row: SampleResult, answers: Iterable[Reply], twice: Iterable[int] = ()) -> None:
        """Take in a row's scores. `twice`: the indexes of the answers that each judge was to mark twice."""
        lengths, hidden = {reply.call.call_index: len(reply.text or "") for reply in answers}, set(twice)
        marks = [score for score in row.scores if score.name in self._metrics]
        for score in marks:
            n = score.call_index
            question = (row.sample.cluster, row.sample.repeat, n)
            self.add_answer(row, score, question, lengths.get(n, 0), n in hidden)
        self.add_results(row, marks)

    def add_answer(self, row: SampleResult, score: Score, question: Hashable, length: int, twice: bool) -> None:
        """Take in one score of an answer. `question`: what answers to one question share; `length`: its characters."""
        self._checks = None
        self._noise.clear()
        content = said_of(score)
        first, again = (
            {judge: self._upward(score.name, mark) for judge, mark in content.get(key, {}).items()}
            for key in ("marks", "again")
        )
        value = None if score.value is None else self._upward(score.name, score.value)
        judged_answer = AnswerMarks(  # claims, and what only some questions are marked for, are never marked twice
            score.model, question, row.sample.cluster, length, first, again,
            twice and length > 0 and score.name in self._twice, value,
            (row.sample.id, row.sample.repeat, score.call_index + 1, score.model, score.name),
        )  # fmt: skip
        self._answers.setdefault(score.name, []).append(judged_answer)

    def add_results(self, row: SampleResult, scores: Sequence[Score]) -> None:
        """Take in the scores of a row, for the results by each judge."""
        self._results.add(row, scores)

    def noise(self, metric: str, judge: str | None = None) -> JudgeNoise:
        """Return how far marks of one answer differ; `judge`: of that one, None = of all together."""
        result = self._noise.get((metric, judge))
        if result is None:
            result = self._noise[metric, judge] = noise_of(self._answers.get(metric, ()), self._metrics[metric], judge)
        return result

    def checks(self) -> list[JudgeCheck]:
        """All that is known of the judges, metric by metric."""
        if self._checks is None:
            self._checks = [
                check
                for name, answers in self._answers.items()
                for check in judge_checks(answers, self._metrics[name], self.judges, self._own, self._rated)
            ]
        return self._checks

    def beside(self, table: Table, column: str = "judge_noise", as_text: bool = False) -> Table:
        """A table with a column `metric`, and the judges' noise beside each of its rows that has one."""
        if "metric" not in table.columns or column in table.columns:
            return table
        place = table.columns.index("metric")

        def cell(row: Sequence[Cell]) -> Cell:
            name = str(row[place].value)
            result = self.noise(name) if name in self._metrics else None
            value = rounded(result.noise) if result else None
            if result is None or as_text:
                return Cell("-" if value is None else f"{value:.2f}") if as_text else Cell(None)
            return Cell(value, result.n, result.interval.low, result.interval.high, NOISE_IS)

        rows = tuple((*row, cell(row)) for row in table.rows)
        return replace(table, columns=(*table.columns, column), rows=rows)

    def tables(self) -> Mapping[str, Table]:
        """judge_noise, judges (each beside their mean), judge_results and judge_checks; some without a row."""
        checks: list[Cells] = [
            {
                RESTS_ON: None, "check": check.check, "metric": check.metric, "judge": check.judge,
                "figure": Cell(rounded(check.figure), check.n, rounded(check.low), rounded(check.high), check.words),
                "low": rounded(check.low), "high": rounded(check.high), "n": check.n, "found": "yes" if check.found else "no",
                "in_words": check.words,
            }
            for check in self.checks()
        ]  # fmt: skip
        return {
            "judge_noise": self._noise_table(),
            "judges": self._results.beside_the_mean(),
            "judge_results": self._results.table(),
            "judge_checks": table_of("What is known of the judges", checks, _CHECKS, _CHECKS_ARE, _CHECKS[:3]),
        }

    def ladder(self, metric: str) -> list[dict[str, Json]]:
        """Of each judge whether it is usable, by the texts that were degraded step by step; none where nothing was judged."""
        answers = self._answers.get(metric)
        if not answers:
            return []
        high = self._metrics[metric].high
        ladders = {judge: ladder_of(answers, judge, high) for judge in self.judges}
        return [ladder_verdict(self._as_marked(ladder, metric), judge, metric) for judge, ladder in ladders.items()]

    def _as_marked(self, ladder: Ladder, metric: str) -> Ladder:
        """A ladder with the means as they were marked."""
        means = tuple(None if mean is None else self._upward(metric, mean) for mean in ladder.means)
        return replace(ladder, means=means)

    def sentences(self) -> list[str]:
        """Return the notes for a reader of the marks: noise and agreement always, the rest where it is found."""
        several = len(self.judges) > 2  # alpha says more than the kappa of the only pair
        always = ("noise", "agreement", "own answers", *(["alpha"] if several else []))
        checks_by_words = gathered(
            (check.words if check.check in ("own answers", "others") else f"{check.judge}: {check.words}", check)
            for check in self.checks()
            if check.found or check.check in always
        )
        judges = [f"{', '.join(check.metric for check in checks)}: {words}." for words, checks in checks_by_words.items()]
        leading = self._results.sentence()
        return [*judges, *([f"{leading[0].upper()}{leading[1:]}."] if leading else []), *self._partly_judged()]

    def _partly_judged(self) -> Iterator[str]:
        """Say how many marks rest on fewer judges than were asked, by metric, and whose: means may hold strict and lenient
        judges in unequal shares."""
        for name, answers in self._answers.items():
            marked = [answer for answer in answers if answer.marks]
            fewer = Counter(answer.model for answer in marked if len(answer.marks) < len(self.judges))
            if fewer:
                whose = ", ".join(f"{model} {n:,}" for model, n in fewer.items())
                n = f"{len(marked):,}"
                yield f"{name}: {say_of_judge('fewer_judges', fewer=f'{fewer.total():,}', n=n, whose=whose)}."

    def _noise_table(self) -> Table:
        rows: list[Cells] = []
        for name, answers in self._answers.items():
            for judge in self.judges if any(answer.twice for answer in answers) else ():
                noise, ends = self.noise(name, judge), self.noise(name, judge).interval
                rows.append({
                    RESTS_ON: None, "judge": judge, "metric": name, "n_twice": noise.n,
                    "n_same": round(noise.same * noise.n) if noise.same is not None else 0,
                    "mean_distance": rounded(noise.mean_range),
                    "noise": Cell(rounded(noise.noise), noise.n, rounded(ends.low), rounded(ends.high)),
                    "noise_low": rounded(ends.low), "noise_high": rounded(ends.high), "n_flips": noise.flips,
                    "n_unread": noise.left_out,
                })  # fmt: skip
        note = f"Answers judged twice, without the judge being told; the second score enters no other figure. {NOISE_IS}."
        return table_of("The judges' noise", rows, _NOISE, note, _NOISE[:2])
