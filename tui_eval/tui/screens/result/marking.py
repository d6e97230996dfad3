"""Answers marked by a person, blind: who answered and what the judge said is hidden; each mark is on disk at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from textual.app import ComposeResult
from textual.widget import Widget

from tui_eval.core.errors import FolderError, TuiEvalError
from tui_eval.core.kinds import Metric
from tui_eval.core.plaintext import counted
from tui_eval.results.asked_turns import AskedTurn
from tui_eval.results.person_sample import HIGHEST, LOWEST, JudgedAnswer, JudgedAnswers, agreement_with_person, person_said
from tui_eval.results.stored_samples import Answer, StoredSample
from tui_eval.results.sums.in_words import decimal
from tui_eval.results.sums.judge_in_words import agreement_words, person_words
from tui_eval.results.sums.person_checks import PersonCheck
from tui_eval.runs.opening import whole
from tui_eval.runs.person_marks import Marks, PersonMark, add_mark, person_marks, take_back
from tui_eval.tui.background.slices import Job
from tui_eval.tui.keymap import bind
from tui_eval.tui.sanitize import LONGEST_TEXT, safe, safe_line
from tui_eval.tui.screens.result.basis import ReadingOn
from tui_eval.tui.screens.result.result_part import Result
from tui_eval.tui.widgets.chrome import KeysLine, StatusLine
from tui_eval.tui.widgets.lines import Lines, Piece
from tui_eval.tui.widgets.question_view import QuestionView
from tui_eval.tui.widgets.quoted_page import QuotedPage, quoted_page
from tui_eval.tui.widgets.text import Paragraph, Reading
from tui_eval.tui.words import count

PROMPTS = ("inputs", "prompts")
"""The folder of a run with the prompts that it was made with."""
LONGEST_PROMPT = 1 << 20
_SLOT = re.compile(r" ?\{[a-z_]+\}")
_ENDS = [re.compile(rf"^\W*{mark}\b", re.MULTILINE) for mark in (LOWEST, HIGHEST)]
"""Lines of a prompt that say what the ends of the scale mean."""
UNANSWERABLE = "The document does not hold the answer to this question."


def definition(run: Path, metric: str) -> str:
    """What the judge was told of a metric: the parts of its prompt that explain the marks. Safe text; may be empty."""
    if Path(metric).name != metric:
        return ""
    try:
        text = (whole(run.joinpath(*PROMPTS, f"{metric}.md"), LONGEST_PROMPT) or b"").decode("utf-8", "replace")
    except FolderError:
        return ""
    parts = [part.strip() for part in re.split(r"\n\s*\n", text.replace("\r", ""))]
    told = [part for part in parts if all(end.search(part) for end in _ENDS)]
    return safe(_SLOT.sub("", "\n\n".join(told)))


def question_text(sample: StoredSample, answer: Answer, asked: AskedTurn | None, meaning: str) -> list[Paragraph]:
    """An answer that is to be marked, with all that one needs for it. Safe text."""
    question = sample.question if asked is None else asked.turn.question
    truth = sample.truth if asked is None else asked.turn.ground_truth
    lines: list[Paragraph] = [("Question", "accent"), (_text(question), "")]
    if asked is not None and not asked.turn.answerable:
        lines.append((UNANSWERABLE, "warn"))
    lines += [
        ("", ""),
        ("Ground truth", "accent"),
        (_text(truth), ""),
        ("", ""),
        ("Answer", "accent"),
        (_text(answer.text), ""),
    ]
    if meaning:
        lines += [("", ""), ("What the marks mean", "accent"), (meaning, "")]
    before = () if asked is None else asked.before
    said = {other.call_index: other for other in sample.kept() if other.model == answer.model}
    if before:
        lines += [("", ""), ("What was said before", "accent")]
    for place, turn in enumerate(before):
        earlier = said.get(place)
        lines += [(_text(turn.question), "strong"), (_text(earlier.text if earlier else turn.ground_truth), "")]
    return lines


def agreement_text(check: PersonCheck, metric: Metric, run_id: str) -> list[Paragraph]:
    """How far judge and person agree, once all is marked."""
    found = check.agreement
    lines: list[Paragraph] = [
        (f"All {count(check.shown)} answers of the sample are marked. Thank you.", "strong"),
        ("", ""),
        (f"Judge and person, {safe_line(metric.name, 40)}", "accent"),
        (agreement_words(found, check.interval), ""),
    ]
    if found.mean_absolute is not None:
        lines.append((f"mean distance of the two marks: {decimal(found.mean_absolute, 2)}", ""))
    if check.cannot_tell:
        lines.append((f"{count(check.cannot_tell)} you could not tell of: they count as no mark", ""))
    lines += [("", ""), (person_words(check), "")]
    again = f"tui-eval rescore {safe_line(run_id)}"
    kept = f"The marks are kept in the run folder. C counts them into its tables, as does {again}."
    return [*lines, ("", ""), (kept, "strong")]


def _text(text: str | None) -> str:
    return safe((text or "-")[:LONGEST_TEXT])


COUNTS = "Back to the results, whose tables are made anew with your marks counted in; marking goes on here later"
DIGITS = "digits mark here and switch no screens; names and judged marks are hidden"


class MarkingScreen(ReadingOn):
    """One answer of the sample after the other."""

    MODE = "results"
    CSS = """
    MarkingScreen #about { background: $panel; }
    MarkingScreen #question { height: 2fr; }
    """
    BINDINGS = [
        bind("person.mark_1", "mark(1)", "Mark 1", tooltip="The worst mark; 5 is the best. Digits switch no screens here"),
        *(bind(f"person.mark_{mark}", f"mark({mark})", f"Mark {mark}", show=False) for mark in range(2, 6)),
        bind("person.cannot_tell", "cannot_tell", "Cannot tell", tooltip="It counts as no mark"),
        bind("person.take_back", "take_back", "Undo", tooltip="Remove the mark before, and show its answer again"),
        bind("person.no_mark", "no_mark", "No mark", show=False, tooltip="Digits switch no screens while answers are marked"),
        bind("dataset.page", "page", "Page", tooltip="The page of the document alone, or below the answer again"),
        bind("pane.next", "app.focus_next", "Answer / page", show=False, tooltip="Between the answer and the page below it"),
        bind("pane.previous", "app.focus_previous", "Page / answer", show=False),
        bind("person.count", "count", "Count", tooltip=COUNTS),
        bind("person.leave", "leave", "Leave", tooltip="Back to the results; marking goes on here later"),
    ]

    def __init__(self, result: Result, metric: Metric, seed: int, count: Callable[[], None]) -> None:
        """`count`: what counts the marks into the tables, once the results are on show again."""
        super().__init__()
        self._count = count
        self._result, self._metric, self._seed = result, metric, seed
        self._judged = JudgedAnswers(result.answers, metric.name)
        self._meaning = definition(result.opened.path, metric.name)
        self._sample: Sequence[JudgedAnswer] = ()
        self._marks: Marks = {}
        self._version: object = None
        self._trouble = ""

    def compose(self) -> ComposeResult:
        """No line of screens: their digits mean something else here."""
        yield from self.parts()
        yield StatusLine()
        yield KeysLine()

    def parts(self) -> Iterable[Widget]:
        """How far one is, and the answer."""
        yield Lines(id="about")
        yield QuestionView()

    def on_mount(self) -> None:
        """The keys that scroll go to the answer."""
        super().on_mount()
        self.query_one("#question", Reading).focus()

    def jobs(self) -> Sequence[Job]:
        """The run's answers, and those among them that the judge was to mark."""
        return self._result.answers, self._judged, self._result.turns

    def look(self) -> None:
        """Draw the sample once all answers are known."""
        self.read_on()
        complete = self._judged.complete and not self._result.turns.behind()
        version = (complete, self._result.answers.generation, self._judged.looked_at)
        if version == self._version:
            return
        self._version = version
        if not complete:
            self.query_one("#about", Lines).say(("tui-eval  the answers are being read …", "dim"))
            return
        self._sample = self._judged.drawn(self._seed)
        try:
            self._marks = person_marks(self._result.opened.path)
        except TuiEvalError as error:
            self._trouble = str(error)
        self._show()

    def offers(self, action: str) -> bool | str:
        """The first digit stands for all of them; a page where there is one; at the end nothing is marked."""
        one = self.current
        if action in ("mark(1)", "cannot_tell"):
            return one is not None and (action == "cannot_tell" or "to 5 mark")
        if action == "count":
            return bool(self._marks) and ("Count the marks" if self.current is None else "Count")
        return self.query_one(QuestionView).has_class("-paged") if action == "page" else action != "new_run"

    def say_status(self) -> None:
        """What was told just now, else what the digits do; never the names of runs."""
        told, status = self.eval_app.told, self.query_one(StatusLine)
        status.say((DIGITS, "dim")) if told is None else status.tell(told.words, told.bad)

    @property
    def current(self) -> JudgedAnswer | None:
        """The first answer of the sample that nothing was said of yet."""
        return next((one for one in self._sample if self._said(one) is None), None)

    def action_mark(self, mark: int) -> None:
        """Write it down, and go on; 0 = cannot tell."""
        one = self.current
        if one is None:
            return
        place = one.place
        at = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
        said = PersonMark(
            place.item_id, place.repeat, place.turn, place.model, self._metric.name, mark or None, at
        )  # fmt: skip
        try:
            add_mark(self._result.opened.path, said)
        except TuiEvalError as error:
            self.eval_app.say(f"this mark is not kept: {error}", bad=True)
            return
        self._marks = {**self._marks, said.key: said}
        self._show()

    def action_cannot_tell(self) -> None:
        """Write that down, and go on."""
        self.action_mark(0)

    def action_take_back(self) -> None:
        """The last mark before the answer on show."""
        current = self.current
        upto = len(self._sample) if current is None else self._sample.index(current)
        said = next((said for one in reversed(self._sample[:upto]) if (said := self._said(one)) is not None), None)
        if said is None:
            self.eval_app.say("nothing was marked before this one; q leaves")
            return
        try:
            take_back(self._result.opened.path, said)
        except TuiEvalError as error:
            self.eval_app.say(f"the mark stays: {error}", bad=True)
            return
        self._marks = {key: mark for key, mark in self._marks.items() if key != said.key}
        self._show()

    def action_no_mark(self) -> None:
        """Digits that are no marks."""
        self.eval_app.say("marks are 1 to 5, 0 is cannot tell; digits switch no screens here, q leaves")

    def action_page(self) -> None:
        """The page alone, or below the answer again."""
        view = self.query_one(QuestionView)
        view.turn_page()
        if not view.has_class("-page-only"):
            self.query_one("#question", Reading).focus()

    def action_leave(self) -> None:
        """Back to the results; what is on file by now is said, and how it comes into them."""
        if self._marks:
            self.eval_app.say(f"{counted(len(self._marks), 'mark')} of yours on file; C counts them into the tables")
        self.app.pop_screen()

    def action_count(self) -> None:
        """Back to the results, with what is on file by now counted into them."""
        if not self._marks:
            self.eval_app.say("nothing is marked yet: there is nothing to count")
            return
        self.app.pop_screen()
        self._count()

    def _said(self, one: JudgedAnswer) -> PersonMark | None:
        return person_said(self._marks, one.place, self._metric.name)

    def _show(self) -> None:
        one, view = self.current, self.query_one(QuestionView)
        self.query_one("#about", Lines).say(*self._progress(one))
        view.remove_class("-page-only")
        view.show(*((self._end(), None) if one is None else self._shown(one)))
        self.query_one("#question", Reading).focus()
        self.query_one(KeysLine).look(self)

    def _shown(self, one: JudgedAnswer) -> tuple[list[Paragraph], QuotedPage | None]:
        """An answer, and the page that its question rests on."""
        stored = self._result.answers.sample(one.row)
        names = (one.place.model, one.call_index)
        answer = next((a for a in stored.kept() if (a.model, a.call_index) == names), None) if stored else None
        if stored is None or answer is None:
            return [("this line of results.jsonl is damaged", "warn")], None
        asked = self._result.turns.turn(one.conversation, one.call_index)
        page = None if asked is None or asked.document is None else quoted_page(asked.turn, asked.document)
        return question_text(stored, answer, asked, self._meaning), page

    def _progress(self, one: JudgedAnswer | None) -> list[Piece]:
        place = len(self._sample) if one is None else self._sample.index(one) + 1
        marked = sum(self._said(other) is not None for other in self._sample)
        name = safe_line(self._metric.name, 40)
        which = f"answer {count(place)} of {count(len(self._sample))}" if one else "the end"
        return [
            ("tui-eval  blind marking  ", "dim"),
            (f"{name}, 1 to 5  ", "strong"),
            f"{which}  ",
            (f"{count(marked)} marked", "dim"),
        ]

    def _end(self) -> list[Paragraph]:
        if self._trouble:
            return [(safe_line(self._trouble), "bad")]
        if not self._sample:
            return [("No answer of this run has a text that a judge was to mark by this metric.", "warn")]
        check = agreement_with_person(self._judged.answers, self._sample, self._marks, self._metric)
        return agreement_text(check, self._metric, self._result.opened.run_id)
