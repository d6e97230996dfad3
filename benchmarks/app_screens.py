"""Bytes that a screen costs, from a key's first byte to its last, by size and colours; and the CPU of finding changed cells."""

from __future__ import annotations

import asyncio
import itertools
import statistics
import time
from collections.abc import Iterator

from app_bench import ENTER, ESCAPE, TAB, Bench, attached, percentile, shown
from rich.color import ColorSystem
from terminal import Terminal
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.geometry import Size

from tui_eval.tui.app import EvalApp
from tui_eval.tui.background.changed_cells import ShownCells
from tui_eval.workspace.places import Workspace

SCREEN_SIZES = ((80, 24), (200, 50))
COLOURS = {"256 colours": {}, "truecolor": {"COLORTERM": "truecolor"}}
OPENED_BYTES = {(80, 24): 25_000, (200, 50): 60_000}
"""What opening a result may cost in 256 colours."""
TRUECOLOR_TIMES = 1.5
QUIET_S = 0.8
"""After so long without a byte a screen is whole."""
OPENS_RESULT = "open a result"
STEPS = (
    (OPENS_RESULT, ENTER, "Summary"),
    ("next part of a result", TAB, ""),
    ("back to the runs", ESCAPE, "Space Mark"),
    ("the log", "6", "attempts"),
    ("/ in the log", "/", "Keep"),
    ("the filter left", ESCAPE, "Follow"),
    ("an attempt opened", ENTER, "Reply"),
    ("back to the log", ESCAPE, "Follow"),
    ("help", "?", "Keys of"),
    ("help left", ESCAPE, "Follow"),
    ("draw anew", "\x0c", ""),
)
FRAMES_OF = ("enter", "tab", "tab", "escape", "6", "enter", "escape", "5", "2", "1", "question_mark", "escape")


def screens(bench: Bench) -> None:
    """Each step of a walk, on terminals of several sizes and colours; then what a frame takes."""
    finished = bench.finished_run()
    for (colours, environment), size in itertools.product(COLOURS.items(), SCREEN_SIZES):
        with attached(bench, finished, size, environment) as terminal:
            terminal.send("4")
            terminal.wait_for("Space Mark")
            terminal.wait_for_quiet(QUIET_S)
            for (name, _, _), written in zip(STEPS, bytes_of_steps(terminal), strict=True):
                most = OPENED_BYTES[size] * (TRUECOLOR_TIMES if environment else 1) if name == OPENS_RESULT else None
                aim, met = (f"< {most / 1000:.4g} kB", written < most) if most is not None else ("", None)
                bench.tell(f"bytes of a screen, {name}, {shown(size)}, {colours}", f"{written / 1000:.1f} kB", aim, met)
    for size in SCREEN_SIZES:
        tell_cpu(bench, size)


def bytes_of_steps(terminal: Terminal) -> Iterator[int]:
    """Bytes that came after each key, until no more did."""
    for _, key, words in STEPS:
        mark = terminal.mark
        terminal.send(key)
        terminal.wait_for(words)
        terminal.wait_for_quiet(QUIET_S)
        yield len(terminal.bytes_since(mark))


def tell_cpu(bench: Bench, size: tuple[int, int]) -> None:
    """CPU of finding the changed cells of each frame of a walk, in this process; first time, styles not yet seen."""
    frames = asyncio.run(drawn_frames(Workspace(bench.workspace), size))
    cells, times = ShownCells(), []
    for frame in frames:
        began = time.thread_time()
        cells.written(frame, Size(*size), ColorSystem.EIGHT_BIT)
        times.append((time.thread_time() - began) * 1000)
    words = f"median {statistics.median(times):.2f}, p99 {percentile(times, 99):.2f} ms, n={len(times)}"
    bench.tell(f"CPU of the changed cells of a frame, {shown(size)}", words)


async def drawn_frames(workspace: Workspace, size: tuple[int, int]) -> list[LayoutUpdate | ChopsUpdate]:
    """Every frame of a walk through the screens, drawn without a terminal."""
    frames: list[LayoutUpdate | ChopsUpdate] = []
    app = EvalApp(workspace)
    display = app._display

    def keep(screen: object, update: object) -> None:
        if isinstance(update, LayoutUpdate | ChopsUpdate):
            frames.append(update)
        display(screen, update)  # type: ignore[arg-type]

    app._display = keep  # type: ignore[assignment,method-assign]
    async with app.run_test(size=size) as pilot:
        for key in FRAMES_OF:
            await asyncio.sleep(QUIET_S)
            await pilot.press(key)
    return frames
