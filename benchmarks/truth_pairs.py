"""Do tests of pairs call equal sides different: the product's rule, `score_difference`, and exact sign flips."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from truth_cells import Cell, Plan, Section
from truth_designs import CLUSTERS, FEW_UNITS, LAWS, SKEWED, UNITS, Design, Floats, draw_items
from truth_rules import exact_flips

from tui_eval.statistics.score_differences import score_difference

RULES = ("t with floor (product)", "exact flips, inverted")
POINT = 1e-9
CALLED = 0.06
"""How often equal sides may be called different at most, at p < 0.05."""


@dataclass(frozen=True, slots=True)
class Row:
    """How each rule did on a design: how often it found a difference where there is none, and mean width / span."""

    design: Design
    cells: tuple[Cell, ...]
    widths: tuple[float, ...]
    points: tuple[float, ...]
    """The share of intervals of width 0, which none may have."""


def section(plan: Plan) -> Section:
    """The tables."""
    designs = [Design(law, kind, n) for n in plan.sizes(UNITS, FEW_UNITS) for law in (*LAWS, SKEWED) for kind in CLUSTERS]
    rows = plan.each(measure, designs)
    found = Section(["## Pairs: how often p < 0.05 where both sides draw from one law, and how wide 95 % intervals are"])
    found.lines += [
        "",
        f"At most {CALLED} at every n; widths as shares of 2 spans, up to which differences go; bold: beyond the bound.",
    ]
    for row in rows:
        found.check(f"pairs, {row.design.law.name}, {row.design.clusters.name}, n {row.design.units}", row.cells[0])
    found.broken += [f"pairs, {row.design}: intervals of width 0" for row in rows if row.points[0]]
    compare(found, rows)
    by_design(found, rows)
    return found


def measure(plan: Plan, design: Design) -> Row:
    """Draws of one design."""
    law, draws = design.law, plan.draws(design.units)
    items = draw_items(design, plan.random("pairs", design), draws, paired=True)
    joined, sizes = np.concatenate(items, axis=1), design.clusters.sizes(design.units)
    spans = np.maximum(law.high - law.low if law is not SKEWED else 4, np.abs(joined).max(axis=1))
    found = product(joined, sizes, spans)
    sums = np.stack([one.sum(axis=1) for one in items], axis=1)
    low, high = (np.clip(ends, -spans, spans) for ends in exact_flips(sums, sizes.astype(np.float64)))
    called = ((low > 0) | (high < 0)).sum()
    cells = [Cell(float(number), draws, most=CALLED if law.bounded else 1.0) for number in ((found[:, 0] < 0.05).sum(), called)]
    widths = [float(np.mean((one[:, 1] if one.ndim > 1 else one) / (2 * spans))) for one in (found, high - low)]
    points = [float(np.mean((one[:, 1] if one.ndim > 1 else one) < POINT)) for one in (found, high - low)]
    return Row(design, tuple(cells), tuple(widths), tuple(points))


def product(items: Floats, sizes: np.ndarray[tuple[int], np.dtype[np.int64]], spans: Floats) -> Floats:
    """p and width by the product's own function; runs of the same differences in another order are asked for once."""
    clusters, single = np.repeat(np.arange(len(sizes)), sizes).tolist(), bool(sizes.max() == 1)

    @lru_cache(maxsize=200_000)
    def kept(differences: tuple[float, ...], span: float) -> tuple[float, float]:
        difference = score_difference(differences, clusters, span)
        low, high = difference.interval()
        return difference.p, high - low

    rows = (np.sort(items, axis=1) if single else items).tolist()
    return np.array([kept(tuple(row), span) for row, span in zip(rows, spans.tolist(), strict=True)])


def compare(found: Section, rows: list[Row]) -> None:
    """The rules side by side, by units."""
    units = sorted({row.design.units for row in rows})
    lines = []
    for place, rule in enumerate(RULES):
        cells = []
        for n in units:
            inside = [row for row in rows if row.design.units == n and row.design.law.bounded]
            worst = max((row.cells[place] for row in inside), key=lambda cell: cell.rate)
            points = max(row.points[place] for row in inside)
            cells.append(f"{worst} / {np.mean([row.widths[place] for row in inside]):.3f}" + f" ({points:.2f})" * (points > 0))
        lines.append([rule, *cells])
    title = "most often called different, of laws with a bound / mean width (the largest share of intervals of width 0)"
    found.table([title, *map(str, units)], lines)


def by_design(found: Section, rows: list[Row]) -> None:
    """The product's rule on each design."""
    units = sorted({row.design.units for row in rows})
    lines = []
    for law in (*LAWS, SKEWED):
        for kind in CLUSTERS:
            inside = {row.design.units: row for row in rows if (row.design.law, row.design.clusters) == (law, kind)}
            name = law.name + ("" if law.bounded else " (no bound)")
            lines.append([f"{name}; {kind.name}", *(f"{inside[n].cells[0]} {inside[n].widths[0]:.2f}" for n in units)])
    found.table([f"{RULES[0]}: called different, width", *map(str, units)], lines)
