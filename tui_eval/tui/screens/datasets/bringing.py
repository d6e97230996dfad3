"""New sets of questions: documents picked to write them about, or a file imported with its columns mapped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from tui_eval.configuring.drafting.own_files import BroughtFile, documents_of, looked_through
from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import count_of
from tui_eval.datasets.answered_questions import SUPPORTED
from tui_eval.datasets.document_text.file_sorts import SUFFIXES
from tui_eval.datasets.field_mapping import FieldMapping, FileColumns
from tui_eval.datasets.field_values import enumerated
from tui_eval.datasets.set_list import TABLES, TEXTS, read_set, unknown_columns
from tui_eval.datasets.set_store import SavedSet, free_name, import_set, keep_typed, name_problem, source_of
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

PASTE = """Write open questions one on a line. With answers: "1. Question?" and below it "Answer: ...".
Multiple-choice ones: "1. Question?", then "A) ...", "B) ..." on a line each, and "Answer: B"."""
BRING = "Choose documents (PDF, text, web page, ...) or questions (JSON, CSV, text): one file, several, or a folder"
DOCUMENTS = "Which documents are the questions to be about? PDFs, texts, web pages, pictures; or a folder of them"
NOT_BRIDGED = "import questions and documents separately"


class DocumentsPage(SetPage):
    """A screen from which sets are brought in, and documents for new ones."""

    BINDINGS = [
        bind("dataset.import", "import", "Import", tooltip="Import a file or a folder of questions"),
        bind("dataset.paste", "paste", "Paste", tooltip="Type or paste questions"),
        bind("dataset.generate", "generate", "Generate", tooltip="Generate questions from documents: set up a run"),
        bind("run.bring", "bring", "Bring", show=False, tooltip="Bring documents or questions, whichever they are"),
    ]

    def __init__(self) -> None:
        super().__init__()
        self._waiting: Sequence[Path] = ()
        """Files of questions that are still to be imported."""

    def reread(self, at: Path | None = None) -> None:
        """Show the sets as they are now, the cursor on this one."""
        raise NotImplementedError

    def action_import(self) -> None:
        """Pick a file or a folder, name it, and keep it."""
        title = "Import questions: a JSON, JSONL or CSV file, a text, or a folder with a Questions.md"
        picker = PickPath(title, self.eval_app.workspace.root, folders=True, suffixes=(*TABLES, *TEXTS))
        picker.ask(self.app, lambda source: self._import(source_of(source)))

    def _import(self, source: Path, mapping: FieldMapping | None = None) -> None:
        self.beside(partial(self._look_at, source, mapping), partial(self._take_content, source, mapping), "import")

    def _look_at(self, source: Path, mapping: FieldMapping | None) -> tuple[QuestionSet, str] | FileColumns | str:
        """Return the set in a file and a free name for it, else the columns to be told apart, or why it cannot be imported."""
        try:
            return read_set(source, mapping), free_name(self.eval_app.workspace, source.name)
        except ConfigError as error:
            return unknown_columns(source) or str(error)

    def _take_content(
        self, source: Path, mapping: FieldMapping | None, content: tuple[QuestionSet, str] | FileColumns | str
    ) -> None:
        if isinstance(content, FileColumns):
            MapColumns(source.name, content, partial(read_set, source)).ask(self.app, partial(self._import, source))
            return
        if isinstance(content, str):  # it stays until a key: there may be much to read in it
            supported: list[Paragraph] = [] if SUPPORTED in content else [("", ""), (SUPPORTED, "dim")]
            self.app.push_screen(Help(f"{safe_line(source.name, 40)} is not imported", [(safe(content), "bad"), *supported]))
            return
        questions, name = content
        keep = partial(import_set, self.eval_app.workspace, source, mapping=mapping)
        note = f"{questions.words} in {safe_line(source.name, 60)}, which stays as it is."
        self._ask_name(name, f"{note}\n{unread_words(questions)}" if unread_words(questions) else note, keep)

    def action_paste(self) -> None:
        """Type or paste questions, name them, and keep them."""
        EditText("Type or paste questions", "", check=typed_problem, note=PASTE).ask(self.app, self._typed)

    def _typed(self, text: str) -> None:
        if text.strip():
            name = free_name(self.eval_app.workspace, "my-questions")
            self._ask_name(
                name, f"Understood: {understood(text).words}.", partial(keep_typed, self.eval_app.workspace, text=text)
            )

    def _ask_name(self, name: str, note: str, keep: Callable[[str], SavedSet]) -> None:
        question = Ask("Call the new dataset", name, check=partial(name_problem, self.eval_app.workspace), note=note)
        question.ask(self.app, lambda name: self.beside(partial(keep, name), self._announce))

    def action_generate(self) -> None:
        """Pick documents, and set up a run that writes questions about them."""
        self._pick(DOCUMENTS, SUFFIXES, self._generate)

    def action_bring(self) -> None:
        """Pick what there is, and go on with it as what it is."""
        self._pick(BRING, (*SUFFIXES, *TABLES, *TEXTS), self._bring)

    def _pick(self, title: str, suffixes: Sequence[str], then: Any) -> None:
        picker = PickPaths(title, self.eval_app.workspace.root, folders=True, suffixes=suffixes)
        picker.ask(self.app, lambda path: then(picker.paths))

    # documents

    def _generate(self, paths: Sequence[Path]) -> None:
        self._say_reading(paths)
        self.beside(partial(self._about, paths), self._new_run, "setup")

    def _about(self, paths: Sequence[Path]) -> dict[str, Any]:
        from tui_eval.configuring.drafting.new_configs import config_about  # brings every kind of evaluation along

        none = [path for path in paths if not documents_of(path)]
        if none:
            names = enumerated(safe_line(path.name, 60) for path in none[:5])
            raise ConfigError(f"no document of a known type: {names}; give PDFs, texts, web pages or pictures")
        return config_about(self.eval_app.workspace, [document for path in paths for document in documents_of(path)])

    def _say_reading(self, paths: Sequence[Path]) -> None:
        """It may take a while until the next screen, or dialog, is there."""
        name = safe_line(paths[0].name, 60) if len(paths) == 1 else count_of(len(paths), "file")
        self.eval_app.say(f"looking at {name} …")

    # whatever they are

    def _bring(self, paths: Sequence[Path]) -> None:
        self._say_reading(paths)
        self.beside(lambda: [looked_through(source_of(path)) for path in paths], self._sorted, "import", self._refuse)

    def _refuse(self, why: str) -> None:
        self.app.push_screen(Help("This is neither questions nor a document", [(safe(why), "bad")]))

    def _sorted(self, files: Sequence[BroughtFile]) -> None:
        questions = [file for file in files if file.questions]
        documents = [file for file in files if file.documents]
        if len(questions) < len(files) and len(documents) < len(files):
            names = enumerated(safe_line(file.path.name, 60) for file in questions[:5])
            self.eval_app.say(f"{NOT_BRIDGED}: {names} can only be questions, others only documents", bad=True)
        elif all(file.certain for file in files) and len(questions) == len(files):
            self._import_all([file.path for file in files])
        elif len(questions) < len(files) and not any(file.problem for file in files):
            self._generate([file.path for file in files])
        else:
            self._ask_which(files)

    def _ask_which(self, files: Sequence[BroughtFile]) -> None:
        """A file of text or a table may be either."""
        paths = [file.path for file in files]
        problem = next((file.problem for file in files if file.problem), "")
        description = (problem and f"not possible: {problem}") or "; ".join(file.questions for file in files if file.questions)
        entries = [
            ("questions", description),
            ("documents", "a model writes questions about them, held against the text"),
        ]
        likely = not problem and all(file.likely for file in files)
        order = [0, 1] if likely else [1, 0]

        name = safe_line(paths[0].name, 40) if len(paths) == 1 else count_of(len(paths), "file")
        question = Choose(f"What is in {name}?", [entries[index] for index in order])
        question.ask(self.app, lambda choice: (self._import_all, self._generate)[order[choice[0]]](paths))

    def _import_all(self, paths: Sequence[Path]) -> None:
        first, *self._waiting = paths
        self._import(first)

    def _announce(self, saved_set: SavedSet) -> None:
        notes = "".join(f"\n{note}" for note in saved_set.notes)
        self.eval_app.say(f"{saved_set.words}{notes}", bad=bool(notes))
        self.reread(saved_set.path)
        if self._waiting:
            self._import_all(self._waiting)


def typed_problem(text: str) -> str:
    """Return the problem of typed questions; empty as long as nothing is typed."""
    if not text.strip():
        return ""
    try:
        result = understood(text)
    except ConfigError as error:
        return str(error)
    return result.words if result.problems else ""
