"""Rows held as JSON text read as they were put in."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_eval.core.lazy_sequence import PackedRows
from tui_eval.results.tables import content_parts

PLAIN = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3), max_leaves=6
)
ROWS = st.lists(st.dictionaries(st.text(), VALUES, max_size=4), max_size=6)


@given(ROWS)
def test_rows_are_what_was_appended(rows: list[dict[str, object]]) -> None:
    """By place, in order, as a slice, and as JSON."""
    packed = PackedRows()
    for row in rows:
        packed.append(row)

    assert len(packed) == len(rows) and bool(packed) == bool(rows)
    assert list(packed) == rows and packed[1:] == rows[1:]
    assert [packed[place] for place in range(len(rows))] == rows
    assert json.loads("".join(content_parts("x.json", packed))) == rows


def test_no_row_holds_what_json_cannot_say() -> None:
    """A value that is no number is an error where it is put in, not where it is read."""
    packed = PackedRows()
    with pytest.raises(ValueError):
        packed.append({"x": math.nan})
    assert len(packed) == 0
