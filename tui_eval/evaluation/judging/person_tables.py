"""A person's marks beside the judge's: by metric, by model, by judge; as a table, and as columns beside a metric."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tui_eval.core.kinds import Metric, PersonMarks
from tui_eval.core.results import Cell, Table
from tui_eval.evaluation.judging.judge_checks import JudgedAnswer
from tui_eval.evaluation.sum_cells import RESTS_ON, Cells, rounded, table_of
from tui_eval.results.sums.judge_in_words import agreement_words, person_words
from tui_eval.results.sums.means import Estimate
from tui_eval.results.sums.person_checks import CheckedAnswer, PersonCheck, person_check

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


def person_table(found: Sequence[Checked]) -> Table:
    """A row for each."""
    return table_of("The judge beside a person", [_row(one) for one in found], _COLUMNS, _NOTE, _COLUMNS[:3])


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
