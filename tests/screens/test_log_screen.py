"""Laws of the log inspector: every attempt is found by what is known of it, in any order, while the log grows."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from made import CHOICE, PANEL
from screen import held, press, quick_app, screen_text, sees, toasts, told, wait_for
from snapshots import GOLDEN
from textual.pilot import Pilot
from textual.widgets import Input

from tui_eval.runs.folder import LOG
from tui_eval.runs.log.view import LogView
from tui_eval.runs.record import head_of
from tui_eval.tui.app import EvalApp
from tui_eval.tui.screens.log.screen import COLUMNS, LogScreen, cells
from tui_eval.tui.screens.result.screen import ResultScreen
from tui_eval.tui.widgets.inspector import Inspector
from tui_eval.tui.widgets.lines import Lines, plain
from tui_eval.tui.widgets.table import RowTable

SIZE = (120, 40)
Record = dict[str, Any]


def records_of(path: Path) -> list[Record]:
    """Every record of a run, as it was written."""
    return [json.loads(line) for line in (path / LOG).read_bytes().splitlines()]


def append(path: Path, *lines: bytes) -> None:
    """More lines at the end of a log."""
    with (path / LOG).open("ab") as file:
        file.write(b"".join(line + b"\n" for line in lines))


async def go(pilot: Pilot[Any], *, to_panel: bool = True) -> RowTable:
    """To the log of the panel, or of the exam."""
    await sees(pilot, "small panel")
    await press(pilot, *(["j"] if to_panel else []), "L")
    await sees(pilot, "attempts")
    app = pilot.app
    assert isinstance(app, EvalApp)
    await wait_for(pilot, lambda: app.opened is not None and app.opened.index.read == app.opened.index.lines > 0)
    return app.screen.query_one("#attempts", RowTable)


def about(app: EvalApp) -> str:
    """The line that says what is shown."""
    return app.screen.query_one("#about", Lines).text


def test_every_column_has_its_cell() -> None:
    """A column that has no cell would shift all cells behind it under a wrong title, and nobody would see it."""
    attempts = [head_of(line) for line in (GOLDEN / "choice" / LOG).read_bytes().splitlines()]
    step = "give `COLUMNS` and `cells` of the log's screen one entry each for a column, at the same place"

    assert {len(cells(attempt)) for attempt in attempts} == {len(COLUMNS)}, step


async def test_a_filter_and_an_order_are_on_show_before_the_next_tick(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tick comes every 250 ms, which one feels at each letter; where the end is followed on a large screen, seconds apart."""
    number = len(records_of(workspace / "runs" / PANEL))
    app = quick_app(workspace)
    async with app.run_test(size=SIZE) as pilot:
        table = await go(pilot)
        table.follow = True
        monkeypatch.setattr(LogScreen, "tick", lambda screen: None)
        await press(pilot, "/", *"status:ok")
        await wait_for(pilot, lambda: f" of {number:,} lines" in about(app) and "looked at" not in about(app))
        assert 0 < table.rows.count() <= number
        await press(pilot, "enter", ",")
        await wait_for(pilot, lambda: "by latency" in about(app) and "sorting" not in about(app))


