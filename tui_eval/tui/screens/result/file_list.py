"""Every file of the run: where it is, what is in it, and ways to take it along."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from textual.app import ComposeResult

from tui_eval.core.errors import FolderError
from tui_eval.runs.files import MOST, OWN_ROWS, SUFFIXES, TABLE, FileListing, RunFile, beginning, describe_file, within
from tui_eval.tui import exports
from tui_eval.tui.background.jobs import CommandJob
from tui_eval.tui.background.slices import Job
from tui_eval.tui.keymap import bind
from tui_eval.tui.page import beside
from tui_eval.tui.sanitize import safe, safe_line
from tui_eval.tui.screens.dialogs.saving import in_pager
from tui_eval.tui.screens.result.result_part import Part, Result
from tui_eval.tui.screens.result.text_reader import ReaderScreen
from tui_eval.tui.widgets.cells import Column
from tui_eval.tui.widgets.chrome import shortened
from tui_eval.tui.widgets.filter import FILTERING, FilterLine, SortableList
from tui_eval.tui.widgets.lines import Lines
from tui_eval.tui.widgets.list_view import ListView
from tui_eval.tui.widgets.table import RowTable
from tui_eval.tui.widgets.text import Paragraph
from tui_eval.tui.words import count, size


class FileRow(NamedTuple):
    """Row of the list: a file, and what is known of its content."""

    file: RunFile
    about: str

    @property
    def size(self) -> str:
        """Its size; that of a file that is made on demand is not known."""
        return "-" if self.file.size == NOT_MADE else size(self.file.size)


COLUMNS: Sequence[Column[FileRow]] = (
    Column("file", 26, lambda row: safe_line(row.file.name), share=2),
    Column("size", 9, lambda row: row.size, right=True, value=lambda row: row.file.size if row.file.size != NOT_MADE else None),
    Column("what it is", 38, lambda row: (safe_line(row.about) if row.about else "", "dim"), share=3),
)
MOST_BYTES = 200_000
NOT_MADE = -1
"""The size of a file that is made on demand."""


class FilesPart(Part, SortableList[FileRow]):
    """The files of the run folder."""

    BINDINGS = [
        bind("filter", "filter", "Filter", show=False, tooltip=FILTERING),
        bind("record.copy", "copy", "Copy path", tooltip="Copy the file's path"),
        bind("record.write", "write", "Export", tooltip="Copy the file into the workspace's exports folder"),
        bind("record.pager", "pager", "Pager", tooltip="Read the file's beginning in $PAGER"),
    ]

    def __init__(self, result: Result) -> None:
        super().__init__(result, id="files")
        self.view = ListView(COLUMNS)
        self._listing = FileListing(result.opened.path)
        self._files: Sequence[RunFile] = ()
        self._listed: Sequence[RunFile] | None = None
        self._version = -1
        """The folder's files and the report that the list was made of."""
        self._making: CommandJob | None = None
        self._place = "", Path()
        """The file that is being made, and where."""
        self._exports: dict[str, Path] = {}
        """Files on demand in the exports folder, by their names in the run."""

    def compose(self) -> ComposeResult:
        """The files, the filter, and the path of the one under the cursor."""
        yield RowTable(COLUMNS, id="file-list")
        yield FilterLine(self.view.help_words(), id="filter")
        yield Lines(id="path")

    def jobs(self) -> Sequence[Job]:
        """The folder is looked through in the background."""
        return (self._listing,)

    def look(self) -> None:
        """The files as they were found last; the cursor stays on its file."""
        files, version = self._listing.files, self.result.version
        if files is None or (files is self._listed and version == self._version):
            return
        self._files, self._listed, self._version = [*files, *self._on_demand(files)], files, version
        self.show_list()

    def entries(self) -> Sequence[FileRow]:
        """All files, each with what is known of its content."""
        return [FileRow(file, self._description(file) if file.what else "") for file in self._files]

    def show_list(self) -> None:
        """Draw the files that are asked for; the cursor stays on its own."""
        self.list_entries("" if self._files else "The folder has no files.", lambda row: row.file.name)
        self._say()

    def _on_demand(self, files: Sequence[RunFile]) -> list[RunFile]:
        """The files that the run has not, and that are made when they are opened."""
        names = {file.name for file in files}
        return [self._row_on_demand(name) for name in self.result.on_demand if name not in names]

    def _row_on_demand(self, name: str) -> RunFile:
        path = self._exports.get(name)
        if path is not None and path.is_file():
            return RunFile(name, path, path.stat().st_size, f"made, in exports: {describe_file(name)}")
        return RunFile(name, self.result.opened.path / name, NOT_MADE, f"made by Enter: {describe_file(name)}")

    @property
    def chosen(self) -> RunFile | None:
        """The file under the cursor."""
        return None if self.current is None else self.current.file

    def on_row_table_moved(self, event: RowTable.Moved) -> None:
        """Another file's path."""
        event.stop()
        self._say()

    def on_row_table_opened(self, event: RowTable.Opened) -> None:
        """Read the file's beginning; have one made that is made on demand."""
        event.stop()
        if self.chosen is not None and self.chosen.size == NOT_MADE:
            self._make(self.chosen.name)
            return
        paragraphs = self._beginning()
        if paragraphs is not None and self.chosen is not None:
            name = exports.plain_name(self.chosen.name) + ".txt"
            self.app.push_screen(ReaderScreen(safe_line(self.chosen.path.resolve()), paragraphs, name))

    def _is_export(self, file: RunFile) -> bool:
        """Return whether a file was made on demand, so that it lies in the exports folder."""
        return self._exports.get(file.name) == file.path

    def _make(self, name: str) -> None:
        """Have a file that the run has not made in the exports folder, by a process of its own."""
        app = self.page.eval_app
        if self._making is not None:
            app.say("a file is still being made")
            return
        with app.telling():
            place = exports.reserve(app.workspace, self.result.opened.run_id, name.replace("/", "-"))
            self._place = name, place
            command = ["export", str(self.result.opened.path.absolute()), "--file", name, "--out", str(place)]
            self._making = CommandJob(app.workspace, command, self._end_making).start()
            app.say(f"making {safe_line(name)} …")

    def _end_making(self, job: CommandJob) -> None:
        app, (name, place), self._making = self.page.eval_app, self._place, None
        if job.code not in (0, 1):
            place.unlink(missing_ok=True)
            app.say(job.words or f"not made: the command ended with code {job.code}", bad=True)
            return
        self._exports[name], self._version = place, -1
        app.say(f"written to {place}; Enter reads it")
        self.look()

    def on_unmount(self) -> None:
        """A file that nobody waits for any more is not made."""
        if self._making is not None and self._making.running:
            self._making.end()
            self._place[1].unlink(missing_ok=True)

    def action_copy(self) -> None:
        """Copy the path."""
        if self.chosen is not None:
            self.page.eval_app.copy_text(str(self.chosen.path.resolve()), shown=True)

    def action_write(self) -> None:
        """Copy the file to the exports, in the background: a log may have gigabytes."""
        file = self.chosen
        if file is not None and file.size == NOT_MADE:
            self._make(file.name)
        elif file is not None:
            self.page.eval_app.say(f"copying {safe_line(file.name)}, {size(file.size)}")
            beside(self.page, partial(self._export, file), self.page.eval_app.say, outlives=True, keys_wait=False)

    def action_pager(self) -> None:
        """The beginning in the pager."""
        paragraphs = self._beginning()
        if paragraphs is not None:
            in_pager(self.page, "\n".join(text for text, _ in paragraphs))

    def _export(self, file: RunFile) -> str:
        """Copy a file; return what was done."""
        if self._is_export(file):
            return f"it is there already: {file.path}"
        if not within(file.path, self.result.opened.path):
            raise FolderError(f"{file.path}: leads out of the run folder")
        workspace, run_id = self.page.eval_app.workspace, self.result.opened.run_id
        return f"written to {exports.copy(workspace, run_id, file.name.replace('/', '-'), file.path)}"

    def _beginning(self) -> list[Paragraph] | None:
        file = self.chosen
        if file is None:
            return None
        if file.size == NOT_MADE:
            self.page.eval_app.say(f"{file.name} is not there yet: Enter makes it")
            return None
        if not self._is_export(file) and not within(file.path, self.result.opened.path):
            self.page.eval_app.say(f"{file.path}: leads out of the run folder", bad=True)
            return None
        try:
            text, whole = beginning(file.path, MOST_BYTES)
        except OSError as error:
            self.page.eval_app.say(f"{file.path}: cannot be read: {error.strerror or error}", bad=True)
            return None
        lines: list[Paragraph] = [(safe(text), "")]
        if whole > MOST_BYTES:
            lines.append(
                (f"… the first {size(MOST_BYTES)} of {count(whole)} bytes; w in the list exports the whole file", "warn")
            )
        return lines

    def _say(self) -> None:
        path = "" if self.chosen is None else safe_line(shortened(self.chosen.path))
        more = f"the first {count(MOST)} of more  " if self._listing.more else ""
        self.query_one("#path", Lines).say((more, "warn"), (path, "dim"))

    def _description(self, file: RunFile) -> str:
        """A table by its title in the report, any other file as it is known."""
        if file.path.suffix not in (".csv", ".json") or file.what not in SUFFIXES.values():
            return file.what
        stem, tables = file.path.stem, self.result.report.tables
        if stem in tables and file.path.with_name(f"{stem}{TABLE}.csv") in {run_file.path for run_file in self._files}:
            return OWN_ROWS
        table = tables.get(stem) or tables.get(stem.removesuffix(TABLE))
        return f"{table.title} ({file.path.suffix[1:]})" if table else file.what
