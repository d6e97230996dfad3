"""Laws of charts: whatever the room and the figures, lines fit, every model is on them, and nothing raises."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from tui_eval.tui import charts
from tui_eval.tui.charts import Bars, Cloud, Histogram, Intervals, Picture, Scale, Scatter, Spread, Swarm
from tui_eval.tui.item_chart import CORRELATION, items
from tui_eval.tui.report_rows import Report
from tui_eval.tui.widgets.drawing import drawing

few = settings(max_examples=60, deadline=None, database=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
parts = st.floats(0, 1)
labels = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z", "M")), max_size=40)
costs = st.floats(0, 1e6) | st.sampled_from([0.0, 1e-9, 3.0])
spreads = st.builds(Spread, labels, parts, st.none() | parts, st.none() | parts)
points = st.lists(st.tuples(st.sampled_from("abcX"), parts), max_size=9).map(tuple)
drawn = (
    st.builds(Intervals, st.lists(spreads, min_size=1, max_size=60).map(tuple))
    | st.builds(
        Histogram,
        st.lists(st.tuples(st.integers(0, 10**7), st.integers(1, 10**6)), min_size=1, max_size=40).map(tuple),
        st.integers(1, 10**7),
    )
    | st.builds(Scatter, st.lists(st.tuples(st.sampled_from("abcX"), costs, parts), min_size=1, max_size=60).map(tuple))
    | st.builds(Bars, st.lists(st.tuples(labels, st.none() | costs, labels), min_size=1, max_size=60).map(tuple))
    | st.builds(Swarm, st.lists(st.tuples(labels, points), min_size=1, max_size=40).map(tuple))
    | st.builds(
        Cloud,
        st.lists(st.tuples(st.sampled_from("?o·"), parts, st.floats(-1, 1)), min_size=1, max_size=60).map(tuple),
        st.just(charts.PER_CENT),
        st.just(CORRELATION),
    )
)


@few
@given(drawn, st.lists(labels, max_size=30).map(tuple), st.integers(1, 200), st.integers(1, 60))
def test_a_chart_fits_its_room(what: Any, legend: tuple[str, ...], width: int, height: int) -> None:
    """At every size from 1 x 1 to 200 x 60 there are no more lines than fit, and plotext refuses none of them."""
    lines = drawing(Picture("chart", "about", what, legend), width, height)
    assert len(lines) <= height
    assert not any("cannot be drawn" in line for line in lines)
    if width >= 30 and height >= 12:
        assert all(cell_len(line) <= width for line in lines if "more" not in line)


@pytest.mark.parametrize("size", [(78, 14), (120, 30), (200, 50)])
def test_points_stand_where_their_figures_say(size: tuple[int, int]) -> None:
    """Ends of intervals and values lie on the columns of their shares, the greatest to the right, under 0 and 100 per cent."""
    spreads = (Spread("low", 0.0, 0.0, 0.5), Spread("middle", 0.5, 0.25, 0.75), Spread("high", 1.0, None, None))
    lines = drawing(Picture("chart", "about", Intervals(spreads)), *size)
    rows = {name: next(line for line in lines if line.lstrip().startswith(name)) for name in ("low", "middle", "high")}
    begin = len("middle") + 1
    last = size[0] - 2
    assert rows["low"].index("●") == begin and rows["high"].index("●") == last
    assert abs(rows["middle"].index("●") - (begin + last) / 2) <= 1
    assert abs(rows["low"].rindex("┤") - len(rows["low"]) + 1 + (last - begin) / 2) <= 2
    assert [line for line in lines if "●" in line] == [rows["low"], rows["middle"], rows["high"]]


@few
@given(st.integers(-50, 50), st.integers(1, 200), st.floats(0, 1), st.sampled_from([(40, 12), (78, 14), (200, 50)]))
def test_marks_stand_on_their_scale(low: int, wide: int, part: float, size: tuple[int, int]) -> None:
    """Whatever the scale, its ends stand at the ends of the axis, and a mark as far along as it is up its scale."""
    scale = Scale(low, low + wide, False)
    value = low + part * wide
    lines = drawing(Picture("chart", "about", Intervals((Spread("m", value, low, low + wide),), scale)), *size)
    row = next(line for line in lines if line.startswith("m"))
    ticks = lines[-1].split()

    assert abs((row.index("●") - 2) / (size[0] - 4) - part) < 1.5 / (size[0] - 4)
    assert ticks[0] == f"{low}" and ticks[-1] == f"{low + wide}"


def test_bars_are_as_high_as_their_counts() -> None:
    """The fullest bar reaches the top; one with half as many replies half of it."""
    lines = drawing(Picture("chart", "about", Histogram(((100, 40), (900, 20)), 1000)), 60, 23)
    body = [line[line.index("│") + 1 if "│" in line[:4] else line.index("┤") + 1 : -1] for line in lines[1:-2]]
    heights = [sum(row[x] != " " for row in body) for x in range(len(body[0]))]
    assert max(heights) == len(body) == 20 and 10 in heights


@pytest.mark.parametrize("size", [(60, 12), (160, 40)])
def test_amounts_are_as_long_as_they_are_large(size: tuple[int, int]) -> None:
    """The largest fills its room, half of it half of that; what is not known has no bar, and its words say so."""
    drawn = Bars((("a", 0.4, "$0.40"), ("b", 0.2, "$0.20"), ("c", None, "- unknown")))
    lines = [line for line in drawing(Picture("chart", "about", drawn), *size) if line.strip()]
    long, half, none = (line.count("█") for line in lines)
    assert abs(long - 2 * half) <= 1 and none == 0 and "unknown" in lines[2]


def test_no_point_hides_another() -> None:
    """Models with one cost and one accuracy stand side by side, in scatter and swarm."""
    same = tuple((letter, 0.5, 0.5) for letter in "abc")
    scatter = "\n".join(drawing(Picture("chart", "about", Scatter(same)), 60, 16)[:-2])
    swarm = "\n".join(drawing(Picture("chart", "about", Swarm((("", tuple((x, 0.5) for x in "abc")),))), 60, 16)[:-2])
    for letter in "abc":
        assert letter in scatter and letter in swarm


def test_a_chart_without_data_says_so() -> None:
    """A kind without accuracies or categories, and a log without replies, get a sentence and no axes."""
    report = Report({})
    pictures = (charts.scores(report), charts.cost(report), charts.categories(report, 0), charts.latencies({}, 0, 0, False))
    for picture in pictures:
        assert picture.drawn is None and picture.about.endswith(".") and drawing(picture, 80, 20) == []


def test_a_histogram_says_its_n() -> None:
    """Another model is another histogram on the same scale; its n, its median and what is not read yet are said."""
    found = {("answer", "one"): {100: 3, 900: 1}, ("answer", "two"): {2000: 2}, ("answer", "none"): {}}
    one, two = charts.latencies(found, 0, 0, True), charts.latencies(found, 1, 7, False)
    assert "n = 4 good attempts, median 0.10 s, longest 0.90 s" in one.about and one.about.endswith("Simulated.")
    assert "n = 2" in two.about and "7 attempts of the log are not read yet" in two.about
    assert one.choices == ("answer one", "answer two")
    assert isinstance(one.drawn, Histogram) and isinstance(two.drawn, Histogram) and one.drawn.most_ms == two.drawn.most_ms


def table_of_items(rows: list[tuple[float | None, float | None, str, str]]) -> Report:
    """A report with a table of items: share right, item-rest correlation, separates, look."""
    columns = ["item", "share_right", "item_rest", "separates", "look"]
    cells = [[{"value": value} for value in (f"q{n}", *row)] for n, row in enumerate(rows)]
    return Report({"tables": {"items": {"title": "Items", "columns": columns, "rows": cells}}})


@pytest.mark.parametrize("size", [(78, 14), (120, 30), (200, 50)])
def test_items_stand_where_their_figures_say(size: tuple[int, int]) -> None:
    """Hard ones to the left, those that go with the others above; several in one place are counted, but for what to look at."""
    many = [(0.5, 0.5, "yes", "no")] * 3 + [(0.9, 0.5, "yes", "no")] * 12
    report = table_of_items(
        [(0.0, -1.0, "yes", "no"), (0.0, 1.0, "yes", "yes"), *many, (1.0, None, "no", "no"), (0.0, 1.0, "yes", "no")]
    )
    picture = items(report)
    lines = drawing(picture, *size)
    top = next(line for line in lines if line.strip().startswith("1┤"))
    bottom = next(line for line in lines if line.strip().startswith("-1┤"))
    middle = next(line for line in lines if line.strip().startswith("0┤"))
    half = next(line for line in lines if "+" in line and "3" in line)

    assert top.split("┤")[1][0] == "?" and bottom.split("┤")[1][0] == "o"
    assert middle.split("┤")[1].split("│")[0][-1] == "·"
    assert lines.index(top) < lines.index(half) < lines.index(middle)
    assert half.index("3") < half.index("+")
    assert "of 19 items" in picture.about
    assert "".join(picture.legend).count("(1)") == 2 and "any other (17)" in "".join(lines)


@pytest.mark.parametrize(
    "row", [(None, 0.5, "yes", "no"), (7.0, 0.5, "yes", "no"), (0.5, 1e308, "yes", "no"), (0.5, -3.0, "", "")]
)
def test_a_strangers_table_of_items_is_drawn_as_far_as_it_goes(row: tuple[Any, ...]) -> None:
    """What is no share stands nowhere; what is beyond the scale stands at its end."""
    picture = items(table_of_items([row]))

    assert picture.about.endswith(".")
    assert not any("cannot be drawn" in line for line in drawing(picture, 80, 20))
    assert items(Report({"tables": {}})).drawn is None
