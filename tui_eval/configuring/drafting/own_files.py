"""Files that a person brings: what of each would be sent, or become a set of questions, and a config to begin with."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from tui_eval.core.errors import ConfigError
from tui_eval.core.gathering import gathered
from tui_eval.datasets.document_text.file_sorts import FileSort, recognised, sort_of_file
from tui_eval.datasets.set_list import TABLES, TEXTS, files_of, read_set, unknown_columns
from tui_eval.datasets.sets import LIST, QuestionSet
from tui_eval.evaluation.config_references import speaking
from tui_eval.evaluation.kind import Kind
from tui_eval.kinds import KINDS
from tui_eval.workspace.places import Workspace, path_from
from tui_eval.workspace.plain_files import ANYWHERE, stream_of, unreadable

HEAD = 1024
"""Bytes by which it is seen whether a file is what its name says."""
FEWEST = 2
"""Files of one suffix from which on a pattern stands for them."""


@dataclass(frozen=True, slots=True)
class OwnFile:
    """A file that can be sent."""

    path: Path
    sort: FileSort
    mime: str
    bytes: int
    beside: str = ""
    """The name of the file that is read along with it; empty where there is none."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class OwnFiles:
    """Files that a person pointed at."""

    files: tuple[OwnFile, ...]
    left_out: tuple[str, ...]
    """Of each file that cannot be sent its name and why."""


def maker(kinds: Mapping[str, Kind] | None = None) -> Kind:
    """The kind of evaluation that works on files as they are. ConfigError where there is none."""
    maker_kind = next((kind for kind in (kinds or KINDS).values() if kind.offered and kind.starts.from_files is not None), None)
    if maker_kind is None:
        raise ConfigError("no kind of evaluation here works on files as they are")
    return maker_kind


def own_files(paths: Sequence[Path], kind: Kind | None = None) -> OwnFiles:
    """The files, and those in the folders, for a run of the kind; None = the one that works on files.

    ConfigError where a folder cannot be read, or nothing can be sent.
    """
    beside = _beside(kind or maker())
    files: list[OwnFile] = []
    left_out: list[str] = []
    for path in _each(paths):
        if beside and path.name.endswith(beside):
            continue  # it is told with the file that it belongs to
        try:
            files.append(_own_file(path, beside))
        except (ConfigError, OSError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error).partition(f"{path.name}: ")[2]
            left_out.append(f"{path.name}: {reason if sort_of_file(path.name) else 'not of a sort that models are shown'}")
    if not files:
        raise ConfigError("; ".join(["there is nothing here that can be sent", *left_out[:3]]))
    return OwnFiles(tuple(files), tuple(left_out))


def config_of_files(workspace: Workspace, chosen_files: Sequence[OwnFile], kind: Kind | None = None) -> dict[str, Any]:
    """Return the start of a config that works on these of the files; it is called as their folder, or as the one file is."""
    kind = kind or maker()
    assert kind.starts.from_files is not None
    first = chosen_files[0].path
    name = first.stem if len(chosen_files) == 1 else first.absolute().parent.name or kind.name
    return {
        "kind": kind.name,
        "name": name,
        kind.name: dict(kind.starts.from_files(paths_in_config(workspace, chosen_files, kind))),
    }


def paths_in_config(workspace: Workspace, chosen_files: Sequence[OwnFile], kind: Kind) -> list[str]:
    """The files as a config names them: by a pattern where it matches those of a suffix in a folder and no others, else one by
    one; relative to the workspace where they lie in it."""
    paths = []
    for (folder, suffix), files in gathered(((file.path.parent, file.path.suffix), file) for file in chosen_files).items():
        pattern = folder / f"*{suffix}"
        is_whole = len(files) >= FEWEST and _matched(pattern, kind) == {file.path.name for file in files}
        paths += [pattern] if is_whole else [file.path for file in files]
    return [path_from(workspace.root, path) for path in paths]


def _matched(pattern: Path, kind: Kind) -> set[str]:
    """The names that a pattern matches, but for those that are read along with others; none where its folder is one, too."""
    if glob.has_magic(str(pattern.parent)) or not pattern.suffix:
        return set()
    beside = _beside(kind)
    return {path.name for path in pattern.parent.glob(pattern.name) if not (beside and path.name.endswith(beside))}


def _each(paths: Sequence[Path]) -> Iterator[Path]:
    for path in paths:
        yield from ([path / name for name in files_of(path)] if path.is_dir() else [path])


def _beside(kind: Kind) -> str:
    """Return the ending of the name of a file that is read along with another; empty where none is."""
    table: type[BaseModel] = kind.Config
    suffixes = (str(extra.get("beside") or "") for _, extra, _ in speaking(table))
    return next(filter(None, suffixes), "")


def _own_file(path: Path, beside: str) -> OwnFile:
    """A file as it would be sent. ConfigError where it cannot be."""
    try:
        with stream_of(path, ANYWHERE) as stream:
            file_type = recognised("files", path.name, stream.read(HEAD))
            size = os.fstat(stream.fileno()).st_size
    except OSError as error:
        raise ConfigError(unreadable(path, error)) from None
    names = (f"{path.name}{beside}", f"{path.stem}{beside}") if beside else ()
    reference = next((name for name in names if path.with_name(name).is_file()), "")
    return OwnFile(path, file_type.sort, file_type.mime, size, reference, file_type.note)


LIKELY = 0.5
"""The share of lines of a text that ask, or have an answer, from which on they are taken for questions."""


@dataclass(frozen=True, slots=True)
class BroughtFile:
    """A file or a folder, and what can be made of it."""

    path: Path
    questions: str = ""
    """How many questions can be read from it, in words; empty where none can."""
    problem: str = ""
    """Why no questions can; empty where they can."""
    documents: tuple[Path, ...] = ()
    """The files of it that questions can be written about."""
    likely: bool = False
    """Whether it holds questions in all likelihood."""

    @property
    def certain(self) -> bool:
        """Return whether there is nothing to be asked: it is only the one, or only the other."""
        return not self.documents or not self.questions or (self.likely and self.path.suffix.lower() not in TEXTS)


def looked_through(path: Path) -> BroughtFile:
    """Tell what a file or a folder is. ConfigError where it is neither questions nor a document."""
    documents = documents_of(path)
    suffix = path.suffix.lower()
    if not path.is_dir() and suffix not in (*TABLES, *TEXTS):
        if documents:
            return BroughtFile(path, documents=documents)
        read_set(path)  # says why it is none
    try:
        question_set = read_set(path)
    except ConfigError as error:
        if unknown_columns(path) is not None:
            return BroughtFile(path, "ambiguous columns", documents=documents)
        if not documents:
            raise
        return BroughtFile(path, problem=str(error), documents=documents)
    return BroughtFile(path, question_set.words, documents=documents, likely=path.is_dir() or _is_likely(question_set, suffix))


def documents_of(path: Path) -> tuple[Path, ...]:
    """The file, or the files of the folder, that questions can be written about."""
    if not path.is_dir():
        return (path,) if sort_of_file(path.name) else ()
    return tuple(path / name for name in files_of(path) if sort_of_file(name) and name.lower() != LIST.lower())


def _is_likely(question_set: QuestionSet, suffix: str) -> bool:
    if suffix in TABLES:
        return True
    asking = sum(bool(q.options or q.answer_text or q.question.rstrip().endswith(("?", "？"))) for q in question_set.questions)
    return asking >= LIKELY * len(question_set.questions)