async def test_the_entry_stays_while_another_filter_is_worked_out(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is found yet just after a letter: an inspector that went and came again would have the screen laid out twice."""
    app = quick_app(workspace)
    async with app.run_test(size=SIZE) as pilot:
        await go(pilot)
        await press(pilot, "g")
        inspector = app.screen.query_one(Inspector)
        await wait_for(pilot, lambda: inspector.dossier is not None)
        before, app.every_s = inspector.dossier, 60.0
        with monkeypatch.context() as patch:
            patch.setattr(LogView, "advance", lambda view, seconds: False)
            await press(pilot, "/", *"item:q2")
            await wait_for(pilot, lambda: "0 of " in about(app))

            assert inspector.dossier == before
        await wait_for(pilot, lambda: inspector.dossier is not None and "q2" in plain(inspector.dossier.heading))


async def test_a_tick_just_behind_a_key_leaves_the_cursor_where_the_key_put_it(workspace: Path) -> None:
    """The screen hears of the key a moment later; the log may have grown before."""
    app = quick_app(workspace)
    async with app.run_test(size=SIZE) as pilot:
        table = await go(pilot)
        await press(pilot, "g", "j", "j")
        assert isinstance(app.screen, LogScreen)
        table.action_step(1)
        app.screen._version = -1
        app.screen.look()
        await pilot.pause()

        assert table.cursor == 3


@pytest.mark.soak
async def test_the_filter_by_every_field(workspace: Path) -> None:
    """Each field finds as many attempts as the records have, ! the others; the line says how many of how many."""
    records = records_of(workspace / "runs" / PANEL)
    some = records[0]
    wanted = {
        "status:failed": [r for r in records if r["status"] in ("error", "timeout") and r["error_kind"] != "not_sent"],
        "status:not_sent": [r for r in records if r["error_kind"] == "not_sent"],
        "status:ok": [r for r in records if r["status"] == "ok"],
        "!status:ok": [r for r in records if r["status"] != "ok"],
        "stage:judge": [r for r in records if "judge" in r["stage"]],
        "model:schol": [r for r in records if r["model"] == "scholar"],
        "!model:SCHOLAR": [r for r in records if r["model"] != "scholar"],
        f"call:{some['call_key'][:8]}": [r for r in records if r["call_key"] == some["call_key"]],
        f"item:{some['item_id']}": [r for r in records if some["item_id"] in r["item_id"]],
        "kind:permanent": [r for r in records if "permanent" in (r["error_kind"] or "")],
        "status:ok model:arb": [r for r in records if r["status"] == "ok" and r["model"] == "arbiter"],
    }
    app = quick_app(workspace)
    async with app.run_test(size=SIZE) as pilot:
        table = await go(pilot)
        for words, found in wanted.items():
            await press(pilot, "slash")
            app.screen.query_one(Input).value = words
            await press(pilot, "enter")
            said = f"{len(found)} of {len(records)} lines"
            await wait_for(pilot, lambda said=said: said in about(app) and "looked at" not in about(app), f"{words}: {said}")
            assert table.rows.count() == len(found)
        await press(pilot, "slash", *" xyzzy", "enter")
        await sees(pilot, "No attempt is like this")
        await press(pilot, "escape")
        await wait_for(pilot, lambda: table.rows.count() == len(records))


@pytest.mark.parametrize("sorts", [0, 1], ids=["as they came", "by latency"])
async def test_from_error_to_error(sorts: int, workspace: Path) -> None:
    """n goes through all failed attempts downwards, N back, and both go on round the end, which is told."""
    records = records_of(workspace / "runs" / PANEL)
    is_failed = [record["status"] in ("error", "timeout") and record["error_kind"] != "not_sent" for record in records]
    app = quick_app(workspace)
    async with app.run_test(size=SIZE) as pilot:
        table = await go(pilot)
        await press(pilot, *["comma"] * sorts)
        await wait_for(pilot, lambda: "sorting" not in about(app))
        view = app.screen._view  # type: ignore[attr-defined]
        failed = [place for place in range(view.count) if is_failed[view.row(place)]]
        assert len(failed) > 2 and "past" not in screen_text(app)
        for places, key, words in (
            (failed + failed[:2], "n", "past the end: on from the top"),
            (failed[:1] + failed[::-1], "N", "past the top: on from the end"),
        ):
            for place in places[failed[0] == 0 and key == "n" :]:
                await press(pilot, key)
                await wait_for(pilot, lambda place=place: table.cursor == place)
            assert words in toasts(app)


async def test_a_followed_log_wraps_and_its_words_stay_behind(workspace: Path) -> None:
    """From the last row, where following puts one, n goes to the first error; what is said of it is not said on the next
    screen. Where there is one error, or none, that is told."""
    path = workspace / "runs" / PANEL
    records = records_of(path)
    first = next(row for row, record in enumerate(records) if record["status"] in ("error", "timeout"))
    app = quick_app(workspace)
    async with app.run_test(size=SIZE) as pilot:
        table = await go(pilot)
        await press(pilot, "f")
        assert table.follow and table.cursor == len(records) - 1
        await press(pilot, "n")
        await wait_for(pilot, lambda: table.cursor == first and not table.follow)
        await sees(pilot, "past the end: on from the top")
        await press(pilot, "v")
        await wait_for(pilot, lambda: isinstance(app.screen, ResultScreen) and "past the end" not in screen_text(app))
        await press(pilot, "escape")
        await wait_for(pilot, lambda: app.current_mode == "log")
        await press(pilot, "slash", *"status:ok", "enter")
        await wait_for(pilot, lambda: 0 < table.rows.count() < len(records) and "looked at" not in about(app))
        await press(pilot, "n")
        await told(pilot, "no error is shown")
        await press(pilot, "escape", "slash", *f"status:failed item:={records[first]['item_id']}", "enter")
        await wait_for(pilot, lambda: table.rows.count() == 1 and "looked at" not in about(app))
        await press(pilot, "N")
        await told(pilot, "no other error is shown")


@pytest.mark.parametrize(("order", "column"), [("latency", "latency_ms"), ("cost", "cost_usd")])
async def test_sorted_with_what_is_missing_last(order: str, column: str, workspace: Path) -> None:
    """By latency or cost, highest first, then lowest first: what is not known stands last both times."""
    path = workspace / "runs" / PANEL
    records = records_of(path)
    for number, record in enumerate(records):
        record["latency_ms"] = None if number % 5 == 2 else 100 + number * 37 % 11
        record["usage"]["cost_usd"] = None if number % 7 == 3 else number * 5 % 13 / 1000
    (path / LOG).write_text("".join(json.dumps(record) + "\n" for record in records))
    values = [record["latency_ms"] if order == "latency" else record["usage"][column] for record in records]
    known = sorted(value for value in values if value is not None)
    app = quick_app(workspace)
    async with app.run_test(size=SIZE) as pilot:
        await go(pilot)
        await press(pilot, *(["comma"] if order == "latency" else ["comma", "comma"]))
        for way, expected in (("highest first", known[::-1]), ("lowest first", known)):
            said = f"by {order}, {way}"
            await wait_for(pilot, lambda said=said: said in about(app) and "sorting" not in about(app), said)
            assert isinstance(app.screen, LogScreen) and app.screen._view is not None
            view = app.screen._view
            shown = [values[view.row(place) or 0] for place in range(view.count)]
            assert shown == expected + [None] * (len(values) - len(known))
            await press(pilot, "full_stop")


async def test_following_a_log_that_grows(workspace: Path) -> None:
    """The log of a live run is followed from the start: what is appended appears at its end; moving up stays, f follows on."""
    path = workspace / "runs" / PANEL
    lines = (path / LOG).read_bytes().splitlines()
    app = quick_app(workspace)
    with held(path):
        async with app.run_test(size=SIZE) as pilot:
            await sees(pilot, "1 live")
            table = await go(pilot)
            assert table.follow and "following the end" in about(app)
            append(path, *lines[:3])
            await wait_for(pilot, lambda: table.cursor == len(lines) + 2)
            await press(pilot, "k")
            append(path, *lines[:40])
            await sees(pilot, f"{2 * len(lines) + 3} attempts")
            assert table.cursor == len(lines) + 1 and "following" not in about(app)
            await press(pilot, "f")
            await wait_for(pilot, lambda: table.cursor == 2 * len(lines) + 2)
            assert "following the end" in about(app)
            await press(pilot, "f")
            assert "following" not in about(app)


@pytest.mark.soak
async def test_a_query_is_handed_over(workspace: Path) -> None:
    """Another screen says what is to be looked at: it stands in the filter, and can be cleared."""
    app = quick_app(workspace)
    async with app.run_test(size=SIZE) as pilot:
        await sees(pilot, "small panel")
        app.log_query = "model:arbiter"
        await press(pilot, "j", "L")
        await wait_for(pilot, lambda: app.current_mode == "log" and "4 of " in about(app))
        assert app.screen.query_one(Input).value == "model:arbiter"
        assert not app.log_query
        await press(pilot, "backspace")
        await wait_for(pilot, lambda: app.current_mode == "results", "back where one came from")
        await press(pilot, "6", "backspace")
        await wait_for(pilot, lambda: " of " not in about(app), "no filter")


async def test_the_record_is_copied(workspace: Path) -> None:
    """Y copies the line under the cursor as it stands in the log."""
    app = quick_app(workspace)
    async with app.run_test(size=SIZE) as pilot:
        await go(pilot)
        await press(pilot, "j", "j", "Y")
        await told(pilot, "clipboard")
    assert app.clipboard.encode() == (workspace / "runs" / PANEL / LOG).read_bytes().splitlines()[2]


async def test_every_call_is_shown_where_every_call_is_meant(workspace: Path) -> None:
    """L from a run's results shows all of its calls, in the list, whatever the log was filtered by; 6 leaves the filter; the
    calls of a sample of one run are looked for in no other."""
    app = quick_app(workspace)
    async with app.run_test(size=SIZE) as pilot:
        await go(pilot)
        await press(pilot, "slash", *"s>99", "enter", "4", "6")
        await wait_for(pilot, lambda: "0 of " in about(app))
        await press(pilot, "v")
        await sees(pilot, "[Summary]")
        await press(pilot, "L")
        await wait_for(pilot, lambda: app.current_mode == "log" and " of " not in about(app) and "attempts" in about(app))
        await press(pilot, "L")
        await wait_for(pilot, lambda: "calls of " in about(app))
        opened = app.opened
        await press(pilot, "4")
        await sees(pilot, "[Summary]")
        await press(pilot, "escape", "k" if opened is not None and opened.run_id == PANEL else "j", "v")
        await wait_for(pilot, lambda: app.opened is not opened)
        await press(pilot, "6")
        await wait_for(pilot, lambda: app.current_mode == "log" and " of " not in about(app) and "attempts" in about(app))


async def test_another_run_another_log(workspace: Path) -> None:
    """Whichever run is opened, the log is its own."""
    app = quick_app(workspace)
    async with app.run_test(size=SIZE) as pilot:
        await go(pilot)
        assert "small panel" in about(app)
        await press(pilot, "4", "g", "L")
        await wait_for(pilot, lambda: "small exam" in about(app))
        number = len((workspace / "runs" / CHOICE / LOG).read_bytes().splitlines())
        await wait_for(pilot, lambda: f"{number} attempts" in about(app))
        assert app.screen.query_one("#attempts", RowTable).rows.count() == number


async def test_damaged_lines_are_counted_and_shown(workspace: Path) -> None:
    """Lines that are no attempts stand among the others, say so, and open as what they are."""
    path = workspace / "runs" / PANEL
    number = len((path / LOG).read_bytes().splitlines())
    append(path, b"\x00\xff garbage", b'{"status": 3}', b"[" * 3000, b"")
    app = quick_app(workspace)
    async with app.run_test(size=SIZE) as pilot:
        await go(pilot)
        await sees(pilot, f"{number + 4} attempts", "4 damaged lines", "? damaged")
        await press(pilot, "G", "k", "k", "k", "enter")
        await sees(pilot, "no attempt", "garbage")
        await press(pilot, "y", "Y", "w", "J", "J", "J", "K", "a", "z", "z", "escape")
        await sees(pilot, "damaged lines")
        assert app.failure is None


async def test_no_run_at_all(tmp_path: Path) -> None:
    """Every key of the log does nothing harmful where no run is; a run that comes can be opened."""
    app = quick_app(tmp_path)
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, "6")
        await sees(pilot, "No run is open")
        await press(pilot, "f", "n", "N", "comma", "full_stop", "Y", "v", "enter", "slash", "a", "enter", "escape", "G", "g")
        assert app.failure is None and "No run is open" in screen_text(app)


async def test_a_log_that_goes_away(workspace: Path) -> None:
    """A run whose folder is removed while its log is looked at: the app says so or shows nothing, and goes on."""
    app = quick_app(workspace)
    async with app.run_test(size=SIZE) as pilot:
        table = await go(pilot)
        shutil.rmtree(workspace / "runs" / PANEL)
        await wait_for(pilot, lambda: table.rows.count() == 0)
        await press(pilot, "j", "enter", "n", "Y", "comma", "f", "4")
        await sees(pilot, "1 run")
        assert app.failure is None
