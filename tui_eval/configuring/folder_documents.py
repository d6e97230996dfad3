"""Documents of a Questions.md for kinds that ask rows with any columns: those that are shown, and what is said of the others.

A question that names no documents is asked about all of its folder's. A set that is a folder brings them; of a Questions.md
that is named by itself they are those that the table lists.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import count_of, one_line
from tui_eval.core.samples import Sample
from tui_eval.datasets.document_blocks import ids_of_names
from tui_eval.datasets.field_values import FieldError, file_names, files_in_words
from tui_eval.datasets.questions import is_set_list
from tui_eval.datasets.questions_markdown import questions_markdown
from tui_eval.datasets.set_list import MAX_DOCUMENTS, MAX_LIST_BYTES, files_of, records_at, text_of_file
from tui_eval.datasets.shapes.any_columns import DOCUMENTS
from tui_eval.evaluation.kind import Kind
from tui_eval.reading.prompts import braced


@dataclass(frozen=True, slots=True)
class NamedFiles:
    """Files that the rows of a set are shown with."""

    names: tuple[str, ...] = ()
    """Those that rows name, each once."""
    all_of_folder: tuple[str, ...] = ()
    """All documents of the folder, where a row that names none is shown them."""

    @property
    def every(self) -> list[str]:
        """Both, each once."""
        return [*dict.fromkeys((*self.names, *self.all_of_folder))]

    @property
    def words(self) -> str:
        """Names of the files in words; empty where there are none."""
        if self.all_of_folder:
            return f"{documents_in_words(self.all_of_folder)}, with each question that names none"
        return files_in_words(self.names) if self.names else ""


def documents_in_words(names: Sequence[str]) -> str:
    """Say how many documents there are, and name the first of them."""
    return files_in_words(names, "document", "")


def named_files(path: Path, columns: Sequence[str], rows: Sequence[int] = ()) -> NamedFiles:
    """The files that rows of a set (from 1; none = all) are shown with, by the columns that name some."""
    listed = list_of(path)
    names, some_without = _names_in(path, tuple(columns), tuple(rows), *_mark(listed or path))
    if listed is None:
        return NamedFiles(names)
    documents = documents_beside(listed)
    by_id = dict(zip(ids_of_names(documents), documents, strict=True))
    own = tuple(dict.fromkeys(name if name in documents else by_id.get(name, name) for name in names))
    return NamedFiles(own, documents if path.is_dir() and some_without and DOCUMENTS in columns else ())


@lru_cache(maxsize=4)
def _names_in(path: Path, columns: tuple[str, ...], rows: tuple[int, ...], *mark: int) -> tuple[tuple[str, ...], bool]:
    """The files that rows name in these columns, and whether a row names none; not read again while the set stays."""
    records = records_at(path)
    subset = [records[n - 1] for n in rows] if rows else records
    try:
        per_row = [[each for column in columns for each in file_names(record.fields.get(column), column)] for record in subset]
    except FieldError:  # whoever reads the sample says so
        return (), False
    return tuple(dict.fromkeys(each for names in per_row for each in names)), not all(per_row)


def list_of(path: Path) -> Path | None:
    """The Questions.md of a folder, or the path itself where it is one; None for any other file. ConfigError for a folder
    without one."""
    if not path.is_dir():
        return path if is_set_list(path.name) else None
    list_name = next((name for name in files_of(path) if is_set_list(name)), "")
    if not list_name:
        raise ConfigError(f"{one_line(path.name, 60)}: the folder has no Questions.md, the file that holds the questions")
    return path / list_name


def documents_beside(listed: Path) -> tuple[str, ...]:
    """The files beside a Questions.md, none hidden."""
    return tuple(name for name in files_of(listed.parent) if name != listed.name)


def with_documents_key(kind: Kind, table: Mapping[str, Json], path: Path) -> dict[str, Json]:
    """The table with the column of documents named, where a Questions.md is asked and a prompt shows that column; a prompt
    that says nothing shows it, where a folder has few documents."""
    columns = kind.starts.columns
    if columns is None or not columns.files or table.get(columns.files[0]) or (listed := list_of(path)) is None:
        return dict(table)
    prompts = table.get(columns.prompts)
    few = path.is_dir() and 0 < len(documents_beside(listed)) <= MAX_DOCUMENTS
    filled = [_with_text(each) if few else each for each in prompts] if isinstance(prompts, list) else []
    shows = any(each.name == DOCUMENTS for text in _texts_of(filled) for each in braced(text))
    return {**table, columns.prompts: filled, columns.files[0]: DOCUMENTS} if shows else dict(table)


def _with_text(prompt: Json) -> Json:
    """A prompt that says nothing, with the documents before the question; any other as it is."""
    says = not isinstance(prompt, Mapping) or any(prompt.get(key) for key in ("text", "messages", "column"))
    return prompt if says else {**prompt, "text": f"{{{DOCUMENTS}}}\n\n{{question}}"}


def _texts_of(value: Any) -> Iterable[str]:
    """All texts of a prompt."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return [text for each in inner for text in _texts_of(each)]


def document_notes(kind: Kind, table: Mapping[str, Json], path: Path, rows: Sequence[int] = ()) -> list[str]:
    """Return notes on the documents of a set: that models are not shown them, and how they are; that an answer
    which holds for some of them alone is compared with none. Empty where there is nothing to say."""
    columns = kind.starts.columns
    if columns is None or not columns.files or (listed := list_of(path)) is None or not (names := documents_beside(listed)):
        return []
    notes = []
    if path.is_dir() and not table.get(columns.files[0]):
        key, message = columns.files[0], f"models are not shown the {documents_in_words(names)} of {one_line(path.name, 60)}"
        notes.append(f'{kind.name}.{key}: {message}: set {key} = "{DOCUMENTS}", and put {{{DOCUMENTS}}} into a prompt')
    questions = _questions_in(listed, *_mark(listed))
    asked_questions = [questions[n - 1] for n in rows] if rows else questions
    if n := sum(bool(each.document_truths) and len(each.documents) != 1 for each in asked_questions):
        message = f"{kind.name} asks a question once, about all of its documents; kind panel asks it once for each"
        notes.append(f"answers for single documents ({count_of(n, 'question')}) are compared with nothing: {message}")
    return notes


@lru_cache(maxsize=4)
def _questions_in(listed: Path, *mark: int) -> tuple[Sample, ...]:
    return questions_markdown(text_of_file(listed, MAX_LIST_BYTES), listed.name)


def _mark(path: Path) -> tuple[int, int, int]:
    """Return the time, size and inode of a file, which show that it changed."""
    about = path.stat()
    return about.st_mtime_ns, about.st_size, about.st_ino
