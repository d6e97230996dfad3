"""The verdict in a run's report: whole, in two lines for the top of a screen, and in a few words for a row of a list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from tui_eval.results.read_report import table_of, whole

IN_SHORT = "verdict_in_short"
"""The key of report.json that has it in its parts, as `sums.leading.verdict_line` makes them."""


@dataclass(frozen=True, slots=True)
class ReportVerdict:
    """A run's verdict. Its texts come from the file as they are: not safe to show."""

    line: str = ""
    """In two lines of a terminal of 80 columns, in four where names are long; of older reports the whole one."""
    rest: str = ""
    """What of the whole one the line leaves out."""
    outcome: str = ""
    """Who leads, in a few words, or of how many nobody does."""
    finding: Literal["leader", "none", ""] = ""
    """Whether it names a leader; empty where that is not known."""

    @property
    def text(self) -> str:
        """All of it."""
        return " ".join(filter(None, (self.line, self.rest)))


UNREAD = ReportVerdict()
LIVE = ReportVerdict("No verdict yet: it comes when the run has ended.", outcome="no verdict yet")
UNREPORTED = ReportVerdict("No verdict yet: this run has no report.", outcome="no verdict yet")
WITHOUT = ReportVerdict("No verdict: the report of this run has no scores to compare.", outcome="-")


def verdict_in(report: Mapping[str, Any]) -> ReportVerdict:
    """Return the verdict of a report, or that it has none."""
    said = report.get("verdict")
    parts = table_of(report.get(IN_SHORT))
    line, rest = parts.get("line"), parts.get("rest")
    if not isinstance(said, str) or not said:
        return WITHOUT
    if not isinstance(line, str) or not line:
        return ReportVerdict(said, outcome="see below")
    sides, worse = whole(parts.get("sides")) or 0, whole(parts.get("worse")) or 0
    rest = rest if isinstance(rest, str) else ""
    if leader := parts.get("leader"):
        where = f", {parts['variant']}" if parts.get("variant") else ""
        return ReportVerdict(line, rest, f"{leader} leads, {parts.get('score')}{where}", "leader")
    if sides > 1:
        return ReportVerdict(line, rest, f"no leader of {sides:,}" + (f", {worse:,} worse" if worse else ""), "none")
    return ReportVerdict(line, rest, "one model" if sides else "no score")
