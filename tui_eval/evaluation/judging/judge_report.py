"""The report on judges: noise of hidden duplicates, agreement, biases, the ladder of degraded texts (METHOD.md 4.7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tui_eval.core.calls import Json, Reply
from tui_eval.core.gathering import gathered
from tui_eval.core.kinds import Metric
from tui_eval.core.reports import HumanRating, PersonMarks
from tui_eval.core.results import Cell, SampleResult, Score, Table
from tui_eval.evaluation.inputs import Task
from tui_eval.evaluation.judging.judge_checks import JudgeCheck, JudgedAnswer, judge_checks, noise_of
from tui_eval.evaluation.judging.judge_panel import own_models, said_of
from tui_eval.evaluation.score_report import ScoreReport
from tui_eval.evaluation.sum_cells import RESTS_ON, Cells, rounded, table_of
from tui_eval.results.sums.judge_in_words import agreement_words, person_words
from tui_eval.results.sums.means import Estimate
from tui_eval.results.sums.person_checks import CheckedAnswer, PersonCheck, person_check
from tui_eval.statistics.judge_ladder import LEAST_CORRELATION, STEPS, Ladder, judge_ladder
from tui_eval.statistics.judge_noise import JudgeNoise

_SIDES = ("judge_mean", "person_mean", "corrected", "tuned")
_COLUMNS = (
    "metric", "model", "judge", "n_shown", "n_marked", "n_cannot_tell", "percent", "kappa", "weighted_kappa", "low", "high",
    "pabak", "bias", *_SIDES, "corrected_low", "corrected_high", "n_used", "n_missing", "in_words",
)  # fmt: skip
_BESIDE = ("n_person", "person_agreement", "corrected", "corrected_low", "corrected_high")
_NOTE = (
    "A person's marks of answers drawn at random, model and judge hidden. Empty model: all models; empty judge: the mark that"
    " counts. corrected: mean of the judge's other marks + mean of (person - judge), prediction-powered inference over one"
    " answer of each conversation, from 30 marks on; tuned: the same with the judge's weight chosen (PPI++). bias: judge less"
    " person. low, high: of the weighted kappa, over conversations."
)


@dataclass(frozen=True, slots=True)
class Checked:
    """One metric held against a person's marks."""

    metric: str
    model: str
    """Empty = all models together."""
    judge: str
    """Empty = the mark that counts."""
    check: PersonCheck

    @property
    def words(self) -> str:
        """What it comes to in a sentence."""
        return f"{person_words(self.check)}; judge and person: {agreement_words(self.check.agreement, self.check.interval)}"


def checked_by_person(
    answers: Sequence[JudgedAnswer], metric: Metric, marks: PersonMarks, judges: Sequence[str]
) -> Iterator[Checked]:
    """Of all models, each model and each of several judges that a person's marks say something of; else nothing."""
    order = {key: place for place, key in enumerate(marks)}
    known = sorted(answers, key=lambda answer: order.get(answer.key, len(order)) if answer.key else len(order))
    shown = [answer for answer in known if answer.key in order]
    if not shown:
        return
    yield Checked(metric.name, "", "", _check(known, metric, marks))
    for model in dict.fromkeys(answer.model for answer in answers):
        if any(answer.model == model for answer in shown):
            yield Checked(metric.name, model, "", _check([one for one in known if one.model == model], metric, marks))
    for judge in judges if len(judges) > 1 else ():
        own = [replace(answer, value=answer.marks.get(judge)) for answer in known]
        yield Checked(metric.name, "", judge, _check(own, metric, marks))


def _check(answers: Sequence[JudgedAnswer], metric: Metric, marks: PersonMarks) -> PersonCheck:
    found = []
    for answer in answers:
        person = marks.get(answer.key) if answer.key else None
        unsure = person is None and answer.key in marks
        held = None if person is None or not metric.holds(person) else person
        found.append(CheckedAnswer(answer.conversation, answer.value, held, unsure))
    return person_check(found, metric)


def with_person(table: Table, found: Mapping[tuple[str, str], PersonCheck]) -> Table:
    """A table by model and metric with what a person's marks say of each row; `found`: by these two."""
    model, metric = table.columns.index("model"), table.columns.index("metric")

    def cells(row: Sequence[Cell]) -> tuple[Cell, ...]:
        check = found.get((str(row[model].value), str(row[metric].value)))
        if check is None:
            return (Cell(None),) * len(_BESIDE)
        agreed = Cell(rounded(check.agreement.quadratic), check.agreement.n, check.interval.low, check.interval.high)
        ends = check.corrected
        return (Cell(check.agreement.n), agreed, _cell(ends), *(Cell(rounded(end)) for end in _ends(ends)))

    rows = tuple((*row, *cells(row)) for row in table.rows)
    return replace(table, columns=(*table.columns, *_BESIDE), rows=rows)


