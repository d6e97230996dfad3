"""Laws of what the monitor shows: figures that are not known are "-", every line fits, every filter finds its attempts."""

from __future__ import annotations

import dataclasses
import random
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from makers import attempt, few, run_folder
from rich.cells import cell_len

from tui_eval.runs.entry import RunEntry, entry_of
from tui_eval.runs.folder import LOG
from tui_eval.runs.log.index import LogIndex
from tui_eval.runs.log.query import LogQuery, line_holds
from tui_eval.runs.log.sums import Cause
from tui_eval.runs.record import line_of
from tui_eval.tui.screens.live import live_lines
from tui_eval.tui.screens.live.log_figures import (
    CAUSE_COLUMNS,
    MOST_LINES,
    STAGE_COLUMNS,
    LogSnapshot,
    PlannedLine,
    Window,
    brief,
    cost_cell,
    phrase,
    planned_lines,
    query_of_cause,
    query_of_line,
    stage_lines,
    take,
)
from tui_eval.tui.states import RUN_SIGNS
from tui_eval.tui.widgets.cells import row_cells

NOW = 1_800_000_000.0
any_letters = st.text(st.characters(codec=None), max_size=80)
counts = st.none() | st.integers(0, 2**53 - 1)
amounts = st.none() | st.floats(0, 2**53, allow_nan=False)


def entry(path: Path = Path("gone"), **changes: Any) -> RunEntry:
    """A run of which nothing is known but what is given."""
    return dataclasses.replace(entry_of(path), **changes)


def index_of(folder: Path, *attempts: Any) -> LogIndex:
    """The index of a log of these attempts, all of it read."""
    text = "".join(line_of(one, '{"messages": []}') for one in attempts)
    (run_folder(folder) / LOG).write_text(text)
    index = LogIndex(folder / LOG)
    while index.advance(1):
        pass
    return index


def text_of(said: Any) -> str:
    """What pieces say together."""
    return "".join(piece if isinstance(piece, str) else piece[0] for piece in said)


entries = st.builds(
    entry,
    name=any_letters | st.none(),
    state=st.sampled_from([*RUN_SIGNS, "odd"]),
    live=st.booleans(),
    simulated=st.none() | st.booleans(),
    **dict.fromkeys(("done", "planned", "ok", "error", "timeout", "skipped", "not_sent", "calls_used", "max_calls"), counts),
    **dict.fromkeys(("in_flight", "limit"), counts),
    **dict.fromkeys(("charged_usd", "max_cost_usd", "eta_s", "worked_s"), amounts),
    why=any_letters | st.none(),
    limit_reason=any_letters | st.none(),
    heartbeat=st.none() | st.just("2026-01-01T00:00:00Z"),
    started_at=st.none() | st.sampled_from(["2025-12-31T23:00:00Z", "2026-01-01T00:00:09Z"]),
)


@few
@given(entries, st.integers(58, 200))
def test_every_line_fits(run: RunEntry, room: int) -> None:
    """Whatever a run folder says, no line is wider than its room, and the notes are two lines at most."""
    taken = LogSnapshot(rates=[None, 1.0, 9e9], latencies=[None] * 3, window=Window.of(20, 5.0, run.live, NOW))
    lines = [
        live_lines.title(run, room),
        live_lines.progress(run, room),
        live_lines.counters(run, room),
        live_lines.money(run, taken, room),
        live_lines.times(run, taken, NOW, room),
        live_lines.pace(run, taken, NOW, room),
        live_lines.latencies(taken, room),
        live_lines.heading("x" * 300, "y", room),
    ]
    notes = text_of(live_lines.note(run, NOW, room)).split("\n")
    assert len(notes) <= 2
    for line in [*map(text_of, lines), *notes]:
        assert cell_len(line) <= room and "\n" not in line


def test_time_passed_leaves_out_what_a_run_was_stopped() -> None:
    """A run that worked 90 s in two lives, a day apart; one that was just taken up has no day of silence behind it either."""
    both = {"started_at": "2026-01-01T00:00:00Z", "heartbeat": "2026-01-02T00:00:00Z"}
    beat = datetime(2026, 1, 2, tzinfo=UTC).timestamp()

    assert live_lines.elapsed_s(entry(state="done", **both), beat + 99) == 86_400
    assert live_lines.elapsed_s(entry(state="done", worked_s=90.0, **both), beat + 99) == 90
    assert live_lines.elapsed_s(entry(state="running", live=True, worked_s=90.0, **both), beat + 86_400) == 90
    assert live_lines.elapsed_s(entry(state="prepared", worked_s=90.0, **both), beat) is None
    assert live_lines.spanned_s(entry(state="done", worked_s=90.0, **both), beat + 99) == 86_400


def test_no_greatest_latency_is_below_a_percentile() -> None:
    """All are of the same replies; the line beside them is of means, whose greatest may be less."""
    figures = {"stage": None, "model": None, "p50_latency_ms_ok": 300, "p95_latency_ms_ok": 2000, "max_latency_ms_ok": 2500}
    taken = LogSnapshot(
        stage_lines([figures], [PlannedLine("doer", "mini", 7)]), latencies=[900.0], window=Window.of(20, 5.0, False, NOW)
    )
    said = text_of(live_lines.latencies(taken, 78))

    assert "max  2.50" in said and "p95 2.00" in said and "0.90" not in said


