"""Laws of the log's index: however a log grows, the index holds what a reader of the whole file reads."""

from __future__ import annotations

import os
from array import array
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import attempt, few, run_folder

from tui_eval.core.calls import Usage
from tui_eval.runs.buckets import Buckets
from tui_eval.runs.folder import LOG
from tui_eval.runs.log import columns, sums
from tui_eval.runs.log.columns import Names, places
from tui_eval.runs.log.index import LogIndex
from tui_eval.runs.log.sums import OTHERS, AttemptPace, Causes, Figures
from tui_eval.runs.reader import RunReader
from tui_eval.runs.record import line_of

KEYS = ["ab" * 16, "ab" * 8 + "cd" * 8, "0" * 32, "cd" * 16]
"""The first two differ behind their first 16 digits only."""
ODD = [b"", b"3", b"\x00" * 60, b'{"x": 1, "request": null}', b"[" * 3000, b"\xff" * 2100]


def line(**changes: Any) -> bytes:
    """An attempt's line."""
    return line_of(attempt(**changes), '{"messages": []}').encode()


def read_all(index: LogIndex) -> LogIndex:
    """The index, when it has nothing left to read."""
    while index.advance(1):
        pass
    return index


attempts = st.builds(
    line,
    call_key=st.sampled_from(KEYS),
    status=st.sampled_from(["ok", "timeout", "error", "skipped_budget"]),
    error_kind=st.sampled_from([None, "transient", "not_sent", "née"]),
    error_message=st.sampled_from([None, "x" * 5000, "\u2028"]),
    stage=st.sampled_from(["doer", "judge", "\ud800"]),
    model=st.text(max_size=3),
    latency_ms=st.none() | st.integers(0, 10**15) | st.just(0),
    cached=st.booleans(),
    usage=st.builds(Usage, cost_usd=st.sampled_from([None, 0.0, 1e-9, 0.1]), upstream_cost_usd=st.sampled_from([None, 0.2])),
    response_text=st.sampled_from(["", "y" * 3000]),
)
logs = st.lists(attempts | st.sampled_from(ODD).map(lambda odd: odd + b"\n"), max_size=8)


def cost(head: dict[str, Any]) -> float | None:
    """What an attempt cost, said once more."""
    if head["cached"]:
        return 0.0
    known = head["usage"]["cost_usd"]
    return None if known is None else known + (head["usage"]["upstream_cost_usd"] or 0)


@few
@given(logs, st.data())
def test_a_log_that_grows_in_any_pieces_is_read_like_a_whole_one(
    tmp_path: Path, written: list[bytes], data: st.DataObject
) -> None:
    """Cut into pieces at any bytes, looked at after each: in the end all rows are there, with what RunReader reads."""
    run = tmp_path / "run" if (tmp_path / "run").exists() else run_folder(tmp_path / "run")
    (run / LOG).unlink(missing_ok=True)
    index, whole = LogIndex(run / LOG), b"".join(written)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=4)))
    for begin, end in zip([0, *cuts], [*cuts, len(whole)], strict=True):
        read_all(index)
        with (run / LOG).open("ab") as log:
            log.write(whole[begin:end])
    read_all(index)
    known = dict(RunReader(run).heads())
    offsets = [sum(map(len, written[:row])) for row in range(len(written))]
    heads = [known.get(offset) for offset in offsets]
    rows = range(len(written))

    assert (index.lines, index.read, index.bytes_seen, index.bytes_total) == (len(rows), len(rows), len(whole), len(whole))
    assert index.damaged == heads.count(None)
    assert [index.head(row) for row in rows] == heads == [index.head(row) for row in rows]
    assert [index.raw(row) + b"\n" for row in rows] == written
    assert [index.record(row) for row in rows if heads[row]] == list(RunReader(run).records())
    assert [index.status(row) for row in rows] == [head and head["status"] for head in heads]
    assert [index.kind(row) for row in rows] == [head and head["error_kind"] for head in heads]
    assert [index.stage(row) for row in rows] == [head and head["stage"] for head in heads]
    assert [index.model(row) for row in rows] == [head and head["model"] for head in heads]
    assert [index.latency(row) for row in rows] == [head and head["latency_ms"] for head in heads]
    assert [index.cost(row) for row in rows] == [head and cost(head) for head in heads]
    for row, head in enumerate(heads):
        same = [n for n in rows if head and heads[n] and heads[n]["call_key"] == head["call_key"]]
        assert index.same_call(row) == (same or [row])
    bad = [n for n in rows if heads[n] and heads[n]["status"] in ("error", "timeout") and heads[n]["error_kind"] != "not_sent"]
    for row in range(-1, len(rows) + 1):
        assert list(index.errors_from(row, 1)) == [n for n in bad if n > row] + [n for n in bad if n <= row]
        assert list(index.errors_from(row, -1)) == [n for n in bad if n < row][::-1] + [n for n in bad if n >= row][::-1]
        assert index.failed(row) == (row in bad)


