"""A person's rating of a run by one metric: what is asked, which answer comes next, and what is said of how far it has come."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tui_eval.core.errors import FolderError
from tui_eval.core.kinds import Metric
from tui_eval.core.plaintext import count_of
from tui_eval.results.annotation_sample import (
    AnnotationSample,
    AnswerPlace,
    DrawnAnswer,
    JudgedAnswer,
    is_ratable,
)
from tui_eval.results.asked_turns import AskedTurn
from tui_eval.results.rating_progress import agreement_words, progress_of, progress_words
from tui_eval.results.read_report import list_of, table_of
from tui_eval.results.stored_samples import StoredReply, StoredSample
from tui_eval.results.sums.human_agreement import CLAIMS, HIGHEST, LOWEST, is_yes_or_no
from tui_eval.results.sums.judge_certificates import LEAST_LABELS
from tui_eval.results.sums.metrics import RIGHT_OR_WRONG
from tui_eval.runs.folder import MANIFEST
from tui_eval.runs.opening import whole
from tui_eval.runs.person_marks import Marks, PersonMark, add_mark, person_marks, take_back
from tui_eval.tui.report_rows import ACCURACY
from tui_eval.tui.sanitize import LONGEST_TEXT, safe, safe_line
from tui_eval.tui.screens.result.result_part import Result
from tui_eval.tui.widgets.lines import Piece
from tui_eval.tui.widgets.text import Paragraph
from tui_eval.tui.words import count

PROMPTS = ("inputs", "prompts")
"""The folder of a run with the prompts that it was made with."""
LONGEST_PROMPT = 1 << 20
STEP = 30
"""Answers between two stops at which it is said how the rating stands."""
FIRST_STOP = {True: 2 * STEP, False: STEP}
"""Answers before the first stop, by whether they are rated yes or no."""
_SLOT = re.compile(r" ?\{[a-z_]+\}")
UNANSWERABLE = "The document does not hold the answer to this question."
WHAT_CLAIMS_ARE = "yes: the document says so. no: it says otherwise, or nothing of it. Nothing but the document counts."


@dataclass(frozen=True, slots=True)
class RatingTask:
    """Task of rating: the metric, what is asked, what its marks mean, and who rates."""

    metric: Metric
    asks: str
    meaning: str
    """Safe text; may be empty."""
    seed: int
    person: str

    @property
    def is_yes_or_no(self) -> bool:
        """Return whether it is rated by yes and no."""
        return is_yes_or_no(self.metric)


def ratable_metrics(result: Result) -> list[Metric]:
    """The metrics by which a person can rate: of several that are judged, the one on show."""
    report, judged = result.view, judged_in(result)
    metrics = []
    for measure in report.measures:
        metric = measure.metric
        if metric.name == ACCURACY and ACCURACY not in report.metrics:  # a report with one such metric does not name it
            only = replace(RIGHT_OR_WRONG, name=next(iter(judged), RIGHT_OR_WRONG.name))
            metric = next(iter(report.metrics.values()), only)
        if is_ratable(metric, judged):
            metrics.append(metric)
    return metrics


def judged_in(result: Result) -> dict[str, Any]:
    """Return what persons may rate, by metric, as report or manifest say it."""
    return result.report.judged or table_of(result.opened.table(MANIFEST).get("judged"))


def rating_task(result: Result, metric: Metric, person: str) -> RatingTask:
    """Return the task that a metric asks of a person."""
    run, about = result.opened.table("resolved_config.json").get("run"), table_of(judged_in(result).get(metric.name))
    seed = table_of(run).get("seed")
    asks = about.get("asks")
    prompts = [name for name in list_of(about.get("prompts")) if isinstance(name, str)] or [metric.name]
    meaning = WHAT_CLAIMS_ARE if metric.name == CLAIMS else definition(result.opened.path, prompts, metric)
    words = safe_line(asks, 200) if isinstance(asks, str) else ""
    return RatingTask(metric, words, meaning, seed if type(seed) is int else 0, person)


def definition(run: Path, prompts: Sequence[str], metric: Metric) -> str:
    """Return the judge's definition of a metric: the parts of its prompts that explain the ends of the scale, a line each. Safe
    text; may be empty."""
    ends = [re.compile(rf"^\W*{mark:g}\b", re.MULTILINE) for mark in (metric.low, metric.high)]
    parts = []
    for name in prompts:
        if Path(name).name != name:
            continue
        try:
            text = (whole(run.joinpath(*PROMPTS, f"{name}.md"), LONGEST_PROMPT) or b"").decode("utf-8", "replace")
        except FolderError:
            continue
        parts += [part.strip() for part in re.split(r"\n\s*\n", text.replace("\r", ""))]
    return safe(_SLOT.sub("", "\n\n".join(part for part in parts if all(end.search(part) for end in ends))))


class Rating:
    """One person's rating of a run: every mark is on disk before the next answer is shown."""

    def __init__(self, run: Path, task: RatingTask, answers: Sequence[JudgedAnswer]) -> None:
        """FolderError where the marks on file cannot be read."""
        self.task, self._run = task, run
        self.sample = AnnotationSample(answers, task.metric, task.seed)
        self.marks: Marks = person_marks(run)
        self._said = self.sample.by_person(self.marks, task.person)
        self._more = 0

    @property
    def n(self) -> int:
        """Answers that the person has said something of."""
        return len(self._said)

    @property
    def stop(self) -> int:
        """After so many it is said how the rating stands: 60 of yes and no, else 30, and every 30 more."""
        first = FIRST_STOP[self.task.is_yes_or_no]
        return min(len(self.sample), max(first, -(-self.n // STEP) * STEP) + self._more)

    @property
    def left(self) -> int:
        """Answers that the person has not seen."""
        return len(self.sample) - self.n

    def go_on(self) -> bool:
        """Go on behind the stop; whether there is anything left."""
        if self.n < self.stop or not self.left:
            return False
        self._more = STEP
        return True

    def current(self) -> DrawnAnswer | None:
        """The answer that is to be rated now; None at a stop."""
        return self.sample.current(self.marks, self.task.person) if self.n < self.stop else None

    def put(self, sampled: DrawnAnswer, mark: int | None) -> None:
        """Write down what was said of an answer; None = cannot tell. StorageError or FolderError where that cannot be."""
        place, task = sampled.answer.place, self.task
        at = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        person_mark = PersonMark(
            place.item_id, place.repeat, place.turn, place.model, task.metric.name, mark, at,
            place.stage, place.claim, task.person, sampled.chance, sampled.left,
        )  # fmt: skip
        add_mark(self._run, person_mark)
        self.marks = {**self.marks, person_mark.key: person_mark}
        self._look()

    def undo(self) -> bool:
        """Remove what the person said last, whose answer comes again; whether there was anything. Errors as of `put`."""
        last = next(reversed(self._said.values()), None)
        if last is None:
            return False
        take_back(self._run, last)
        self.marks = {key: mark for key, mark in self.marks.items() if key != last.key}
        self._look()
        return True

    def _look(self) -> None:
        self._said = self.sample.by_person(self.marks, self.task.person)
        self._more = self._more if self.n < self.stop else 0

    def heading(self, at_stop: bool) -> list[Piece]:
        """Name the metric, the answer, and who rates."""
        name, task = safe_line(self.task.metric.name, 40), self.task
        which = "so far" if at_stop else f"answer {count(self.n + 1)} of {count(self.stop)}"
        scale = "yes or no" if task.is_yes_or_no else f"{LOWEST} to {HIGHEST}"
        who: list[Piece] = [(f"  {safe_line(task.person, 40)}", "dim")] if task.person else []
        return [("tui-eval  blind rating  ", "dim"), (f"{name}, {scale}  ", "strong"), which, *who]

    def has_enough_of_each(self) -> bool:
        """Return whether the person has called as many right, and wrong, as a certificate takes."""
        values = [mark.mark for mark in self.sample.by_person(self.marks, self.task.person).values()]
        return min(values.count(1), values.count(0)) >= LEAST_LABELS

    def so_far(self) -> str:
        """The person's counts, what they lack, and how wide the interval is."""
        progress = progress_of(self.sample, self.marks, self.task.person, self.task.metric)
        return progress_words(progress, self.task.metric)

    def ending(self) -> list[Paragraph]:
        """Describe the rating at a stop: how far judge and person agree, and what can be done now."""
        task, many = self.task, self.left
        progress = progress_of(self.sample, self.marks, task.person, task.metric)
        whole_run = "" if many else ": all that there are"
        lines: list[Paragraph] = [
            (f"All {count(self.n)} answers of the sample are rated{whole_run}. Thank you.", "strong"),
        ]
        if progress.unsure:
            lines.append((f"{count(progress.unsure)} you could not tell of: they count as no rating", ""))
        lines += [("", ""), (f"Judge and person, {safe_line(task.metric.name, 40)}", "accent")]
        agreed = agreement_words(self.sample, self.marks, task.person, task.metric)
        lines += [(safe(line), "") for line in agreed or ["nothing to compare: the judge gave none of these a score"]]
        does = [
            *(["K writes the certificate of the judge, if it earns one"] if task.is_yes_or_no else []),
            "C counts the ratings into the tables of the run, as tui-eval rescore does",
            *([f"m rates on: {count_of(many, 'answer')} left"] if many else []),
        ]
        return [*lines, ("", ""), *((line, "strong") for line in does)]


def answer_text(
    sample: StoredSample, answer: StoredReply, asked_turn: AskedTurn | None, task: RatingTask, claim: str = ""
) -> list[Paragraph]:
    """An answer that is to be rated, or a claim of it, with all that one needs for it. Safe text."""
    question = sample.question if asked_turn is None else asked_turn.turn.question
    truth = sample.truth if asked_turn is None else asked_turn.turn.ground_truth
    lines: list[Paragraph] = [(task.asks, "strong"), ("", "")] if task.asks else []
    if claim:
        lines += [("Claim", "accent"), (_text(claim), ""), ("", "")]
    lines += [("Question", "accent"), (_text(question), "")]
    if asked_turn is not None and not asked_turn.turn.answerable:
        lines.append((UNANSWERABLE, "warn"))
    lines += [("", ""), ("Ground truth", "accent"), (_text(truth), "")] if not claim else []
    lines += [("", ""), ("Answer", "accent"), (_text(answer.text), "")]
    if task.meaning:
        lines += [("", ""), ("What the ratings mean", "accent"), (task.meaning, "")]
    before = () if asked_turn is None else asked_turn.before
    replies = {reply.call_index: reply for reply in sample.kept() if reply.model == answer.model}
    if before:
        lines += [("", ""), ("What was said before", "accent")]
    for place, turn in enumerate(before):
        earlier = replies.get(place)
        lines += [(_text(turn.question), "strong"), (_text(earlier.text if earlier else turn.ground_truth), "")]
    return lines


def answer_at(sample: StoredSample | None, place: AnswerPlace) -> StoredReply | None:
    """The answer of a sample that stands at a place."""
    names = (place.model, place.turn - 1, place.stage)
    answers = sample.kept() if sample is not None else []
    return next((answer for answer in answers if (answer.model, answer.call_index, answer.stage) == names), None)


def _text(text: str | None) -> str:
    return safe((text or "-")[:LONGEST_TEXT])
