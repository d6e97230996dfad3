"""Laws of comparisons of marks: by their metric and never by their values, within its scale, whichever way it goes."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from compared import item, items, write_run, written
from hypothesis import given, settings
from hypothesis import strategies as st
from makers import few

from tui_eval.core.errors import ConfigError
from tui_eval.results.comparison import files as compare_files
from tui_eval.results.comparison.comparing import Comparison, compare_runs
from tui_eval.results.comparison.text import verdict
from tui_eval.tui.charts import Intervals, Scatter, Swarm
from tui_eval.tui.screens.compare import pictures
from tui_eval.tui.widgets.drawing import drawing

marks = st.lists(st.tuples(*[st.integers(1, 5)] * 3), min_size=2, max_size=12)


def scale(low: float = 1, high: float = 5, better: str = "higher", threshold: float | None = 3) -> dict[str, Any]:
    """What a file says of a metric."""
    return {"low": low, "high": high, "better": better, "threshold": threshold}


def marked(
    path: Path, by_metric: dict[str, dict[str, Sequence[float]]], scales: dict[str, Any], calls: dict[str, Any] | None = None
) -> Path:
    """A run whose models have these marks by these metrics."""
    found: dict[str, dict[str, Any]] = {}
    for name, by_model in by_metric.items():
        for line in items(by_model, metrics=scales):
            scores = [{**score, "name": name} for score in line["scores"]]
            kept = found.setdefault(line["item_id"], {**line, "scores": []})
            kept["scores"] = [*kept["scores"], *scores]
    return write_run(path, list(found.values()), calls)


@settings(few, max_examples=30)
@given(marks, st.sampled_from([(1, 5), (0, 10), (-2, 7)]))
def test_the_same_marks_upside_down_are_ranked_the_same(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[int, int, int]], ends: tuple[int, int]
) -> None:
    """Where less is better, who does better, ranks and words are those of the mirrored marks; differences change signs."""
    path, (low, high) = tmp_path_factory.mktemp("runs"), ends
    upright: dict[str, Sequence[float]] = {name: [row[i] for row in rows] for i, name in enumerate("abc")}
    turned = {name: [low + high - mark for mark in values] for name, values in upright.items()}
    one = compare_runs([marked(path / "up", {"m": upright}, {"m": scale(low, high)})])
    other = compare_runs([marked(path / "down", {"m": turned}, {"m": scale(low, high, "lower")})])

    assert [standing.rank for standing in one.standings] == [standing.rank for standing in other.standings]
    for pair, mirrored in zip(one.pairs, other.pairs, strict=True):
        assert mirrored.found.value == pytest.approx(-(pair.found.value or 0))
        assert (mirrored.found.low, mirrored.found.high) == pytest.approx((-(pair.found.high or 0), -(pair.found.low or 0)))
        assert (pair.a_better, pair.b_better) == (mirrored.a_better, mirrored.b_better)
        assert pair.found.p == pytest.approx(mirrored.found.p)
        assert (pair.better and pair.better.label) == (mirrored.better and mirrored.better.label)
        assert verdict(pair).replace("better by", "better (lower) by") == verdict(mirrored)
        assert [flip.a_better for flip in one.flips(pair)] == [flip.a_better for flip in other.flips(mirrored)]


@settings(few, max_examples=30)
@given(marks)
def test_no_interval_ends_beyond_the_scale(tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[int, int, int]]) -> None:
    """Marks of 1 are no certainty of being right: means and differences, all of them within what the scale can have."""
    path = tmp_path_factory.mktemp("runs")
    found = compare_runs([marked(path / "run", {"m": {n: [r[i] for r in rows] for i, n in enumerate("abc")}}, {"m": scale()})])

    for standing in found.standings:
        score = standing.score
        assert score.low is not None and score.high is not None and score.value is not None
        assert 1 <= score.low <= score.value <= score.high <= 5
    for pair in found.pairs:
        value, low, high = pair.found.value, pair.found.low, pair.found.high
        assert low is not None and high is not None and value is not None
        assert -4 <= low < high <= 4 and low <= value <= high and not pair.share
    assert "%]" in compare_files.text(found) and " %" not in compare_files.text(found).replace("95 %", "")


def of_ones(path: Path) -> Comparison:
    """Marks that look like right and wrong: 1 and 2 of 5; beside them a metric that is right or wrong."""
    by_metric: dict[str, dict[str, Sequence[float]]] = {
        "faithful": {"a": [1, 1, 1, 2], "b": [1, 1, 1, 1]},
        "correct": {"a": [1, 1, 0, 1], "b": [0, 1, 0, 1]},
    }
    scales = {"faithful": scale(), "correct": scale(0, 1, threshold=1)}
    return compare_runs([marked(path, by_metric, scales, dict.fromkeys("ab", (2, 0.1)))])


def test_marks_of_one_are_no_hundred_per_cent(tmp_path: Path) -> None:
    """Each metric in its own unit, in what is printed and written; which it is stands beside every figure."""
    comparison = of_ones(tmp_path / "run")
    printed, files = compare_files.text(comparison), written(comparison, tmp_path / "out")

    assert "faithful (1 to 5, higher is better)" in printed and "1.25 [1.01, 3.52]" in printed
    assert "correct (right or wrong)" in printed and "75.0 [30.1, 95.4]" in printed
    assert max(map(len, printed.splitlines())) <= 80
    pairs = list(csv.DictReader(files["compare.csv"].splitlines()))
    assert [(row["measure"], float(row["scale_high"]), row["a_better"]) for row in pairs] == [
        ("faithful", 5, "1"),
        ("correct", 1, "1"),
    ]
    assert [row["by"] for row in csv.DictReader(files["flips.csv"].splitlines())] == ["1.0", "1.0"]
    assert json.loads(files["compare.json"])["metrics"]["faithful"]["high"] == 5
    assert len({line.count("|") for line in files["compare.md"].splitlines() if line.startswith("|")}) == 2


def test_each_metric_has_a_chart_on_its_own_scale(tmp_path: Path) -> None:
    """Scores, costs and categories of each metric in turn: axes from its low to its high, every side on them."""
    comparison = of_ones(tmp_path / "run")
    for place, (name, low, high) in enumerate([("faithful", 1, 5), ("correct", 0, 1)]):
        score, cost, groups = (make(comparison, place) for make in (pictures.scores, pictures.costs, pictures.categories))

        for picture, kind in ((score, Intervals), (cost, Scatter), (groups, Swarm)):
            assert isinstance(picture.drawn, kind) and name in picture.choices[place]
            assert (picture.drawn.scale.low, picture.drawn.scale.high) == (low, high)
            last = drawing(picture, 100, 20)
            assert not any("cannot be drawn" in line for line in last)
        axis = drawing(score, 100, 20)[-1].split()
        assert axis == (["1", "2", "3", "4", "5"] if high == 5 else ["0", "%", "25", "%", "50", "%", "75", "%", "100", "%"])


def test_other_scales_are_not_compared(tmp_path: Path) -> None:
    """Marks of one name, of 5 in one run and of 10 in the other, are no pair."""
    values: dict[str, dict[str, Sequence[float]]] = {"m": {"a": [1, 2, 3]}}
    runs = [marked(tmp_path / str(high), values, {"m": scale(1, high)}) for high in (5, 10)]
    with pytest.raises(ConfigError, match="no stage has scores in two of the runs"):
        compare_runs(runs)


def test_scores_beyond_their_scale_are_told(tmp_path: Path) -> None:
    """What lies on no scale is not cut to one without a word."""
    found = compare_runs([marked(tmp_path / "run", {"m": {"a": [7, 9], "b": [2, 3]}}, {"m": scale()})])
    low, high = found.standings[0].score.low, found.standings[0].score.high

    assert any("beyond their scale (m: 1 to 5)" in note for note in found.notes)
    assert low is not None and high is not None and low <= 8 <= high and math.isfinite(low)
    assert "1 with a score outside 1 to 5" in pictures.scores(found).about


@pytest.mark.parametrize(("better", "best"), [("higher", "B"), ("lower", "A")])
def test_the_star_goes_to_what_is_better(better: str, best: str, tmp_path: Path) -> None:
    """At one price the better mark alone has the capital letter, whichever way its scale goes."""
    values: dict[str, dict[str, Sequence[float]]] = {"m": {"a": [1, 2], "b": [4, 5]}}
    run = marked(tmp_path / "run", values, {"m": scale(better=better)}, dict.fromkeys("ab", (2, 0.1)))
    drawn = pictures.costs(compare_runs([run]), 0).drawn

    assert isinstance(drawn, Scatter)
    assert [letter for letter, _, _ in drawn.points if letter.isupper()] == [best]


NARROW = {"answered": 4, "abstained": 2}
"""Questions of each metric; one concerns some of them only."""


@given(st.lists(st.booleans(), min_size=4, max_size=4))
@settings(few, max_examples=16)
def test_other_questions_are_told_within_a_metric_alone(tmp_path_factory: pytest.TempPathFactory, whole: list[bool]) -> None:
    """Metrics may concern different questions; the note stands just where, by one of them, two models were asked different."""
    lacking = {("answered", "a"): 0, ("answered", "b"): 1, ("abstained", "a"): 2, ("abstained", "b"): 3}
    by_metric: dict[str, dict[str, Sequence[float]]] = {
        name: {model: [1.0] * (n if whole[lacking[name, model]] else n - 1) for model in "ab"} for name, n in NARROW.items()
    }
    path = tmp_path_factory.mktemp("runs") / "run"
    found = compare_runs([marked(path, by_metric, dict.fromkeys(NARROW, scale(0, 1, threshold=1)))])

    differ = whole[0] != whole[1] or whole[2] != whole[3]
    assert any("asked the same questions" in note for note in found.notes) == differ


def test_other_questions_are_told_within_a_stage_alone(tmp_path: Path) -> None:
    """What two models answered in one stage is not what they were asked in another."""
    lines = [item(model, number, 1.0) for model in "ab" for number in range(4)]
    for line in lines[1:4:2] + lines[5::2]:
        line["scores"] = [{**score, "stage": "second"} for score in line["scores"]]
    same = compare_runs([write_run(tmp_path / "same", lines)])
    other = compare_runs([write_run(tmp_path / "other", lines[:-1])])

    assert same.stages == ["answer", "second"]
    assert not any("asked the same questions" in note for note in same.notes)
    assert any("asked the same questions" in note for note in other.notes)
