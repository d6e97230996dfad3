"""Laws of a view of the log: filtered and sorted while the log grows as if it had been whole from the start."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import attempt, few

from tui_eval.core.calls import Usage
from tui_eval.runs.folder import LOG
from tui_eval.runs.log import view as log_view
from tui_eval.runs.log.index import LogIndex
from tui_eval.runs.log.query import LogQuery
from tui_eval.runs.log.view import LogView, Order
from tui_eval.runs.record import line_of
from tui_eval.tui.open_run import Follower


def line(**changes: Any) -> bytes:
    """An attempt's line."""
    return line_of(attempt(**changes), "null").encode()


def append(path: Path, *lines: bytes) -> None:
    """More lines of the log."""
    with path.open("ab") as log:
        log.write(b"".join(lines))


def whole(view: LogView) -> list[int | None]:
    """What a view shows when there is nothing left to do."""
    while view.index.advance(1) or view.advance(1):
        pass
    return [view.row(position) for position in range(view.count)]


records = st.builds(
    line,
    model=st.sampled_from(["one", "two"]),
    response_text=st.sampled_from(["left", "right"]),
    latency_ms=st.sampled_from([None, 0, 1, 2, 10**9]),
    usage=st.builds(Usage, cost_usd=st.sampled_from([None, 0.0, 0.1, 0.3])),
) | st.just(b"damaged left\n")
queries = st.sampled_from(["", "model:one", "left", "!left", "model:one text:right", "nothing"])
orders = st.sampled_from([None, "latency", "cost"])


