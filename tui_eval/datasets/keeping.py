"""Sets of questions put into the datasets folder: brought in, typed, changed, deleted; nothing is ever overwritten unasked."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import one_line, visible
from tui_eval.core.samples import Sample
from tui_eval.datasets.notes import Noted, note
from tui_eval.datasets.questions import numbered
from tui_eval.datasets.sets import LIST, QuestionSet, written
from tui_eval.datasets.shelf import (
    MAX_BENCHMARK_BYTES,
    MAX_DOCUMENTS,
    files_of,
    folder_of,
    read_set,
    text_of_file,
)
from tui_eval.datasets.typed import understood
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.private_files import replace_file, write_new

MAX_DOCUMENT_BYTES = 200 * 1024
"""What a panel sends of a document unless its config raises it."""
ORIGINALS = ".originals"
"""Where in the datasets folder a file is kept once its set was rewritten in our own form."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")


@dataclass(frozen=True, slots=True)
class Kept:
    """A set that was put into the datasets folder, and what a person should know of it."""

    path: Path
    notes: tuple[str, ...] = ()


# Names


def name_problem(workspace: Workspace, name: str) -> str:
    """Why a new set cannot be called so; empty where it can."""
    if not _NAME.fullmatch(name):
        return "a name is made of letters, digits, dots, - and _, at most 60; it begins with a letter or a digit"
    folder = folder_of(workspace)
    taken = {one.casefold() for path in (folder.iterdir() if folder.is_dir() else ()) for one in (path.name, path.stem)}
    return f"there is a set called {name} already; choose another name" if name.casefold() in taken else ""


def free_name(workspace: Workspace, source: str) -> str:
    """A name for a new set, made of a file's name, that is not taken."""
    stem = source.rsplit(".", 1)[0] if "." in source.lstrip(".") else source
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", stem).strip("-._")[:50] or "questions"
    tries = (plain if number == 1 else f"{plain}-{number}" for number in range(1, 10_000))
    return next((name for name in tries if not name_problem(workspace, name)), plain)


# New sets


def import_set(workspace: Workspace, source: Path, name: str) -> Kept:
    """A file or folder, checked, brought into our own form and kept under a name; the original stays as it is.

    ConfigError where it is no set of questions, or the name is taken.
    """
    source = source.resolve()
    found = read_set(source)
    documents = {document: source / document for document in found.documents}
    told = _about_documents(source, documents)
    path = _keep(workspace, name, found, documents)
    _note_source(workspace, path, source.name)
    return Kept(path, told)


def keep_typed(workspace: Workspace, name: str, text: str) -> Kept:
    """Questions as they were typed or pasted, kept under a name. ConfigError with the lines where something is missing."""
    found = understood(text)
    if found.problems:
        raise ConfigError(found.words)
    path = _keep(workspace, name, found.questions, {})
    _note_source(workspace, path, "typed")
    return Kept(path)


def _note_source(workspace: Workspace, path: Path, source: str) -> None:
    note(workspace, path.name, lambda before: Noted(f"{one_line(source, 80)}, {time.strftime('%Y-%m-%d')}"))


def _about_documents(source: Path, documents: Mapping[str, Path]) -> tuple[str, ...]:
    """What to say of documents. ConfigError for names that no list of questions can hold, or too many bytes."""
    odd = next((name for name in documents if visible(name) != name or "\n" in name or not name.isprintable()), None)
    if odd is not None:
        raise ConfigError(f"the document {one_line(odd, 40)!r} has control characters in its name; rename it first")
    sizes = {name: path.stat().st_size for name, path in documents.items()}
    if sum(sizes.values()) > MAX_BENCHMARK_BYTES:
        raise ConfigError(f"the documents have {sum(sizes.values()):,} bytes; at most {MAX_BENCHMARK_BYTES:,} are brought in")
    large = [name for name, size in sizes.items() if size > MAX_DOCUMENT_BYTES]
    told = []
    if large:
        told.append(
            f"{len(large)} documents over 200 kB, such as {one_line(large[0], 40)}: panel.max_document_bytes must be raised"
        )
    if len(documents) > MAX_DOCUMENTS:
        told.append(f"{len(documents)} documents: panel.max_documents must be raised")
    links = [path.name for path in source.iterdir() if path.is_symlink()] if source.is_dir() else []
    if links:
        told.append(f"{len(links)} links were left out, such as {one_line(links[0], 40)}")
    return tuple(told)


