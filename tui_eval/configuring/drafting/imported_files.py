"""What files that a person brings may become: a set of questions, documents that questions are written about, or either."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tui_eval.core.errors import ConfigError
from tui_eval.datasets.document_text.file_sorts import sort_of_file
from tui_eval.datasets.set_list import TABLES, TEXTS, files_of, read_set, unknown_columns
from tui_eval.datasets.sets import LIST, QuestionSet

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
        """Whether there is nothing to be asked: it is only the one, or only the other."""
        return not self.documents or not self.questions or (self.likely and self.path.suffix.lower() not in TEXTS)


def looked_through(path: Path) -> BroughtFile:
    """What a file or a folder is. ConfigError where it is neither questions nor a document."""
    documents = documents_of(path)
    suffix = path.suffix.lower()
    if not path.is_dir() and suffix not in (*TABLES, *TEXTS):
        if documents:
            return BroughtFile(path, documents=documents)
        read_set(path)  # says why it is none
    try:
        found = read_set(path)
    except ConfigError as error:
        if unknown_columns(path) is not None:
            return BroughtFile(path, "columns that have to be told apart", documents=documents)
        if not documents:
            raise
        return BroughtFile(path, problem=str(error), documents=documents)
    return BroughtFile(path, found.words, documents=documents, likely=path.is_dir() or _is_likely(found, suffix))


def documents_of(path: Path) -> tuple[Path, ...]:
    """The file, or the files of the folder, that questions can be written about."""
    if not path.is_dir():
        return (path,) if sort_of_file(path.name) else ()
    return tuple(path / name for name in files_of(path) if sort_of_file(name) and name.lower() != LIST.lower())


def _is_likely(found: QuestionSet, suffix: str) -> bool:
    if suffix in TABLES:
        return True
    asking = sum(bool(one.options or one.answer_text or one.question.rstrip().endswith(("?", "？"))) for one in found.questions)
    return asking >= LIKELY * len(found.questions)
