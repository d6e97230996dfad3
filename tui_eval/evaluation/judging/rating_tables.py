"""Tables of what persons' ratings come to: rows of checks, of persons beside each other, of certificates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tui_eval.core.plaintext import one_line
from tui_eval.core.results import Cell, Table
from tui_eval.evaluation.sum_cells import RESTS_ON, Cells, rounded, six_digits
from tui_eval.results.sums.board import Side
from tui_eval.results.sums.human_agreement import AnnotatorTest, PersonsBeside, person_name
from tui_eval.results.sums.judge_certificates import CertificateCopy
from tui_eval.results.sums.judge_in_words import agreement_words
from tui_eval.results.sums.means import Estimate
from tui_eval.results.sums.person_checks import LEAST_CONVERSATIONS, LEAST_MARKS, PersonCheck, person_words
from tui_eval.statistics.judge_certificate import CorrectedRate
from tui_eval.statistics.rater_agreement import AlphaAgreement

_SIDES = ("judge_mean", "person_mean", "corrected", "tuned")
CHECK_COLUMNS = (
    "metric", "model", "judge", "n_shown", "n_marked", "n_cannot_tell", "percent", "kappa", "weighted_kappa", "low", "high",
    "pabak", "bias", *_SIDES, "corrected_low", "corrected_high", "n_used", "n_missing", "in_words", "n_drawn", "n_not_drawn",
    "n_conversations", "n_persons", "n_undecided", "stage", "variant",
)  # fmt: skip
CHECK_KEYS = ("metric", "model", "judge", "stage", "variant")
CHECK_NOTE = (
    "Human ratings of answers drawn by lot, model and judge hidden. Empty model: all models, their answers of a conversation"
    " averaged together; empty judge: the score that counts. corrected: the judge's mean over conversations + mean over"
    f" labelled conversations of (person - judge), from {LEAST_MARKS} drawn ratings of {LEAST_CONVERSATIONS} conversations on;"
    " tuned: the same with the judge's weight chosen (PPI++). bias: judge less person. low, high: of the weighted kappa, over"
    " conversations. n_not_drawn: ratings that no lot decided, which correct nothing."
)
PERSON_COLUMNS = (
    "metric", "person_a", "person_b", "n_common", "percent", "kappa", "weighted_kappa", "alpha", "low", "high", "pabak", "lean",
    "in_words",
)  # fmt: skip
ANNOTATOR_COLUMNS = ("metric", "judge", "person", "n_common", "advantage", "of_person", "p", "won", "in_words")
CERTIFICATE_COLUMNS = (
    "model", "judge", "metric", "stage", "rate", "rate_low", "rate_high", "corrected_rate", "low", "high", "sensitivity",
    "specificity", "n_yes", "n_no", "made_at", "made_on", "simulated", "state", "why",
)  # fmt: skip
_BESIDE = ("n_person", "person_agreement", "corrected", "corrected_low", "corrected_high")


@dataclass(frozen=True, slots=True)
class CheckedMetric:
    """One metric held against persons' marks."""

    metric: str
    model: str
    """Empty = all models together."""
    judge: str
    """Empty = the mark that counts."""
    check: PersonCheck
    stage: str = ""
    """Of the answers; empty where those of all stages that persons rated stand together."""
    variant: str = ""
    undecided: int = 0
    """Answers of which as many persons said yes as no."""

    @property
    def words(self) -> str:
        """Result of the check in a sentence."""
        return f"{person_words(self.check)}; judge and person: {agreement_words(self.check.agreement, self.check.interval)}"


@dataclass(frozen=True, slots=True)
class CertifiedRate:
    """The rate of a side, corrected by a certificate."""

    copy: CertificateCopy
    side: Side
    raw: Estimate
    found: CorrectedRate | None
    """None where the certificate is void, or there is no rate."""


def with_persons(table: Table, checks: Mapping[tuple[str, str], PersonCheck]) -> Table:
    """A table by model and metric with what persons' marks say of each row; `checks`: by these two."""
    model, metric = table.columns.index("model"), table.columns.index("metric")

    def cells(row: Sequence[Cell]) -> tuple[Cell, ...]:
        check = checks.get((str(row[model].value), str(row[metric].value)))
        if check is None:
            return (Cell(None),) * len(_BESIDE)
        agreed = Cell(rounded(check.agreement.quadratic), check.agreement.n, check.interval.low, check.interval.high)
        ends = check.corrected
        return (Cell(check.agreement.n), agreed, _cell(ends), *(Cell(rounded(end)) for end in _ends(ends)))

    rows = tuple((*row, *cells(row)) for row in table.rows)
    return replace(table, columns=(*table.columns, *_BESIDE), rows=rows)


