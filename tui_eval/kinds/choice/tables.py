"""What a run or several come to as tables of numbers: those of any answer sheets, and what choices lean towards."""

from __future__ import annotations

from collections.abc import Mapping

from tui_eval.core.results import Cell, Table
from tui_eval.evaluation.sum_cells import Cells, table_of
from tui_eval.kinds.choice.choice_biases import Bias
from tui_eval.kinds.choice.figure_tables import (
    accuracy_table,
    agreement_table,
    consistency_table,
    groups_table,
    pairs_table,
    patterns_table,
    questions_table,
    row_of,
)
from tui_eval.kinds.choice.figures import Figures, Standing
from tui_eval.kinds.choice.sheets import LETTERS


def tables(figures: Figures) -> dict[str, Table]:
    """What the board comes to as tables of numbers, by file name."""
    found = {
        "accuracy": accuracy_table(figures),
        "groups": groups_table(figures),
        "patterns": patterns_table(figures),
        "letters": _letters_table(figures),
        "bias": _bias_table(figures),
        "agreement": agreement_table(figures),
        "questions_by_difficulty": questions_table(figures),
        "pairs": pairs_table(figures),
    }
    return found if figures.single else {**found, "consistency": consistency_table(figures)}


def _letters_table(figures: Figures) -> Table:
    rows: list[Cells] = []
    for s in figures.ranked:
        found = s.biases.position
        if found is None:
            continue
        for place in range(figures.usual_size):
            n_key = round(found.key_share[place] * found.n)
            rows.append(
                {
                    **row_of(s),
                    "letter": LETTERS[place],
                    "chosen_share": Cell(found.chosen_share[place], found.n, formula="chosen / answers"),
                    "key_share": Cell(found.key_share[place], found.n, formula="right there / answers"),
                    "recall": Cell(found.recalls[place], n_key, formula="right / right there"),
                }
            )
    note = f"Letters as shown, over answers with a letter to questions of {figures.usual_size} options."
    columns = ("model", "letter", "chosen_share", "key_share", "recall")
    return table_of("Letters chosen", rows, columns, note, columns[:2])


def _bias_table(figures: Figures) -> Table:
    rows = [{**row_of(s), **row} for s in figures.ranked for row in _bias_rows(s)]
    columns = ("model", "bias", "n", "picked", "key", "difference", "p", "level", "level_uniform")
    note = "difference: picked - key, for position the largest of the letters'. level_uniform: the measure against 1/k."
    return table_of("Bias against the answer key", rows, columns, note, ("model", "bias"))


def _bias_rows(standing: Standing) -> list[Cells]:
    found = standing.biases
    rows: list[Cells] = []
    if p := found.position:
        rows.append(_bias_row("position", p, {"picked": None, "key": None, "difference": p.max_deviation}))
    for name, b in (("longest", found.longest), ("absolute_words", found.qualifier)):
        if b:
            rows.append(_bias_row(name, b, {"picked": b.picked, "key": b.key, "difference": b.excess}))
    return rows


def _bias_row(name: str, found: Bias, shares: Mapping[str, float | None]) -> Cells:
    own = getattr(found, "level_uniform", None)
    cells = {column: Cell(share, found.n) for column, share in shares.items()}
    return {"bias": name, "n": found.n, "p": found.p, "level": found.level, "level_uniform": own, **cells}
