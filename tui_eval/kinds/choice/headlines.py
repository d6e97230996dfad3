"""The leaderboard in short, as text for a terminal whose numbers can still be opened."""

from __future__ import annotations

from collections.abc import Sequence

from tui_eval.core.plaintext import counted
from tui_eval.core.results import Cell, Table
from tui_eval.kinds.choice.figure_tables import accuracy_cell
from tui_eval.kinds.choice.figures import Figures
from tui_eval.kinds.choice.reading_notes import reading_notes
from tui_eval.kinds.choice.sentences import chance_text, significant
from tui_eval.results.sums.in_words import percent, rank, span

WIDEST_NAME = 36


def headline(figures: Figures, notes: Sequence[str] = ()) -> list[Table]:
    """The leaderboard in short: rank, accuracy, interval, what was not counted; then difficulty, where the benchmark has it."""
    board, levels = figures.board, figures.groups_by("difficulty")
    rests_on = tuple({"model": s.sheet.model} for s in figures.ranked)
    ranks, by_level = [], []
    for s in figures.ranked:
        name, accuracy = Cell(_fitted(s.sheet.short_label)), s.accuracy
        apart = {**s.sheet.in_short, "MISSING": accuracy.missing}
        words = ", ".join(f"{n} {what}" for what, n in apart.items() if n)
        texts = (span(accuracy.low, accuracy.high), str(accuracy.scored), words or "-")
        ranks.append((Cell(rank(s.rank)), name, accuracy_cell(accuracy, percent(accuracy.share)), *map(Cell, texts)))
        found = [s.within(level) for level in levels]
        by_level.append((name, *(accuracy_cell(a, percent(a.share)) for a in found)))
    columns = ("rank", "model", "accuracy", "95 % interval", "n", "not read, or missing")
    n = counted(len(board.questions), "question")
    title = f"{board.benchmark}: {n}" + (f" of {board.size}" if len(board.questions) < board.size else "")
    notes = [*notes, *reading_notes(board.sheets)]
    note = "\n".join([*notes, *significant(figures, lambda sheet: sheet.short_label), chance_text(figures)])
    tables = [Table(title, columns, tuple(ranks), note, rests_on=rests_on)]
    if levels:
        heads = ("model", *(f"{level.value} ({len(level.indexes)})" for level in levels))
        tables.append(Table("Accuracy by difficulty (number of questions)", heads, tuple(by_level), rests_on=rests_on))
    return tables


def _fitted(name: str) -> str:
    """A name that fits into a terminal; what tells runs apart stands at its end."""
    return name if len(name) <= WIDEST_NAME else f"{name[: WIDEST_NAME // 2 - 1]}…{name[-WIDEST_NAME // 2 :]}"