def check_row(entry: CheckedMetric) -> Cells:
    """A row of person_checks."""
    check, agreement = entry.check, entry.check.agreement
    low, high = _ends(check.corrected)
    stage = {"stage": entry.stage} if entry.stage else {}
    return {
        RESTS_ON: {"model": entry.model, "name": entry.metric, **stage} if entry.model else {"name": entry.metric},
        "metric": entry.metric, "model": entry.model, "judge": entry.judge, "n_shown": check.shown, "n_marked": agreement.n,
        "n_cannot_tell": check.cannot_tell, "percent": rounded(agreement.percent), "kappa": rounded(agreement.kappa),
        "weighted_kappa": Cell(rounded(agreement.quadratic), agreement.n, check.interval.low, check.interval.high),
        "low": rounded(check.interval.low), "high": rounded(check.interval.high), "pabak": rounded(agreement.pabak),
        "bias": rounded(agreement.bias), "judge_mean": _cell(check.raw), "person_mean": _cell(check.person),
        "corrected": _cell(check.corrected), "tuned": _cell(check.tuned), "corrected_low": rounded(low),
        "corrected_high": rounded(high), "n_used": check.used, "n_missing": check.missing, "in_words": entry.words,
        "n_drawn": check.used, "n_not_drawn": check.not_drawn, "n_conversations": check.conversations,
        "n_persons": check.persons, "n_undecided": entry.undecided, "stage": entry.stage, "variant": entry.variant,
    }  # fmt: skip


def person_row(metric: str, persons: PersonsBeside) -> Cells:
    """A row of persons."""
    agreement, ends = persons.agreement, persons.interval
    row: Cells = dict.fromkeys(PERSON_COLUMNS)
    row |= {
        RESTS_ON: {"name": metric}, "metric": metric, "person_a": person_name(persons.a), "person_b": person_name(persons.b),
        "n_common": agreement.n, "low": rounded(ends.low), "high": rounded(ends.high), "in_words": persons.words,
    }  # fmt: skip
    if isinstance(agreement, AlphaAgreement):
        everyone: Cells = {"person_a": f"all {persons.persons}", "person_b": ""}
        return {**row, **everyone, "alpha": Cell(rounded(agreement.alpha), agreement.n, ends.low, ends.high)}
    return {
        **row, "percent": rounded(agreement.percent), "kappa": Cell(rounded(agreement.kappa), agreement.n, ends.low, ends.high),
        "weighted_kappa": rounded(agreement.quadratic), "pabak": rounded(agreement.pabak), "lean": rounded(agreement.bias),
    }  # fmt: skip


def annotator_rows(metric: str, test: AnnotatorTest) -> Iterator[Cells]:
    """A row of alternative_annotator for each person; none where common answers are too few."""
    for person, result in zip(test.persons, test.results, strict=False):
        yield {
            RESTS_ON: {"name": metric}, "metric": metric, "judge": test.judge, "person": person_name(person),
            "n_common": test.n, "advantage": Cell(rounded(result.judge), test.n),
            "of_person": Cell(rounded(result.person), test.n), "p": six_digits(result.p),
            "won": "yes" if result.won else "no", "in_words": test.words,
        }  # fmt: skip


def certificate_row(rate: CertifiedRate) -> Cells:
    """A row of judge_certificates."""
    certificate, telling = rate.copy.certificate, rate.copy.certificate.telling
    corrected, side = rate.found, rate.side
    low, high = (corrected.low, corrected.high) if corrected else (None, None)
    value = Cell(rounded(corrected.value), rate.raw.n, rounded(low), rounded(high)) if corrected else Cell(None)
    return {
        RESTS_ON: {"model": side.model, "name": side.metric, "stage": side.stage}, "judge": one_line(certificate.judge, 60),
        "metric": side.metric, "stage": side.stage, "model": side.model, "rate": _cell(rate.raw),
        "rate_low": rounded(rate.raw.low), "rate_high": rounded(rate.raw.high), "corrected_rate": value, "low": rounded(low),
        "high": rounded(high),
        "sensitivity": Cell(
            rounded(telling.sensitivity), telling.n_yes, rounded(telling.sensitivity_low), rounded(telling.sensitivity_high)
        ),
        "specificity": Cell(
            rounded(telling.specificity), telling.n_no, rounded(telling.specificity_low), rounded(telling.specificity_high)
        ),
        "n_yes": telling.n_yes, "n_no": telling.n_no, "made_at": one_line(certificate.made.at, 40),
        "made_on": certificate.made.names,
        "simulated": "yes" if certificate.made.simulated else "no", "state": "void" if rate.copy.why else "valid",
        "why": rate.copy.why,
    }  # fmt: skip


def _cell(estimate: Estimate | None) -> Cell:
    return (
        Cell(None)
        if estimate is None
        else Cell(rounded(estimate.value), estimate.n, rounded(estimate.low), rounded(estimate.high))
    )


def _ends(estimate: Estimate | None) -> tuple[float | None, float | None]:
    return (None, None) if estimate is None else (estimate.low, estimate.high)
