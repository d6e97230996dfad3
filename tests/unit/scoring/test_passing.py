"""When a sample passes: all that take part pass, or their weighted mean reaches the threshold; one missing: unknown."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tui_eval.evaluation.scoring.passing import passed, passes, takes_part, unit_value
from tui_eval.evaluation.scoring.scorer_table import row_of


def rows_of(*rows: Any) -> list[Any]:
    """Rows as a config has them."""
    return [row_of(row) for row in rows]


F1 = {"use": "f1", "threshold": 0.5}
SHORT = {"use": "length", "threshold": 10.0}


@pytest.mark.parametrize(
    ("rows", "values", "threshold", "expected"),
    [
        (["exact"], {"exact": 1}, None, True),
        (["exact"], {"exact": 0}, None, False),
        (["exact"], {"exact": None}, None, None),
        (["exact"], {}, None, None),
        (["f1"], {"f1": 1}, None, None),
        (["exact", "f1"], {"exact": 1, "f1": 0}, None, True),
        (["exact", F1], {"exact": 1, "f1": 0.5}, None, True),
        (["exact", F1], {"exact": 1, "f1": 0.4}, None, False),
        ([F1 | {"not": True}], {"not_f1": 1}, None, True),
        ([F1 | {"not": True}], {"not_f1": 0}, None, False),
        (["exact", "length"], {"exact": 1, "length": None}, None, True),
        (["exact", SHORT], {"exact": 1, "length": 11}, None, False),
        (["exact", SHORT], {"exact": 1, "length": None}, None, None),
        (["exact", "contains"], {"exact": 0, "contains": 1}, 0.5, True),
        (["exact", "contains"], {"exact": 0, "contains": 1}, 0.6, False),
        ([{"use": "exact", "weight": 3.0}, "contains"], {"exact": 0, "contains": 1}, 0.3, False),
        (["exact", F1], {"exact": 1, "f1": 0.2}, 0.6, True),
        (["exact", SHORT], {"exact": 0, "length": 5}, 0.5, True),
        (["exact", F1 | {"not": True}], {"exact": 1, "not_f1": 1}, 0.9, True),
        (["exact", F1], {"exact": 1, "f1": None}, 0.1, None),
    ],
)
def test_a_sample_passes(
    rows: list[Any], values: dict[str, float | None], threshold: float | None, expected: bool | None
) -> None:
    """Rates at 1, scores at their own threshold, `not` turned round, measures only with a threshold."""
    assert passed(rows_of(*rows), values, threshold) is expected


def test_what_takes_no_part_has_no_pass() -> None:
    """A score without a threshold is asked in vain."""
    (row,) = rows_of("f1")

    assert not takes_part(row)
    with pytest.raises(ValueError, match="no threshold"):
        passes(row, 0.5)


@given(
    st.lists(
        st.tuples(st.sampled_from(["exact", "contains", "em"]), st.sampled_from([0.0, 1.0])),
        unique_by=lambda one: one[0],
        min_size=1,
    )
)
def test_the_mean_of_one_is_all_of_them(marks: list[tuple[str, float]]) -> None:
    """With a threshold of 1 the mean is reached where each passes; turning one value up never makes a pass a fail."""
    rows, values = rows_of(*(name for name, _ in marks)), dict(marks)

    assert passed(rows, values, 1.0) == passed(rows, values)
    for threshold in (0.2, 0.5, 0.9):
        before = passed(rows, values, threshold)
        assert all(passed(rows, values | {name: 1.0}, threshold) or not before for name in values)


def test_scores_are_mapped_by_their_scale() -> None:
    """0..1 of low..high; what is under `not` is 1 or 0 already; 1 or 0 on a scale without an end."""
    f1, turned, short = rows_of(F1, F1 | {"not": True, "name": "b"}, SHORT)

    assert [unit_value(f1, 0.3), unit_value(turned, 1), unit_value(short, 9), unit_value(short, 11)] == [0.3, 1, 1, 0]
