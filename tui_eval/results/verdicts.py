"""Outcomes of a run's gates, as its report says it: for the command line, the app, and whoever exports a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tui_eval.core.calls import WITHOUT_TEXT
from tui_eval.results.read_report import objects_of
from tui_eval.results.report_head import StoredReport
from tui_eval.runs.reader import RunReader

NOT_FAILED = frozenset({"ok", "ok_truncated", "not_sent", *WITHOUT_TEXT})
"""Ends that are no failure of their call: what was not sent for good had only refusals or failures to build on."""
Outcome = Literal["PASS", "FAIL", "INCONCLUSIVE"]
WORDS: dict[Outcome, str] = {"PASS": "passed", "FAIL": "failed", "INCONCLUSIVE": "inconclusive"}
COLUMNS = ("gate", "model", "found", "wanted", "n", "verdict")


@dataclass(frozen=True, slots=True)
class Verdict:
    """One gate. Its texts come from the file as they are."""

    name: str
    """What it demands: a metric, or a key of [gate]."""
    metric: str
    stage: str
    model: str
    variant: str
    """Of what was asked; empty where there is one."""
    outcome: Outcome
    passed: bool
    """Whether it counts as passed; one that is inconclusive may."""
    found: str
    wanted: str
    n: int | None
    text: str
    """What is missing for a verdict, or must be known besides; mostly empty."""

    @property
    def title(self) -> str:
        """Its subject: its name, with the metric where that is another."""
        return self.name if self.metric in ("", self.name) else f"{self.name} {self.metric}"

    @property
    def who(self) -> str:
        """Whom it is about: the model, with the variant of what it was asked where there are several."""
        return " ".join(filter(None, (self.model, self.variant)))

    @property
    def cells(self) -> list[str]:
        """As a row under COLUMNS."""
        n = "-" if self.n is None else f"{self.n:,}"
        return [self.title, self.who or "-", self.found, self.wanted, n, self.outcome]


def verdicts_of(report: Mapping[str, Any]) -> list[Verdict]:
    """The gates of a report.json; none where its config has none. What is no verdict is left out."""
    return [_verdict(entry) for entry in objects_of(report.get("gates")) if str(entry.get("verdict")) in WORDS]


def _verdict(entry: Mapping[str, Any]) -> Verdict:
    names = ("name", "metric", "stage", "model", "variant", "found", "wanted", "text")
    texts = {name: str(entry.get(name) or "") for name in names}
    n = entry.get("n")
    return Verdict(**texts, outcome=entry["verdict"], passed=entry.get("passed") is True, n=n if isinstance(n, int) else None)


def summed_up(verdicts: Sequence[Verdict]) -> str:
    """Say how many came out how: gates of answer: 2 passed, 1 failed."""
    counts = Counter(verdict.outcome for verdict in verdicts)
    parts = [f"{counts[outcome]} {word}" for outcome, word in WORDS.items() if counts[outcome]]
    passed = [verdict.passed for verdict in verdicts if verdict.outcome == "INCONCLUSIVE"]
    portion = "" if all(passed) or not any(passed) else f"{passed.count(False):,} of them "
    as_what = f", {portion}counted as {'passed' if all(passed) else 'failed'}" if passed else ""
    stage = next((f" of {verdict.stage}" for verdict in verdicts if verdict.stage), "")
    return f"gates{stage}: {', '.join(parts)}{as_what}"


def failed(report: Mapping[str, Any]) -> list[Verdict]:
    """The gates that a report's run does not hold; those that are inconclusive among them, unless they count as passed."""
    return [verdict for verdict in verdicts_of(report) if not verdict.passed]


def failed_calls(outcomes: Mapping[str, Any]) -> int:
    """Calls that ended without a reply for good, and samples whose evaluation broke off, of how many ended in which way."""
    return sum(n for why, n in outcomes.items() if why not in NOT_FAILED and isinstance(n, int))


def gate_code(report: Mapping[str, Any]) -> int:
    """The exit code for a report with gates: 0 where all hold, 1 where one does not.

    3 where the run is incomplete, even by one call that failed for good, whatever its gates say: asking again may help.
    """
    items, outcomes = report.get("items"), report.get("outcomes")
    incomplete = isinstance(items, dict) and bool(items.get("unfinished"))
    incomplete |= isinstance(outcomes, dict) and failed_calls(outcomes) > 0
    return 0 if not verdicts_of(report) else 3 if incomplete else int(bool(failed(report)))


def failed_gates(path: Path) -> tuple[int, list[Verdict]]:
    """The exit code that the gates of a run folder come to, and those it does not hold; (0, []) without a report."""
    report = StoredReport(RunReader(path))
    return gate_code(report), failed(report)
