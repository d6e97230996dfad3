"""Laws of the inspector: beside every list stands the entry under its cursor, all of it, whatever it holds, as text alone."""

from __future__ import annotations

import json
import re
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from made import PANEL
from screen import held, press, quick_app, screen_text, sees, toasts, told, wait_for
from snapshots import WALKED, Screens, walk_through
from textual.pilot import Pilot

from tui_eval.runs.folder import LOG
from tui_eval.runs.record import head_of
from tui_eval.tui.app import EvalApp
from tui_eval.tui.screens.log.screen import LogScreen
from tui_eval.tui.widgets.inspector import LABEL, LONGEST_FIELD, Inspector, SectionsView
from tui_eval.tui.widgets.table import RowTable

SIZE = (120, 40)
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
EVIL = "MK\x1b[2J\x1b]52;c;QUJD\x07[/b][@click=app.quit]x[/]\u202ea\u2066\ud800\x9b1m\x7f\r\te\u0301\u0301\u0301👨\u200d👩"
Record = dict[str, Any]


def records_of(path: Path) -> list[Record]:
    """Every record of a run."""
    return [json.loads(line) for line in (path / LOG).read_bytes().splitlines()]


def rewrite(path: Path, change: Callable[[Record], object]) -> list[Record]:
    """Write a log anew with every record changed."""
    records = records_of(path)
    for record in records:
        change(record)
    (path / LOG).write_text("".join(json.dumps(record) + "\n" for record in records))
    return records


async def open_log(pilot: Pilot[Any]) -> LogScreen:
    """The log of the panel, at its first attempt."""
    app = pilot.app
    assert isinstance(app, EvalApp)
    await sees(pilot, "small panel")
    await press(pilot, "j", "L")
    await wait_for(pilot, lambda: app.opened is not None and app.opened.index.read == app.opened.index.lines > 0)
    assert isinstance(app.screen, LogScreen)
    await press(pilot, "g")
    await wait_for(pilot, lambda: app.screen.query_one(Inspector).dossier is not None)
    return app.screen


def attempt_id(screen: LogScreen) -> str:
    """Which attempt the inspector shows."""
    shown = screen.inspector.dossier
    return "" if shown is None else shown.name.removeprefix("attempt-")


def place_of(screen: LogScreen, label: str) -> int:
    """The first line with a label, among all those of the inspector."""
    lines = [text for text, _ in screen.query_one("#inspected", SectionsView).lines]
    return next((row for row, text in enumerate(lines) if text[:LABEL].strip() == label), -1)


async def inspectors(at: Screens) -> None:
    """Log, answers and grid of an exam, each with its inspector; the grid where models differ, hardest first."""
    await at.go("6", "j")
    await at.see("inspector_log", "ASKED")
    await at.go("v", "tab", "tab", "j", "j")
    await at.see("inspector_answers", "[Answers]")
    await at.go("shift+tab", "shift+tab", "shift+tab", "!", ",", ",", "l", "enter")
    await at.see("inspector_grid", "by right, lowest")


@pytest.mark.parametrize("size", [*WALKED, pytest.param((200, 50), marks=pytest.mark.soak)], ids=["80x24", "120x40", "200x50"])
async def test_inspectors_are_as_on_file(size: tuple[int, int], place: Path) -> None:
    """The screens as text."""
    await walk_through(inspectors, size, place, "lighthouse")