def _row(one: Checked) -> Cells:
    check, agreement = one.check, one.check.agreement
    low, high = _ends(check.corrected)
    return {
        RESTS_ON: {"model": one.model, "name": one.metric} if one.model else {"name": one.metric},
        "metric": one.metric, "model": one.model, "judge": one.judge, "n_shown": check.shown, "n_marked": agreement.n,
        "n_cannot_tell": check.cannot_tell, "percent": rounded(agreement.percent), "kappa": rounded(agreement.kappa),
        "weighted_kappa": Cell(rounded(agreement.quadratic), agreement.n, check.interval.low, check.interval.high),
        "low": rounded(check.interval.low), "high": rounded(check.interval.high), "pabak": rounded(agreement.pabak),
        "bias": rounded(agreement.bias), "judge_mean": _cell(check.raw), "person_mean": _cell(check.person),
        "corrected": _cell(check.corrected), "tuned": _cell(check.tuned), "corrected_low": rounded(low),
        "corrected_high": rounded(high), "n_used": check.used, "n_missing": check.missing, "in_words": one.words,
    }  # fmt: skip


def _cell(found: Estimate | None) -> Cell:
    return Cell(None) if found is None else Cell(rounded(found.value), found.n, rounded(found.low), rounded(found.high))


def _ends(found: Estimate | None) -> tuple[float | None, float | None]:
    return (None, None) if found is None else (found.low, found.high)


OUTCOMES = {True: "PASS", False: "FAIL", None: "INCONCLUSIVE"}


def ladder_of(answers: Sequence[JudgedAnswer], judge: str) -> Ladder:
    """A judge's marks of each text, whose steps are its questions in order; a step without a mark has none."""
    texts: dict[Hashable, dict[int, float | None]] = {}
    for answer in answers:
        if answer.key is not None:
            texts.setdefault((answer.model, answer.key[0]), {})[answer.key[2] - 1] = answer.marks.get(judge)
    return judge_ladder([[found.get(step) for step in range(len(STEPS))] for found in texts.values()])


def ladder_verdict(found: Ladder, judge: str, metric: str, stage: str = "judge") -> dict[str, Json]:
    """The verdict on a judge as an entry of a report's gates; what cannot be told does not pass."""
    rank = "undefined" if found.correlation is None else f"rank correlation {found.correlation:.2f}"
    course = (
        "falls at every step" if found.falls else "does not fall at every step" if found.falls is not None else "a step is open"
    )
    return {
        "name": "judge ladder", "metric": metric, "stage": stage, "model": judge, "verdict": OUTCOMES[found.usable],
        "text": f"{judge} is {found.line}", "found": f"{course}, {rank}", "wanted": f"falls, {LEAST_CORRELATION:g} at least",
        "value": found.correlation, "low": None, "high": None, "n": sum(found.n), "missing": found.asked - sum(found.n),
        "threshold": LEAST_CORRELATION, "needed": None, "passed": found.usable is True,
    }  # fmt: skip


_NOISE = ("judge", "metric", "n_twice", "n_same", "mean_distance", "noise", "noise_low", "noise_high", "n_flips", "n_unread")
_CHECKS = ("check", "metric", "judge", "figure", "low", "high", "n", "found", "in_words")
_JUDGES = ("model", "metric", "judge", "mean", "ci_low", "ci_high", "n_scored", "n_total", "mean_of_judges")
NOISE_IS = "noise: standard deviation of a mark about what the same judge gives the same answer on average (hidden duplicates)"

_CHECKS_ARE = (
    f"{NOISE_IS}; agreement: weighted (quadratic) kappa; alpha: Krippendorff's; length: rank correlation of mark and length of"
    " answers to one question; own answers: how much more than the others a judge likes its own model's. Intervals draw whole"
    " conversations."
)


