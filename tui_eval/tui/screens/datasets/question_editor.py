"""Editing one question: its text form, what is asked before a foreign file is rewritten, and the set kept."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from textual.widgets import TextArea

from tui_eval.core.errors import ConfigError
from tui_eval.core.samples import Sample
from tui_eval.datasets.set_list import read_set
from tui_eval.datasets.set_store import ORIGINALS, change, rewritten_as
from tui_eval.datasets.sets import QuestionSet
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.screens.datasets.question_form import form_problem, form_question, form_text, note_of
from tui_eval.tui.screens.datasets.set_actions import SetPage
from tui_eval.tui.screens.dialogs.confirm import confirm
from tui_eval.tui.screens.dialogs.edit_text import EditText


class EditingPage(SetPage):
    """A screen from which a question can be edited."""

    def edit(
        self,
        path: Path,
        question: Sample,
        then: Callable[[Path], object],
        draft: Sample | None = None,
    ) -> None:
        """Edit a question of a set; `then` is told where the set is once it is kept. `draft`: what stands there at first."""
        try:
            text, begun = form_text(question), form_text(draft or question)
        except ConfigError as error:
            self.eval_app.say(f"{error}; its file is datasets/{path.name}", bad=True)
            return
        check = partial(self.edit_problem, question)
        title = f"Question {safe_line(question.id, 60)}" if question.options or question.data else "Open question"
        screen = EditText(title, text, check=check, note=note_of(question))
        screen.ask(self.app, partial(self._edited, path, question, then))
        screen.call_later(begin_with, screen, begun if draft else "")

    def edit_problem(self, before: Sample, text: str) -> str:
        """Return the problem of a question as it is edited now; "" if there is none."""
        return form_problem(text, before)

    def _edited(self, path: Path, before: Sample, then: Callable[[Path], object], text: str) -> None:
        after = form_question(text, before)
        if after == before:
            self.eval_app.say("nothing was changed")
            return
        keep = partial(self._keep, path, before, after, then)
        self.beside(partial(rewritten_as, path), partial(self._ask, path, keep), "rewrite")

    def _ask(self, path: Path, keep: Callable[[], None], target: Path | None) -> None:
        """A file in another form than ours is rewritten only once that is confirmed."""
        if target is None:
            keep()
            return
        place = safe_line(target.name, 60) + ("" if target.suffix else "/Questions.md")
        words = f"{safe_line(path.name, 60)} has another form than the one that is written here, and is rewritten."
        assurance = f"Nothing is lost: the file as it is now is kept in datasets/{ORIGINALS}. All questions stay."
        confirm(self.app, f"Rewrite datasets/{place}?", f"{words} {assurance}", keep)

    def _keep(self, path: Path, was: Sample, question: Sample, then: Callable[[Path], object]) -> None:
        work = partial(change, self.eval_app.workspace, path, was, question)

        def kept(place: Path) -> None:
            self.eval_app.say(f"kept in datasets/{safe_line(place.name, 80)}")
            then(place)

        def not_kept(why: str) -> None:
            self.eval_app.say(why, bad=True)
            self.beside(partial(read_set, path), partial(self._offer_again, path, was, question, then))

        self.beside(work, kept, otherwise=not_kept)

    def _offer_again(
        self,
        path: Path,
        was: Sample,
        draft: Sample,
        then: Callable[[Path], object],
        question_set: QuestionSet,
    ) -> None:
        """Put a draft that could not be kept into the editor again: F2 puts it in the place of what is there now."""
        now = next((question for question in question_set.questions if question.id == was.id), None)
        if now is not None:
            self.edit(path, now, then, draft)


def begin_with(screen: EditText, text: str) -> None:
    """One begins to write at the question, below its heading; where a text is given, in that one."""
    area = screen.query_one(TextArea)
    if text:
        area.load_text(text)
    area.move_cursor((1, 0))
    area.scroll_home(animate=False)
