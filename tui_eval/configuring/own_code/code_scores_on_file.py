"""Scores of own scorers, read from the file that a run folder has of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tui_eval.core.calls import ModelSpec
from tui_eval.evaluation.scoring.own_code.code_scores import CodeScores
from tui_eval.runs.scores_file import stored_entries


def code_scores_in(path: Path, models: Mapping[str, ModelSpec]) -> CodeScores:
    """Return the scores of a run folder. FolderError where something else stands in the place of the file."""
    table = CodeScores(models)
    for entry in stored_entries(path):
        table.take(entry)
    return table
