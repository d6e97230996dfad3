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
    "Persons' marks of answers drawn by lot, model and judge hidden. Empty model: all models, their answers of a conversation"
    " averaged together; empty judge: the mark that counts. corrected: the judge's mean over conversations + mean over labelled"
    f" conversations of (person - judge), from {LEAST_MARKS} drawn marks of {LEAST_CONVERSATIONS} conversations on; tuned: the"
    " same with the judge's weight chosen (PPI++). bias: judge less person. low, high: of the weighted kappa, over"
    " conversations. n_not_drawn: marks that no lot decided, which correct nothing."
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
class Checked:
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
        """What it comes to in a sentence."""
        return f"{person_words(self.check)}; judge and person: {agreement_words(self.check.agreement, self.check.interval)}"


@dataclass(frozen=True, slots=True)
class CertifiedRate:
    """The rate of a side, corrected by a certificate."""

    copy: CertificateCopy
    side: Side
    raw: Estimate
    found: CorrectedRate | None
    """None where the certificate is void, or there is no rate."""


def with_persons(table: Table, found: Mapping[tuple[str, str], PersonCheck]) -> Table:
    """A table by model and metric with what persons' marks say of each row; `found`: by these two."""
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


def check_row(one: Checked) -> Cells:
    """A row of person_checks."""
    check, agreement = one.check, one.check.agreement
    low, high = _ends(check.corrected)
    stage = {"stage": one.stage} if one.stage else {}
    return {
        RESTS_ON: {"model": one.model, "name": one.metric, **stage} if one.model else {"name": one.metric},
        "metric": one.metric, "model": one.model, "judge": one.judge, "n_shown": check.shown, "n_marked": agreement.n,
        "n_cannot_tell": check.cannot_tell, "percent": rounded(agreement.percent), "kappa": rounded(agreement.kappa),
        "weighted_kappa": Cell(rounded(agreement.quadratic), agreement.n, check.interval.low, check.interval.high),
        "low": rounded(check.interval.low), "high": rounded(check.interval.high), "pabak": rounded(agreement.pabak),
        "bias": rounded(agreement.bias), "judge_mean": _cell(check.raw), "person_mean": _cell(check.person),
        "corrected": _cell(check.corrected), "tuned": _cell(check.tuned), "corrected_low": rounded(low),
        "corrected_high": rounded(high), "n_used": check.used, "n_missing": check.missing, "in_words": one.words,
        "n_drawn": check.used, "n_not_drawn": check.not_drawn, "n_conversations": check.conversations,
        "n_persons": check.persons, "n_undecided": one.undecided, "stage": one.stage, "variant": one.variant,
    }  # fmt: skip


def person_row(metric: str, one: PersonsBeside) -> Cells:
    """A row of persons."""
    found, ends = one.agreement, one.interval
    row: Cells = dict.fromkeys(PERSON_COLUMNS)
    row |= {
        RESTS_ON: {"name": metric}, "metric": metric, "person_a": person_name(one.a), "person_b": person_name(one.b),
        "n_common": found.n, "low": rounded(ends.low), "high": rounded(ends.high), "in_words": one.words,
    }  # fmt: skip
    if isinstance(found, AlphaAgreement):
        everyone: Cells = {"person_a": f"all {one.persons}", "person_b": ""}
        return {**row, **everyone, "alpha": Cell(rounded(found.alpha), found.n, ends.low, ends.high)}
    return {
        **row, "percent": rounded(found.percent), "kappa": Cell(rounded(found.kappa), found.n, ends.low, ends.high),
        "weighted_kappa": rounded(found.quadratic), "pabak": rounded(found.pabak), "lean": rounded(found.bias),
    }  # fmt: skip


def annotator_rows(metric: str, one: AnnotatorTest) -> Iterator[Cells]:
    """A row of alternative_annotator for each person; none where common answers are too few."""
    for person, found in zip(one.persons, one.results, strict=False):
        yield {
            RESTS_ON: {"name": metric}, "metric": metric, "judge": one.judge, "person": person_name(person),
            "n_common": one.n, "advantage": Cell(rounded(found.judge), one.n), "of_person": Cell(rounded(found.person), one.n),
            "p": six_digits(found.p), "won": "yes" if found.won else "no", "in_words": one.words,
        }  # fmt: skip


def certificate_row(one: CertifiedRate) -> Cells:
    """A row of judge_certificates."""
    certificate, telling = one.copy.certificate, one.copy.certificate.telling
    found, side = one.found, one.side
    low, high = (found.low, found.high) if found else (None, None)
    value = Cell(rounded(found.value), one.raw.n, rounded(low), rounded(high)) if found else Cell(None)
    return {
        RESTS_ON: {"model": side.model, "name": side.metric, "stage": side.stage}, "judge": one_line(certificate.judge, 60),
        "metric": side.metric, "stage": side.stage, "model": side.model, "rate": _cell(one.raw),
        "rate_low": rounded(one.raw.low), "rate_high": rounded(one.raw.high), "corrected_rate": value, "low": rounded(low),
        "high": rounded(high),
        "sensitivity": Cell(
            rounded(telling.sensitivity), telling.n_yes, rounded(telling.sensitivity_low), rounded(telling.sensitivity_high)
        ),
        "specificity": Cell(
            rounded(telling.specificity), telling.n_no, rounded(telling.specificity_low), rounded(telling.specificity_high)
        ),
        "n_yes": telling.n_yes, "n_no": telling.n_no, "made_at": one_line(certificate.made.at, 40),
        "made_on": certificate.made.names,
        "simulated": "yes" if certificate.made.simulated else "no", "state": "void" if one.copy.why else "valid",
        "why": one.copy.why,
    }  # fmt: skip


def _cell(found: Estimate | None) -> Cell:
    return Cell(None) if found is None else Cell(rounded(found.value), found.n, rounded(found.low), rounded(found.high))


def _ends(found: Estimate | None) -> tuple[float | None, float | None]:
    return (None, None) if found is None else (found.low, found.high)
