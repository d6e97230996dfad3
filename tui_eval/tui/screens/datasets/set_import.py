"""New sets of questions: a file or a folder imported, or questions typed and pasted; each is named before it is kept."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from tui_eval.core.errors import ConfigError
from tui_eval.datasets.answered_questions import SUPPORTED
from tui_eval.datasets.field_mapping import Columns, FieldMapping
from tui_eval.datasets.set_list import TABLES, TEXTS, read_set, unknown_columns
from tui_eval.datasets.set_store import Kept, free_name, import_set, keep_typed, name_problem, source_of
from tui_eval.datasets.sets import QuestionSet, unread_words
from tui_eval.datasets.typed import understood
from tui_eval.tui.keymap import bind
from tui_eval.tui.sanitize import safe, safe_line
from tui_eval.tui.screens.datasets.map_columns import MapColumns
from tui_eval.tui.screens.datasets.set_actions import SetPage
from tui_eval.tui.screens.dialogs.ask_line import Ask
from tui_eval.tui.screens.dialogs.edit_text import EditText
from tui_eval.tui.screens.dialogs.help import Help
from tui_eval.tui.screens.dialogs.pick_path import PickPath
from tui_eval.tui.widgets.text import Paragraph

PASTE = """Open questions stand one on a line. With answers: "1. Question?" and below it "Answer: ...".
Lettered ones: "1. Question?", then "A) ...", "B) ..." on a line each, and "Answer: B"."""


class BringingPage(SetPage):
    """A screen from which sets are brought in."""

    BINDINGS = [
        bind("dataset.import", "import", "Import", tooltip="Import a file or a folder of questions"),
        bind("dataset.paste", "paste", "Paste", tooltip="Type or paste questions"),
    ]

    def reread(self, at: Path | None = None) -> None:
        """Show the sets as they are now, the cursor on this one."""
        raise NotImplementedError

    def action_import(self) -> None:
        """Pick a file or a folder, name it, and keep it."""
        title = "Import questions: a JSON, JSONL or CSV file, a text, or a folder with a Questions.md"
        picker = PickPath(title, self.eval_app.workspace.root, folders=True, suffixes=(*TABLES, *TEXTS))
        self.app.push_screen(picker, self._picked)

    def _picked(self, source: Path | None) -> None:
        if source is not None:
            self._import(source_of(source))

    def _import(self, source: Path, mapping: FieldMapping | None = None) -> None:
        self.beside(partial(self._look_at, source, mapping), partial(self._seen, source, mapping), "import")

    def _look_at(self, source: Path, mapping: FieldMapping | None) -> tuple[QuestionSet, str] | Columns | str:
        """What is in it and how it may be called, else the columns to be told apart, or why it cannot be imported."""
        try:
            return read_set(source, mapping), free_name(self.eval_app.workspace, source.name)
        except ConfigError as error:
            return unknown_columns(source) or str(error)

    def _seen(self, source: Path, mapping: FieldMapping | None, found: tuple[QuestionSet, str] | Columns | str) -> None:
        if isinstance(found, Columns):
            self.app.push_screen(MapColumns(source.name, found, partial(read_set, source)), partial(self._mapped, source))
            return
        if isinstance(found, str):  # it stays until a key: there may be much to read in it
            supported: list[Paragraph] = [] if SUPPORTED in found else [("", ""), (SUPPORTED, "dim")]
            self.app.push_screen(Help(f"{safe_line(source.name, 40)} is not imported", [(safe(found), "bad"), *supported]))
            return
        questions, name = found
        keep = partial(import_set, self.eval_app.workspace, source, mapping=mapping)
        note = f"{questions.words} in {safe_line(source.name, 60)}, which stays as it is."
        self._ask_name(name, f"{note}\n{unread_words(questions)}" if unread_words(questions) else note, keep)

    def _mapped(self, source: Path, mapping: FieldMapping | None) -> None:
        if mapping is not None:
            self._import(source, mapping)

    def action_paste(self) -> None:
        """Type or paste questions, name them, and keep them."""
        self.app.push_screen(EditText("Type or paste questions", "", check=typed_problem, note=PASTE), self._typed)

    def _typed(self, text: str | None) -> None:
        if text is not None and text.strip():
            name = free_name(self.eval_app.workspace, "my-questions")
            self._ask_name(name, f"Understood: {understood(text).words}.", partial(self._keep_typed, text))

    def _keep_typed(self, text: str, name: str) -> Kept:
        return keep_typed(self.eval_app.workspace, name, text)

    def _ask_name(self, name: str, note: str, keep: Callable[[str], Kept]) -> None:
        def named(name: str | None) -> None:
            if name is not None:
                self.beside(partial(keep, name), self._kept)

        check = partial(name_problem, self.eval_app.workspace)
        self.app.push_screen(Ask("Call the new dataset", name, check=check, note=note), named)

    def _kept(self, kept: Kept) -> None:
        told = "".join(f"\n{note}" for note in kept.notes)
        self.eval_app.say(f"{kept.words}{told}", bad=bool(told))
        self.reread(kept.path)


def typed_problem(text: str) -> str:
    """What is wrong with typed questions; nothing is wrong with nothing yet."""
    if not text.strip():
        return ""
    try:
        found = understood(text)
    except ConfigError as error:
        return str(error)
    return found.words if found.problems else ""