@pytest.mark.parametrize("size", [(80, 24), (120, 40), (200, 50)], ids=["80x24", "120x40", "200x50"])
async def test_the_inspector_follows_the_list(size: tuple[int, int], workspace: Path) -> None:
    """j and k move the list, and the inspector follows; Enter goes in, where j and k scroll and J and K move on; Esc comes
    back, and Tab goes through the panes. Two panes from 100 columns side by side, three from 180, else one above the other;
    none is blank."""
    records = records_of(workspace / "runs" / PANEL)
    async with quick_app(workspace).run_test(size=size) as pilot:
        screen = await open_log(pilot)
        table, inspector = screen.inspected_list, screen.inspector
        for place in (1, 2, 1):
            await press(pilot, "k" if place < table.cursor else "j")
            await wait_for(pilot, lambda place=place: attempt_id(screen) == records[place]["attempt_id"])
        await press(pilot, "enter")
        assert screen.in_inspector and table.cursor == 1
        await press(pilot, "j", "j")
        assert table.cursor == 1
        await press(pilot, "J", "J", "K")
        await wait_for(pilot, lambda: attempt_id(screen) == records[2]["attempt_id"] and table.cursor == 2)
        await press(pilot, "escape")
        assert screen.focused is table
        is_wide, beside = size[0] >= 100, screen.query_one("#beside", SectionsView)
        for pane in (screen.query_one("#inspected"), *([beside] if size[0] >= 180 else []), table):
            await press(pilot, "tab")
            assert screen.focused is pane
        assert (inspector.region.x > 0) == is_wide and (inspector.region.y > table.region.y) != is_wide
        assert beside.display == (size[0] >= 180)
        for pane in (table, screen.query_one("#inspected"), *([beside] if size[0] >= 180 else [])):
            text = [line[pane.region.x : pane.region.right] for line in screen_text(pilot.app).split("\n")]  # type: ignore[arg-type]
            assert any(line.strip() for line in text[pane.region.y : pane.region.bottom]), pane


async def test_enter_twice_reads_on_the_whole_screen(workspace: Path) -> None:
    """At 80x24 Enter goes into the inspector, once more gives it the rows of the list, and again takes it; so does Esc."""
    async with quick_app(workspace).run_test(size=(80, 24)) as pilot:
        screen = await open_log(pilot)
        height = screen.inspector.size.height
        await press(pilot, "enter", "enter")
        await wait_for(pilot, lambda: screen.inspector.size.height > height and not screen.inspected_list.display)
        await press(pilot, "enter")
        await wait_for(pilot, lambda: screen.inspector.size.height == height and screen.in_inspector)
        await press(pilot, "enter", "escape")
        await wait_for(pilot, lambda: screen.inspector.size.height == height and screen.focused is screen.inspected_list)


async def test_zoom_and_back(workspace: Path) -> None:
    """z gives the pane that has the keys the whole screen, and takes it back; leaving the inspector shows both again."""
    async with quick_app(workspace).run_test(size=SIZE) as pilot:
        screen = await open_log(pilot)
        table, inspector = screen.inspected_list, screen.inspector
        await press(pilot, "z")
        await wait_for(pilot, lambda: table.region.width > 100 and not inspector.region.width)
        await press(pilot, "z", "enter", "z")
        await wait_for(pilot, lambda: inspector.region.width > 100 and not table.region.width)
        await press(pilot, "escape")
        await wait_for(pilot, lambda: table.region.width > 20 and inspector.region.width > 20)
        await pilot.resize_terminal(80, 24)
        await wait_for(pilot, lambda: inspector.region.y > table.region.y)


async def test_why_and_what_and_by_whom(workspace: Path) -> None:
    """A failed attempt says why first; then what was asked, the target, the reply with what was read of it marked, the other
    models' answers, the other attempts, and the figures."""
    records = records_of(workspace / "runs" / PANEL)
    failed = next(place for place, record in enumerate(records) if record["status"] == "error" and record["error_message"])
    async with quick_app(workspace).run_test(size=(120, 60)) as pilot:
        screen = await open_log(pilot)
        await press(pilot, *["j"] * failed)
        await wait_for(pilot, lambda: attempt_id(screen) == records[failed]["attempt_id"])
        await wait_for(pilot, lambda: 0 == place_of(screen, "WHY") < place_of(screen, "ASKED"))
        assert place_of(screen, "USAGE") > 0 and place_of(screen, "JSON") > 0
        assert str(records[failed]["error_kind"]) in screen.dossier_text


