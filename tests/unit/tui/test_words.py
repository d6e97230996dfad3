"""Laws of figures as words: what is not known is a dash, nothing known reads as nothing, bars are as wide as they should be."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from makers import any_text, few

from tui_eval.tui import words
from tui_eval.tui.states import ATTEMPT_SIGNS, RUN_SIGNS, attempt_status, run_state


@pytest.fixture(autouse=True)
def _utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


SHARES = st.one_of(st.none(), st.floats(-1, 2))


def test_what_is_not_known_is_a_dash() -> None:
    """None is never shown as a number."""
    assert {words.count(None), words.usd(None), words.share(None), words.seconds(None), words.span(None)} == {"-"}
    assert {words.moment(None), words.clock(None), words.moment("soon"), words.clock("")} == {"-"}
    assert words.usd(None, 3) == "unknown" and words.usd(0.0, 3) == "unknown"
    assert words.usd(1.0, 3) == "$1.0000 + 3 unknown"
    assert words.bar(None, 5) == "     "


@few
@given(st.floats(1e-12, 1e9))
def test_an_amount_that_was_paid_is_not_nothing(amount: float) -> None:
    """However small an amount is, some digit of what is shown is not 0."""
    assert any(digit in words.usd(amount) for digit in "123456789")


@few
@given(st.integers(0, 10**13))
@example(999_999)
@example(999_960_000)
def test_sizes_change_their_unit_in_time(size: int) -> None:
    """No size is written with four digits before the point, as far as units go."""
    number, unit = words.size(size).split(" ")
    assert float(number) < 1000 or unit == "GB"


@few
@given(st.integers(0, 10**6))
def test_spans(s: int) -> None:
    """A span's parts come to what they were made of."""
    text = words.span(s)
    if "days" not in text:
        parts = [int(part) for part in text.split(":")]
        assert sum(part * 60**place for place, part in enumerate(reversed(parts))) == s


@few
@given(st.integers(0, 4 * 10**12))
def test_the_clock_shows_the_tenth_that_was_written(ms: int) -> None:
    """Hours, minutes, seconds and tenths are those of the time stamp, never those of one 0.1 s before."""
    when = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=ms)
    text = when.isoformat(timespec="milliseconds")
    assert words.clock(text) == f"{when:%H:%M:%S}.{when.microsecond // 100_000}"
    assert words.moment(text) == f"{when:%m-%d %H:%M}"


@pytest.mark.parametrize(
    "text",
    ["0001-01-01T00:00:00+23:59", "9999-12-31T23:59:59-23:59", "0001-01-01", "2026-02-30T00:00:00Z", "2026-01-01T00:00:00"],
)
def test_odd_time_stamps(text: str) -> None:
    """A time stamp at the ends of time, or none at all, is a time or a dash, never an error."""
    assert words.moment(text) and words.clock(text)


@few
@given(any_text)
def test_any_text_as_a_time_stamp(text: str) -> None:
    """Whatever stands in a record's time is a time or a dash."""
    assert words.moment(text) == "-" or len(words.moment(text)) == 11


@few
@given(SHARES, st.integers(-2, 40))
def test_a_bar_has_its_width_and_grows_with_its_share(part: float | None, width: int) -> None:
    """Exactly as many columns as asked for; all of them for the whole, none for nothing."""
    assert len(words.bar(part, width)) == max(width, 0)
    assert words.bar(1.0, width) == "█" * width and not words.bar(0.0, width).strip()
    if part is not None:
        filled = words.bar(part, width).rstrip()
        assert len(filled) == math.ceil(round(min(max(part, 0), 1) * max(width, 0) * 8) / 8)


@few
@given(SHARES, SHARES, SHARES, st.integers(0, 40))
def test_an_interval_has_its_width_and_its_point(
    value: float | None, low: float | None, high: float | None, width: int
) -> None:
    """As wide as asked for; one point, unless nothing is known or there is no room."""
    line = words.interval_bar(value, low, high, width)
    assert len(line) == width
    assert line.count("●") == (value is not None and width >= 3)


@few
@given(st.lists(st.one_of(st.none(), st.floats(0, 1e12)), max_size=30))
def test_a_sparkline_has_a_sign_for_each_value(values: list[float | None]) -> None:
    """One sign a value; a dot exactly where none is known; the greatest at the top."""
    line = words.sparkline(values)
    assert len(line) == len(values)
    assert [sign == "·" for sign in line] == [value is None for value in values]
    known = [value for value in values if value is not None]
    if max(known, default=0.0) > 0:
        assert line[values.index(max(known))] == words.LEVELS[-1]


def test_no_state_is_told_by_colour_alone() -> None:
    """Every state has words and a sign; what is unknown is shown with a question mark."""
    for state in (*RUN_SIGNS, "no such state"):
        cell = run_state(state)
        assert isinstance(cell, tuple) and cell[0].endswith(state) and len(cell[0]) > len(state) + 1
    assert len({sign for sign, _ in ATTEMPT_SIGNS.values()}) == len(ATTEMPT_SIGNS)
    assert attempt_status("error", "not_sent") != attempt_status("error", "permanent")
    assert attempt_status("nonsense", None) == ("? nonsense", "warn")
