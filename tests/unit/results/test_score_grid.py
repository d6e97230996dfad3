"""Laws of the grid of scores: every score of a metric stands in one cell, and what has none is told apart."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tui_eval.core.kinds import Metric
from tui_eval.results.score_grid import Degraded, GridCell, GridColumn, GridRow, ScoreGrid
from tui_eval.results.stored_run import StoredRun
from tui_eval.results.stored_samples import Judgement, judgements
from tui_eval.tui.screens.result.grid_cells import ASCII_SIGNS, SIGNS, cell_text, value_text

MARKS = Metric("worth", 1, 5, threshold=3)
SCALE = {"worth": {"low": 1, "high": 5, "better": "higher", "threshold": 3}}


def sample(model: str, doc: str, values: dict[int, float | None]) -> dict[str, Any]:
    """A line of results.jsonl: a model's answers to the turns of a conversation."""
    common = {"stage": "answer", "model": model}
    replies = [{**common, "call_index": place, "status": "ok", "text": "so"} for place in values]
    scores = [
        {**common, "call_index": place, "name": name, "value": value}
        for place, value in values.items()
        for name in ("worth", "x")
    ]
    return {"item_id": f"{model}/{doc}", "doc_id": doc, "replies": replies, "scores": scores, "metrics": SCALE}


def grid_of(folder: Path, samples: list[dict[str, Any]], metric: str | None = "worth") -> ScoreGrid:
    """The grid of these samples, filled."""
    (folder / "results.jsonl").write_text("".join(json.dumps(one) + "\n" for one in [*samples, {"no": "sample"}]))
    answers = StoredRun(folder / "results.jsonl")
    grid = ScoreGrid(answers, metric)
    for job in (answers, grid):
        while job.behind():
            job.advance(1.0)
    return grid


def test_turns_down_and_models_across(tmp_path: Path) -> None:
    """Each turn a row under its conversation, the same for all models; the conversation has the scores of all its turns."""
    grid = grid_of(tmp_path, [sample("a", "c1", {0: 5, 1: 2}), sample("b", "c1", {0: 4, 1: None}), sample("a", "c2", {0: 3})])
    one, two = GridRow("c1", 0, 0, None), GridRow("c2", 0, 0, None)
    a, b = GridColumn("answer", "a"), GridColumn("answer", "b")
    assert grid.rows == {one: [one._replace(turn=0), one._replace(turn=1)], two: [two]} and list(grid.columns) == [a, b]
    assert [cell.value for cell in grid.of(one, a)] == [5, 2] and [cell.value for cell in grid.of(one, b)] == [4, None]
    assert [cell.value for cell in grid.of(one._replace(turn=1), a)] == [2]
    assert [cell.value for cell in grid.of(two, a)] == [3] and grid.of(two, b) == []
    assert grid.has_turns and grid.metric == MARKS
    assert grid_of(tmp_path, [sample("a", "c1", {0: 5})], None).metric == MARKS


def test_an_answer_to_several_questions_shows_all_its_scores(tmp_path: Path) -> None:
    """None of them stands for the others: the cell has their mean, and says how many have no mark."""
    one = sample("a", "page", {0: 5})
    one["scores"] += [{**one["scores"][0], "value": value} for value in (2, None)]
    grid = grid_of(tmp_path, [one])
    cells = grid.of(GridRow("page", 0, 0, None), GridColumn("answer", "a"))
    assert [cell.value for cell in cells] == [5, 2, None]
    assert cell_text(cells, MARKS, 0)[0] == "3?"


def test_each_state_has_a_sign_of_its_own() -> None:
    """A mark, one of a degraded turn, no answer, no mark, refused, not asked: told apart by their text, without colours."""
    mark, lost = GridCell(0, 0, 4, True, ""), GridCell(0, 0, None, False, "no reply")
    unread, declined = GridCell(0, 0, None, True, "unparsed"), GridCell(0, 0, None, False, "refused", refused=True)
    said = [
        cell_text([mark], MARKS, 0), cell_text([mark], MARKS, 1), cell_text([lost], MARKS, 0), cell_text([unread], MARKS, 0),
        cell_text([declined], MARKS, 0), cell_text([], MARKS, 0), cell_text([GridCell(0, 0, 2.5, True, "")], MARKS, 0),
    ]  # fmt: skip
    assert [text for text, _ in said] == ["4", "4~", "!", "?", "⊘", "·", "2⁵"] and said[-1][1] == "bad"
    assert [cell_text([each], MARKS, 0, ASCII_SIGNS)[0] for each in (mark, lost, unread, declined)] == ["4", "!", "?", "/"]
    assert cell_text([mark, mark, lost, unread], MARKS, 2)[0] == "4!" and cell_text([lost, lost], MARKS, 0)[0] == "!"


