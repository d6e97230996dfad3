"""Laws of how a run stands whose process was started from the app, where its folder does not say so."""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import cast

from tui_eval.runs.entry import RunEntry
from tui_eval.runs.folder import PROGRESS, create_folder
from tui_eval.runs.steering import Started
from tui_eval.runs.writing import LOCK
from tui_eval.tui.background.run_board import RunBoard
from tui_eval.workspace.places import Workspace

PATIENCE_S = 20.0


class Process:
    """A process that lives until it is said to have ended."""

    code: int | None = None
    asks = True

    def poll(self) -> int | None:
        """Its exit code once it has ended."""
        return self.code


def wait(done: Callable[[], bool]) -> None:
    """Until something is so."""
    until = time.monotonic() + PATIENCE_S
    while not done():
        assert time.monotonic() < until
        time.sleep(0.005)


def test_a_process_that_let_go_of_its_folder_is_not_starting_again(tmp_path: Path) -> None:
    """Until it holds the folder it is starting; from then on, as long as it lives, it puts away what it made. One that asks
    nobody makes the reports anew, and the run is not live for that."""
    path = tmp_path / "runs" / "20260101_000000_abcd_made"
    create_folder(path)
    (path / "config.toml").write_text('kind = "generate"\n')
    (path / "manifest.json").write_text("{}")
    (path / PROGRESS).write_text(json.dumps({"state": "done"}))
    board, process = RunBoard(Workspace(tmp_path), 0.01), Process()
    board.processes = {path: cast(Started, process)}

    def entry() -> RunEntry | None:
        board.take_up()
        return board.entry(path)

    def stands(state: str, live: bool) -> None:
        wait(lambda: (now := entry()) is not None and (now.state, now.live) == (state, live))

    board.start()
    try:
        stands("starting", live=False)
        lock = os.open(path / LOCK, os.O_RDWR | os.O_CREAT)
        fcntl.flock(lock, fcntl.LOCK_EX)
        wait(lambda: (now := entry()) is not None and now.live)
        os.close(lock)
        stands("reporting", live=True)
        process.code = 0
        stands("done", live=False)
        process.code, process.asks = None, False
        board.processes = {path: cast(Started, process)}
        board._seen_live.clear()
        stands("reporting", live=False)
    finally:
        board.close()
