"""Laws of counting pairs by bits: every number is the one that adding up question by question brings."""

from __future__ import annotations

import pytest
from compared import items, write_run
from hypothesis import example, given, settings
from hypothesis import strategies as st
from makers import few

from tui_eval.results.comparison.comparing import bits_of, compare, counted, sides_of
from tui_eval.results.comparison.pairs import compared, corrected

scores = st.lists(st.lists(st.sampled_from([0.0, 1.0, None]), min_size=3, max_size=3), min_size=2, max_size=40)
places = st.sampled_from(["q{}", "one", "{}"])
"""What a question's document is called: its own, that of all, or one that two of them share."""


@settings(few, max_examples=40)
@given(scores, places, st.booleans())
@example([[1.0, 0.0, None]] * 9, "q{}", False)
def test_bits_bring_what_every_question_by_itself_brings(
    tmp_path_factory: pytest.TempPathFactory, rows: list[list[float | None]], document: str, mean: bool
) -> None:
    """Three sides of any answers, some missing; documents and means of several answers are left to the longer way."""
    values = {name: [[row[i], 1.0] if mean and i == 0 else row[i] for row in rows] for i, name in enumerate("abc")}
    lines = [
        {**line, "doc_id": document.format(line["q_index"] // 2 if document == "{}" else line["q_index"])}
        for line in items(values)
    ]
    sides = sides_of(write_run(tmp_path_factory.mktemp("runs") / "run", lines))
    found, bits = compare(sides), bits_of(sides)
    standing = {id(one.side): one for one in found.standings}
    pairs = [(standing[id(sides[i])], standing[id(sides[j])]) for i, j in ((0, 1), (0, 2), (1, 2))]

    assert found.pairs == corrected([compared(a, b) for a, b in pairs]) == corrected([counted(a, b, bits) for a, b in pairs])
    shared = document == "{}" and len(rows) > 4  # three documents at least
    assert len(bits) == (0 if shared else 3 - sides[0].repeated)