def test_replies_from_the_cache_are_counted_where_there_are_any() -> None:
    """Beside the attempts, of which there are none for them."""
    lines = [stage_lines([{"stage": None, "model": None, "calls_cached": n}], [PlannedLine("doer", "mini", 7)]) for n in (0, 7)]
    without, some = (text_of(live_lines.times(entry(calls_used=0), LogSnapshot(lines=each), NOW, 78)) for each in lines)

    assert "cache" not in without and "attempts 0" in some and "from the cache 7" in some


def test_the_unknown_is_no_zero() -> None:
    """Of a run of which nothing is known, no line holds a figure; where nothing was sent, no cell does."""
    run = entry(live=True, in_flight=None)
    for said in (
        live_lines.counters(run, 78),
        live_lines.money(run, LogSnapshot(), 78),
        live_lines.times(run, LogSnapshot(), NOW, 78),
    ):
        assert not any(letter.isdigit() for letter in text_of(said)) and "-" in text_of(said)
    cells = row_cells(STAGE_COLUMNS, stage_lines([], [PlannedLine("doer", "mini", 7)])[0])
    assert [text_of([cell]).strip() for cell in cells[1:]] == ["7"] + ["-"] * 14


@pytest.mark.parametrize("state", [state for state in RUN_SIGNS if state != "starting"])
def test_every_ended_run_says_which_key_is_next(state: str) -> None:
    """A run that is not live says a key to press, has no ETA, and says why it ended where that is known."""
    run = entry(state=state, live=False, why="the disk is full", eta_s=9.0, error=3)
    said = text_of(live_lines.note(run, NOW, 300))
    assert "the disk is full\n" in said and any(key in said for key in ("v ", "r "))
    assert "ETA" not in text_of(live_lines.times(run, LogSnapshot(), NOW, 78))


def test_silence_and_a_lowered_limit_are_said_of_live_runs_only() -> None:
    """A heartbeat older than 15 s, and a limit that was lowered, stand in the notes while the run is live."""
    beat = {"heartbeat": "2027-01-15T08:00:00Z", "limit": 3, "limit_reason": "the server said 429"}
    said = text_of(live_lines.note(entry(state="running", live=True, **beat), NOW + 20, 78))
    assert "no sign of life for 0:20\n" in said and "at most 3 at a time now: the server said 429" in said
    assert "sign of life" not in text_of(live_lines.note(entry(state="running", live=True, **beat), NOW + 15, 78))
    assert "429" not in text_of(live_lines.note(entry(state="done", **beat), NOW + 20, 78))


