"""Laws of the table: the screen shows what the rows are now, the cursor is in sight, and only seen rows are asked for."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from operator import itemgetter
from typing import Any

import pytest
from rich.cells import cell_len
from screen import press, screen_text, wait_for
from soaking import quick_first
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from tui_eval.tui.widgets.cells import Cell, Column, Rows, blank, listed_rows, row_cells
from tui_eval.tui.widgets.lines import Lines
from tui_eval.tui.widgets.sections import Sections
from tui_eval.tui.widgets.table import PATIENCE_S, RowTable

COLUMNS: Sequence[Column[Sequence[Cell]]] = (
    Column("name", 10, itemgetter(0), share=2),
    Column("s", 6, itemgetter(1), right=True),
    Column("state", 8, itemgetter(2)),
    Column("wide", 12, itemgetter(3), above=79),
    Column("last", 9, itemgetter(4), share=1),
)
KEYS = ("j", "k", "g", "G", "ctrl+d", "ctrl+u", "h", "l", "down", "up", "home", "end", "pagedown", "pageup", "enter")
TONES = ("", "good", "bad", "warn", "dim", "accent", "strong")


class Stage(App[None]):
    """A table, and a line that can have the keys instead."""

    CSS = "Sections, Lines { display: none; }"

    def __init__(self, table: RowTable) -> None:
        super().__init__()
        self.table = table
        self.opened: list[int] = []
        self.moved: list[int] = []

    def compose(self) -> ComposeResult:
        """The table alone is seen."""
        yield self.table
        yield Lines(id="line")
        yield Sections(["One", "Two"])

    def on_row_table_opened(self, event: RowTable.Opened) -> None:
        """Note what was opened."""
        self.opened.append(event.row)

    def on_row_table_moved(self, event: RowTable.Moved) -> None:
        """Note where the cursor went."""
        self.moved.append(event.row)


def _text(app: App[Any]) -> str:
    return "\n".join(_on_screen(app))


def _on_screen(app: App[Any]) -> list[str]:
    return ["".join(segment.text for segment in strip) for strip in app.screen._compositor.render_strips()]


def _anew(table: RowTable) -> list[str]:
    """The lines as a table that never drew anything would draw them."""
    kept = dict(table._drawn)
    lines = ["".join(segment.text for segment in table.render_line(y)) for y in range(table.size.height)]
    table._drawn = kept
    return lines


async def _settled(pilot: Pilot[Any], table: RowTable) -> None:
    await wait_for(pilot, lambda: _on_screen(pilot.app) == _anew(table), "the screen to be what a fresh table is")


def _row(number: int, version: int) -> list[Cell]:
    tone: Any = TONES[(number + version) % len(TONES)]
    return [f"row {number}", (f"{version}", tone), "宽" * (number % 7), "é\u0323" * 9, "x" * (number % 30)]


@pytest.mark.parametrize("seed", quick_first(range(2)))
async def test_nothing_stale_is_left_on_the_screen(seed: int) -> None:
    """Whatever keys are pressed while rows come, go and change, and whatever size the terminal gets: the lines are
    those of a fresh table, the cursor is one of the rows and in sight, and a table that follows is at its end."""
    dice = random.Random(seed)
    rows: list[list[Cell]] = []
    table = RowTable(COLUMNS, empty="nothing\n\nhere yet")
    async with Stage(table).run_test(size=(60, 12)) as pilot:
        table.show(Rows(lambda: len(rows), lambda row: row_cells(COLUMNS, rows[row])))
        table.focus()
        for step in range(30):
            deed = dice.randrange(8)
            if deed <= 1:
                rows += [_row(len(rows) + more, step) for more in range(dice.randrange(9))]
            elif deed == 2 and rows:
                rows[dice.randrange(len(rows))] = _row(step, step)
            elif deed == 3 and dice.random() < 0.3:
                del rows[dice.randrange(len(rows) + 1) :]
            elif deed == 4:
                table.follow = not table.follow
            elif deed == 5 and dice.random() < 0.5:
                await pilot.resize_terminal(dice.randrange(20, 130), dice.randrange(1, 30))
            else:
                await press(pilot, *dice.choices(KEYS, k=3))
            table.grown()
            await _settled(pilot, table)
            assert 0 <= table.cursor < max(len(rows), 1)
            assert table.top <= table.cursor < table.top + max(table.size.height - 1, 1)
            assert not table.follow or table.cursor == max(len(rows) - 1, 0)
            assert {cell_len(line) for line in _on_screen(pilot.app)} == {pilot.app.size.width}


async def test_five_million_rows_open_at_once() -> None:
    """Only rows that can be seen are ever asked for, wherever one goes."""
    asked: set[int] = set()

    def cells(row: int) -> Sequence[Cell]:
        asked.add(row)
        return [f"row {row}", "1"]

    table = RowTable(COLUMNS)
    async with Stage(table).run_test(size=(80, 24)) as pilot:
        table.show(Rows(lambda: 5_000_000, cells))
        table.focus()
        await wait_for(pilot, lambda: "row 22" in screen_text(pilot.app))  # type: ignore[arg-type]
        await press(pilot, "G")
        await wait_for(pilot, lambda: "row 4999999" in screen_text(pilot.app))  # type: ignore[arg-type]
        assert asked == {*range(23), *range(4_999_977, 5_000_000)}


async def test_nothing_new_draws_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A look at rows that are what they were draws no line; one changed row draws its line alone; a line that says the
    same is left as it is."""
    rows = [_row(number, 0) for number in range(50)]
    drawn: list[int] = []
    render_line = RowTable.render_line
    monkeypatch.setattr(RowTable, "render_line", lambda table, y: (drawn.append(y), render_line(table, y))[1])
    table = RowTable(COLUMNS)
    async with Stage(table).run_test(size=(80, 24)) as pilot:
        table.show(listed_rows(rows))
        await _settled(pilot, table)
        sent: list[object] = []
        display = pilot.app._display
        monkeypatch.setattr(pilot.app, "_display", lambda screen, update: (sent.append(update), display(screen, update)))
        drawn.clear()
        for _ in range(10):
            table.grown()
            pilot.app.query_one(Lines).say()
            await pilot.pause()
        assert not drawn and not sent
        rows[4] = _row(4, 1)
        table.grown()
        await wait_for(pilot, lambda: drawn)
        assert set(drawn) == {5}


