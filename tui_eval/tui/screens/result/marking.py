"""Answers rated by a person, blind: who answered and what the judge said is hidden; each mark is on disk at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from textual.widget import Widget

from tui_eval.core.errors import TuiEvalError
from tui_eval.core.plaintext import count_of
from tui_eval.results.annotation_sample import DrawnAnswer, JudgedAnswers
from tui_eval.tui.background.slices import Job
from tui_eval.tui.keymap import bind
from tui_eval.tui.page import ReadingOn
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.result.blind_page import BlindPage
from tui_eval.tui.screens.result.rating import Rating, RatingTask, answer_at, answer_text
from tui_eval.tui.screens.result.result_part import Result
from tui_eval.tui.widgets.chrome import KeysLine
from tui_eval.tui.widgets.inspector import Dossier, Panes, labelled
from tui_eval.tui.widgets.lines import Lines
from tui_eval.tui.widgets.quoted_page import QuotedPage, quoted_page
from tui_eval.tui.widgets.text import Paragraph

COUNTS = "Back to the results, whose tables are derived again with your ratings; rating goes on here later"
CERTIFIES = "Back to the results, with the certificates of judges that the ratings allow; rating goes on here later"
DIGITS = "digits rate here and switch no screens; names and judges' scores are hidden"
AT_A_STOP = "nothing is rated here; names and judges' scores are hidden"
LETTERS = "y and n rate here, digits do nothing; names and judges' scores are hidden"


class MarkingScreen(BlindPage[DrawnAnswer, int], ReadingOn):
    """One answer of the sample after the other."""

    rating: Rating | None = None
    MODE = "results"
    CSS = """
    MarkingScreen #about, MarkingScreen #so-far { background: $panel; }
    MarkingScreen #inspected { height: 2fr; }
    """
    BINDINGS = [
        bind("person.mark_1", "mark(1)", "Rate 1", tooltip="The worst rating; 5 is the best. Digits switch no screens here"),
        *(bind(f"person.mark_{mark}", f"mark({mark})", f"Rate {mark}", show=False) for mark in range(2, 6)),
        bind("person.yes", "answer(1)", "Yes", tooltip="Yes to what is asked above the answer"),
        bind("person.no", "answer(0)", "No", tooltip="No to what is asked above the answer"),
        bind("person.cannot_tell", "cannot_tell", "Cannot tell", tooltip="Cannot tell: it counts as no rating"),
        bind("person.take_back", "take_back", "Undo", tooltip="Remove the last rating, and show its answer again"),
        bind("person.no_mark", "no_mark", "No rating", show=False, tooltip="Digits switch no screens while answers are rated"),
        bind("person.certify", "certify", "Certify", tooltip=CERTIFIES),
        bind("person.count", "count", "Count", tooltip=COUNTS),
        bind("person.more", "more", "More", tooltip="Rate on: 30 answers more"),
        bind("dataset.page", "page", "Page", tooltip="The page of the document alone, or below the answer again"),
        bind("pane.next", "app.focus_next", "Answer / page", show=False, tooltip="Between the answer and the page below it"),
        bind("pane.previous", "app.focus_previous", "Page / answer", show=False),
        bind("person.leave", "leave", "Leave", tooltip="Back to the results; rating goes on here later"),
    ]

    def __init__(
        self, result: Result, task: RatingTask, count: Callable[[], None], certify: Callable[[], None]
    ) -> None:  # fmt: skip
        """`count`, `certify`: what is done with the marks once the results are on show again."""
        super().__init__()
        self._count, self._certify = count, certify
        self._result, self._asking = result, task
        self._judged = JudgedAnswers(result.answers, task.metric.name)
        self._version: object = None
        self._trouble = ""

    def parts(self) -> Iterable[Widget]:
        """Yield the progress, and the answer."""
        yield Lines(id="about")
        yield Lines(id="so-far")
        yield Panes()

    def on_mount(self) -> None:
        """The keys that scroll go to the answer."""
        self.query_one(Panes).take_keys()

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
        try:
            self.rating = Rating(self._result.opened.path, self._asking, self._judged.answers)
        except TuiEvalError as error:
            self._trouble = str(error)
        self.show_next()

    def offers(self, action: str) -> bool | str:
        """By the scale digits or letters, of which the first digit stands for all; at a stop what goes on from there."""
        here, stopped = self.subject is not None, self.subject is None and self.rating is not None and self.rating.n > 0
        if action in ("mark(1)", "answer(1)", "answer(0)", "cannot_tell"):
            applies = here and (action == "cannot_tell" or (action == "mark(1)") is not self._asking.is_yes_or_no)
            return "to 5 rate" if applies and action == "mark(1)" else applies
        if action == "count":
            return bool(self.rating and self.rating.n) and ("Count the ratings" if stopped else "Count")
        if action == "more":
            return stopped and self.rating is not None and self.rating.left > 0
        if action == "certify":
            enough = stopped or (self.rating is not None and self.rating.has_enough_of_each())
            return enough and self._asking.is_yes_or_no
        return self.query_one(Panes).has_class("-titled") if action == "page" else action != "new_run"

    @property
    def hint(self) -> str:
        """Words on the keys, by the scale."""
        at_a_stop = self.rating is not None and self.subject is None
        return AT_A_STOP if at_a_stop else LETTERS if self._asking.is_yes_or_no else DIGITS

    def action_mark(self, mark: int) -> None:
        """Write a mark from 1 to 5 down, and go on."""
        if self._asking.is_yes_or_no:
            self.eval_app.say("this is rated y for yes or n for no; 0 is cannot tell")
        else:
            self.put(mark)

    def action_answer(self, mark: int) -> None:
        """Write yes or no down, and go on."""
        if self._asking.is_yes_or_no:
            self.put(mark)
        else:
            self.eval_app.say("this is rated by the digits 1 to 5; 0 is cannot tell")

    def action_no_mark(self) -> None:
        """Digits that are no marks."""
        marks = "y is yes, n is no" if self._asking.is_yes_or_no else "ratings are 1 to 5"
        self.eval_app.say(f"{marks}, 0 is cannot tell; digits switch no screens here, q leaves")

    def action_more(self) -> None:
        """Go on behind a stop."""
        if self.rating is not None and self.rating.go_on():
            self.show_next()
        elif self.rating is not None and not self.rating.left:
            self.eval_app.say("every answer of this run is rated: there are no more")
        elif self.rating is not None:
            self.eval_app.say(f"m rates on after answer {self.rating.stop}, the next stop")

    def action_page(self) -> None:
        """The page alone, or below the answer again."""
        self.query_one(Panes).turn_page()

    def action_leave(self) -> None:
        """Back to the results; what is on file by now is said, and how it comes into them."""
        if self.rating is not None and self.rating.n:
            self.eval_app.say(f"{count_of(self.rating.n, 'rating')} of yours on file; C counts them into the tables")
        self.app.pop_screen()

    def action_count(self) -> None:
        """Back to the results, with what is on file by now counted into them."""
        self._leave_for(self._count, "count")

    def action_certify(self) -> None:
        """Back to the results, and the certificates; here they would tell what the judge said."""
        self._leave_for(self._certify, "certify by")

    def _leave_for(self, deed: Callable[[], None], purpose: str) -> None:
        if self.rating is None or not self.rating.marks:
            self.eval_app.say(f"nothing is rated yet: there is nothing to {purpose}")
            return
        self.app.pop_screen()
        deed()

    def show_next(self) -> None:
        """Show the next answer, or how the rating stands at a stop."""
        rating, panes = self.rating, self.query_one(Panes)
        self.subject = None if rating is None else rating.current()
        if rating is not None:
            self.query_one("#about", Lines).say(*rating.heading(self.subject is None))
            self.query_one("#so-far", Lines).say((rating.so_far(), "dim"))
        panes.remove_class("-page")
        text, page = (self._end(), None) if self.subject is None else self._answer_view(self.subject)
        beside, title = (page.sections, page.heading) if page is not None else ((), ())
        panes.show(Dossier((), tuple(labelled("", text)), beside, beside_title=title))
        panes.take_keys()
        self.query_one(KeysLine).look(self)
        self.say_status()

    def _answer_view(self, sampled: DrawnAnswer) -> tuple[list[Paragraph], QuotedPage | None]:
        """An answer, and the page that its question rests on."""
        target = sampled.answer
        stored = self._result.answers.sample(target.row)
        answer = answer_at(stored, target.place)
        if stored is None or answer is None:
            return [("this line of results.jsonl is damaged", "warn")], None
        asked_turn = self._result.turns.turn(stored.doc_id, target.call_index)
        page = None if asked_turn is None or asked_turn.document is None else quoted_page(asked_turn.turn, asked_turn.document)
        return answer_text(stored, answer, asked_turn, self._asking, target.claim), page

    def _end(self) -> list[Paragraph]:
        if self.rating is None:
            return [(safe_line(self._trouble), "bad")]
        if not len(self.rating.sample):
            return [("No answer of this run has a text that a judge was to score by this metric.", "warn")]
        return self.rating.ending()