@few
@given(st.lists(st.lists(records, max_size=9), max_size=4), queries, orders, st.booleans(), st.data())
def test_a_view_of_a_log_that_grows_is_a_view_of_the_whole_log(
    tmp_path: Path, pieces: list[list[bytes]], query: str, order: Order | None, descending: bool, data: st.DataObject
) -> None:
    """Filtered and sorted on while lines come, in slices of any size; sorted() agrees; what is not known comes last."""
    path = tmp_path / LOG
    path.unlink(missing_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        for name in ("SLICE_ROWS", "SORTED_ROWS", "MERGED_ROWS"):
            patch.setattr(log_view, name, data.draw(st.integers(1, 5)))
        patch.setattr(log_view, "PAUSE_S", 0)
        patch.setattr(log_view, "PAUSE_FACTOR", 0)
        view = LogView(LogIndex(path))
        view.show(LogQuery.parse(query), order, descending)
        for piece in pieces:
            append(path, *piece)
            view.index.advance(0)
            view.advance(0)
        shown = whole(view)
        afterwards = LogView(view.index)
        afterwards.show(LogQuery.parse(query))
        expected = whole(afterwards)
    if order:
        value = {"latency": view.index.latency, "cost": view.index.cost}[order]
        known = [row for row in expected if value(row or 0) is not None]
        known.sort(key=lambda row: value(row or 0) or 0.0, reverse=descending)
        expected = known + [row for row in expected if value(row or 0) is None]
    written = sum(map(len, pieces))

    assert shown == expected
    assert (view.done, view.ordered, view.examined) == (True, True, written)
    assert [view.position(row or 0) for row in shown] == list(range(len(shown)))
    assert [view.position(row) for row in range(written) if row not in shown] == [None] * (written - len(shown))
    assert (view.row(-1), view.row(len(shown)), view.position(written)) == (None, None, None)


def test_without_query_and_order_every_line_is_shown_as_soon_as_it_is_found(tmp_path: Path) -> None:
    """No row waits for its small fields to be read."""
    append(tmp_path / LOG, *[line()] * 500)
    view = LogView(LogIndex(tmp_path / LOG))
    view.index.advance(0)
    view.advance(0)

    assert view.index.read < 500
    assert (view.count, view.row(499), view.position(499), view.done) == (500, 499, 499, True)


def test_a_new_query_starts_at_once(tmp_path: Path) -> None:
    """What the former query found is gone before the next slice."""
    append(tmp_path / LOG, line(model="one"), line(model="two"))
    view = LogView(LogIndex(tmp_path / LOG))
    view.show(LogQuery.parse("model:one"))
    first = whole(view)
    view.show(LogQuery.parse("model:two"))

    assert (first, view.count, view.examined, view.done) == ([0], 0, 0, False)
    assert whole(view) == [1]


def test_the_former_order_is_shown_until_the_next_may_be_made(tmp_path: Path) -> None:
    """A sorted view of a log that grows rests after each sort; new rows wait for the next one."""
    append(tmp_path / LOG, line(latency_ms=2), line(latency_ms=1))
    view = LogView(LogIndex(tmp_path / LOG))
    view.show(LogQuery(), "latency")
    before = whole(view)
    append(tmp_path / LOG, line(latency_ms=0))

    assert (before, whole(view), view.done) == ([1, 0], [1, 0], False)


def test_a_view_of_a_replaced_log_starts_anew(tmp_path: Path) -> None:
    """The query stays, the rows are the new log's."""
    append(tmp_path / LOG, *[line(model="one")] * 4)
    view = LogView(LogIndex(tmp_path / LOG))
    view.show(LogQuery.parse("model:one"))
    before = whole(view)
    append(tmp_path / "other", line(model="two"), line(model="one"))
    os.replace(tmp_path / "other", tmp_path / LOG)

    assert (before, whole(view)) == ([0, 1, 2, 3], [1])


# ------------------------------------------------------------------------------------------------- the thread


@pytest.fixture
def follower(tmp_path: Path) -> Iterator[Follower]:
    """A follower of a log that is not there yet; it looks for it all the time."""
    follower = Follower(LogIndex(tmp_path / LOG), poll_s=0.005)
    yield follower
    follower.close()


def wait_for(condition: Callable[[], bool]) -> None:
    """Until something holds; a minute is too long for any machine."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.002)


def test_a_follower_shows_what_is_appended(tmp_path: Path, follower: Follower) -> None:
    """Rows appear by themselves, also in a filtered view, and the version tells that they did."""
    view, version = follower.view(), follower.version
    view.show(LogQuery.parse("model:two"))
    append(tmp_path / LOG, line(model="one"), line(model="two"))
    wait_for(lambda: view.done and follower.index.read == 2 and follower.version > version)
    first = [view.row(position) for position in range(view.count)]
    append(tmp_path / LOG, line(model="two"))
    wait_for(lambda: view.count == 2)

    assert (first, view.count, follower.trouble) == ([1], 2, "")


def test_a_follower_wakes_for_a_new_query(tmp_path: Path) -> None:
    """However seldom it looks at the log, what is typed is answered at once."""
    append(tmp_path / LOG, line(model="one"), line(model="two"))
    follower = Follower(LogIndex(tmp_path / LOG), poll_s=600)
    view = follower.view()
    for query in ("model:one", "model:two"):
        view.show(LogQuery.parse(query))
        wait_for(lambda: view.done and view.count == 1)
    row = view.row(0)
    follower.close()

    assert (row, follower.index.lines) == (1, 0)


def test_a_view_sees_what_the_index_reads_in_the_same_slice(tmp_path: Path) -> None:
    """A query is there before the log was first read: the thread does not rest between the two."""
    append(tmp_path / LOG, line(model="one"), line(model="two"))
    follower = Follower(LogIndex(tmp_path / LOG), poll_s=600)
    follower.close()
    index = LogIndex(tmp_path / LOG)
    view = LogView(index)
    view.show(LogQuery.parse("model:two"))
    follower.index, follower._views = index, (view,)
    slices = 0
    while follower._slice():
        slices += 1
        assert slices < 1_000
    done, count = view.done, view.count
    index.close()

    assert done and count == 1


def test_trouble_is_told_and_the_thread_goes_on(tmp_path: Path, follower: Follower) -> None:
    """An exception in a view is kept as text; the index reads on."""

    class Broken(LogView):
        def advance(self, seconds: float) -> bool:
            raise RuntimeError("no way")

    follower._views = (Broken(follower.index),)
    append(tmp_path / LOG, line())
    wait_for(lambda: follower.trouble != "" and follower.index.read == 1)

    assert follower.trouble == "RuntimeError: no way"
