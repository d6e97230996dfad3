"""New sets of questions: documents picked to write them about, or a file imported with its columns mapped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from tui_eval.configuring.drafting.own_files import BroughtFile, documents_of, looked_through
from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import counted
from tui_eval.datasets.answered_questions import SUPPORTED
from tui_eval.datasets.document_text.file_sorts import SUFFIXES
from tui_eval.datasets.field_mapping import Columns, FieldMapping
from tui_eval.datasets.field_values import enumerated
from tui_eval.datasets.set_list import TABLES, TEXTS, read_set, unknown_columns
from tui_eval.datasets.set_store import Kept, free_name, import_set, keep_typed, name_problem, source_of
from tui_eval.datasets.sets import QuestionSet, unread_words
from tui_eval.datasets.typed import understood
from tui_eval.tui.keymap import bind
from tui_eval.tui.sanitize import safe, safe_line
from tui_eval.tui.screens.datasets.map_columns import MapColumns
from tui_eval.tui.screens.datasets.set_actions import SetPage
from tui_eval.tui.screens.dialogs.ask_line import Ask
from tui_eval.tui.screens.dialogs.choose import Choose
from tui_eval.tui.screens.dialogs.edit_text import EditText
from tui_eval.tui.screens.dialogs.help import Help
from tui_eval.tui.screens.dialogs.pick_path import PickPath
from tui_eval.tui.screens.dialogs.pick_paths import PickPaths
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


BRING = "Bring documents (PDF, text, web page, ...) or questions (JSON, CSV, text): one file, several, or a folder"
DOCUMENTS = "Which documents are the questions to be about? PDFs, texts, web pages, pictures; or a folder of them"
NOT_BRIDGED = "questions and documents come one after the other"


class DocumentsPage(BringingPage):
    """A screen from which documents, too, are brought in."""

    BINDINGS = [
        bind("dataset.generate", "generate", "Generate", tooltip="Generate questions from documents: set up a run"),
        bind("run.bring", "bring", "Bring", show=False, tooltip="Bring documents or questions, whichever they are"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._waiting: Sequence[Path] = ()
        """Files of questions that are still to be imported."""

    def action_generate(self) -> None:
        """Pick documents, and set up a run that writes questions about them."""
        self._pick(DOCUMENTS, SUFFIXES, self._generate)

    def action_bring(self) -> None:
        """Pick what there is, and go on with it as what it is."""
        self._pick(BRING, (*SUFFIXES, *TABLES, *TEXTS), self._bring)

    def _pick(self, title: str, suffixes: Sequence[str], then: Any) -> None:
        picker = PickPaths(title, self.eval_app.workspace.root, folders=True, suffixes=suffixes)
        self.app.push_screen(picker, lambda path: then(picker.paths) if path is not None else None)

    # documents

    def _generate(self, paths: Sequence[Path]) -> None:
        self._say_reading(paths)
        self.beside(partial(self._about, paths), self._new_run, "setup")

    def _about(self, paths: Sequence[Path]) -> dict[str, Any]:
        from tui_eval.configuring.drafting.new_configs import config_about  # brings every kind of evaluation along

        none = [path for path in paths if not documents_of(path)]
        if none:
            names = enumerated(safe_line(path.name, 60) for path in none[:5])
            raise ConfigError(f"no document of a sort that is known: {names}; PDFs, texts, web pages and pictures are")
        return config_about(self.eval_app.workspace, [document for path in paths for document in documents_of(path)])

    def _say_reading(self, paths: Sequence[Path]) -> None:
        """It may take a while until the next screen, or dialog, is there."""
        name = safe_line(paths[0].name, 60) if len(paths) == 1 else counted(len(paths), "file")
        self.eval_app.say(f"looking at {name} …")

    # whatever they are

    def _bring(self, paths: Sequence[Path]) -> None:
        self._say_reading(paths)
        self.beside(partial(self._seen_through, paths), self._sorted, "import")

    def _seen_through(self, paths: Sequence[Path]) -> Sequence[BroughtFile] | str:
        try:
            return [looked_through(source_of(path)) for path in paths]
        except ConfigError as error:
            return str(error)

    def _sorted(self, found: Sequence[BroughtFile] | str) -> None:
        if isinstance(found, str):
            self.app.push_screen(Help("This is neither questions nor a document", [(safe(found), "bad")]))
            return
        questions = [one for one in found if one.questions]
        documents = [one for one in found if one.documents]
        if len(questions) < len(found) and len(documents) < len(found):
            names = enumerated(safe_line(one.path.name, 60) for one in questions[:5])
            self.eval_app.say(f"{NOT_BRIDGED}: {names} can only be questions, others only documents", bad=True)
        elif all(one.certain for one in found) and len(questions) == len(found):
            self._import_all([one.path for one in found])
        elif len(questions) < len(found) and not any(one.problem for one in found):
            self._generate([one.path for one in found])
        else:
            self._ask_which(found)

    def _ask_which(self, found: Sequence[BroughtFile]) -> None:
        """A file of text or a table may be either."""
        paths = [one.path for one in found]
        problem = next((one.problem for one in found if one.problem), "")
        said = (problem and f"not so: {problem}") or "; ".join(one.questions for one in found if one.questions)
        entries = [
            ("questions", said),
            ("documents", "a model writes questions about them, held against the text"),
        ]
        likely = not problem and all(one.likely for one in found)
        order = [0, 1] if likely else [1, 0]

        def take(chosen: list[int] | None) -> None:
            if chosen:
                (self._import_all, self._generate)[order[chosen[0]]](paths)

        name = safe_line(paths[0].name, 40) if len(paths) == 1 else counted(len(paths), "file")
        self.app.push_screen(Choose(f"What is in {name}?", [entries[index] for index in order]), take)

    def _import_all(self, paths: Sequence[Path]) -> None:
        first, *self._waiting = paths
        self._import(first)

    def _kept(self, kept: Kept) -> None:
        super()._kept(kept)
        if self._waiting:
            self._import_all(self._waiting)