async def test_the_other_attempts_of_a_call(workspace: Path) -> None:
    """All attempts of the call are listed, the one that is shown with a pointer."""
    path = workspace / "runs" / PANEL
    again = {**records_of(path)[0], "attempt_id": "abcd-999999", "attempt": 1, "response_text": "second thoughts"}
    with (path / LOG).open("a") as file:
        file.write(json.dumps(again) + "\n")
    async with quick_app(workspace).run_test(size=SIZE) as pilot:
        screen = await open_log(pilot)
        await wait_for(pilot, lambda: place_of(screen, "ATTEMPTS") > 0)
        await wait_for(pilot, lambda: re.search(r"ATTEMPTS\n› 1 .*\n  2 ", screen.dossier_text) is not None)
        await press(pilot, "G")
        await wait_for(pilot, lambda: re.search(r"ATTEMPTS\n  1 .*\n› 2 ", screen.dossier_text) is not None)
        await sees(pilot, "second thoughts")


def written(workspace: Path) -> list[Path]:
    """The exported files."""
    return sorted(path for path in (workspace / "exports").rglob("*") if path.is_file())


async def test_copied_and_written(workspace: Path) -> None:
    """y copies all there is of the entry, Y the record, w writes it to a file whose path is told; none steers a terminal."""
    (record, *_) = rewrite(workspace / "runs" / PANEL, lambda record: record.update(response_text=EVIL))
    async with quick_app(workspace).run_test(size=SIZE) as pilot:
        screen = await open_log(pilot)
        app = screen.eval_app
        await press(pilot, "y")
        await told(pilot, "clipboard")
        clipboard = pilot.app.clipboard
        assert "MK" in clipboard and record["call_key"] in clipboard and not CONTROL.search(clipboard)
        await press(pilot, "Y")
        await wait_for(pilot, lambda: pilot.app.clipboard.startswith("{"))
        assert json.loads(pilot.app.clipboard) == record and pilot.app.clipboard.isascii()
        await press(pilot, "w", "enter", "w")
        await wait_for(pilot, lambda: len(written(workspace)) == 2)
        files = written(workspace)
        assert any(str(file) in words for file in files for words in toasts(app))  # type: ignore[arg-type]
        assert "MK" in files[0].read_text() and not CONTROL.search(files[0].read_text())


async def test_a_long_text_is_shown_whole_on_wish(workspace: Path) -> None:
    """Beyond the limit it says how much is left out; a shows all of it, thinking, headers and JSON too, and again less."""
    size = LONGEST_FIELD + 5_007
    text = ("word " * size)[: size - 7] + "THE END"
    rewrite(workspace / "runs" / PANEL, lambda record: record.update(response_text=text, reasoning_text="so I thought"))
    async with quick_app(workspace).run_test(size=SIZE) as pilot:
        screen = await open_log(pilot)
        shown = screen.inspector.dossier
        assert shown is not None and any("5,007 characters more; a shows all of them" in each.text for each in shown.sections)
        assert not any("so I thought" in each.text for each in shown.sections)
        await press(pilot, "a")
        await wait_for(pilot, lambda: any(each.text.endswith("THE END") for each in screen.inspector.dossier.sections))  # type: ignore[union-attr]
        assert any("so I thought" in each.text for each in screen.inspector.dossier.sections)  # type: ignore[union-attr]
        await press(pilot, "j", "a")
        assert not any("so I thought" in each.text for each in screen.inspector.dossier.sections)  # type: ignore[union-attr]


