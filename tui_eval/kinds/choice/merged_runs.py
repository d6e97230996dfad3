"""Runs side by side in one leaderboard."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from tui_eval.core.calls import Json
from tui_eval.core.kinds import Reporter
from tui_eval.core.results import About, Table
from tui_eval.kinds.choice.figures import Figures
from tui_eval.kinds.choice.headlines import headline
from tui_eval.kinds.choice.merging import introduction, merged, warnings
from tui_eval.kinds.choice.pages import ALL_RESULTS, files
from tui_eval.kinds.choice.report import ChoiceReport
from tui_eval.kinds.choice.sheet_file import restored
from tui_eval.kinds.choice.sheets import Board, Sheet
from tui_eval.kinds.choice.tables import tables


class MergedRuns:
    """A leaderboard of several runs. Complete before anything is asked of it."""

    file = ALL_RESULTS

    def __init__(self) -> None:
        self._parts: list[tuple[str, Board]] = []

    def restore(self, content: Any, where: str) -> None:
        """What all_results.json holds. KeyError, TypeError, ValueError or AttributeError where it is another file."""
        self._parts.append((where, restored(content)))

    def add(self, report: Reporter, about: About, where: str) -> None:
        """A run's sheets; those of a run that is in it already are replaced."""
        assert isinstance(report, ChoiceReport)
        self._parts.append((where, report.board(about)))

    @cached_property
    def _board(self) -> tuple[Figures, list[Sheet]]:
        board, copies = merged(self._parts)
        return Figures(board), copies

    def tables(self) -> Mapping[str, Table]:
        """Those of a run, over all sheets."""
        return tables(self._board[0])

    def headline(self) -> Sequence[Table]:
        """The leaderboard in short, and who can be told apart."""
        figures, copies = self._board
        return headline(figures, warnings(figures.board, copies))

    def files(self) -> Mapping[str, Json]:
        """Those of a run, over all sheets. ConfigError where the runs are of different benchmarks."""
        figures, copies = self._board
        return files(figures, "\n\n".join(introduction(figures.board, copies)), copies=copies)
