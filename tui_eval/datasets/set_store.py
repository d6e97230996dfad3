"""Sets of questions put into the datasets folder: brought in, typed, changed, deleted; nothing is ever overwritten unasked."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import one_line, visible
from tui_eval.core.samples import Sample
from tui_eval.datasets.document_text.attached_documents import lacking, with_documents
from tui_eval.datasets.field_mapping import FieldMapping
from tui_eval.datasets.field_values import enumerated
from tui_eval.datasets.notes import Noted, note
from tui_eval.datasets.set_list import (
    FOLDER,
    MAX_BENCHMARK_BYTES,
    MAX_DOCUMENTS,
    files_of,
    folder_of,
    paths_named,
    read_set,
    text_of_file,
)
from tui_eval.datasets.sets import LIST, QuestionSet, of_conversations, set_text
from tui_eval.datasets.shapes.left_open import USUAL, LeftOpen
from tui_eval.datasets.typed import understood
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.plain_files import ANYWHERE, read_file
from tui_eval.workspace.private_files import replace_file, temporary_name, write_new
from tui_eval.workspace.trust import check_written_inside

MAX_DOCUMENT_BYTES = 200 * 1024
"""What a panel sends of a document unless its config raises it."""
ORIGINALS = ".originals"
"""Where in the datasets folder a file is kept once its set was rewritten in our own form."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")


@dataclass(frozen=True, slots=True)
class ImportedQuestions:
    """Questions that may become a set, and what a person should know of them."""

    source: Path
    """The file or folder they come from."""
    questions: QuestionSet
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SavedSet:
    """A set that was put into the datasets folder, and what a person should know of it."""

    path: Path
    questions: QuestionSet
    notes: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """Place of the set now, and how much of it a run would ask."""
        return f"kept as {FOLDER}/{self.path.name}; all of it is selected"


# Names


def name_problem(workspace: Workspace, name: str, replacing: bool = False) -> str:
    """Why a new set cannot be called so; empty where it can. `replacing`: whether it may take the place of one of that name."""
    if not _NAME.fullmatch(name):
        return "a name is made of letters, digits, dots, - and _, at most 60; it begins with a letter or a digit"
    existing_paths = paths_named(workspace, name)
    if replacing and len(existing_paths) > 1:
        return (
            f"{enumerated(path.name for path in existing_paths)} all have this name; choose another name, or delete all but one"
        )
    return f"a set called {name} already exists; choose another name" if existing_paths and not replacing else ""


def plain_name(source: str) -> str:
    """A name for a new set, made of a file's name."""
    stem = source.rsplit(".", 1)[0] if "." in source.lstrip(".") else source
    return re.sub(r"[^A-Za-z0-9._-]+", "-", stem).strip("-._")[:50] or "questions"


def free_name(workspace: Workspace, source: str) -> str:
    """The same, that is not taken."""
    plain = plain_name(source)
    tries = (plain if number == 1 else f"{plain}-{number}" for number in range(1, 10_000))
    return next((name for name in tries if not name_problem(workspace, name)), plain)


# New sets


def source_of(path: Path) -> Path:
    """Return what is imported where a file is named: of a list of questions the whole folder, with what they are about."""
    path = path.resolve()
    return path.parent if path.name.lower() == LIST.lower() else path


def import_set(
    workspace: Workspace, source: Path, name: str, replacing: bool = False, mapping: FieldMapping | None = None
) -> SavedSet:
    """A file or folder, checked, brought into our own form and kept under a name; the original stays as it is.

    `replacing`: a set of that name is kept under .originals before. ConfigError where it is no set of questions, or the name
    is taken.
    """
    return keep(workspace, name, looked_at(source.resolve(), mapping), replacing)


def looked_at(source: Path, mapping: FieldMapping | None = None, left_open: LeftOpen = USUAL) -> ImportedQuestions:
    """Return what a file or folder would bring. ConfigError where it is no set of questions."""
    question_set = read_set(source, mapping, left_open)
    if question_set.conversations is not None:
        whole = with_documents(question_set.conversations, source.parent, source.name, all_of_them=False)
        question_set = (
            question_set
            if whole is question_set.conversations
            else of_conversations(whole, question_set.unread, question_set.read_as)
        )
        missing = [
            f"the document {one_line(name, 60)!r} is not beside {source.name}: no run can show it" for name in lacking(whole)
        ]
        return ImportedQuestions(source, question_set, tuple(missing[:3]))
    documents = {document: source / document for document in question_set.documents} if source.is_dir() else {}
    return ImportedQuestions(source, question_set, (*question_set.notes, *_about_documents(source, documents)))