class JudgeReport:
    """Adds up the marks of `judge_panel.judged`, answer by answer."""

    def __init__(self, task: Task, metrics: Sequence[Metric], stage: str = "judge", answering: str = "answer") -> None:
        self.judges = [model.name for model in task.asked[stage]]
        self._metrics = {metric.name: metric for metric in metrics}
        self._own = own_models(task.asked[stage], task.asked[answering])
        self._answers: dict[str, list[JudgedAnswer]] = {}
        several = self.judges if len(self.judges) > 1 else []
        self._each = {judge: ScoreReport(task, metrics) for judge in several}
        self._checks: list[JudgeCheck] | None = None
        self._noise: dict[tuple[str, str | None], JudgeNoise] = {}
        self._person: PersonMarks = {}
        self._by_person: list[Checked] | None = None

    def check(self, ratings: Sequence[HumanRating]) -> None:
        """Take a person's marks into account."""
        whole = (rating for rating in ratings if not rating.claim)
        self._person, self._by_person = {rating.answer: rating.mark for rating in whole}, None

    def add(self, row: SampleResult, answers: Iterable[Reply], twice: Iterable[int] = ()) -> None:
        """Take in a row's scores. `twice`: the indexes of the answers that each judge was to mark twice."""
        self._checks = self._by_person = None
        self._noise.clear()
        lengths, hidden = {reply.call.call_index: len(reply.text or "") for reply in answers}, set(twice)
        marks = [score for score in row.scores if score.name in self._metrics]
        for score in marks:
            said, n = said_of(score), score.call_index
            question = (row.sample.cluster, row.sample.repeat, n)
            again = said.get("again", {})
            found = JudgedAnswer(  # claims, and what only some questions are marked for, are never marked twice
                score.model, question, row.sample.cluster, lengths.get(n, 0), said.get("marks", {}), again,
                n in hidden and lengths.get(n, 0) > 0 and self._metrics[score.name].high > 1, score.value,
                (row.sample.id, row.sample.repeat, n + 1, score.model, score.name),
            )  # fmt: skip
            self._answers.setdefault(score.name, []).append(found)
        for judge, report in self._each.items():
            report.add(replace(row, scores=tuple(_by(judge, score) for score in marks)))

    def noise(self, metric: str, judge: str | None = None) -> JudgeNoise:
        """How far marks of one answer differ; `judge`: of that one, None = of all together."""
        found = self._noise.get((metric, judge))
        if found is None:
            found = self._noise[metric, judge] = noise_of(self._answers.get(metric, ()), self._metrics[metric], judge)
        return found

    def checks(self) -> list[JudgeCheck]:
        """All that is known of the judges, metric by metric."""
        if self._checks is None:
            self._checks = [
                check
                for name, answers in self._answers.items()
                for check in judge_checks(answers, self._metrics[name], self.judges, self._own)
            ]
        return self._checks

    def beside(self, table: Table, column: str = "judge_noise", as_text: bool = False) -> Table:
        """A table with a column `metric`, and the judges' noise beside each of its rows that has one."""
        if "metric" not in table.columns or column in table.columns:
            return table
        place = table.columns.index("metric")

        def cell(row: Sequence[Cell]) -> Cell:
            name = str(row[place].value)
            found = self.noise(name) if name in self._metrics else None
            value = rounded(found.noise) if found else None
            if found is None or as_text:
                return Cell("-" if value is None else f"{value:.2f}") if as_text else Cell(None)
            return Cell(value, found.n, found.interval.low, found.interval.high, NOISE_IS)

        rows = tuple((*row, cell(row)) for row in table.rows)
        return replace(table, columns=(*table.columns, column), rows=rows)

    def tables(self) -> Mapping[str, Table]:
        """judge_noise, judges (each beside their mean), person_checks and judge_checks; some without a row."""
        checks: list[Cells] = [
            {
                RESTS_ON: None, "check": one.check, "metric": one.metric, "judge": one.judge,
                "figure": Cell(rounded(one.figure), one.n, rounded(one.low), rounded(one.high), one.words),
                "low": rounded(one.low), "high": rounded(one.high), "n": one.n, "found": "yes" if one.found else "no",
                "in_words": one.words,
            }
            for one in self.checks()
        ]  # fmt: skip
        people = [_row(one) for one in self._checked()]
        return {
            "judge_noise": self._noise_table(),
            "judges": self._beside_the_mean(),
            "person_checks": table_of("The judge beside a person", people, _COLUMNS, _NOTE, _COLUMNS[:3]),
            "judge_checks": table_of("What is known of the judges", checks, _CHECKS, _CHECKS_ARE, _CHECKS[:3]),
        }

    def ladder(self, metric: str) -> list[dict[str, Json]]:
        """Of each judge whether it is usable, by the texts that were degraded step by step; none where nothing was judged."""
        answers = self._answers.get(metric)
        return [ladder_verdict(ladder_of(answers, judge), judge, metric) for judge in self.judges] if answers else []

    def corrected(self, table: Table) -> Table:
        """A table by model and metric with a person's agreement and the corrected mean beside each row that has them."""
        found = {(one.model, one.metric): one.check for one in self._checked() if not one.judge}
        return with_person(table, found) if found else table

    def _checked(self) -> list[Checked]:
        if self._by_person is None:
            self._by_person = [
                one
                for name, answers in self._answers.items()
                for one in checked_by_person(answers, self._metrics[name], self._person, self.judges)
            ]
        return self._by_person

    def sentences(self) -> list[str]:
        """What a reader of the marks should know: noise and agreement always, the rest where it is found."""
        several = len(self.judges) > 2  # alpha says more than the kappa of the only pair
        always = ("noise", "agreement", "own answers", *(["alpha"] if several else []))
        told = gathered(
            (check.words if check.check == "own answers" else f"{check.judge}: {check.words}", check)
            for check in self.checks()
            if check.found or check.check in always
        )
        judges = [f"{', '.join(check.metric for check in checks)}: {words}." for words, checks in told.items()]
        people = [f"{one.metric}: {one.words}." for one in self._checked() if not one.judge and not one.model]
        return [*judges, *self._partly_judged(), *people]

    def _partly_judged(self) -> Iterator[str]:
        """How many marks rest on fewer judges than were asked, metric by metric, and whose: means may hold strict and lenient
        judges in unequal shares."""
        for name, answers in self._answers.items():
            marked = [answer for answer in answers if answer.marks]
            fewer = Counter(answer.model for answer in marked if len(answer.marks) < len(self.judges))
            if fewer:
                whose = ", ".join(f"{model} {n:,}" for model, n in fewer.items())
                yield f"{name}: {fewer.total():,} of {len(marked):,} marks rest on fewer judges than were asked ({whose})."

    def _noise_table(self) -> Table:
        rows: list[Cells] = []
        for name, answers in self._answers.items():
            for judge in self.judges if any(answer.twice for answer in answers) else ():
                found, ends = self.noise(name, judge), self.noise(name, judge).interval
                rows.append({
                    RESTS_ON: None, "judge": judge, "metric": name, "n_twice": found.n,
                    "n_same": round(found.same * found.n) if found.same is not None else 0,
                    "mean_distance": rounded(found.mean_range),
                    "noise": Cell(rounded(found.noise), found.n, rounded(ends.low), rounded(ends.high)),
                    "noise_low": rounded(ends.low), "noise_high": rounded(ends.high), "n_flips": found.flips,
                    "n_unread": found.left_out,
                })  # fmt: skip
        note = f"Answers judged twice, without the judge being told; the second mark enters no other figure. {NOISE_IS}."
        return table_of("The judges' noise", rows, _NOISE, note, _NOISE[:2])

    def _beside_the_mean(self) -> Table:
        """A row for each model, metric and judge, of several; as conversations are averaged in the scores."""
        means: dict[tuple[str, str], list[Json]] = {}
        rows: list[Cells] = []
        for judge, report in self._each.items():
            table = report.tables().get("scores")
            for cells, rests_on in zip(table.rows, table.rests_on, strict=True) if table else ():
                named = dict(zip(table.columns, cells, strict=True)) if table else {}
                key = (str(named["model"].value), str(named["metric"].value))
                means.setdefault(key, []).append(named["mean"].value)
                rows.append({RESTS_ON: rests_on, "judge": judge, "mean_of_judges": None, **{
                    name: named[name] for name in ("model", "metric", "mean", "ci_low", "ci_high", "n_scored", "n_total")
                }})  # fmt: skip
        for row in rows:
            known = [value for value in means[str(row["model"].value), str(row["metric"].value)] if value is not None]
            row["mean_of_judges"] = rounded(sum(known) / len(known)) if known else None
        rows.sort(key=lambda row: list(means).index((str(row["model"].value), str(row["metric"].value))))
        note = (
            "Each judge's own mean; mean_of_judges: of these means. What counts in the scores is the mean mark of each answer."
        )
        return table_of("Each judge beside the others", rows, _JUDGES, note, _JUDGES[:3])


def _by(judge: str, score: Score) -> Score:
    """The score as this judge alone gave it."""
    value = said_of(score).get("marks", {}).get(judge)
    return replace(score, value=value, why="" if value is not None else score.why or "no mark of this judge")
