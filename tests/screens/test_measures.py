"""Runs with several measures in the app: all of them at first, then each alone, on every part of results and comparison."""

from __future__ import annotations

from pathlib import Path

import pytest
from several import run_of_several
from snapshots import WALKED, Screens, walk_through

from tui_eval.tui.measures import measure_label, turned

RUN = "20260105_100000_eeee_several"


async def measures(at: Screens) -> None:
    """Results: what stands under one another, then a measure alone in summary, answers and charts; the comparison alike."""
    await at.see("measures_summary", "all 3 measures")
    await at.go("M")
    await at.see("measures_summary_right", "agree, 1 of 3 measures")
    await at.go("M", "M")
    await at.see("measures_summary_marks", "worth, 3 of 3 measures")
    await at.go("tab", "tab")
    await at.see("measures_answers", "[Answers]")
    await at.go("tab")
    await at.see("measures_chart", "Mean worth (1 to 5")
    await at.go("right", "right", "right")
    await at.see("measures_categories", "Mean worth (1 to 5, higher is better) by length")
    await at.go("M", "j")
    await at.see("measures_categories_of_all", "brief by length, 2 of 3: j k for others")
    await at.go("c")
    await at.see("measures_compare", "all 3 measures")
    await at.go("M", "M")
    await at.see("measures_compare_right", "brief, 2 of 3 measures")
    await at.go("M", "tab")
    await at.see("measures_compare_sides", "worth, 3 of 3 measures")
    await at.go("tab", "tab")
    await at.see("measures_compare_chart", "Mean worth (1 to 5")


@pytest.mark.soak
@pytest.mark.parametrize("size", WALKED, ids=["80x24", "120x40"])
async def test_a_person_chooses_the_measure(size: tuple[int, int], tmp_path: Path, place: Path) -> None:
    """One key goes through them, is named in the line of keys, and what is shown is said; each stays on its own scale."""
    await run_of_several(tmp_path / "made", place / "runs" / RUN)
    await walk_through(measures, size, place, "several")


def test_the_key_goes_round() -> None:
    """All, each alone, all again; where there is one measure there is nothing to choose, and nothing is said."""
    seen = [None, 0, 1, 2, None]
    assert [turned(chosen, 3) for chosen in seen[:-1]] == seen[1:]
    assert turned(None, 1) is None and measure_label(None, ["correct"]) == ""
    assert (
        measure_label(None, ["a", "b"]) == "all 2 measures" and measure_label(1, ["a", "b\x1b[2J"]) == "b␛[2J, 2 of 2 measures"
    )
