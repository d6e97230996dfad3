"""Laws of what `benchmarks/truth.py` prints: a cell is beyond its bound where it surely is, and rules are what they say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from oracles import sign_flip
from truth_cells import Cell, Plan, Section
from truth_designs import CLUSTERS, LAWS, Clusters, Design, draw_items
from truth_rules import exact_flips, t_up_to_wilson, t_with_floor

ROOT = Path(__file__).resolve().parents[3]


def test_a_cell_is_beyond_its_bound_only_where_it_surely_is() -> None:
    """92 % of 10,000 are surely not 93 %, 92.5 % may be; and what is beyond is written down."""
    section = Section()
    cells = [Cell(held, 10_000, least=0.93) for held in (9_200, 9_250, 9_400)]
    above = [Cell(held, 10_000, most=0.06) for held in (590, 650, 700)]

    assert [cell.beyond for cell in cells] == [True, False, False]
    assert [cell.beyond for cell in above] == [False, False, True]
    assert list(map(str, [cells[0], cells[2]])) == ["**.920**", ".940"]
    section.check("a", cells[0])
    section.check("b", cells[1])
    assert [one.split(":")[0] for one in section.broken] == ["a"]


def test_draws_depend_on_the_seed_and_the_design_alone() -> None:
    """In whatever order cells are drawn; another seed draws others."""
    design = Design(LAWS[0], CLUSTERS[2], 6)
    once, again, other = (
        np.concatenate(draw_items(design, Plan(seed, True).random("means", design), 20), axis=1) for seed in (1, 1, 2)
    )

    assert (once == again).all() and (once != other).any()
    assert once.shape == (20, sum(CLUSTERS[2].sizes(6).tolist()))


def test_items_of_a_unit_are_as_alike_as_is_said() -> None:
    """Their correlation in 40,000 draws; and each item is drawn from the law."""
    design = Design(LAWS[0], Clusters("two", "equal", 0.3), 1)
    items = draw_items(design, Plan(1, False).random("alike"), 40_000)[0]

    assert np.corrcoef(items[:, 0], items[:, 1])[0, 1] == pytest.approx(0.3, abs=0.02)
    assert items.mean() == pytest.approx(LAWS[0].mean, abs=0.02)


def test_exact_flips_leave_out_0_where_their_p_is_below_5_percent() -> None:
    """Of 8 differences without ties, against every pattern of signs, at 2.5 % on either side."""
    drawn = np.random.default_rng(3).normal(0.7, 1, (200, 8))
    low, high = exact_flips(drawn, np.ones(8))
    left_out = (low > 0) | (high < 0)

    assert 20 < left_out.sum() < 180
    for row, out in zip(drawn.tolist(), left_out.tolist(), strict=True):
        p = sign_flip(row)
        assert out == (p < 0.05) or abs(p - 0.05) < 2 / 2**8


def test_sign_flips_give_the_reference_values(vectors: dict[str, Any]) -> None:
    """The p that exact flips are held against is that of METHOD.md 2.3."""
    for case in vectors["numeric"]["sign_flip_permutation"]["cases"]:
        if sum(map(bool, case["inputs"]["d"])) <= 16:
            assert sign_flip(case["inputs"]["d"]) == pytest.approx(case["expected"]["p"], abs=1e-6), case["id"]


def test_a_rule_up_to_wilson_is_never_wider() -> None:
    """And both hold the mean, on the scale."""
    values = np.random.default_rng(4).choice([0.0, 0.75, 1.0], (50, 7), p=[0.05, 0.15, 0.8])
    (low, high), (inner, outer) = t_with_floor(values, np.ones(7)), t_up_to_wilson(values, np.ones(7))
    mean = values.mean(axis=1)

    assert ((low <= inner) & (outer <= high) & (low >= 0) & (high <= 1)).all()
    assert ((inner <= mean + 1e-12) & (mean - 1e-12 <= outer)).all()


@pytest.mark.parametrize("name", ["items", pytest.param("certificates", marks=pytest.mark.soak)])
def test_a_fast_section_is_within_its_bounds_in_short(name: str) -> None:
    """Sections that take seconds are tried each time; noise and judges, which take longer, with all others in the soak test."""
    command = [sys.executable, "benchmarks/truth.py", "--short", "--section", name, "--workers", "1"]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert printed.returncode == 0, printed.stdout[-2_000:] + printed.stderr[-2_000:]
    assert "Beyond a bound: nothing." in printed.stdout


@pytest.mark.soak
def test_nothing_is_beyond_a_bound_in_short() -> None:
    """All sections with few draws, as the command prints them, with the seed."""
    command = [sys.executable, "benchmarks/truth.py", "--short"]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)

    assert printed.returncode == 0, printed.stdout[-2_000:] + printed.stderr[-2_000:]
    assert "Seed 2" in printed.stdout and "Beyond a bound: nothing." in printed.stdout