async def test_a_megabyte_does_not_hold_up_the_keys(workspace: Path) -> None:
    """A reply of 1 MB, 200 kB of JSON, wide and right-to-left text: the entry is on the screen soon, in whole on wish."""
    listed = json.dumps([{"key": i, "value": "x" * 40} for i in range(4_000)])
    texts = iter(["word " * 200_000, listed, "漢字かな" * 50_000, "שלום " * 40_000] * 50)
    rewrite(workspace / "runs" / PANEL, lambda record: record.update(response_text=next(texts)))
    async with quick_app(workspace).run_test(size=SIZE) as pilot:
        screen = await open_log(pilot)
        took: list[float] = []
        for place in range(1, 6):
            begun = time.thread_time()
            await press(pilot, "j")
            await wait_for(pilot, lambda place=place: screen.inspected_list.cursor == place)
            took.append(time.thread_time() - begun)
        assert sorted(took)[len(took) // 2] < 0.5, took
        await press(pilot, "a", "enter", "G")
        await sees(pilot, "}")


async def test_it_stands_still_while_the_list_follows(workspace: Path) -> None:
    """While the end of a live log is followed, the entry that is read stays; moving shows another."""
    path = workspace / "runs" / PANEL
    lines = (path / LOG).read_bytes().splitlines()
    with held(path):
        async with quick_app(workspace).run_test(size=SIZE) as pilot:
            await sees(pilot, "1 live")
            screen = await open_log(pilot)
            await press(pilot, "f")
            table = screen.query_one("#attempts", RowTable)
            await wait_for(pilot, lambda: table.follow and table.cursor == len(lines) - 1)
            shown = attempt_id(screen)
            with (path / LOG).open("ab") as file:
                file.write(b"".join(line + b"\n" for line in lines[:5]))
            await wait_for(pilot, lambda: table.cursor == len(lines) + 4)
            assert attempt_id(screen) == shown
            await press(pilot, "k")
            await wait_for(pilot, lambda: attempt_id(screen) == json.loads(lines[3])["attempt_id"])


async def test_the_pager_gets_the_entry(workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """o hands it to $PAGER where the app can step back; where not (as here), it says so and goes on."""
    script = tmp_path / "pager"
    script.write_text(f'#!/bin/sh\ncp "$1" "{tmp_path}/paged"\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PAGER", str(script))
    async with quick_app(workspace).run_test(size=SIZE) as pilot:
        await open_log(pilot)
        await press(pilot, "o")
        await told(pilot, "cannot be started")


HOSTILE: dict[str, Record] = {
    "texts": dict.fromkeys(
        ("response_text", "reasoning_text", "error_message", "item_id", "finish_reason", "served_model"), EVIL
    ),
    "names": {**dict.fromkeys(("stage", "model", "model_id", "error_kind", "about", "doc_id"), EVIL), "status": "error"},
    "lists": {"request": [1, [2]], "response_headers": [EVIL], "response_json": EVIL, "reasoning_text": {"a": 1}},
    "request": {
        "request": {"messages": [3, {"role": {"a": EVIL}, "content": [EVIL, {"text": EVIL}, None]}, EVIL], "input": {}}
    },
    "numbers": {"request": 3, "response_text": 7, "response_body_b64": 9, "error_message": [EVIL], "http_status": EVIL},
    "headers": {"request_headers": {EVIL: {EVIL: EVIL}}, "response_headers": {EVIL: None}, "request": {EVIL: EVIL}},
    "five megabytes": {"response_text": EVIL * 60_000, "reasoning_text": "x" * 2_000_000},
}


@pytest.mark.parametrize("name", [name if name == "texts" else pytest.param(name, marks=pytest.mark.soak) for name in HOSTILE])
async def test_hostile_records_are_only_text(name: str, workspace: Path) -> None:
    """Every part of a stranger's record: no control character on the screen, nothing done, no crash."""
    records = records_of(workspace / "runs" / PANEL)[:2]
    lines = [json.dumps({**record, **HOSTILE[name]}) for record in records]
    (workspace / "runs" / PANEL / LOG).write_text("\n".join(lines) + "\n")
    async with quick_app(workspace).run_test(size=SIZE) as pilot:
        screen = await open_log(pilot)
        await press(pilot, "a", "enter")
        for _ in range(30):
            assert not CONTROL.search(screen_text(pilot.app).replace("\n", ""))  # type: ignore[arg-type]
            await press(pilot, "ctrl+d")
        await press(pilot, "y", "w", "J", "l", "h", "a", "escape")
        await sees(pilot, "attempts")
        assert not any("went wrong" in words for words in toasts(screen.eval_app))  # type: ignore[arg-type]


def test_the_hostile_records_are_attempts_to_the_index(made_runs: Path) -> None:
    """Else the screens would never see them."""
    record = records_of(made_runs / "runs" / PANEL)[0]
    for name, fields in HOSTILE.items():
        if name not in ("numbers",):
            head_of(json.dumps({**record, **fields}).encode())