def keep_typed(workspace: Workspace, name: str, text: str) -> SavedSet:
    """Questions as they were typed or pasted, kept under a name. ConfigError with the lines where something is missing."""
    check_written_inside(workspace, workspace.root / FOLDER)
    parsed = understood(text)
    if parsed.problems:
        raise ConfigError(parsed.words)
    return keep(workspace, name, ImportedQuestions(Path("typed"), parsed.questions))


def _about_documents(source: Path, documents: Mapping[str, Path]) -> tuple[str, ...]:
    """Return notes on documents. ConfigError for names that no list of questions can hold, or too many bytes."""
    odd = next((name for name in documents if visible(name) != name or "\n" in name or not name.isprintable()), None)
    if odd is not None:
        raise ConfigError(f"the document {one_line(odd, 40)!r} has control characters in its name; rename it first")
    sizes = {name: path.stat().st_size for name, path in documents.items()}
    if sum(sizes.values()) > MAX_BENCHMARK_BYTES:
        raise ConfigError(f"the documents have {sum(sizes.values()):,} bytes; at most {MAX_BENCHMARK_BYTES:,} are imported")
    large = [name for name, size in sizes.items() if size > MAX_DOCUMENT_BYTES]
    messages = []
    if large:
        messages.append(
            f"{len(large)} documents over 200 kB, such as {one_line(large[0], 40)}: panel.max_document_bytes must be raised"
        )
    if len(documents) > MAX_DOCUMENTS:
        messages.append(f"{len(documents)} documents: panel.max_documents must be raised")
    links = [path.name for path in source.iterdir() if path.is_symlink()] if source.is_dir() else []
    if links:
        messages.append(f"{len(links)} links were left out, such as {one_line(links[0], 40)}")
    return tuple(messages)


def keep(workspace: Workspace, name: str, new: ImportedQuestions, replacing: bool = False) -> SavedSet:
    """Write a new set in one step, for its owner alone; never over another. ConfigError where the name is taken."""
    check_written_inside(workspace, workspace.root / FOLDER)
    problem = name_problem(workspace, name, replacing)
    if problem:
        raise ConfigError(f"{one_line(name, 60)!r}: {problem}")
    text, folder = set_text(new.questions), folder_of(workspace)
    old = next(iter(paths_named(workspace, name)), None) if replacing else None
    path = folder / (f"{name}.json" if new.questions.in_one_file else name)
    try:
        folder.mkdir(exist_ok=True)
        if new.questions.in_one_file:
            write_file(path, text, old)
        else:
            write_folder(path, text, {document: new.source / document for document in new.questions.documents}, old)
    except OSError as error:
        raise ConfigError(f"{folder}: cannot be written: {error.strerror}") from None
    source = f"{one_line(new.source.name, 80)}, {time.strftime('%Y-%m-%d')}"
    note(workspace, path.name, lambda before: Noted(source), also=old.name if old else "")
    messages = (f"the earlier set of that name is kept in {FOLDER}/{ORIGINALS}",) if old else ()
    return SavedSet(path, new.questions, (*new.notes, *messages))


def write_file(path: Path, text: str, old: Path | None = None) -> None:
    """A new file, in one step. OSError where there is one of that name; an `old` set is put away first."""
    temporary = path.with_name(temporary_name())
    try:
        write_new(temporary, text.encode("utf-8"))
        with _put_away(old):
            os.link(temporary, path)  # unlike a rename it never puts itself in the place of another file
    finally:
        temporary.unlink(missing_ok=True)


