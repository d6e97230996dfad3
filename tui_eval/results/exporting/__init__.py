"""The formats that runs are exported in, by the name that --format takes: one entry and one function each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tui_eval.core.plugins import Registry
from tui_eval.results.exporting.exporter import Exporter
from tui_eval.results.exporting.junit_report import junit, junit_of_gates
from tui_eval.results.exporting.markdown_report import markdown
from tui_eval.results.exporting.report_object import report_object
from tui_eval.results.exporting.sample_lines import sample_lines
from tui_eval.results.exporting.score_rows import score_rows

_OURS = {
    "csv": Exporter("a row for each score, with question, truth and reply, safe in spreadsheets", ".csv", score_rows),
    "json": Exporter("everything that the reports say, as one object", ".json", report_object, by_sample=False),
    "md": Exporter("a report to paste into a pull request", ".md", markdown, by_sample=False),
    "junit": Exporter("a test suite for each run, for GitHub, GitLab, Jenkins", ".xml", junit),
    "gates": Exporter("what a run's gates came to, as a test suite: what decides in CI", ".gates.xml", junit_of_gates),
    "jsonl": Exporter("a line for each reply, with its sample and its scores", ".jsonl", sample_lines),
}


def _problems(name: str, brought: Any) -> Iterator[str]:
    """What is wrong with an exporter that a package brings."""
    if not isinstance(brought, Exporter):
        yield f"it is no Exporter but {type(brought).__name__}"


EXPORTERS: Registry[Exporter] = Registry("tui_eval.exporters", "format", _problems, _OURS)
