"""The questions of a stored set that a run is to ask, and what a kind of evaluation needs to write them into its config."""

from __future__ import annotations

from dataclasses import dataclass

from tui_eval.core.samples import Sample
from tui_eval.datasets.column_roles import ColumnRoles
from tui_eval.datasets.parsing import Record


@dataclass(frozen=True, slots=True)
class Selected:
    """The selected questions of a set."""

    path: str
    """Of the file or folder, relative to the workspace."""
    questions: tuple[Sample, ...]
    whole: bool
    """Whether they are all that there are."""
    has: frozenset[str]
    """What the set has: `QuestionSet.has`."""
    documents: tuple[str, ...] = ()
    """Paths of the files that the questions are about, relative to the workspace."""
    folder: bool = False
    """Whether it is a folder of documents with their questions, else a file."""
    lines: tuple[str, ...] = ()
    """Of a text file its lines that say something, as a run reads a list of questions; none of any other."""
    rows: tuple[int, ...] = ()
    """The places of the questions in the set, counted from 1."""


@dataclass(frozen=True, slots=True)
class SelectedRows:
    """The same of a set for a kind that asks samples with any columns."""

    selected: Selected
    """Without questions; what it has is what its columns have."""
    records: tuple[Record, ...]
    """The selected samples."""
    roles: ColumnRoles
    """What is certain of the columns."""
