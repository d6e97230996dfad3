"""What a person sees while a run goes on: a live block on a terminal, one line per tenth on a pipe."""

from __future__ import annotations

import os
import shutil
import sys
import time
from typing import Any, TextIO

from tui_eval.plaintext import one_line

BAR = 24


class Narrator:
    """Writes progress to a stream; a stream that is gone (a dropped terminal) is no reason to stop."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._live = stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self._drawn = 0
        self._tenth = 0
        self._gone = False

    def say(self, text: str) -> None:
        """One line of narration, above the live block where there is one."""
        self._erase()
        self._write(one_line(text, 2000) + "\n")

    def tick(self, progress: Any) -> None:
        """Show where the run stands (an engine Progress)."""
        if self._live:
            width, height = shutil.get_terminal_size()
            block = [line[: width - 1] for line in block_lines(progress, time.monotonic())][: max(height - 2, 1)]
            self._erase()
            self._write("\n".join(block) + "\n")
            self._drawn = len(block)
            return
        tenth = 10 * progress.total.done // max(progress.planned, 1)
        if tenth > self._tenth or (progress.state not in ("running", "starting", "paused", "stopping")):
            self._tenth = tenth
            self._write(summary_line(progress, time.monotonic()) + "\n")

    def leave(self) -> None:
        """Let the live block stand as it is; what is printed next comes below it."""
        if self._drawn:
            self._write("\n")
        self._drawn = 0

    def _erase(self) -> None:
        if self._drawn:
            self._write(f"\x1b[{self._drawn}A\x1b[J")
            self._drawn = 0

    def _write(self, text: str) -> None:
        if self._gone:
            return
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):
            self._gone = True


def summary_line(progress: Any, now: float) -> str:
    """Everything that matters on one line."""
    total = progress.total
    planned = max(progress.planned, total.done)
    share = 100 * total.done // max(planned, 1)
    counts = f"{total.ok} ok, {total.error} error, {total.timeout} timeout, {total.skipped + total.not_sent} skipped"
    return f"{share:3d} %  {total.done}/{planned}  {counts}  {money(progress)}  {_time_left(progress, now)}".rstrip()


def block_lines(progress: Any, now: float) -> list[str]:
    """The live block: a bar, the counts, a line per model."""
    total = progress.total
    planned = max(progress.planned, total.done, 1)
    filled = BAR * total.done // planned
    bar = "█" * filled + "░" * (BAR - filled)
    lines = [f"{bar} {total.done}/{planned} calls   {progress.state}   {_time_left(progress, now)}"]
    lines.append(
        f"ok {total.ok}   error {total.error}   timeout {total.timeout}   skipped {total.skipped + total.not_sent}   "
        f"{money(progress)}   in flight {progress.in_flight}/{progress.limit}"
        + (f" ({progress.limit_reason})" if progress.limit_reason else "")
    )
    width = max((len(name) for name in progress.models), default=0)
    for name, tally in progress.models.items():
        planned = max(tally.planned, tally.done, 1)
        part = 10 * tally.done // planned
        lines.append(
            f"  {one_line(name, 30):<{min(width, 30)}} {'█' * part}{'░' * (10 - part)} {tally.done:>5}/{planned:<5} "
            f"ok {tally.ok}  error {tally.error}  timeout {tally.timeout}  skipped {tally.skipped + tally.not_sent}"
        )
    return lines


def money(progress: Any) -> str:
    """Cost so far, with its share of unknowns; never a zero for what is not known."""
    total = progress.total
    mark = " simulated" if progress.simulated else ""
    if total.unknown_cost and not total.cost_usd:
        return "cost unknown"
    more = f" + {total.unknown_cost} calls of unknown cost" if total.unknown_cost else ""
    return f"${total.cost_usd:.4f}{mark}{more}"


def _time_left(progress: Any, now: float) -> str:
    left = progress.eta_s(now)
    if left is None or progress.state not in ("running", "starting"):
        return ""
    minutes, seconds = divmod(round(left), 60)
    return (
        f"about {minutes // 60}:{minutes % 60:02d}:{seconds:02d} left"
        if minutes >= 60
        else f"about {minutes}:{seconds:02d} left"
    )


def stderr_narrator() -> Narrator:
    """The narrator of a command."""
    return Narrator(sys.stderr)