def write_folder(path: Path, text: str, documents: Mapping[str, Path], old: Path | None = None) -> None:
    """The same for a folder of documents, by their names in it, and the list of questions about them."""
    temporary = path.with_name(temporary_name())
    try:
        temporary.mkdir(mode=0o700)
        write_new(temporary / LIST, text.encode("utf-8"))
        for name, source in documents.items():
            write_new(temporary / name, read_file(source, MAX_BENCHMARK_BYTES, ANYWHERE))
        with _put_away(old):
            os.rename(temporary, path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def write_export(out: Path, text: str, documents: Mapping[str, Path], replacing: bool) -> None:
    """A set in a file outside of the datasets folder; with documents, in a folder. ConfigError where it cannot be written.

    `replacing`: whether a file of that name, though never a folder, may be replaced.
    """
    try:
        if os.path.lexists(out) and (documents or not replacing):
            raise ConfigError(f"--out {out}: already exists; {'name another folder' if documents else '--force replaces it'}")
        if documents:
            write_folder(out, text, documents)
        elif replacing:
            replace_file(out, text)
        else:
            write_file(out, text)
    except OSError as error:
        raise ConfigError(f"--out {out}: cannot be written: {error.strerror}") from None


@contextmanager
def _put_away(old: Path | None) -> Iterator[None]:
    """A set under .originals instead; back in its place where what is done then fails."""
    if old is None:
        yield
        return
    original = _place_of_original(old.parent, old.name)
    os.rename(old, original)
    try:
        yield
    except BaseException:
        os.rename(original, old)
        raise


# Changing and deleting


def rewritten_as(path: Path) -> Path | None:
    """Return the path a set would be written to when it is changed; None where its file has our own form already."""
    question_set = read_set(path)
    own = path if question_set.in_one_file else path / LIST
    if path.is_dir() or question_set.in_one_file:
        with suppress(ConfigError):
            if text_of_file(own, MAX_BENCHMARK_BYTES) == set_text(question_set):
                return None
    return (
        path.with_name(f"{path.stem}.json")
        if question_set.in_one_file
        else path
        if path.is_dir()
        else path.with_name(path.stem)
    )


def change(workspace: Workspace, path: Path, was: Sample, question: Sample) -> Path:
    """Put a question in the place of another, and keep the set; what is selected stays so. Returns where the set is now.

    `was`: the question as it was read. A file in another form than ours is kept under .originals before. ConfigError where
    the question is another by now, or cannot be kept.
    """
    check_written_inside(workspace, workspace.root / FOLDER)
    before = read_set(path)
    if was not in before.questions:
        raise ConfigError(f"{path.name}: the question was changed by another program meanwhile; nothing was written")
    after = before.of(question if sample.id == was.id else sample for sample in before.questions)
    text, target = set_text(after), rewritten_as(path)
    if target is not None:
        if target != path and target.exists():
            raise ConfigError(f"{target.name} already exists; rename one of the two first")
        _keep_original(path if path.is_file() else path / _list_in(path))
    place = target or path
    if after.in_one_file:
        replace_file(place, text)
    elif place.is_dir():
        replace_file(place / _list_in(place), text)
    else:
        write_folder(place, text, {})
    if place != path:
        path.unlink()
    ids = dict(zip((q.id for q in before.questions), (q.id for q in after.questions), strict=True))
    note(workspace, place.name, lambda noted: noted.renamed(ids), also=path.name)
    return place


def _list_in(folder: Path) -> str:
    return next(name for name in files_of(folder) if name.lower() == LIST.lower())


def _keep_original(file: Path) -> None:
    """Keep a file under .originals; several of one name are numbered."""
    datasets = file.parent if file.name.lower() != LIST.lower() else file.parent.parent
    name = file.name if file.name.lower() != LIST.lower() else f"{file.parent.name}-{file.name}"
    try:
        write_new(_place_of_original(datasets, name), read_file(file, MAX_BENCHMARK_BYTES))
    except OSError as error:
        raise ConfigError(f"{datasets / ORIGINALS}: cannot be written: {error.strerror}; nothing was changed") from None


def _place_of_original(datasets: Path, name: str) -> Path:
    """A place for it under .originals; several of one name are numbered."""
    folder = datasets / ORIGINALS
    folder.mkdir(mode=0o700, exist_ok=True)
    tries = (folder / (name if number == 1 else f"{number}-{name}") for number in count(1))
    return next(place for place in tries if not os.path.lexists(place))


def delete(workspace: Workspace, path: Path) -> None:
    """Throw a set away, with its documents; of a link, the link alone. ConfigError where that is not possible."""
    check_written_inside(workspace, workspace.root / FOLDER)
    if path.parent != folder_of(workspace):
        raise ConfigError(f"{path}: not in {folder_of(workspace)}")
    try:
        if path.is_dir() and not path.is_symlink():
            gone = path.with_name(f".{path.name}.{os.getpid()}.gone")
            os.rename(path, gone)
            shutil.rmtree(gone)
        else:
            path.unlink()
    except OSError as error:
        raise ConfigError(f"{path.name}: cannot be deleted: {error.strerror}") from None
    with suppress(ConfigError):
        note(workspace, path.name, lambda before: None)
