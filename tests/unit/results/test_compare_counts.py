"""Laws of counting pairs and means by bits: every number is the one that adding up question by question brings."""

from __future__ import annotations

from itertools import combinations

import pytest
from compared import items, restated, write_run
from hypothesis import example, given, settings
from hypothesis import strategies as st
from makers import few

from tui_eval.results.comparison.comparing import compare
from tui_eval.results.comparison.sides import read_run
from tui_eval.results.sums.differences import compared
from tui_eval.results.sums.means import estimate
from tui_eval.results.sums.metrics import RIGHT_OR_WRONG
from tui_eval.statistics.estimates import wilson

scores = st.lists(st.lists(st.sampled_from([0.0, 1.0, None]), min_size=3, max_size=3), min_size=2, max_size=40)
places = st.sampled_from(["q{}", "one", "{}"])
"""What a question's document is called: its own, that of all, or one that two of them share."""


@settings(few, max_examples=40)
@given(scores, places, st.booleans())
@example([[1.0, 0.0, None]] * 9, "q{}", False)
def test_bits_bring_what_every_question_by_itself_brings(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[float | None]], document: str, repeated: bool
) -> None:
    """Three sides of any answers, some missing; questions of one document and several answers are left to the longer way."""
    values = {name: [[row[i], 1.0] if repeated and i == 0 else row[i] for row in rows] for i, name in enumerate("abc")}
    lines = [
        restated(line, doc_id=document.format(line["q_index"] // 2 if document == "{}" else line["q_index"]))
        for line in items(values)
    ]
    run = read_run(write_run(tmp_path_factory.mktemp("runs") / "run", lines))
    board, every = run.board, {place: place for place in range(len(rows))}
    by_item = [
        (a, b, found)
        for a, b in combinations(board.series, 2)
        if (found := compared(board.series[a], board.series[b], RIGHT_OR_WRONG, board.items, every)) is not None
    ]

    assert board.found(board.series)[0] == by_item
    assert board.items.independent == (document == "q{}" or (document == "{}" and len(rows) < 2))
    if by_item:
        assert [pair.found for pair in compare([run]).pairs if pair.n] == [found for *_, found in by_item]
    for side, series in board.series.items():
        found = estimate(series, board.items, board.metric(side))
        means = list(series.means().values())
        assert (found.scored, found.asked, found.n) == (sum(series.scored), sum(series.asked), len(means))
        assert found.value == (pytest.approx(sum(means) / len(means)) if means else None)
        if series.single and (board.items.independent or len(means) == 1):
            assert (found.low, found.high) == (wilson(sum(means), len(means)) or (None, None))
