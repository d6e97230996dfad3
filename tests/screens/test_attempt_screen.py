"""Laws of an attempt in full: all of it can be read, copied, written and paged, whatever it holds."""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made import PANEL
from screen import press, quick_app, screen_text, sees, toasts, told, wait_for
from textual.pilot import Pilot

from tui_eval.runs.folder import LOG
from tui_eval.runs.record import head_of
from tui_eval.tui.app import EvalApp
from tui_eval.tui.screens.log import record_text
from tui_eval.tui.screens.log.attempt import AttemptScreen
from tui_eval.tui.screens.log.record_text import part_text, parts_of
from tui_eval.tui.widgets.sections import Sections

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


async def open_first(pilot: Pilot[Any]) -> EvalApp:
    """The first attempt of the panel, opened."""
    app = pilot.app
    assert isinstance(app, EvalApp)
    await sees(pilot, "small panel")
    await press(pilot, "j", "L")
    await wait_for(pilot, lambda: app.opened is not None and app.opened.index.read == app.opened.index.lines > 0)
    await press(pilot, "g", "enter")
    await wait_for(pilot, lambda: isinstance(app.screen, AttemptScreen))
    return app


def chosen(app: EvalApp) -> str:
    """The part on show."""
    return app.screen.query_one(Sections).chosen


@pytest.mark.soak
async def test_every_part_by_tab(workspace: Path) -> None:
    """Tab goes through all parts and round; each shows what the record says; shift+tab goes back."""
    record = records_of(workspace / "runs" / PANEL)[0]
    async with quick_app(workspace).run_test(size=SIZE) as pilot:
        app = await open_first(pilot)
        names = parts_of(record)
        words = {
            "Reply": record["response_text"][:20],
            "Prompt": "porosity",
            "Usage": "tokens together",
            "JSON": '"attempt_id"',
        }
        for name in names:
            assert chosen(app) == name
            await sees(pilot, f"[{name}]", words.get(name, ""))
            await press(pilot, "tab")
        assert chosen(app) == names[0]
        await press(pilot, "shift+tab")
        assert chosen(app) == names[-1]
        await press(pilot, "backspace")
        assert not isinstance(app.screen, AttemptScreen)


async def test_the_other_attempts_of_a_call(workspace: Path) -> None:
    """All attempts of the call are listed, and Enter opens one."""
    path = workspace / "runs" / PANEL
    first = records_of(path)[0]
    again = {**first, "attempt_id": "abcd-999999", "attempt": 1, "response_text": "second thoughts"}
    with (path / LOG).open("a") as file:
        file.write(json.dumps(again) + "\n")
    async with quick_app(workspace).run_test(size=SIZE) as pilot:
        app = await open_first(pilot)
        await press(pilot, "shift+tab")
        await sees(pilot, "[Attempts]", "→")
        await press(pilot, "down", "enter", "tab")
        await sees(pilot, "[Reply]", "second thoughts", "attempt 2")
        await press(pilot, "n")
        await told(pilot, "that was the last one")
        assert app.failure is None


async def test_from_attempt_to_attempt_the_part_stays(workspace: Path) -> None:
    """n and N go through the list with the same part; at its ends it is told; the list's cursor went along."""
    records = records_of(workspace / "runs" / PANEL)
    async with quick_app(workspace).run_test(size=SIZE) as pilot:
        app = await open_first(pilot)
        await press(pilot, "N")
        await told(pilot, "that was the first one")
        await press(pilot, "tab", "n", "n")
        assert chosen(app) == "Prompt"
        assert isinstance(app.screen, AttemptScreen) and app.screen._record is not None
        assert app.screen._record["attempt_id"] == records[2]["attempt_id"]
        await press(pilot, "N", "escape", "Y")
        assert json.loads(app.clipboard)["attempt_id"] == records[1]["attempt_id"]


def written(workspace: Path) -> list[Path]:
    """The exported files."""
    return sorted(path for path in (workspace / "exports").rglob("*") if path.is_file())


async def test_copied_and_written(workspace: Path) -> None:
    """y copies the part, Y the record, w writes the part to a new file whose whole path is told; none steers a terminal."""
    (record, *_) = rewrite(workspace / "runs" / PANEL, lambda record: record.update(response_text=EVIL))
    async with quick_app(workspace).run_test(size=SIZE) as pilot:
        app = await open_first(pilot)
        await press(pilot, "y")
        await told(pilot, "clipboard")
        assert "MK" in app.clipboard and not CONTROL.search(app.clipboard)
        await press(pilot, "Y")
        await wait_for(pilot, lambda: app.clipboard.startswith("{"))
        assert json.loads(app.clipboard) == record and app.clipboard.isascii()
        await press(pilot, "w", "w")
        await wait_for(pilot, lambda: len(written(workspace)) == 2 and any("written to" in words for words in toasts(app)))
        files = written(workspace)
        assert any(str(files[0]) in words or str(files[1]) in words for words in toasts(app))
        assert "MK" in files[0].read_text() and not CONTROL.search(files[0].read_text())


async def test_a_long_text_is_shown_whole_on_wish(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the limit it says how much is left out; a shows all of it."""
    monkeypatch.setattr(record_text, "LONGEST_TEXT", 2_000)
    rewrite(workspace / "runs" / PANEL, lambda record: record.update(response_text="word " * 1_000 + "THE END"))
    async with quick_app(workspace).run_test(size=SIZE) as pilot:
        app = await open_first(pilot)
        await press(pilot, "G")
        await sees(pilot, "the first 2,000 of 5,007 characters; a shows all")
        await press(pilot, "a", "G")
        await sees(pilot, "THE END")
        assert app.failure is None


async def test_the_pager_gets_the_part(workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """o hands the part to $PAGER where the app can step back; where not (as here), it says so and goes on."""
    script = tmp_path / "pager"
    script.write_text(f'#!/bin/sh\ncp "$1" "{tmp_path}/paged"\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PAGER", str(script))
    async with quick_app(workspace).run_test(size=SIZE) as pilot:
        app = await open_first(pilot)
        await press(pilot, "o")
        await told(pilot, "cannot be started")
        assert app.failure is None


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
        app = await open_first(pilot)
        for _ in range(9):
            assert not CONTROL.search(screen_text(app).replace("\n", "")), chosen(app)
            await press(pilot, "tab")
        await press(pilot, "y", "w", "n", "a", "escape")
        await sees(pilot, "attempts")
        assert app.failure is None and not any("went wrong" in words for words in toasts(app))


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from((EVIL, "", "x" * 300)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(("content", "role", "text", EVIL)), inner),
    max_leaves=8,
)
BIG = (
    "request",
    "request_headers",
    "response_headers",
    "response_text",
    "reasoning_text",
    "response_json",
    "response_body_b64",
)


@settings(max_examples=80, deadline=None, database=None, derandomize=True)
@given(st.dictionaries(st.sampled_from(BIG), anything), st.sampled_from(("messages", "input", "system")), anything)
def test_any_values_in_the_big_fields_become_safe_text(fields: Record, where: str, value: Any) -> None:
    """The index lets any type through there: every part of such a record is safe paragraphs."""
    record = {"status": "ok", "usage": {}, "request": {where: value}, **fields}
    for part in parts_of(record):
        for text, _ in part_text(record, part):
            assert not CONTROL.search(text)


def test_the_hostile_records_are_attempts_to_the_index(made_runs: Path) -> None:
    """Else the screens would never see them."""
    record = records_of(made_runs / "runs" / PANEL)[0]
    for name, fields in HOSTILE.items():
        if name not in ("numbers",):
            head_of(json.dumps({**record, **fields}).encode())
