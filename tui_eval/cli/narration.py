"""Narration of a run while it goes on: a live block on a terminal, one line per tenth on a pipe."""

from __future__ import annotations

import os
import queue
import shutil
import sys
import threading
import time
from typing import Any, TextIO

from tui_eval.cli.standard_error import is_narrating
from tui_eval.core.money import four_decimals, how_much, told_apart
from tui_eval.core.plaintext import one_line

BAR = 24


class Narrator:
    """Writes progress to a stream, from a thread of its own: a terminal that stops reading must not hold up the run.

    A stream that is gone (a dropped connection) is no reason to stop either.
    """

    def __init__(self, stream: TextIO, silenced: bool = False) -> None:
        """`silenced`: nothing is written but what `tell` is given."""
        self._stream = stream
        self._silenced = silenced
        self._live = stream.isatty() and os.environ.get("TERM", "dumb") != "dumb"
        self._drawn = 0
        self._tenth = 0
        self._quarter = 0
        self._texts: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._writer = threading.Thread(target=self._write_all, name="narration", daemon=True)
        self._writer.start()

    def say(self, text: str) -> None:
        """One line of narration, above the live block where there is one."""
        if not self._silenced:
            self.tell(text)

    def tell(self, text: str) -> None:
        """A line that is written in any case: a warning, a reason, where keys go."""
        self._texts.put(self._erased() + one_line(text, 2000) + "\n")

    def tick(self, progress: Any) -> None:
        """Show where the run stands (an engine Progress); skipped while the stream is behind."""
        if self._silenced:
            return
        if self._live:
            if self._texts.empty():
                width, height = shutil.get_terminal_size()
                block = [line[: width - 1] for line in block_lines(progress, time.monotonic(), max(height - 2, 3))]
                self._texts.put(self._erased() + "\n".join(block) + "\n")
                self._drawn = len(block)
            return
        if progress.state == "reporting":
            self._tell_reports(progress.reported)
            return
        tenth = 10 * progress.total.settled // max(progress.planned, 1)
        if tenth > self._tenth or progress.state not in ("running", "starting", "paused", "stopping"):
            self._tenth = tenth
            self._texts.put(summary_line(progress, time.monotonic()) + "\n")

    def _tell_reports(self, share: float) -> None:
        """A line per quarter of the reports, where they take so long that somebody asks."""
        quarter = int(4 * share)
        if quarter > self._quarter:
            self._quarter = quarter
            self._texts.put(f"writing reports {100 * share:.0f} %\n")

    def close(self) -> None:
        """Let the live block stand as it is, and wait a moment until everything is written."""
        self._texts.put("\n" if self._drawn else "")
        self._drawn = 0
        self._texts.put(None)
        self._writer.join(timeout=2.0)

    def _erased(self) -> str:
        """Return the escapes that erase the live block."""
        n_lines, self._drawn = self._drawn, 0
        return f"\r\x1b[{n_lines}A\x1b[J" if n_lines else ""

    def _write_all(self) -> None:
        gone = False
        while (text := self._texts.get()) is not None:
            try:
                if not gone and text:
                    self._stream.write(text)
                    self._stream.flush()
            except (OSError, ValueError):
                gone = True


def summary_line(progress: Any, now: float) -> str:
    """Everything that matters on one line."""
    total = progress.total
    planned = max(progress.planned, total.settled)
    share = 100 * total.asked // max(planned, 1)
    counts = _counts(total, progress.cached)
    return f"{share:3d} %  {total.asked}/{planned}  {counts}  {money(progress)}  {_time_left(progress, now)}".rstrip()


def block_lines(progress: Any, now: float, height: int) -> list[str]:
    """The live block, at most `height` lines: a bar of what was asked, the counts, a line per model."""
    total = progress.total
    planned = max(progress.planned, total.settled, 1)
    filled = BAR * total.asked // planned
    bar = "█" * filled + "░" * (BAR - filled)
    state = f"writing reports {100 * progress.reported:.0f} %" if progress.state == "reporting" else progress.state
    lines = [f"{bar} {total.asked}/{planned} calls   {state}   {_time_left(progress, now)}"]
    lines.append(
        f"{_counts(total, progress.cached)}   {money(progress)}   {progress.in_flight} in flight, at most {progress.limit}"
        + (f" ({progress.limit_reason})" if progress.limit_reason else "")
    )
    width = max((len(name) for name in progress.models), default=0)
    for name, tally in progress.models.items():
        planned = max(tally.planned, tally.settled, 1)
        part = 10 * tally.asked // planned
        lines.append(
            f"  {one_line(name, 30):<{min(width, 30)}} {'█' * part}{'░' * (10 - part)} {tally.asked:>5}/{planned:<5} "
            f"{_counts(tally)}"
        )
    if len(lines) > height:
        hidden = len(lines) - height + 1
        lines = [*lines[: height - 1], f"  ... and {hidden} more models"]
    return lines


def _counts(tally: Any, cached: int = 0) -> str:
    """Return the outcomes of calls with their counts, in words; rare ones only where there are any."""
    rare = {"without text": tally.no_text, "not sent": tally.skipped + tally.not_sent, "lost": tally.lost}
    counts = {"answered": tally.ok, "failed": tally.error, "timed out": tally.timeout, **{k: n for k, n in rare.items() if n}}
    parts = [f"{n} {words}" for words, n in counts.items()]
    return ", ".join([*parts, *([f"{cached} from the cache"] if cached else [])])


def money(progress: Any) -> str:
    """Cost so far, with its share of unknowns; never a zero for what is not known."""
    total = progress.total
    if total.unknown_cost and not total.cost_usd:
        return "cost unknown"
    real = [tally for tally in progress.models.values() if not tally.simulated]
    real_usd = round(total.cost_usd - total.simulated_usd, 9)
    paid = "unknown" if not real_usd and any(tally.unknown_cost for tally in real) else four_decimals(real_usd)
    more = f" + {total.unknown_cost} unknown" if total.unknown_cost else ""
    made_up = how_much(len(progress.models) - len(real), len(progress.models))
    return told_apart(four_decimals(total.cost_usd), paid, four_decimals(total.simulated_usd), made_up) + more


def _time_left(progress: Any, now: float) -> str:
    remaining = progress.eta_s(now)
    if remaining is None or progress.state not in ("running", "starting"):
        return ""
    minutes, seconds = divmod(round(remaining), 60)
    return (
        f"about {minutes // 60}:{minutes % 60:02d}:{seconds:02d} left"
        if minutes >= 60
        else f"about {minutes}:{seconds:02d} left"
    )


def stderr_narrator() -> Narrator:
    """The narrator of a command."""
    return Narrator(sys.stderr, not is_narrating())