async def test_following_and_leaving_the_end() -> None:
    """While a table follows, its cursor is on the last row; moving up ends that, and nothing moves it any more."""
    rows = [_row(number, 0) for number in range(50)]
    table = RowTable(COLUMNS)
    async with Stage(table).run_test(size=(80, 10)) as pilot:
        table.follow = True
        table.show(Rows(lambda: len(rows), lambda row: rows[row]))
        table.focus()
        await wait_for(pilot, lambda: table.cursor == 49)
        rows.append(_row(50, 0))
        table.grown()
        await wait_for(pilot, lambda: "row 50" in screen_text(pilot.app))  # type: ignore[arg-type]
        await press(pilot, "k")
        rows.append(_row(51, 0))
        table.grown()
        await _settled(pilot, table)
        assert table.cursor == 49 and not table.follow


async def test_what_is_told() -> None:
    """Enter tells the row; moving tells it once, not when there is nowhere to go; an empty table opens nothing."""
    table = RowTable(COLUMNS)
    stage = Stage(table)
    async with stage.run_test(size=(80, 10)) as pilot:
        table.focus()
        await press(pilot, "enter", "j", "G", "g", "k", "ctrl+d", "ctrl+u", "h", "l")
        assert not stage.opened and not stage.moved
        table.show(listed_rows([_row(number, 0) for number in range(3)]))
        await press(pilot, "k", "j", "enter", "G", "j", "enter")
        await wait_for(pilot, lambda: stage.opened == [1, 2])
        assert stage.moved == [1, 2]


