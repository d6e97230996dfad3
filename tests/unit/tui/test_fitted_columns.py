"""Laws of columns that are fitted to their rows: none wider than it needs to be, empty ones gone, folded names distinct."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from makers import few

from tui_eval.tui.widgets.cells import Column, cell_text, fitted_columns, widths

Row = tuple[str, str, str]
NAMES = st.lists(
    st.text("abcdefgh/-.", min_size=1, max_size=40).filter(lambda text: text.strip(" -") != ""),
    min_size=1,
    max_size=20,
    unique=True,
)
FIELD = st.sampled_from(["", "-", "–", "12.5", "a longer text than fits"])


def columns(share: int) -> list[Column[Row]]:
    """A name that is folded, and two others."""
    return [
        Column("model", 8, lambda row: (row[0], "strong"), share=share, middle=True, is_folded=True),
        Column("s", 6, lambda row: row[1], right=True),
        Column("cost", 9, lambda row: row[2], right=True),
    ]


@settings(few, max_examples=200)
@given(NAMES, st.lists(st.tuples(FIELD, FIELD), min_size=20, max_size=20), st.integers(10, 120), st.integers(0, 2))
def test_columns_take_what_they_need(names: list[str], rest: list[tuple[str, str]], room: int, share: int) -> None:
    """Within the room, never wider than declared but for a share; what is empty in every row leaves its width to the name."""
    rows: list[Row] = [(name, *others) for name, others in zip(names, rest, strict=False)]
    before, after = columns(share), fitted_columns(columns(share), rows, room, 200)
    sizes = widths(after, room, 200)

    assert [column.title for column in after] == [column.title for column in before]
    assert sum(sizes) + sum(1 for size in sizes if size) - 1 <= room
    for place, (column, fitted) in enumerate(zip(before, after, strict=True)):
        texts = [cell_text(column.cell(row)) for row in rows]
        assert fitted.width <= column.width
        assert (fitted.width == 0) == all(text in ("", "-", "–") for text in texts)
        if place:
            assert [cell_text(fitted.cell(row)) for row in rows] == texts
    if share:
        assert sizes[0] >= widths(before, room, 200)[0] - before[0].width + after[0].width
    shown = [after[0].cell(row) for row in rows]
    assert len({cell_text(cell) for cell in shown}) == len(rows) and all(cell[1] == "strong" for cell in shown)
    if all(len(name) <= sizes[0] for name in names):
        assert [cell_text(cell) for cell in shown] == names


def test_empty_columns_give_their_width_to_the_name() -> None:
    """Seconds and cost that nobody knows: the name has their room, and is not folded."""
    names = ["provider/some-model-with-a-long-name", "provider/another-model-of-a-kind"]
    known = fitted_columns(columns(1), [(name, "1.2", "$0.5") for name in names], 48, 80)
    unknown = fitted_columns(columns(1), [(name, "-", "") for name in names], 48, 80)

    assert [column.width for column in unknown[1:]] == [0, 0]
    assert widths(unknown, 48, 80)[0] == 48 and unknown[0].cell((names[0], "", "")) == (names[0], "strong")
    assert known[0].cell((names[0], "", "")) == (names[0], "strong") and widths(known, 36, 80)[0] < 36
    narrow = fitted_columns(columns(1), [(name, "1.2", "$0.5") for name in names], 44, 80)
    assert narrow[0].cell((names[0], "", "")) == ("…/some-model-with-a-long-name", "strong")
