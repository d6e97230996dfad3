"""Laws of a long text on the screen: all of it can be reached, nothing is cut at the edge, no key comes too late."""

from __future__ import annotations

import time

import pytest
from screen import press, screen_text, wait_for
from textual.app import App, ComposeResult

from tui_eval.tui.widgets.text import Paragraph, Reading

SIZES = ((60, 12), (80, 24))


class Stage(App[None]):
    """A text alone."""

    def __init__(self) -> None:
        super().__init__()
        self.reading = Reading()

    def compose(self) -> ComposeResult:
        """The text."""
        yield self.reading


def _shown(app: Stage) -> list[str]:
    """The text's part of each line, without the scroll bar."""
    return [line.rstrip("│█ ").strip() for line in screen_text(app).split("\n")]  # type: ignore[arg-type]


@pytest.mark.parametrize("size", SIZES)
async def test_every_word_can_be_read(size: tuple[int, int]) -> None:
    """Paging from the beginning to the end shows every word once, whole and in order; then back to the first."""
    words = [f"word{number}" for number in range(900)]
    app = Stage()
    async with app.run_test(size=size) as pilot:
        app.reading.show([(" ".join(words[:500]), ""), (" ".join(words[500:]), "bad")])
        app.reading.focus()
        await wait_for(pilot, lambda: "word0" in screen_text(app))  # type: ignore[arg-type]
        seen: dict[int, str] = {}
        while True:
            seen |= {app.reading.top + y: line for y, line in enumerate(_shown(app))}
            before = app.reading.top
            await press(pilot, "pagedown")
            await wait_for(pilot, lambda: _shown(app)[0] == app.reading.lines[app.reading.top][0].strip())
            if app.reading.top == before:
                break
        assert " ".join(seen[row] for row in sorted(seen)).split() == words
        await press(pilot, "g")
        await wait_for(pilot, lambda: _shown(app)[0].startswith("word0 "))
        await press(pilot, "G")
        await wait_for(pilot, lambda: _shown(app)[-1].endswith("word899"))
        await press(pilot, "j", "end", "down")
        assert _shown(app)[-1].endswith("word899")


async def test_the_scroll_bar_is_there_where_it_is_needed() -> None:
    """At the right edge, at the top in the beginning and at the bottom in the end; not where all can be seen."""
    app = Stage()
    async with app.run_test(size=(40, 10)) as pilot:
        app.reading.show([("one line", "")])
        app.reading.focus()
        await wait_for(pilot, lambda: "one line" in screen_text(app))  # type: ignore[arg-type]
        assert "█" not in screen_text(app)  # type: ignore[arg-type]
        app.reading.show([(f"line {number}", "") for number in range(40)])
        await wait_for(pilot, lambda: "line 9" in screen_text(app))  # type: ignore[arg-type]
        lines = screen_text(app).split("\n")  # type: ignore[arg-type]
        assert lines[0].endswith("█") and lines[-1].endswith("│")
        await press(pilot, "G")
        await wait_for(pilot, lambda: screen_text(app).split("\n")[-1].endswith("█"))  # type: ignore[arg-type]


async def test_other_sizes_and_other_texts() -> None:
    """A smaller and a larger terminal wrap anew and leave no empty page; a shorter text is shown from its beginning;
    the same place is kept on wish."""
    app = Stage()
    text: list[Paragraph] = [(f"{number} " + "word " * 20, "") for number in range(60)]
    async with app.run_test(size=(40, 10)) as pilot:
        app.reading.show(text)
        app.reading.focus()
        await press(pilot, "G")
        await wait_for(pilot, lambda: app.reading.top > 0)
        for size in ((120, 30), (20, 5), (200, 50)):
            await pilot.resize_terminal(*size)
            await wait_for(pilot, lambda: _shown(app)[0] == app.reading.lines[app.reading.top][0].strip())
            assert app.reading.top <= max(len(app.reading.lines) - app.reading.size.height, 0)
        await press(pilot, "k", "k")
        place = app.reading.top
        app.reading.show([*text, ("more", "")], keep_place=True)
        await wait_for(pilot, lambda: app.reading.lines[-1][0] == "more")
        assert app.reading.top == place
        app.reading.show([("short", "")], keep_place=True)
        await wait_for(pilot, lambda: _shown(app)[0] == "short")
        app.reading.show(text)
        await wait_for(pilot, lambda: _shown(app)[0].startswith("0 word"))


async def test_five_megabytes_are_there_at_once() -> None:
    """A text of 5 MB on one line, and one of 200 000 lines: shown, and their ends reached, in far less of this process's time
    than it takes to wonder."""
    app = Stage()
    async with app.run_test(size=(80, 24)) as pilot:
        app.reading.focus()
        for text in ("x" * 5_000_000 + " end", "\n".join(["line"] * 200_000) + " end"):
            began = time.process_time()
            app.reading.show([(text, "")])
            await press(pilot, "G")
            await wait_for(pilot, lambda: _shown(app)[-1].endswith("end"))
            assert time.process_time() - began < 20


async def test_empty_texts() -> None:
    """No text at all, and empty lines, are nothing to stumble over."""
    app = Stage()
    async with app.run_test(size=(30, 5)) as pilot:
        app.reading.focus()
        for text in ([], [("", "")], [("\n\n\n\n\n\n\n\n", "dim")], [(" " * 500, "")]):
            app.reading.show(text)  # type: ignore[arg-type]
            await press(pilot, "j", "G", "k", "g", "ctrl+d", "ctrl+u")
            assert not screen_text(app).strip("│█ \n")  # type: ignore[arg-type]
