"""The sets of questions in a workspace's datasets folder: listed, brought in, and what a person selected in them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from tui_eval.core.errors import ConfigError, TuiEvalError
from tui_eval.core.kinds import Source
from tui_eval.core.plaintext import one_line
from tui_eval.datasets.answered_questions import SUPPORTED
from tui_eval.datasets.documents import as_is
from tui_eval.datasets.field_mapping import Columns, FieldMapping, columns_in
from tui_eval.datasets.notes import Noted, note, notes
from tui_eval.datasets.selected import Selected
from tui_eval.datasets.sets import LIST, QuestionSet, open_questions, sort_by, table_of_questions
from tui_eval.datasets.shapes.recognised import recognised
from tui_eval.datasets.typed import understood
from tui_eval.reading.grades import lines_of
from tui_eval.workspace.places import Workspace

MAX_BENCHMARK_BYTES = 256 * 1024 * 1024
MAX_LIST_BYTES = 256 * 1024 * 1024
"""What a run reads at most of a benchmark, and of a list of open questions."""
MAX_DOCUMENTS = 10
"""How many documents a panel takes unless its config raises it."""
TABLES = (".json", ".jsonl", ".csv", ".tsv")
TEXTS = (".txt", ".md")
UNREAD = {".parquet": "Parquet", ".arrow": "Arrow", ".yaml": "YAML", ".yml": "YAML", ".xlsx": "a spreadsheet's own format"}
PICTURED = (".pdf", ".png", ".jpg", ".jpeg", ".gif", ".webp")
AS_DOCUMENT = (
    f". It may be a document of a panel: put it into a folder, beside it a {LIST} with the questions about it, and import the "
    "folder; or name it under documents in a panel's config"
)
"""What else can be done with a PDF or a picture."""
FOLDER = "datasets"


@dataclass(frozen=True, slots=True)
class SetEntry:
    """A set as the list shows it."""

    name: str
    has: frozenset[str]
    """What of options, truths and documents is in it; nothing where it cannot be read."""
    questions: int | None
    """None where it cannot be read."""
    bytes: int
    source: str
    """Where it came from: a file's name and a date, "typed" and a date, or "by hand"."""
    selected: int | None
    path: Path
    problem: str = ""
    """Why it cannot be used, or what a run would stumble over."""
    documents: int = 0
    """Files that its questions are about."""

    @property
    def sort(self) -> str:
        """Whether its questions are lettered, open or turns of conversations, or it is unusable, in a word."""
        return "unusable" if self.questions is None else sort_by(self.has)


# Reading


def read_set(path: Path, mapping: FieldMapping | None = None) -> QuestionSet:
    """A set of the datasets folder, or any file or folder that could become one. ConfigError with the reason where none can.

    `mapping`: which columns of a table are what, where a person said so.
    """
    if mapping is not None and not is_table(path):
        raise ConfigError(f"{path.name}: no table, so it has no columns to be mapped; {', '.join(TABLES)} have")
    if path.is_symlink():
        raise ConfigError(f"{path.name}: a link; put the file itself here")
    if path.is_dir():
        lists = [name for name in files_of(path) if name.lower() == LIST.lower()]
        if not lists:
            raise ConfigError(f"{path.name}: a folder without {LIST}; open questions about its documents stand in one")
        documents = [name for name in files_of(path) if name != lists[0]]
        return open_questions(text_of_file(path / lists[0], MAX_LIST_BYTES), lists[0], documents)
    suffix = path.suffix.lower()
    if suffix in TEXTS:
        found = understood(text_of_file(path, MAX_LIST_BYTES))
        if found.problems:
            raise ConfigError(f"{path.name}: {found.words}")
        return found.questions
    if suffix in TABLES:
        return table_of_questions(text_of_file(path, MAX_BENCHMARK_BYTES), path.name, mapping)
    if suffix in UNREAD:
        raise ConfigError(f"{path.name}: {UNREAD[suffix]} is not read; save it as JSONL or CSV, and import that")
    raise ConfigError(f"{path.name}: no file of questions{AS_DOCUMENT if suffix in PICTURED else ''}; {SUPPORTED}")