def test_a_wrong_answer_shows_its_letter() -> None:
    """Right is a sign; wrong the letter that was read, a sign where nothing was read or the model declined, else a cross."""
    right = Metric("right", threshold=1)
    cells = [
        GridCell(0, 0, 1, True, "", "B"), GridCell(0, 0, 0, True, "", "C"), GridCell(0, 0, 0, True, "ambiguous"),
        GridCell(0, 0, 0, True, "refusal", refused=True), GridCell(0, 0, 0, True, ""),
    ]  # fmt: skip
    assert [cell_text([each], right, 0)[0] for each in cells] == ["✓", "C", "?", "⊘", "✗"]
    assert [cell_text([each], right, 0, ASCII_SIGNS)[0] for each in cells] == ["v", "C", "?", "/", "x"]


@given(value=st.floats(-2000, 2000) | st.integers(-2000, 2000), high=st.sampled_from([1.0, 5.0, 10.0, 100.0, 1e9]))
def test_a_score_fits_in_two_columns(value: float, high: float) -> None:
    """Whatever it is, in either set of signs; different signs for 0, for what is close to 0, and for what is close to 1."""
    metric = Metric("m", 0, high)
    for signs in (SIGNS, ASCII_SIGNS):
        assert 1 <= len(value_text(value, metric, signs)) <= 2
    unit = Metric("m", 0, 1)
    assert [value_text(each, unit) for each in (0.0, 0.001, 0.05, 0.29, 0.97, 0.9999, 1.0)] == [
        "0",
        "01",
        "05",
        "29",
        "97",
        "99",
        "1",
    ]


def test_a_row_is_added_up_as_its_cells_are(tmp_path: Path) -> None:
    """n, mean, how many pass and whether models differ are those of the cells that have a value."""
    samples = [sample("a", "c1", {0: 5, 1: 2}), sample("b", "c1", {0: 4, 1: None})]
    grid = grid_of(tmp_path, [*samples, sample("a", "c2", {0: 3}), sample("b", "c2", {0: 3})])
    for row in [*grid.rows, *(turn for turns in grid.rows.values() for turn in turns)]:
        values = [cell.value for column in grid.columns for cell in grid.of(row, column) if cell.value is not None]
        tally = grid.tally(row)
        assert (tally.n, tally.right, tally.differs) == (len(values), sum(v >= 3 for v in values), len(set(values)) > 1)
        assert tally.mean == (sum(values) / len(values) if values else None)


def test_degraded_turns_are_those_that_the_evaluation_names() -> None:
    """Whatever else stands in that file, which may be anybody's."""
    entry = {"model": "a", "conversation": "c1", "repeat": 0, "turn": 2, "degraded": True}
    odd = [None, {"turn": []}, {**entry, "model": ["a"]}, {**entry, "turn": 3, "degraded": "yes"}]
    found = Degraded({"results": [entry, *odd]})
    row, column = GridRow("c1", 0, 0, 1), GridColumn("answer", "a")
    assert found.holds(row, column, GridCell(0, 1, 4, True, ""))
    assert not found.holds(row, column, GridCell(0, 2, 4, True, ""))
    assert not Degraded({"results": "none"}).holds(row, column, GridCell(0, 1, 4, True, ""))


def test_what_judges_said_is_read_from_what_a_score_keeps() -> None:
    """Reasons, claims with their verdicts, several judges; nothing of anything else."""
    claims = [{"claim": "It is so.", "verdict": "supported", "quote": "so"}, 5]
    read = json.dumps({"marks": {"one": 5, "two": "x"}, "details": {"one": "why", "three": claims}})
    assert judgements(read) == [
        Judgement("one", 5, "why"), Judgement("two", None, ""),
        Judgement("three", None, "", (("supported", "It is so.", "so"),)),
    ]  # fmt: skip
    for odd in (None, "", "D", "[]", '{"marks": 3}', "[" * 100_000):
        assert judgements(odd) == []
