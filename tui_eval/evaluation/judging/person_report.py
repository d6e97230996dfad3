"""The part of a report that holds judges against persons: agreement, corrected means, several persons, certificates."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tui_eval.core.gathering import gathered
from tui_eval.core.kinds import Metric
from tui_eval.core.plaintext import one_line
from tui_eval.core.reports import HumanRating
from tui_eval.core.results import SampleResult, Score, Table
from tui_eval.core.units import Unit
from tui_eval.evaluation.inputs import Task
from tui_eval.evaluation.judging.rating_tables import (
    ANNOTATOR_COLUMNS,
    CERTIFICATE_COLUMNS,
    CHECK_COLUMNS,
    CHECK_KEYS,
    CHECK_NOTE,
    PERSON_COLUMNS,
    CertifiedRate,
    CheckedMetric,
    annotator_rows,
    certificate_row,
    check_row,
    person_row,
    with_persons,
)
from tui_eval.evaluation.report_parts import ReportPart
from tui_eval.evaluation.sum_cells import table_of
from tui_eval.reading.claims import SUPPORTED, claim_id
from tui_eval.results.sums.board import Board, Side
from tui_eval.results.sums.human_agreement import (
    CLAIMS,
    AnnotatorTest,
    Lot,
    OldPlace,
    PersonsBeside,
    RatedAnswer,
    annotator_test,
    checked,
    drawn_before,
    is_rated_by,
    is_yes_or_no,
    persons_beside,
    persons_of,
    undecided,
)
from tui_eval.results.sums.judge_certificates import (
    CertificateCopy,
    Telling,
    certificate_words,
    other_models,
    rate_of,
    rate_words,
    telling_of,
)
from tui_eval.results.sums.means import Estimate, estimate
from tui_eval.results.sums.metrics import is_binary
from tui_eval.results.sums.person_checks import JudgedMeans, person_check
from tui_eval.results.sums.person_sentences import say_of_persons
from tui_eval.results.sums.series import Series


@dataclass(frozen=True, slots=True)
class _RatableAnswer:
    """An answer with a text that judges were to mark by one metric."""

    unit: Unit
    conversation: str
    """Its name, by which lots are drawn."""
    place: tuple[str, str, int, int, str]
    """Stage, id of the sample, repeat, turn from 1, model."""
    value: float | None
    marks: Mapping[str, float]
    """By judge; of one that says yes or no only what it said so."""
    why: str = ""
    claims: tuple[tuple[str, bool], ...] = ()
    """Those that the first judge found, and whether the text bears them out."""


_Key = tuple[tuple[str, str, int, int, str], str]
"""What is rated: an answer by its place, and which of its claims."""


class PersonReport(ReportPart):
    """Persons' ratings beside the judges of a run, whatever its kind."""

    def __init__(self, task: Task, metrics: Sequence[Metric], judged: Collection[str], board: Callable[[], Board]) -> None:
        """`judged`: the metrics that models mark; `board`: where all scores stand."""
        self._task, self._board = task, board
        self.metrics = {metric.name: metric for metric in metrics if metric.name in judged and is_rated_by(metric)}
        self._answers: dict[str, list[_RatableAnswer]] = {name: [] for name in self.metrics}
        self._ratings: Sequence[HumanRating] = ()
        self._certificates: Sequence[CertificateCopy] = ()
        self._checked: list[CheckedMetric] | None = None
        self._known: dict[str, set[_Key]] = {}

    def add(self, row: SampleResult, unit: Unit) -> None:
        """Take in the judged answers of a row.

        An answer with several scores by one metric is left out: no rating tells which of them it is about.
        """
        self._checked, self._known = None, {}
        with_text = {
            (reply.call.stage, reply.call.model, reply.call.call_index)
            for reply in row.replies
            if reply.ok and reply.text and reply.text.strip()
        }
        scores = [score for score in row.scores if score.name in self.metrics]
        times = Counter((score.name, *_of(score)) for score in scores)
        own, document = unit.clusters[-1], row.sample.doc_id
        conversation = document if document and own.endswith(f"/{document}") else own
        for score in scores:
            if _of(score) in with_text and times[score.name, *_of(score)] == 1:
                place = (score.stage, row.sample.id, row.sample.repeat, score.call_index + 1, score.model)
                self._answers[score.name].append(self._answer(unit, conversation, place, score))

    def _answer(self, unit: Unit, conversation: str, place: tuple[str, str, int, int, str], score: Score) -> _RatableAnswer:
        content, metric = _statements(score), self.metrics[score.name]
        marks = {str(judge): float(mark) for judge, mark in content.get("marks", {}).items() if metric.holds(mark)}
        if is_binary(metric) and any(mark not in (0, 1) for mark in marks.values()):
            marks = {}
        judges = judges_of(self._task, score.name)
        if not marks and len(judges) == 1 and score.value is not None:
            marks = {judges[0]: score.value}
        supported_by_claim: dict[str, bool] = {}
        for claim in next((each for each in content.get("details", {}).values() if each), ()) if score.name == CLAIMS else ():
            supported_by_claim.setdefault(claim_id(str(claim.get("claim"))), claim.get("verdict") == SUPPORTED)
        return _RatableAnswer(unit, conversation, place, score.value, marks, score.why, tuple(supported_by_claim.items()))

    def check(self, ratings: Sequence[HumanRating]) -> None:
        """Take in what persons said of answers, in the order in which these were first shown."""
        self._ratings, self._checked = ratings, None

    def certify(self, certificates: Sequence[CertificateCopy]) -> None:
        """Take in the certificates that the run has of its judges."""
        self._certificates = certificates

    def tables(self) -> Mapping[str, Table]:
        """person_checks, persons, alternative_annotator, judge_certificates; some without a row."""
        beside = [(name, persons) for name in self.metrics for persons in self._beside(name)]
        tests = [(name, test) for name in self.metrics for test in self._tests(name)]
        rates = list(self.rates())
        return {
            "person_checks": table_of(
                "The judge beside persons", list(map(check_row, self.checks())), CHECK_COLUMNS, CHECK_NOTE, CHECK_KEYS
            ),
            "persons": table_of(
                "Persons beside each other", [person_row(name, persons) for name, persons in beside], PERSON_COLUMNS,
                "Of answers that both rated; low, high: of kappa (of all persons: of alpha), over conversations. lean: how"
                " much more lenient the second is.", PERSON_COLUMNS[:3],
            ),
            "alternative_annotator": table_of(
                "Judges in the place of persons", [row for name, test in tests for row in annotator_rows(name, test)],
                ANNOTATOR_COLUMNS, "advantage: share of answers of which the judge is at least as near to the other persons as"
                " this one; of_person: of which the person is. p: that the judge is 0.1 worse; won: by Benjamini and Yekutieli"
                " over persons.", ANNOTATOR_COLUMNS[:3],
            ),
            "judge_certificates": table_of(
                "Rates corrected by certificates", list(map(certificate_row, rates)), CERTIFICATE_COLUMNS,
                "Certificates of the workspace, made from human ratings in another run or in this one: void where judge,"
                " prompt, metric or data set differ. low, high: of the corrected rate.", CERTIFICATE_COLUMNS[:4],
            ),
        }  # fmt: skip

    def sentences(self) -> list[str]:
        """Return the notes on persons and certificates for a reader of the scores."""
        first = {check.metric: check for check in reversed(self.checks())}
        people = [f"{name}: {first[name].words}." for name in self.metrics if name in first]
        beside = [f"{name}: {persons.words}." for name in self.metrics for persons in self._beside(name)]
        tests = [f"{name}: {test.words}." for name in self.metrics for test in self._tests(name)]
        return [*people, *beside, *tests, *self._certified()]

    def beside(self, table: Table) -> Table:
        """A table by model and metric with persons' agreement and the corrected mean beside each row that has them."""
        several = Counter((check.model, check.metric) for check in self.checks() if not check.judge)
        checks = {(check.model, check.metric): check.check for check in self.checks() if not check.judge}
        checks = {key: check for key, check in checks.items() if several[key] == 1}
        return with_persons(table, checks) if checks else table

    def checks(self) -> list[CheckedMetric]:
        """Of all models, each side, and each of several judges whose answers persons rated."""
        if self._checked is None:
            self._checked = [check for name in self.metrics for check in self._checks(name)]
        return self._checked

    # ------------------------------------------------------------------------------------------------- what was rated

    def rated(self, metric: str) -> list[RatedAnswer]:
        """The judged answers of the stages that persons rated, with what they said; claims one by one."""
        return [answer for answer, _ in self._rated(metric)]

    def _rated(self, metric: str) -> list[tuple[RatedAnswer, Side]]:
        ratings = gathered((place, rating) for rating in self._ratings if (place := self._about(metric, rating)) is not None)
        if not ratings:
            return []
        order = {place: number for number, place in enumerate(ratings)}
        lots = self._lots(metric, ratings, order)
        stages = {place[0] for place, _ in ratings}
        answers = [answer for answer in self._answers[metric] if answer.place[0] in stages]
        board, rated = self._board(), list[tuple[RatedAnswer, Side]]()
        items = [board.items.place(answer.unit, {}) for answer in answers]
        clusters = board.items.clusters(sorted(set(items)))
        cluster = dict(zip(sorted(set(items)), clusters, strict=True)) if clusters is not None else {}
        for answer, item in zip(answers, items, strict=True):
            side = Side(answer.place[0], answer.place[4], metric, answer.unit.variant)
            about = RatedAnswer(item, answer.place[4], answer.marks, answer.value, {}, None, cluster.get(item))
            for name, value in answer.claims if metric == CLAIMS else [("", None)]:
                key = (answer.place, name)
                marks = {rating.person: rating.mark for rating in ratings.get(key, ())}
                rated_answer = replace(about, ratings=marks, lot=lots.get(key))
                if value is not None:
                    judge = next(iter(answer.marks), "")
                    rated_answer = replace(rated_answer, value=float(value), marks={judge: float(value)}, answer=answer.place)
                rated.append((rated_answer, side))
        return rated

    def _about(self, metric: str, rating: HumanRating) -> _Key | None:
        """Return the answer or claim that a rating is about; None where that was not judged, or the mark is off the scale."""
        if rating.metric != metric:
            return None
        definition = self.metrics[metric]
        if rating.mark is not None and not (
            rating.mark in (0, 1) if is_yes_or_no(definition) else definition.holds(rating.mark)
        ):
            return None
        for stage in [rating.stage] if rating.stage else self._stages(metric):
            place = (stage, rating.item_id, rating.repeat, rating.turn, rating.model)
            if (place, rating.claim) in self._keys(metric):
                return place, rating.claim
        return None

    def _stages(self, metric: str) -> Sequence[str]:
        return list(dict.fromkeys(answer.place[0] for answer in self._answers[metric]))

    def _keys(self, metric: str) -> Collection[_Key]:
        """Return the keys of what can be rated by a metric."""
        if metric not in self._known:
            self._known[metric] = {
                (answer.place, name)
                for answer in self._answers[metric]
                for name in ([claim for claim, _ in answer.claims] if metric == CLAIMS else [""])
            }
        return self._known[metric]

    def _lots(self, metric: str, ratings: Mapping[_Key, Sequence[HumanRating]], order: Mapping[_Key, int]) -> dict[_Key, Lot]:
        """Return how each came to be shown: by the first rating that says it, else as versions before 0.7 drew."""
        lots: dict[_Key, Lot] = {}
        for key, own in ratings.items():
            first = next(
                ((rating.chance, rating.left) for rating in own if rating.chance is not None and rating.left is not None), None
            )
            if first is not None:
                lots[key] = Lot(order[key], *first)
        older = {key[0][1:]: key for key in ratings if key not in lots}
        if older and metric != CLAIMS:
            places: dict[OldPlace, str] = {answer.place[1:]: answer.conversation for answer in self._answers[metric]}
            before = drawn_before(places, older.keys(), self._task.seed)
            lots |= {older[place]: lot for place, lot in before.items()}
        return lots

    # --------------------------------------------------------------------------------------------------- what it says

    def _checks(self, name: str) -> Iterator[CheckedMetric]:
        rated, metric = self._rated(name), self.metrics[name]
        if not any(answer.ratings for answer, _ in rated):
            return
        judges = list(dict.fromkeys(judge for answer, _ in rated for judge in answer.marks))
        by_one = judges[0] if name == CLAIMS and len(self._judges(name)) > 1 else ""
        yield self._check(metric, rated, "", by_one)
        for side, own in gathered((side, (answer, side)) for answer, side in rated).items():
            if any(answer.ratings for answer, _ in own):
                yield self._check(metric, own, side.model, by_one, side)
        for judge in judges if len(judges) > 1 and not by_one else ():
            yield self._check(metric, rated, "", judge)

    def _check(
        self, metric: Metric, rated: Sequence[tuple[RatedAnswer, Side]], model: str, judge: str = "", side: Side | None = None
    ) -> CheckedMetric:
        answers = [answer for answer, _ in rated]
        sides = {rated_side for _, rated_side in rated}
        means = self._means(metric, sides, judge)
        persons = len(persons_of([answer for answer in answers if answer.ratings]))
        check = person_check(checked(answers, metric, judge), metric, means, persons, model, self._task.units)
        stage, variant = (side.stage, side.variant) if side else ("", "")
        return CheckedMetric(metric.name, model, judge, check, stage, variant, undecided(answers, metric))

    def _means(self, metric: Metric, sides: Collection[Side], judge: str) -> JudgedMeans:
        """The mean of one side as the table has it; of several, or of one judge of several, by the same rule."""
        board = self._board()
        if len(sides) == 1 and not judge:
            (side,) = sides
            series = board.series[side]
            return JudgedMeans(board.estimate(side), _by_conversation(series))
        series = Series()
        for answer in self._answers[metric.name]:
            stage, _, repeat, turn, model = answer.place
            if Side(stage, model, metric.name, answer.unit.variant) in sides:
                value = answer.marks.get(judge) if judge else answer.value
                series.add(board.items.place(answer.unit, {}), value, answer.why, repeat << 24 | turn)
        return JudgedMeans(estimate(series, board.items, metric), _by_conversation(series))

    def _judges(self, metric: str) -> list[str]:
        return judges_of(self._task, metric)

    def _beside(self, name: str) -> list[PersonsBeside]:
        return list(persons_beside(self.rated(name), self.metrics[name]))

    def _tests(self, name: str) -> Iterator[AnnotatorTest]:
        rated = self.rated(name)
        for judge in dict.fromkeys(judge for answer in rated for judge in answer.marks):
            test = annotator_test(rated, self.metrics[name], judge, self._task.units.item)
            if test is not None:
                yield test

    # --------------------------------------------------------------------------------------------------- certificates

    def telling(self, metric: str, judge: str) -> Telling | str:
        """Return the ratings' evidence on a judge of yes and no; a sentence where that is too little for a certificate."""
        answers = self.rated(metric)
        if judge and len(self._judges(metric)) == 1:
            judge = ""
        definition = self.metrics[metric]
        return telling_of(checked(answers, definition, judge), undecided(answers, definition))

    def rate(self, metric: str, judge: str = "") -> Estimate:
        """The rate of all models together, by one judge of several or by what counts."""
        sides = {side for side in self._board().series if side.metric == metric}
        return self._means(self.metrics[metric], sides, judge if len(self._judges(metric)) > 1 else "").raw

    def rated_models(self, metric: str) -> dict[str, str]:
        """The models whose answers persons rated: our names and the APIs' own."""
        ids = {model.name: model.model_id for models in self._task.asked.values() for model in models}
        rated = (side.model for answer, side in self._rated(metric) if answer.ratings)
        return {model: ids.get(model, model) for model in dict.fromkeys(rated)}

    def rates(self) -> Iterator[CertifiedRate]:
        """Each side of a metric that a certificate is of, with its rate corrected where that is valid."""
        for copy in self._certificates:
            metric = self.metrics.get(copy.certificate.metric)
            if metric is None or not is_yes_or_no(metric):
                continue
            for side in self._board().series:
                if side.metric == metric.name:
                    judge = copy.certificate.judge if len(self._judges(metric.name)) > 1 else ""
                    raw = self._means(metric, {side}, judge).raw
                    rate = None if copy.why else rate_of(raw)
                    yield CertifiedRate(copy, side, raw, copy.certificate.telling.corrected(*rate) if rate else None)

    def _certified(self) -> Iterator[str]:
        for rates in gathered((id(rate.copy), rate) for rate in self.rates()).values():
            certificate = rates[0].copy.certificate
            whose = f"{certificate.metric} by {one_line(certificate.judge, 60)}"
            if rates[0].copy.why:
                reason = say_of_persons("void", date=certificate.made.date, reason=rates[0].copy.why)
                yield f"{whose}: {reason}."
                continue
            for rate in rates:
                if rate.found is not None:
                    words = f"rate {rate_words(rate.raw)} of {rate.raw.scored:,}; {certificate_words(certificate, rate.found)}"
                    yield f"{whose}, {rate.side.model}: {words}."
            ids = {model.name: model.model_id for models in self._task.asked.values() for model in models}
            models = {rate.side.model: ids.get(rate.side.model, rate.side.model) for rate in rates if rate.found is not None}
            if note := other_models(certificate, models):
                yield f"{whose}: {note}."


def _of(score: Score) -> tuple[str, str, int]:
    return score.stage, score.model, score.call_index


def _by_conversation(series: Series) -> dict[Hashable, float]:
    return dict(series.means().items())


def _statements(score: Score) -> dict[str, Any]:
    """Return the judges' statements on an answer, where a score has them in `judge_panel.judged`'s form."""
    try:
        content = json.loads(score.read) if score.read else {}
    except ValueError:
        return {}
    return content if isinstance(content, dict) and isinstance(content.get("marks", {}), dict) else {}


def judges_of(task: Task, metric: str) -> list[str]:
    """The models that judge by a metric: of a scorer that asks one, else those of the stage that grades."""
    scorers = [row.model for row in task.scorers.asking if row.metric_name == metric]
    stages = (task.rubric_stage,) if metric in task.rubrics else ("scorer", "judge")
    graders = next((task.asked[stage] for stage in stages if stage in task.asked), ())
    return scorers or [model.name for model in graders]