async def test_columns_go_aside_and_come_back() -> None:
    """To the right the first column stays, and the others go; to the left they come back; no key is lost on columns that
    are not shown."""
    columns = [Column("first", 10, blank), *(Column(f"c{number}", 12, blank) for number in range(8))]
    table = RowTable(columns)
    async with Stage(table).run_test(size=(60, 8)) as pilot:
        table.show(listed_rows([[f"cell{number}" for number in range(9)]]))
        table.focus()
        await press(pilot, *["l"] * 12)
        await wait_for(pilot, lambda: "cell8" in screen_text(pilot.app))  # type: ignore[arg-type]
        assert "cell0" in screen_text(pilot.app) and "cell1" not in screen_text(pilot.app)  # type: ignore[arg-type]
        await press(pilot, *["h"] * 12)
        await wait_for(pilot, lambda: "cell1" in screen_text(pilot.app))  # type: ignore[arg-type]
        assert table.skipped == 0


async def test_a_theme_and_the_focus_are_seen() -> None:
    """Another theme draws every line in its colours; who has not the keys has no cursor mark."""
    table = RowTable(COLUMNS, can_open=True)
    async with Stage(table).run_test(size=(60, 8)) as pilot:
        table.show(listed_rows([_row(number, 1) for number in range(4)]))
        table.focus()
        await wait_for(pilot, lambda: "›row 0" in screen_text(pilot.app))  # type: ignore[arg-type]
        before = {segment.style for strip in pilot.app.screen._compositor.render_strips() for segment in strip}
        pilot.app.theme = "textual-light"
        await wait_for(
            pilot,
            lambda: (
                not before
                & {s.style for strip in pilot.app.screen._compositor.render_strips()[:5] for s in strip if s.text.strip()}
            ),
        )
        pilot.app.screen.set_focus(None)
        await wait_for(pilot, lambda: "›" not in screen_text(pilot.app))  # type: ignore[arg-type]


class Parts(App[None]):
    """Sections and a line."""

    def compose(self) -> ComposeResult:
        """Both in one line each."""
        yield Sections(["Reply", "Prompt", "Parameters", "Usage", "Headers", "JSON", "Attempts"])
        yield Lines(id="line")


@pytest.mark.parametrize("width", [20, 60, 100])
async def test_the_chosen_part_can_always_be_seen(width: int) -> None:
    """Turning goes through all parts and round; the chosen one stands in brackets on the line, however narrow it is."""
    async with Parts().run_test(size=(width, 5)) as pilot:
        sections = pilot.app.query_one(Sections)
        names = list(sections.names)
        for number in range(len(names) + 2):
            name = names[number % len(names)]
            await wait_for(pilot, lambda name=name: f"[{name}]" in _on_screen(pilot.app)[0])
            sections.turn(1)
        sections.offer(names[:3], "Prompt")
        assert sections.chosen == "Prompt"
        sections.offer(names[3:])
        assert sections.chosen == names[3]


async def test_a_line_says_what_it_is_told() -> None:
    """Pieces one after the other, never as mark-up, cut at the edge and not wrapped."""
    async with Parts().run_test(size=(40, 5)) as pilot:
        line = pilot.app.query_one(Lines)
        line.say("[b]bold[/b] ", ("[/nothing", "bad"), " [@click=app.quit]x[/]")
        assert line.text == "[b]bold[/b] [/nothing [@click=app.quit]x[/]"
        await wait_for(pilot, lambda: "[b]bold[/b] [/nothing [@click=" in screen_text(pilot.app))  # type: ignore[arg-type]
        line.say("word " * 20)
        await wait_for(pilot, lambda: "word word word word word word word w" in _on_screen(pilot.app)[1])


async def test_rows_that_are_being_read_are_called_so_after_a_while() -> None:
    """Words in place of rows that come at once would flicker; where there are none at all, that is said at once."""
    rows: list[Sequence[Cell]] = []
    table = RowTable(COLUMNS, empty="Nothing yet.")
    app = Stage(table)
    async with app.run_test(size=(80, 10)) as pilot:
        await wait_for(pilot, lambda: "Nothing yet." in _text(app))
        for _ in range(2):
            rows.clear()
            table.empty = "The rows are being read …"
            began = time.monotonic()
            table.show(Rows(lambda: len(rows), lambda row: rows[row]), 0)
            while "being read" not in _text(app):
                await pilot.pause()
            assert time.monotonic() - began >= PATIENCE_S
            rows.append(("one", "1", "", "", ""))
            table.grown()
            await wait_for(pilot, lambda: "one" in _text(app) and "being read" not in _text(app))
