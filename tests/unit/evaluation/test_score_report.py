"""The tables that every kind has: what was scored, with intervals on the metric's scale, and what was not counted and why."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import few
from oracles import gaffke

from tui_eval.core.kinds import Metric
from tui_eval.core.results import SampleResult, Score
from tui_eval.core.samples import Sample
from tui_eval.evaluation.inputs import Task
from tui_eval.evaluation.score_report import ScoreReport
from tui_eval.statistics.estimates import mean, wilson

RIGHT, MARK = Metric("right", threshold=1.0), Metric("mark", 1, 5, threshold=3)


def row(n: int, scores: Sequence[Score]) -> SampleResult:
    """A sample with these scores."""
    return SampleResult(Sample(f"q{n}", doc_id=f"q{n}", q_index=n), (), tuple(scores))


def score(name: str, value: float | None, why: str = "", model: str = "m") -> Score:
    """A score of the only answer."""
    return Score("answer", model, 0, name, value, why)


def table(metric: Metric, values: Sequence[Sequence[float | None]], name: str) -> dict[str, Any]:
    """The only row of a table, by its columns: `values` by question, None = no mark could be read."""
    report = ScoreReport(Task(config=None, asked={}), (metric,))
    for n, found in enumerate(values):
        report.add(row(n, [score(metric.name, value, "" if value is not None else "judge unparsed") for value in found]))
    made = report.tables()[name]
    assert len(made.rows) == 1 and all(len(row) == len(made.columns) for row in made.rows)
    return dict(zip(made.columns, made.rows[0], strict=True))


marks = st.lists(
    st.lists(st.none() | st.sampled_from([1.0, 2.0, 3.0, 4.0, 5.0]), min_size=1, max_size=3), min_size=1, max_size=12
)


@few
@given(marks)
def test_a_mean_of_marks_lies_on_its_scale_with_its_interval(values: list[list[float | None]]) -> None:
    """Every question counts once, however many marks it has; what has no mark is counted beside, never as a mark."""
    found: dict[str, Any] = table(MARK, values, "scores")
    means = [m for question in values if (m := mean([v for v in question if v is not None])) is not None]
    cell = found["mean"]

    assert found["n_total"].value == sum(map(len, values))
    assert found["n_judge_unparsed"].value == sum(v is None for question in values for v in question)
    expected = mean(means)
    assert (cell.value is None) == (expected is None)
    if expected is not None:
        assert abs(cell.value - expected) < 1e-9
        assert MARK.low <= cell.low <= cell.value <= cell.high <= MARK.high and cell.low < cell.high
        assert (cell.low, cell.high) == pytest.approx(gaffke(means, 1, 5), abs=1e-3) and cell.n == len(means)


@few
@given(st.lists(st.lists(st.sampled_from([0.0, 1.0]), min_size=1, max_size=3), min_size=1, max_size=12))
def test_right_or_wrong_is_an_accuracy(values: list[list[float]]) -> None:
    """Every question counts once, by the share of its answers that are right, with an interval around it; beside it counts."""
    found: dict[str, Any] = table(RIGHT, values, "accuracy")
    cell, flat = found["accuracy"], [value for question in values for value in question]

    assert cell.value == pytest.approx(fmean(map(fmean, values))) and cell.n == found["n_items"].value == len(values)
    assert (found["n_correct"].value, found["n_scored"].value) == (sum(flat), len(flat))
    assert 0 <= cell.low <= cell.value <= cell.high <= 1 and cell.low < cell.high
    if max(map(len, values)) == 1:
        assert (cell.low, cell.high) == wilson(sum(flat), len(flat))


def test_metrics_of_both_sorts_have_a_table_each() -> None:
    """One of accuracies, one of means; each row says which scores it rests on."""
    report = ScoreReport(Task(config=None, asked={}), (RIGHT, MARK))
    report.add(row(0, [score("right", 1), score("mark", 4), score("mark", None, "no reply: timeout", "n")]))

    tables = report.tables()

    assert set(tables) == {"accuracy", "scores"}
    assert [found["name"] for found in tables["scores"].rests_on if found] == ["mark", "mark"]
    assert "n_no_truth" not in tables["scores"].columns and "n_no_reply" in tables["scores"].columns
    assert len(report.headline()) == 2


def test_rows_of_several_right_or_wrong_metrics_can_be_told_apart() -> None:
    """By their keys, as repeats are added up by them, and by what a person reads."""
    report = ScoreReport(Task(config=None, asked={}), (RIGHT, Metric("terse", threshold=1.0)))
    report.add(row(0, [score("right", 1), score("terse", 0)]))

    made, told = report.tables()["accuracy"], report.headline()[0]

    at = [made.columns.index(name) for name in made.keys]
    assert len({tuple(cells[i].value for i in at) for cells in made.rows}) == 2
    assert [cells[told.columns.index("meaning")].value for cells in told.rows] == ["right", "terse"]
