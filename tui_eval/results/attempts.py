"""Ends and costs of attempts, real and simulated apart, from rows of statistics by stage and model of any form."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from tui_eval.core.calls import WITHOUT_TEXT
from tui_eval.core.plaintext import count_of
from tui_eval.results.read_report import number, table_of, whole
from tui_eval.runs.stats_columns import StatsColumn, stat

NO_TEXT = "no text"
UNSENT: Sequence[StatsColumn] = ("calls_skipped_budget", "calls_not_sent")


class Cost(NamedTuple):
    """Cost of attempts."""

    usd: float | None
    """None where none of it is known, or there was nothing to pay for."""
    unknown: int = 0
    """Attempts whose cost is not in it, since nobody knows it."""


def cost_of(rows: Sequence[Mapping[str, Any]]) -> Cost:
    """Of all of them together."""
    costs = [cost for row in rows if (cost := number(stat(row, "sum_cost_usd"))) is not None]
    return Cost(sum(costs) if costs else None, sum(whole(stat(row, "n_cost_unknown")) or 0 for row in rows))


def costs_apart(rows: Sequence[Mapping[str, Any]], simulated: Collection[str]) -> tuple[Cost, Cost]:
    """Of real models, and of these simulated ones."""
    real, pretended = ([row for row in rows if (str(stat(row, "model")) in simulated) == flag] for flag in (False, True))
    return cost_of(real), cost_of(pretended)


def parts_of(row: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The rows by stage and model, among all rows of statistics, that one of them adds up."""
    criteria = [(name, row[name]) for name in ("stage", "model") if row.get(name) is not None]
    return [part for part in rows if stat(part, "scope") == "stage_model" and all(part[name] == own for name, own in criteria)]


def with_simulated_costs(rows: Sequence[dict[str, Any]], simulated: Collection[str]) -> list[dict[str, Any]]:
    """Rows of statistics of real models and of these simulated ones: how much of each sum of costs, in USD, nobody was paid."""
    extended = []
    for row in rows:
        pretended = costs_apart(parts_of(row, rows), simulated)[1].usd
        column: StatsColumn = "sum_cost_simulated_usd"
        extended.append({**row, column: None if pretended is None else round(pretended, 9)})
    return extended


def from_cache_words(n: int) -> str:
    """Say how many replies were not asked for, since they were stored."""
    return f"{count_of(n, 'reply', 'replies')} came from the cache, an earlier run or an import, and cost nothing"


def ends_table(rows: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """Return how the attempts of each row ended: the columns, and a line of cells for each; "no text" only where there is such.

    A reply that is refused, empty or cut before any text is a reply, though statistics count it among their errors.
    """
    ends = [_ends(row) for row in rows]
    columns = [name for name in _ends({}) if name != NO_TEXT or any(end[NO_TEXT] for end in ends)]
    return columns, [["-" if end[name] is None else str(end[name]) for name in columns] for end in ends]


def without_text(row: Mapping[str, Any]) -> int:
    """Return how many errors of a row are replies: refused, empty, or cut before any text."""
    kinds = table_of(stat(row, "error_kinds"))
    return sum(whole(kinds.get(kind)) or 0 for kind in WITHOUT_TEXT)


def _ends(row: Mapping[str, Any]) -> dict[str, int | None]:
    """None = the row does not say."""
    bare = without_text(row)
    failed = whole(stat(row, "calls_error"))
    unsent = [n for name in UNSENT if (n := whole(stat(row, name))) is not None]
    return {
        "ok": whole(stat(row, "calls_ok")),
        NO_TEXT: bare,
        "error": None if failed is None else failed - bare,
        "timeout": whole(stat(row, "calls_timeout")),
        "not sent": sum(unsent) if unsent else None,
    }
