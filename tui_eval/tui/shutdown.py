"""End of the app: whether anybody is still there, and what is said of the runs that go on."""

from __future__ import annotations

import select
from pathlib import Path
from typing import TextIO

from tui_eval.runs.entry import live_process


def finished(run: Path) -> bool:
    """Return whether a run has its report and no live process."""
    return (run / "report.json").is_file() and live_process(run) is None


def hung_up(stream: TextIO) -> bool:
    """Return whether the terminal has hung up: not every lost terminal sends a signal."""
    look = select.poll()
    try:
        look.register(stream, select.POLLHUP)
    except (OSError, ValueError):
        return False
    return any(event & select.POLLHUP for _, event in look.poll(0))


def farewell(live: list[str], paused: list[str]) -> str:
    """Return the closing message for the terminal when the app has ended."""
    words = []
    if live:
        goes, them = ("runs go", "them") if len(live) > 1 else ("run goes", "it")
        words.append(f"{len(live)} {goes} on: {_listed_ids(live)}\ntui-eval shows {them} again; tui-eval stop RUN stops one")
    if paused:
        are = "runs are" if len(paused) > 1 else "run is"
        words.append(f"{len(paused)} {are} paused: {_listed_ids(paused)}\ntui-eval continue RUN lets one go on")
    return "\n".join(words) or "no run is live; all answers are stored"


def _listed_ids(run_ids: list[str]) -> str:
    return ", ".join(run_ids[:3]) + (f" and {len(run_ids) - 3} more" if len(run_ids) > 3 else "")