def is_table(path: Path) -> bool:
    """Whether a file has columns."""
    return path.suffix.lower() in TABLES and not path.is_dir()


def unknown_columns(path: Path) -> Columns | None:
    """The columns of a file whose names do not tell what they are; None where they do, or it has none that can be read."""
    if not is_table(path) or path.is_symlink():
        return None
    try:
        text = text_of_file(path, MAX_BENCHMARK_BYTES)
        found = None if recognised(text, path.name) is not None else columns_in(text, path.name)
    except ConfigError:
        return None
    return None if found is None or found.known else found


def files_of(folder: Path) -> list[str]:
    """Names of the regular files in a folder, no links, none hidden."""
    try:
        with os.scandir(folder) as entries:
            found = [e.name for e in entries if e.is_file(follow_symlinks=False) and not e.name.startswith(".")]
    except OSError as error:
        raise ConfigError(f"{folder.name}: cannot be read: {error.strerror}") from None
    return sorted(found)


def text_of_file(path: Path, most: int) -> str:
    """A text file, at most so many bytes of it; ConfigError otherwise."""
    file = as_is(path, Source("questions", path.name, "datasets", most), path.name)
    if file.encoding != "utf-8":
        raise ConfigError(f"{path.name}: not text in UTF-8; save it as UTF-8")
    return file.content


# Listing


class SetList:
    """The sets of a workspace; one that did not change is not read again."""

    def __init__(self, workspace: Workspace) -> None:
        self.folder = folder_of(workspace)
        self.trouble = ""
        """Why it is not known what is selected, and where sets came from."""
        self._workspace = workspace
        self._known: dict[str, tuple[object, SetEntry, frozenset[str]]] = {}

    def listed(self) -> list[SetEntry]:
        """Every file and folder there, by name, with the reason where one cannot be used. ConfigError for the folder itself."""
        names = _names_in(self.folder)
        said: dict[str, Noted] | None = None
        self.trouble = ""
        try:
            said = notes(self._workspace)
        except ConfigError as error:
            self.trouble = str(error)
        found = []
        for name in names:
            with suppress(OSError):  # gone since
                found.append(self._entry(name, None if said is None else said.get(name, Noted())))
        self._known = {name: self._known[name] for name in names if name in self._known}
        return found

    def _entry(self, name: str, note: Noted | None) -> SetEntry:
        path = self.folder / name
        mark = _files_and_sizes(path)
        if name not in self._known or self._known[name][0] != mark:
            self._known[name] = (mark, *_looked_at(path, sum(size for _, size, _, _ in mark[len(mark) > 1 :])))
        _, entry, ids = self._known[name]
        if note is None:
            return entry
        selected = len(ids - note.left_out) if entry.questions is not None else None
        return replace(entry, source=note.source or "by hand", selected=selected)


def called(workspace: Workspace, name: str) -> list[Path]:
    """The sets that a name means, theirs or their file's, small letters as capitals; several where only suffixes differ."""
    return [path for path in paths_of(workspace) if name.casefold() in (path.name.casefold(), name_of(path).casefold())]


def paths_of(workspace: Workspace) -> list[Path]:
    """The files and folders of all sets. ConfigError where their folder cannot be read."""
    return [folder_of(workspace) / name for name in _names_in(folder_of(workspace))]


def name_of(path: Path) -> str:
    """What a set is called."""
    return path.name if path.is_dir() and not path.is_symlink() else path.stem


def _names_in(folder: Path) -> list[str]:
    try:
        return sorted(name for name in os.listdir(folder) if not name.startswith("."))
    except FileNotFoundError:
        return []
    except OSError as error:
        raise ConfigError(f"{folder}: cannot be read: {error.strerror}") from None


def _files_and_sizes(path: Path) -> list[tuple[str, int, int, int]]:
    """What shows that a set changed: its files with their sizes, times and numbers; the entry itself comes first."""
    try:
        inner = [path / name for name in files_of(path)] if path.is_dir() and not path.is_symlink() else []
    except ConfigError:
        inner = []
    return [(one.name, about.st_size, about.st_mtime_ns, about.st_ino) for one in (path, *inner) for about in [os.lstat(one)]]