def test_rows_that_are_not_there_are_none(tmp_path: Path) -> None:
    """Before a log exists, and beyond its end, nothing is known and nothing raises."""
    index = read_all(LogIndex(tmp_path / "missing"))

    for row in (-1, 0, 7):
        assert (index.head(row), index.record(row), index.status(row), index.latency(row)) == (None,) * 4
        assert (index.raw(row), index.same_call(row), list(index.errors_from(row, 1))) == (b"", [row], [])
    assert (index.lines, index.bytes_seen, index.bytes_total) == (0, 0, 0)


@pytest.mark.parametrize("how", ["replaced", "cut", "removed"])
def test_another_log_starts_anew(tmp_path: Path, how: str) -> None:
    """A log that is another file now, or shorter, is read from its beginning; nothing of the former one is left."""
    path = tmp_path / LOG
    path.write_bytes(line(model="old", status="error") * 3)
    index = read_all(LogIndex(path))
    if how == "removed":
        path.unlink()
    elif how == "cut":
        path.write_bytes(line(model="new"))
    else:
        (tmp_path / "other").write_bytes(line(model="new") * 5)
        os.replace(tmp_path / "other", path)
    rows = {"replaced": 5, "cut": 1, "removed": 0}[how]
    read_all(index)

    assert [index.model(row) for row in range(index.lines)] == ["new"] * rows
    assert (list(index.errors_from(-1, 1)), index.errors(5), len(index.buckets.leaves)) == ([], ([], 0), min(rows, 1))
    assert index.head(4) == (None if rows < 5 else index.head(0))


def test_a_torn_line_that_is_mended_is_read_as_it_was_mended(tmp_path: Path) -> None:
    """What a crash left unfinished is cut off and written over: the row is the one that stands there in the end."""
    path = tmp_path / LOG
    path.write_bytes(line(model="one") + line(model="torn")[:50])
    index = read_all(LogIndex(path))
    before = index.lines
    path.write_bytes(line(model="one") + b"\n" * 20 + line(model="two"))
    read_all(index)

    assert before == 1
    assert [index.model(row) for row in range(index.lines)] == ["one", *[None] * 20, "two"]


def test_a_pipe_in_place_of_a_log_is_no_log(tmp_path: Path) -> None:
    """A stranger's folder cannot make the app wait for ever."""
    os.mkfifo(tmp_path / LOG)

    assert read_all(LogIndex(tmp_path / LOG)).lines == 0


def test_more_names_than_there_are_numbers_share_one() -> None:
    """Names beyond the last number are one name; those before keep theirs."""
    names = Names(3)
    codes = [names.code(f"model {n}") for n in (1, 2, 3, 4, 5, 2)]

    assert [names.names[code] for code in codes] == ["model 1", "model 2", "model 3", OTHERS, OTHERS, "model 2"]


@few
@given(st.lists(st.sampled_from([0, 1, 255, 256, 65536, 2**32 - 1]), max_size=40), st.sampled_from("IQ"))
def test_places_are_where_a_number_stands(numbers: list[int], typecode: str) -> None:
    """Found as bytes, never between two numbers, in pieces of any size."""
    column = array(typecode, numbers)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "SEARCHED_AT_ONCE", 7)
        found = {number: list(places(column, number)) for number in {*numbers, 9}}

    assert found == {number: [n for n, there in enumerate(numbers) if there == number] for number in found}


# ------------------------------------------------------------------------------------------------- figures


def head(**changes: Any) -> dict[str, Any]:
    """The small fields of an attempt."""
    return columns.head_of(line(**changes))


unsent = st.tuples(st.sampled_from(KEYS[2:]), st.sampled_from(["sent", "not_sent", "skipped_budget"]), st.booleans())