@few
@given(st.integers(0, 2**53))
def test_brief_counts_take_six_columns_and_are_right_to_three_digits(n: int) -> None:
    """A count fits into its column, and what it says is off by half a per cent at most."""
    said = brief(n)
    units = {"k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
    value = float(said.replace(",", "").rstrip("kMGTP")) * units.get(said[-1], 1)
    assert len(said) <= 6 and abs(value - n) <= 0.00501 * n


def test_cost_says_where_some_of_it_is_unknown() -> None:
    """A known cost that lacks other attempts' is marked, and an unknown one is no amount."""
    assert [text_of([cost_cell(*both)]) for both in ((1.5, 0), (1.5, 2), (None, 2), (None, 0))] == [
        "$1.5000 ",
        "$1.5000+",
        "unknown ",
        "- ",
    ]


def test_figures_are_those_of_the_log(tmp_path: Path) -> None:
    """Counts, percentiles with enough values only, failures by cause and the pace are the log's; plan and log are matched."""
    good = [attempt(ended_at=f"2027-01-15T07:59:{second:02d}.000Z") for second in range(50, 60) for _ in range(6)]
    bad = attempt(
        status="error", error_kind="rate_limit", error_message="slow down", final=False, latency_ms=None, stage="judge"
    )
    index = index_of(tmp_path / "run", *good, bad, bad)
    window = Window.of(10, 20.0, True, NOW)
    taken = take(
        index, planned_lines({"stages": [{"stage": "doer", "model": "mini", "calls": 60}, {"stage": 1}, None]}), window
    )
    index.close()
    all_, doer, judge = taken.lines
    assert (all_.figures["attempts_total"], doer.planned, judge.planned) == (62, 60, None)
    assert (doer.figures["p95_latency_ms_ok"], judge.figures["p95_latency_ms_ok"]) == (1000, None)
    assert [text_of(row_cells(CAUSE_COLUMNS, cause)) for cause in taken.causes] == ["2rate_limitminislow down"]
    assert (taken.recent_rate, taken.rates, taken.read) == (6.0, [None] * 5 + [6.0] * 5, 1.0)
    assert taken.latencies[-1] == 1000.0 and taken.failed == 2


def test_a_log_of_too_many_names_is_not_added_up(tmp_path: Path) -> None:
    """Of a log with more pairs of stage and model than anybody has, only failures and pace are shown, and that is said."""
    index = index_of(tmp_path / "run", *(attempt(model=f"m{n}", status="timeout") for n in range(MOST_LINES + 1)))
    taken = take(index, [], Window.of(10, 20.0, False, NOW))
    index.close()
    assert taken.too_many and not taken.lines and taken.failed == MOST_LINES + 1 and taken.recent_rate is None


@few
@given(st.integers(1, 200), st.floats(0, 5000), st.integers(0, 100))
def test_the_window_stands_still_between_spans(room: int, elapsed: float, later: int) -> None:
    """A window never has more points than room, and moves by whole spans only, so that a sparkline is drawn once a span."""
    first, second = (Window.of(room, elapsed, True, NOW + s) for s in (0, later))
    assert 1 <= first.points <= room
    assert first.until is not None and second.until is not None
    assert (second.until - first.until) % first.span_s == 0 and NOW - first.span_s - 1 <= first.until < NOW


@few
@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xyz")), min_size=1), st.randoms())
def test_every_pair_stands_once(pairs: list[tuple[str, str]], chance: random.Random) -> None:
    """Each pair of stage and model of the plan has exactly one line, whatever their order; stages keep theirs."""
    plan = [PlannedLine(stage, model, chance.randint(0, 9)) for stage, model in pairs]
    lines = stage_lines([], plan)
    found = [(line.stage, line.model) for line in lines if line.model]
    assert sorted(found) == sorted(set(pairs))
    assert list(dict.fromkeys(stage for stage, _ in found)) == list(dict.fromkeys(stage for stage, _ in pairs))
    assert lines[0].planned == sum(line.calls for line in plan) == sum(line.planned or 0 for line in lines if line.model)


@few
@given(any_letters, any_letters)
def test_the_filter_of_a_cause_finds_its_attempts(message: str, model: str) -> None:
    """Whatever a message and a model's name hold, the filter made of them keeps the attempt, and nothing in it is a control."""
    failed = attempt(status="error", error_kind="permanent", error_message=message, model=model)
    typed = query_of_cause(Cause("permanent", model, message[:200], 1, 0))
    assert typed.isprintable()
    left = LogQuery.parse(typed).left("error", "permanent", failed.stage, model)
    assert left is not None and line_holds(left, line_of(failed, None).encode(), damaged=False)
    assert LogQuery.parse(typed).left("ok", "", failed.stage, model) is None


def test_the_filter_of_a_line_names_its_stage_and_model() -> None:
    """A line of a model asks for its stage and model, one of a stage for the stage, the whole for everything."""
    plan = [PlannedLine("doer", "a b", 1), PlannedLine("doer", 'c"d\x1b', 1), PlannedLine("judge", "a b", 1)]
    typed = [query_of_line(line) for line in stage_lines([], plan)]
    assert typed == [
        "",
        'stage="doer"',
        'stage="doer" model="a b"',
        'stage="doer" model:"c"',
        'stage="judge" model="a b"',
    ]


def test_a_phrase_is_cut_where_a_filter_could_not_hold_it() -> None:
    """The longest plain part is taken; quotation marks and controls end a part."""
    assert phrase('he said "no such model exists" \x1b[2J twice') == "no such model exists"
    assert phrase("\x00\x1b") == ""


@few
@given(*[st.integers(0, 3000)] * 6)
def test_the_counts_of_a_stopped_run_add_up(ok: int, error: int, timeout: int, skipped: int, not_sent: int, left: int) -> None:
    """Answered, failed, left out and still to be asked are all that was planned, and the last is what r asks."""
    planned = ok + error + timeout + skipped + not_sent + left
    counted = {"ok": ok, "error": error, "timeout": timeout, "skipped": skipped, "not_sent": not_sent, "planned": planned}
    found = entry(state="stopped", done=planned - left, **counted)
    assert found.unasked == not_sent + left
    words = text_of(live_lines.counters(found, 200))
    assert f"– {not_sent + left:,} not asked" in words
    assert (f"{not_sent + left:,} not asked yet (r asks them)" in live_lines.notes(found, NOW)[-1][0]) == (not_sent + left > 0)


@pytest.mark.parametrize(
    ("state", "skipped", "part", "words"),
    [
        ("done", 0, 1.0, "100 %   7 calls (10 planned)"),
        ("done", 1, 0.6, "60 %   6 of 10 calls"),
        ("incomplete", 0, 0.7, "70 %   7 of 10 calls"),
        ("running", 0, 0.7, "70 %   7 of 10 calls"),
    ],
)
def test_a_run_that_needed_fewer_calls_is_done(state: str, skipped: int, part: float, words: str) -> None:
    """Where all that had to be asked was asked, it is done to 100 per cent; where calls were left out it is not."""
    found = entry(state=state, done=7, planned=10, skipped=skipped, not_sent=0)

    assert found.part == part
    assert words in "".join(piece if isinstance(piece, str) else piece[0] for piece in live_lines.progress(found, 80))
