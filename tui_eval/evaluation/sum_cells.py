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
    found = [[row[name] for name in columns] for row in rows]
    cells = tuple(tuple(c if isinstance(c, Cell) else Cell(c) for c in row) for row in found)
    return Table(title, tuple(columns), cells, note, tuple(keys), tuple(row[RESTS_ON] for row in rows))


RATE = ("accuracy", "ci_low", "ci_high", "n_items", "n_effective", "accuracy_strict", "accuracy_best_case")
MEAN = ("mean", "ci_low", "ci_high", "n_items")


def mean_cells(found: Estimate, item: str) -> Cells:
    """A mean over items, or a rate: under either name, for tables of both sorts."""
    right = Cell(found.value, found.n, found.low, found.high, f"mean of the {item}s' means")
    return {
        "accuracy": right,
        "mean": right,
        "ci_low": found.low,
        "ci_high": found.high,
        "n_items": found.n,
        "n_effective": None if found.effective is None else round(found.effective, 3),
        "accuracy_strict": Cell(
            found.strict, found.asked, formula=f"mean over {item}s of right / answers that were to be scored"
        ),
        "accuracy_best_case": Cell(
            found.best_case, found.asked, formula=f"mean over {item}s of (right + missing) / answers that were to be scored"
        ),
    }


PAIR = (
    "n", "a_higher", "b_higher", "difference", "low", "high", "p", "p_holm", "told_apart", "smallest_difference_seen", "method",
)  # fmt: skip


def pair_cells(pair: Pair[Owner], how: str) -> Cells:
    """Two sides beside each other. `how`: how the difference is made."""
    found = pair.found
    tested = pair.tests > 0
    return {
        "n": found.n,
        "a_higher": found.a_higher,
        "b_higher": found.b_higher,
        "difference": Cell(found.value, found.n, found.low, found.high, how),
        "low": found.low,
        "high": found.high,
        "p": six_digits(found.p) if tested else None,
        "p_holm": six_digits(pair.p_holm),
        "told_apart": ("yes" if pair.significant else "no") if tested else None,
        "smallest_difference_seen": pair.detectable,
        "method": found.method,
    }


CONSISTENCY = (
    "k", "pass_at_k", "pass_hat_k", "mean_of_items", "se", "variance_within", "variance_between", "se_with_one_reply",
)  # fmt: skip


def consistency_cells(found: Consistency) -> Cells:
    """What several answers to one question have in common."""
    several, spread = found.questions, found.repeats
    return {
        "n_items": several,
        "k": found.k,
        "pass_at_k": Cell(found.pass_at, several, formula="1 - C(n-c, k) / C(n, k), mean over items"),
        "pass_hat_k": Cell(found.pass_hat, several, formula="C(c, k) / C(n, k), mean over items"),
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


def by_column(found: Table, column: str, rests_on: Callable[[Cell], Mapping[str, Json]], told: Callable[[Cell], Cell]) -> Table:
    """A table by groups of one sort as one that has a column of its own for them, in place of `by` and `value`.

    `rests_on`: what tells the scores of a group from others; `told`: the cell of a group.
    """
    named = [{name: value for name, value in (said or {}).items() if name not in ("by", "value")} for said in found.rests_on]
    sources = tuple({**said, **rests_on(row[1])} for said, row in zip(named, found.rows, strict=True))
    rows = tuple((told(row[1]), *row[2:]) for row in found.rows)
    title = found.title.replace("by group", f"by {column}")
    return Table(title, (column, *found.columns[2:]), rows, found.note, (column, *found.keys[2:]), sources)
