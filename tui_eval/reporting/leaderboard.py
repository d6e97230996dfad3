"""Runs merged into one leaderboard, which grows and never loses a run."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from tui_eval.configuring import reopening
from tui_eval.core.errors import ConfigError, FolderError
from tui_eval.core.reports import Leaderboard
from tui_eval.core.results import Table
from tui_eval.evaluation.kind import Kind
from tui_eval.kinds import KINDS
from tui_eval.reporting.derive import reported
from tui_eval.reporting.figure_files import write_content
from tui_eval.results.tables import table_rows
from tui_eval.runs.folder import CONFIG
from tui_eval.runs.opening import whole
from tui_eval.runs.writing import Inside, exclusive
from tui_eval.workspace.places import Workspace


def merge(runs: Sequence[Path], out: Path, workspace: Workspace, settings: Sequence[str] = ()) -> list[Table]:
    """Add the runs to the leaderboard in `out` and write its files; what a person reads first of it.

    A run that is in it already is replaced by what its folder holds now. ConfigError where the runs are of different
    benchmarks, FolderError where one is of a kind that has no leaderboard, or of another kind than the first.
    """
    if (out / CONFIG).exists():
        raise ConfigError(f"--out {out}: is a run folder; a leaderboard needs a folder of its own")
    opened = [(path, reopening.reopen(path, workspace, settings, sends=False).evaluation) for path in runs]
    reports = [reported(path, evaluation) for path, evaluation in opened]
    board = _board_for([(path, evaluation.kind) for path, evaluation in opened])
    with exclusive(out):
        _restore(board, out / board.file)
        for path, (report, about) in zip(runs, reports, strict=True):
            board.add(report, about, str(path))
        files = {**board.files(), **{f"{name}.csv": table_rows(table) for name, table in board.tables().items()}}
        for name, content in files.items():
            write_content(Inside(out), name, content)
    return list(board.headline())


def _board_for(runs: Sequence[tuple[Path, Kind]]) -> Leaderboard:
    """An empty leaderboard of the runs' kind."""
    _, first = runs[0]
    for path, kind in runs:
        if kind.leaderboard is None or kind.name != first.name:
            able = " or ".join(kind.name for kind in KINDS.every().values() if kind.leaderboard is not None)
            raise FolderError(f"{path}: a {kind.name} run; a leaderboard is made of {able} runs, all of one kind")
    assert first.leaderboard is not None
    return first.leaderboard()


def _restore(board: Leaderboard, path: Path) -> None:
    """Restore the board from its file, if it is there. ConfigError where it cannot be read: nothing is lost by silence."""
    content = whole(path)
    if content is None:
        return
    try:
        board.restore(json.loads(content), str(path))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ConfigError(
            f"{path}: tui-eval did not write this file ({type(error).__name__}: {error}); choose another --out, or move it"
        ) from None
