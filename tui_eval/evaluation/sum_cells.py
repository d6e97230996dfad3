"""Sums as cells of tables: every number with its n, its interval and how it is made."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tui_eval.core.calls import Json
from tui_eval.core.results import Cell, Table
from tui_eval.evaluation.consistency import Consistency
from tui_eval.results.sums.differences import Owner, Pair
from tui_eval.results.sums.means import Estimate

RESTS_ON = "rests_on"
"""Where a row says which scores it rests on; no column."""
Cells = dict[str, Cell | Json]
Columns = Sequence[str]


def table_of(title: str, rows: Sequence[Mapping[str, Json]], columns: Columns, note: str, keys: Columns = ()) -> Table:
    """Rows by column name as a table; what is no cell becomes one."""
    values = [[row[name] for name in columns] for row in rows]
    cells = tuple(tuple(c if isinstance(c, Cell) else Cell(c) for c in row) for row in values)
    return Table(title, tuple(columns), cells, note, tuple(keys), tuple(row[RESTS_ON] for row in rows))


RATE = ("accuracy", "ci_low", "ci_high", "n_items", "n_effective", "accuracy_strict", "accuracy_best_case")
MEAN = ("mean", "ci_low", "ci_high", "n_items")


def mean_cells(estimate: Estimate, item: str) -> Cells:
    """A mean over items, or a rate: under either name, for tables of both sorts."""
    right = Cell(estimate.value, estimate.n, estimate.low, estimate.high, f"mean of the {item}s' means")
    return {
        "accuracy": right,
        "mean": right,
        "ci_low": estimate.low,
        "ci_high": estimate.high,
        "n_items": estimate.n,
        "n_effective": None if estimate.effective is None else round(estimate.effective, 3),
        "accuracy_strict": Cell(
            estimate.strict, estimate.asked, formula=f"mean over {item}s of right / answers that were to be scored"
        ),
        "accuracy_best_case": Cell(
            estimate.best_case,
            estimate.asked,
            formula=f"mean over {item}s of (right + missing) / answers that were to be scored",
        ),
    }


PAIR = (
    "n", "a_higher", "b_higher", "difference", "low", "high", "p", "p_holm", "told_apart", "smallest_difference_seen", "method",
)  # fmt: skip


def pair_cells(pair: Pair[Owner], how: str) -> Cells:
    """Two sides beside each other. `how`: how the difference is made."""
    difference = pair.found
    tested = pair.tests > 0
    return {
        "n": difference.n,
        "a_higher": difference.a_higher,
        "b_higher": difference.b_higher,
        "difference": Cell(difference.value, difference.n, difference.low, difference.high, how),
        "low": difference.low,
        "high": difference.high,
        "p": six_digits(difference.p) if tested else None,
        "p_holm": six_digits(pair.p_holm),
        "told_apart": ("yes" if pair.significant else "no") if tested else None,
        "smallest_difference_seen": pair.detectable,
        "method": difference.method,
    }


CONSISTENCY = (
    "k", "pass_at_k", "pass_hat_k", "mean_of_items", "se", "variance_within", "variance_between", "se_with_one_reply",
)  # fmt: skip


def consistency_cells(result: Consistency) -> Cells:
    """Return the cells on the consistency of several answers to one question."""
    several, spread = result.questions, result.repeats
    return {
        "n_items": several,
        "k": result.k,
        "pass_at_k": Cell(result.pass_at, several, formula="1 - C(n-c, k) / C(n, k), mean over items"),
        "pass_hat_k": Cell(result.pass_hat, several, formula="C(c, k) / C(n, k), mean over items"),
        "mean_of_items": Cell(spread.mean, spread.n),
        "se": spread.se,
        "variance_within": spread.within,
        "variance_between": spread.between,
        "se_with_one_reply": spread.se_at(1),
    }


def six_digits(p: float | None) -> float | None:
    """Six digits, wherever the first of them stands."""
    return None if p is None else float(f"{p:.6g}")


def rounded(value: float | None) -> float | None:
    """Six places, for files."""
    return None if value is None else round(value, 6)


def by_column(
    table: Table, column: str, rests_on: Callable[[Cell], Mapping[str, Json]], cell_of: Callable[[Cell], Cell]
) -> Table:
    """A table by groups of one sort as one that has a column of its own for them, in place of `by` and `value`.

    `rests_on`: what tells the scores of a group from others; `cell_of`: the cell of a group.
    """
    label_sets = [
        {name: value for name, value in (labels or {}).items() if name not in ("by", "value")} for labels in table.rests_on
    ]
    sources = tuple({**labels, **rests_on(row[1])} for labels, row in zip(label_sets, table.rows, strict=True))
    rows = tuple((cell_of(row[1]), *row[2:]) for row in table.rows)
    title = table.title.replace("by group", f"by {column}")
    return Table(title, (column, *table.columns[2:]), rows, table.note, (column, *table.keys[2:]), sources)