def _keep(workspace: Workspace, name: str, questions: QuestionSet, documents: Mapping[str, Path]) -> Path:
    """Write a new set in one step, for its owner alone; never over another."""
    problem = name_problem(workspace, name)
    if problem:
        raise ConfigError(f"{one_line(name, 60)!r}: {problem}")
    text, folder = written(questions), folder_of(workspace)
    try:
        folder.mkdir(exist_ok=True)
        return _new_file(folder / f"{name}.json", text) if questions.lettered else _new_folder(folder / name, text, documents)
    except OSError as error:
        raise ConfigError(f"{folder}: cannot be written: {error.strerror}") from None


def _new_file(path: Path, text: str) -> Path:
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        write_new(temporary, text.encode("utf-8"))
        os.link(temporary, path)  # unlike a rename it never puts itself in the place of another file
    finally:
        temporary.unlink(missing_ok=True)
    return path


def _new_folder(path: Path, text: str, documents: Mapping[str, Path]) -> Path:
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.mkdir(mode=0o700)
        write_new(temporary / LIST, text.encode("utf-8"))
        for name, source in documents.items():
            write_new(temporary / name, source.read_bytes())
        os.rename(temporary, path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
    return path


# Changing and deleting


def rewritten_as(path: Path) -> Path | None:
    """Where a set would be written anew when it is changed; None where its file has our own form already."""
    found = read_set(path)
    own = path if found.lettered else path / LIST
    if path.is_dir() or found.lettered:
        with suppress(ConfigError):
            if text_of_file(own, MAX_BENCHMARK_BYTES) == written(found):
                return None
    return path.with_name(f"{path.stem}.json") if found.lettered else path if path.is_dir() else path.with_name(path.stem)


def change(workspace: Workspace, path: Path, was: Sample, question: Sample) -> Path:
    """Put a question in the place of another, and keep the set; what is selected stays so. Returns where the set is now.

    `was`: the question as it was read. A file in another form than ours is kept under .originals before. ConfigError where
    the question is another by now, or cannot be kept.
    """
    before = read_set(path)
    if was not in before.questions:
        raise ConfigError(f"{path.name}: the question was changed by another program meanwhile; nothing was written")
    after = _numbered_anew(before.changed(was.id, question))
    text, target = written(after), rewritten_as(path)
    if target is not None:
        if target != path and target.exists():
            raise ConfigError(f"{target.name} exists already; rename one of the two first")
        _keep_original(path if path.is_file() else path / _list_in(path))
    place = target or path
    if after.lettered:
        replace_file(place, text)
    elif place.is_dir():
        replace_file(place / _list_in(place), text)
    else:
        _new_folder(place, text, {})
    if place != path:
        path.unlink()
    ids = dict(zip((q.id for q in before.questions), (q.id for q in after.questions), strict=True))
    note(
        workspace,
        place.name,
        lambda known: replace(known, left_out=frozenset(ids[one] for one in known.left_out if one in ids)),
        also=path.name,
    )
    return place


def _list_in(folder: Path) -> str:
    return next(name for name in files_of(folder) if name.lower() == LIST.lower())


def _numbered_anew(questions: QuestionSet) -> QuestionSet:
    """The ids of open questions are made of their text, which changed."""
    if questions.lettered:
        return questions
    return replace(questions, questions=numbered(questions.questions))


def _keep_original(file: Path) -> None:
    """Keep a file under .originals; several of one name are numbered."""
    datasets = file.parent if file.name.lower() != LIST.lower() else file.parent.parent
    name = file.name if file.name.lower() != LIST.lower() else f"{file.parent.name}-{file.name}"
    folder = datasets / ORIGINALS
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        number = 1
        while (folder / (name if number == 1 else f"{number}-{name}")).exists():
            number += 1
        write_new(folder / (name if number == 1 else f"{number}-{name}"), file.read_bytes())
    except OSError as error:
        raise ConfigError(f"{folder}: cannot be written: {error.strerror}; nothing was changed") from None


def delete(workspace: Workspace, path: Path) -> None:
    """Throw a set away, with its documents; of a link, the link alone. ConfigError where that is not possible."""
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
