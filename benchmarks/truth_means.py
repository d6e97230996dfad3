"""Do intervals of means hold the mean: the product's rule, `bounded_mean`, and two others, over laws, units and clusters."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from truth_cells import Cell, Plan, Section
from truth_designs import CLUSTERS, FEW_UNITS, LAWS, UNITS, Design, Floats, draw_items
from truth_rules import Ends, t_up_to_wilson, t_with_floor

from tui_eval.statistics.bounded_means import bounded_mean

RULES = ("Gaffke (product)", "t with floor", "t with floor, up to Wilson")
COVERED, COVERED_BY_FOUR = 0.93, 0.90
"""How often an interval must hold the mean, from 6 units on, and of 4."""
ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Row:
    """How each rule did on a design: coverage and mean width, as a share of the scale."""

    design: Design
    cells: tuple[Cell, ...]
    widths: tuple[float, ...]


def section(plan: Plan) -> Section:
    """The tables."""
    designs = [Design(law, kind, n) for n in plan.sizes(UNITS, FEW_UNITS) for law in LAWS for kind in CLUSTERS]
    rows = plan.each(measure, designs)
    found = Section(["## Means: how often 95 % intervals hold the mean, and how wide they are"])
    found.lines += [
        "",
        f"At least {COVERED} of 6 units or more, {COVERED_BY_FOUR} of 4; widths as shares of the scale. Bold: beyond.",
    ]
    for row in rows:
        found.check(f"means, {row.design.law.name}, {row.design.clusters.name}, n {row.design.units}", row.cells[0])
    compare(found, rows, "least coverage of laws with a bound / mean width")
    by_design(found, rows)
    return found


def measure(plan: Plan, design: Design) -> Row:
    """Draws of one design."""
    law, draws = design.law, plan.draws(design.units)
    items = draw_items(design, plan.random("means", design), draws)
    values = np.stack([one.mean(axis=1) for one in items], axis=1)
    sizes = design.clusters.sizes(design.units).astype(np.float64)
    top = law.top(np.stack([one.max(axis=1) for one in items], axis=1))
    scaled = (values - law.low) / (top - law.low)[:, None]
    truth = (law.mean - law.low) / (top - law.low)
    least = (COVERED if design.units > 4 else COVERED_BY_FOUR) if law.bounded else 0.0
    cells, widths = [], []
    for low, high in (product_ends(scaled, sizes), t_with_floor(scaled, sizes), t_up_to_wilson(scaled, sizes)):
        held = np.sum((low <= truth + ROUNDING) & (truth - ROUNDING <= high))
        cells.append(Cell(float(held), draws, least=least))
        widths.append(float(np.mean(high - low)))
    return Row(design, tuple(cells), tuple(widths))


def product_ends(scaled: Floats, sizes: Floats) -> Ends:
    """By the product's own function; runs of the same values in another order are asked for once."""
    unequal = tuple(sizes) if np.ptp(sizes) else ()
    rows = scaled if unequal else np.sort(scaled, axis=1)
    kept = lru_cache(maxsize=200_000)(lambda values: bounded_mean(values, 0, 1, unequal))
    ends = np.array([kept(tuple(row)) for row in np.clip(rows, 0, 1).tolist()])
    return ends[:, 0], ends[:, 1]


def compare(found: Section, rows: list[Row], title: str) -> None:
    """The rules side by side, by units."""
    units = sorted({row.design.units for row in rows})
    lines = []
    for place, rule in enumerate(RULES):
        cells = []
        for n in units:
            inside = [row for row in rows if row.design.units == n and row.design.law.bounded]
            worst = min((row.cells[place] for row in inside), key=lambda cell: cell.rate)
            cells.append(f"{worst} / {np.mean([row.widths[place] for row in inside]):.3f}")
        lines.append([rule, *cells])
    found.table([title, *map(str, units)], lines)


def by_design(found: Section, rows: list[Row]) -> None:
    """The product's rule on each design."""
    units = sorted({row.design.units for row in rows})
    lines = []
    for law in LAWS:
        for kind in CLUSTERS:
            inside = {row.design.units: row for row in rows if (row.design.law, row.design.clusters) == (law, kind)}
            name = law.name + ("" if law.bounded else " (no bound)")
            lines.append([f"{name}; {kind.name}", *(f"{inside[n].cells[0]} {inside[n].widths[0]:.2f}" for n in units)])
    found.table([f"{RULES[0]}: coverage, width", *map(str, units)], lines)