def _looked_at(path: Path, total: int) -> tuple[SetEntry, frozenset[str]]:
    name = name_of(path)
    try:
        found = read_set(path)
    except TuiEvalError as error:
        first = one_line(str(error).split("\n")[0].removeprefix(f"{path.name}: "), 300)
        return SetEntry(name, frozenset(), None, total, "", None, path, first), frozenset()
    ids = frozenset(question.id for question in found.questions)
    n, documents = len(found.questions), len(found.documents)
    return SetEntry(name, found.has, n, total, "", None, path, trouble(path, found), documents), ids


def trouble(path: Path, found: QuestionSet) -> str:
    """What a run with a set would stumble over, in words; empty where nothing is known."""
    if found.conversations is not None:
        if _in_other_form(path, found):
            return "conversations in another form than ours: import it, for a run needs them as our JSON"
        early = found.conversations.incomplete
        return "incomplete: the run that wrote it ended early; resume adds the rest" if early else ""
    if found.lettered and path.suffix.lower() in TEXTS:
        return "lettered questions in a text file: import it, for a run needs them as JSON"
    if not found.lettered and path.suffix.lower() in TABLES and not path.is_dir():
        return "open questions in a table: import it, for a run needs them as a Questions.md"
    if len(found.documents) > MAX_DOCUMENTS:
        return f"{len(found.documents)} documents; a panel takes {MAX_DOCUMENTS} unless panel.max_documents is raised"
    stems = {name.rsplit(".", 1)[0] for name in found.documents} | set(found.documents)
    for number, question in enumerate(found.questions, start=1):
        for name in (*question.documents, *question.document_truths):
            if name not in stems:
                return f"question {number} names the document {one_line(name, 40)!r}, which is not in the folder"
    return ""


def _in_other_form(path: Path, found: QuestionSet) -> bool:
    """Whether conversations stand there otherwise than a run reads them."""
    return found.conversations is not None and (bool(found.read_as) or path.suffix.lower() != ".json")


def folder_of(workspace: Workspace) -> Path:
    """Where the sets of a workspace are."""
    return workspace.root / FOLDER


# What is selected, and a run with it


def selection(workspace: Workspace, path: Path, found: QuestionSet) -> set[str]:
    """Ids of the questions that a run is to ask: all that were not left out."""
    left_out = notes(workspace).get(path.name, Noted()).left_out
    return {question.id for question in found.questions if question.id not in left_out}


def change_selection(workspace: Workspace, path: Path, found: QuestionSet, changes: Mapping[str, bool]) -> set[str]:
    """Select questions (True), or leave them out, whatever another process changed meanwhile; returns what is selected then.

    Kept are the ids that are left out: so a new question is selected. ConfigError where they cannot be kept.
    """
    left_out: set[str] = set()

    def changed(before: Noted) -> Noted:
        left_out.update(before.left_out - changes.keys(), (name for name, selected in changes.items() if not selected))
        return replace(before, left_out=frozenset(left_out))

    note(workspace, path.name, changed)
    return {question.id for question in found.questions} - left_out


def selected_of(workspace: Workspace, path: Path) -> Selected:
    """What a run is to ask of a set. ConfigError where nothing is selected, or a run could not read it."""
    found = read_set(path)
    ids = selection(workspace, path, found)
    chosen = tuple(question for question in found.questions if question.id in ids)
    if not chosen:
        n = len(found.questions)
        raise ConfigError(f"none of the {n:,} questions of {one_line(path.name, 60)} is selected; select some first")
    text = path.suffix.lower() in TEXTS and not path.is_dir()
    other = not path.is_dir() and found.lettered == text if found.conversations is None else _in_other_form(path, found)
    if other:
        raise ConfigError(f"{path.name}: {trouble(path, found)}")
    name = f"{FOLDER}/{path.name}"
    return Selected(
        path=name,
        questions=chosen,
        whole=len(chosen) == len(found.questions),
        has=found.has,
        documents=tuple(f"{name}/{document}" for document in found.documents) if path.is_dir() else (),
        folder=path.is_dir(),
        lines=tuple(lines_of(text_of_file(path, MAX_LIST_BYTES))) if text else (),
    )
