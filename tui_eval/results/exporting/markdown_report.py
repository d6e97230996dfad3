"""Markdown: a report of each run to paste into a pull request; no text of a model acts in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tui_eval.core.money import told_apart, usd
from tui_eval.core.plaintext import markdown_lines, markdown_table, markdown_text
from tui_eval.results.attempts import Cost, cost_of, ends_table
from tui_eval.results.exporting.exported_run import ExportedRun, means
from tui_eval.results.exporting.exporter import Exporter
from tui_eval.results.read_report import list_of, read_table, table_of, whole
from tui_eval.results.sums.verdict import LONGEST
from tui_eval.results.verdicts import COLUMNS, verdicts_of


def markdown(runs: Sequence[ExportedRun]) -> Iterator[str]:
    """The runs one after the other: label, gates, headline tables, calls and cost, what is missing."""
    for place, run in enumerate(runs):
        sections = "\n\n".join(section for section in _sections(run) if section)
        yield ("\n" if place else "") + sections + "\n"


def _sections(run: ExportedRun) -> Iterator[str]:
    yield f"## {_cell(run.name or run.run_id)} ({_cell(run.kind)})"
    if run.made_up == "some":
        names = ", ".join(_cell(name) for name in sorted(run.simulated_models or ()))
        yield f"> **Simulated, not real models**: {names}; the others are real."
    elif run.simulated:
        yield "> **Simulated**: no model was asked; the figures show how the tool works, not how any model does."
    if run.notes:
        yield "\n".join(f"> **{_cell(note)}**\n>" for note in run.notes).removesuffix("\n>")
    yield markdown_text(str(run.report.get("verdict") or ""), LONGEST)
    yield _gates(run)
    headline = [_table(content) for content in list_of(run.report.get("headline"))]
    yield from headline or [_means(run)]
    yield _calls(run)
    yield "\n".join(f"- {line}" for line in _facts(run))


def _gates(run: ExportedRun) -> str:
    rows = [list(map(_cell, (*gate.cells, gate.text or "-"))) for gate in verdicts_of(run.report)]
    return "### Gates\n\n" + markdown_table((*COLUMNS, "why"), rows) if rows else ""


def _table(content: Any) -> str:
    table = read_table("Results", content)
    rows = [[_cell("-" if figure.value is None else figure.value) for figure in row] for row in table.rows]
    parts = [f"### {_cell(table.title)}", markdown_table([_cell(name) for name in table.columns], rows)]
    return "\n\n".join([*parts, *([markdown_lines(table.note)] if table.note else [])])


def _means(run: ExportedRun) -> str:
    """Of a run without a report: what is on file, with the n of each mean."""
    rows = means(run)
    if not rows:
        return ""
    cells = [
        [_cell("-" if value is None else f"{value:.3g}" if type(value) is float else value) for value in row.values()]
        for row in rows
    ]
    return "### Means of what is on file\n\n" + markdown_table(list(rows[0]), cells)


def _calls(run: ExportedRun) -> str:
    """By stage and model, as the terminal has it; what a simulated model cost is marked in a run of both."""
    calls = run.calls
    ends, counts = ends_table(calls)
    rows = []
    for row, ended in zip(calls, counts, strict=True):
        cells = [_cell("-" if row.get(name) is None else row[name]) for name in ("stage", "model")]
        mark = " sim" if run.made_up == "some" and run.is_simulated(str(row.get("model"))) else ""
        rows.append([*cells, *ended, _cost(cost_of([row])) + mark])
    columns = ("stage", "model", *ends, "cost")
    return "### Calls\n\n" + markdown_table(columns, rows, [name not in ("stage", "model") for name in columns]) if rows else ""


def _facts(run: ExportedRun) -> Iterator[str]:
    yield f"Run {_cell(run.run_id)}, started {_cell(run.started_at or '-')}, {_cell(run.state)}, {run.samples:,} samples."
    yield f"Cost: {_spent(run)}."
    outcomes = {name: whole(n) for name, n in table_of(run.report.get("outcomes")).items()}
    ends = ", ".join(f"{n:,} {_cell(name)}" for name, n in outcomes.items() if n)
    if ends:
        yield f"Calls by how they ended: {ends}."


def _spent(run: ExportedRun) -> str:
    """Return the cost, real and simulated apart."""
    if run.made_up != "some":
        return _cost(run.cost) + (" (simulated)" if run.simulated else "")
    real, simulated = map(_cost, run.costs_apart)
    return told_apart(_cost(run.cost), real, simulated, "some")


def _cost(cost: Cost) -> str:
    return _cell(usd(*cost))


def _cell(value: object) -> str:
    return markdown_text(str(value), 500)


MARKDOWN = Exporter("a report to paste into a pull request", ".md", markdown, by_sample=False)