@few
@given(st.lists(unsent, max_size=10))
def test_a_call_counts_as_not_sent_only_until_it_is_sent(steps: list[tuple[str, str, bool]]) -> None:
    """Every attempt that was sent counts; one that was not, only where it is the one that counts for its call in the end."""
    settled: set[str] = set()
    figures, expected, counting, heads = Figures(), Buckets(), dict[str, int](), []
    for key, what, final in steps:
        if key in settled:
            continue
        settled |= {key} if what == "sent" and final else set()
        status, kind = ("error", "not_sent") if what == "not_sent" else (what, None)
        shape = {"status": "ok"} if what == "sent" else {"status": status, "error_kind": kind, "started_at": None}
        heads.append(head(call_key=key, final=final, **shape))
    for row, one in enumerate(heads):
        figures.add(row, one)
        if one["final"] or one["call_key"] not in counting or not heads[counting[one["call_key"]]]["final"]:
            counting[one["call_key"]] = row
    for row, one in enumerate(heads):
        if one["started_at"] is not None or counting[one["call_key"]] == row:
            expected.add(one)

    assert figures.buckets.rows([], [])[0] == expected.rows([], [])[0]


def test_more_stages_and_models_than_are_told_apart_are_summed_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """No attempt is lost when a log has too many models to keep figures for each."""
    monkeypatch.setattr(sums, "LEAVES", 2)
    figures = Figures()
    for row in range(7):
        figures.add(row, head(model=f"m{row}"))

    assert {model: leaf.counts["ok"] for (_, model), leaf in figures.buckets.leaves.items()} == {"m0": 1, "m1": 1, OTHERS: 5}


@few
@given(st.lists(st.sampled_from("aabbbcdefghi"), max_size=60))
def test_causes_and_others_add_up_to_what_failed(messages: list[str]) -> None:
    """Whatever is dropped is counted among the others, and what is told of a cause is its last row."""
    causes = Causes()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sums, "CAUSES", 3)
        for row, message in enumerate(messages):
            causes.add(row, head(status="error", error_kind="transient", error_message=message))

    top = causes.top(3)
    assert sum(cause.count for cause in top) + causes.others == len(messages)
    assert [cause.count for cause in top] == sorted((cause.count for cause in top), reverse=True)
    assert all(cause.last_row == max(n for n, m in enumerate(messages) if m == cause.message) for cause in top)


def test_a_cause_that_comes_again_outlives_messages_that_are_never_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """A flood of request ids in error messages does not hide the one cause that matters."""
    monkeypatch.setattr(sums, "CAUSES", 3)
    causes = Causes()
    for row in range(100):
        message = "overloaded" if row % 2 and row > 40 else f"request {row}"
        causes.add(row, head(status="timeout", error_message=message))

    assert (causes.top(1)[0].message, causes.top(1)[0].kind, causes.top(1)[0].count) == ("overloaded", "timeout", 30)


def test_pace_says_what_ended_when(tmp_path: Path) -> None:
    """Spans end with the moment asked for; where nothing ended there is no value, and what was not sent has no pace."""
    path = tmp_path / LOG
    ends = [("00", 100, {}), ("00", 300, {}), ("03", 50, {"status": "timeout"}), ("04", 9, {"cached": True}), ("04", None, {})]
    path.write_bytes(b"".join(line(ended_at=f"2026-01-01T00:00:{s}.900Z", latency_ms=ms, **more) for s, ms, more in ends))
    index = read_all(LogIndex(path))

    assert index.throughput(5) == [2, None, None, 1, 1]
    assert index.latency_line(5) == [200, None, None, None, None]
    assert index.throughput(2, width_s=2) == [None, 1]
    assert index.throughput(2, until=1767225601.5) == [2, None]


def test_pace_keeps_the_last_ten_minutes_and_survives_any_stamp() -> None:
    """However long a run and whatever its stamps say, no more than 1,200 seconds are kept, the latest among them."""
    pace = AttemptPace()
    for second in range(3000):
        pace.add(head(ended_at=f"2026-01-01T{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}Z"))
    for stamp in ("", "9999-99-99", "0001-01-01T00:00:00", "x" * 500):
        pace.add(head(ended_at=stamp))

    assert len(pace.seconds) <= 1201
    assert [point and point.ended for point in pace.points(600, None, 1)] == [1] * 600
