"""Laws of the charts of a comparison: every side that is not drawn is counted with the reason, simulated ones are named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from compared import items, write_run

from tui_eval.results.comparison.comparing import Comparison, compare_runs
from tui_eval.tui.charts import Intervals, Scatter, Swarm
from tui_eval.tui.screens.compare import pictures

YES, NO = 1.0, 0.0


def of_five(path: Path) -> Comparison:
    """Two sides that can be drawn; one each without a score, with scores beyond 1, without calls in the log."""
    scores = {"a": [YES, NO], "b": [NO, YES], "failed": [None, None], "wide": [3.0, 4.0], "unpriced": [YES, YES]}
    return compare_runs([write_run(path, items(scores), dict.fromkeys(("a", "b", "failed", "wide"), (2, 0.1)))])


def test_every_side_that_is_not_drawn_is_counted_with_its_reason(tmp_path: Path) -> None:
    """Drawn and not drawn are all sides, in each chart; a side counts once, for the first reason that holds."""
    comparison = of_five(tmp_path / "run")
    scores, costs, groups = (
        made(comparison) for made in (pictures.scores, lambda c: pictures.costs(c, 0), lambda c: pictures.categories(c, 0))
    )
    both = "1 without a score, 1 with a score outside 0 to 1"

    assert isinstance(scores.drawn, Intervals) and len(scores.drawn.spreads) == 3
    assert f"Not drawn: 2 of 5 sides ({both})." in scores.about
    assert isinstance(costs.drawn, Scatter) and len(costs.drawn.points) == 2
    assert f"Not drawn: 3 of 5 sides ({both}, 1 without a known cost)." in costs.about
    assert isinstance(groups.drawn, Swarm) and len(groups.legend) == 3
    assert f"Not drawn: 2 of 5 sides ({both})." in groups.about


def test_what_is_beyond_the_most_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """More sides or categories than can be drawn are told by their number; where all are drawn nothing is said."""
    names = [f"m{number}" for number in range(28)]
    run = write_run(tmp_path / "run", items({name: [YES, NO] for name in names}), dict.fromkeys(names, (2, 0.1)))
    comparison = compare_runs([run])

    assert "Not drawn: 2 of 28 sides (2 beyond the first 26)." in pictures.costs(comparison, 0).about
    assert "Not drawn: 2 of 28 sides (2 beyond the first 26)." in pictures.categories(comparison, 0).about
    assert "ot drawn" not in pictures.scores(comparison).about
    monkeypatch.setattr(pictures, "MOST", 1)
    assert "Not drawn: 27 of 28 sides (27 beyond the first 1)." in pictures.scores(comparison).about
    assert "1 categories beyond the first 1 are not drawn." in pictures.categories(comparison, 0).about


def test_where_nothing_is_drawn_the_reasons_are_told(tmp_path: Path) -> None:
    """Empty charts say why of every side."""
    comparison = compare_runs([write_run(tmp_path / "run", items({"a": [3.0, 4.0], "b": [None, None]}))])

    for picture in (pictures.scores(comparison), pictures.costs(comparison, 0)):
        assert picture.drawn is None
        assert "Not drawn: 2 of 2 sides (1 without a score, 1 with a score outside 0 to 1)." in picture.about


def test_a_chart_names_the_simulated_side(tmp_path: Path) -> None:
    """One simulated run of two: its side is named; that no model was asked is said only where both are simulated."""
    runs = [write_run(tmp_path / name, items({"a": [YES, NO]})) for name in ("one", "two")]
    for run, words in zip(runs, ("a @1 is simulated.", "Simulated: no model was asked."), strict=True):
        manifest = json.loads((run / "manifest.json").read_text())
        (run / "manifest.json").write_text(json.dumps({**manifest, "simulated": True}))
        comparison = compare_runs(runs)

        for picture in (pictures.scores(comparison), pictures.categories(comparison, 0)):
            assert picture.about.endswith(f" {words}") and picture.about.count("imulated") == 1
