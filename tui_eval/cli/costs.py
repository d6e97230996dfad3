"""The verb `costs`: tokens and cost of folders, by model and stage; as a table, or as JSON."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tui_eval.cli.standard_error import tell
from tui_eval.core.calls import Price
from tui_eval.core.errors import ConfigError
from tui_eval.core.money import usd
from tui_eval.core.plaintext import one_line, visible
from tui_eval.models.registries import MAX_JSON_BYTES, prices_by_id
from tui_eval.results.tables import aligned, json_text
from tui_eval.results.usage_files import folder_costs
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.plain_files import ANYWHERE, named_json

COLUMNS = ("model", "stage", "calls", "input tokens", "output tokens", "cost", "a call")
INCOMPLETE = 3
"""Exit code where something could not be read."""
SHOWN = 10
"""Prices for nothing that are named."""


def costs(options: argparse.Namespace, workspace: Workspace) -> int:
    """Add up, and print or write it. Returns the exit code."""
    folders = [path if path.exists() else workspace.runs / path for path in options.folders]
    missing = next((folder for folder, path in zip(options.folders, folders, strict=True) if not path.is_dir()), None)
    if missing is not None:
        raise ConfigError(f"{missing}: there is no such folder, and no run of that name")
    prices, notes = _prices(options.pricing)
    summary = folder_costs(folders, prices)
    lost, unread = summary.get("unmatched_prices", ()), summary.get("unread", ())
    notes += [_unmatched(options.pricing, lost)] if lost else []
    for note in (*notes, *summary.get("notes", ())):
        tell(f"note: {note}")
    for why in unread:
        tell(f"not counted: {why}")
    if options.out is not None:
        try:
            options.out.write_text(json_text(summary), encoding="utf-8")
        except OSError as error:
            raise ConfigError(f"--out {options.out}: cannot be written: {error.strerror}") from None
    if options.json:
        print(json_text(summary), end="")
    elif options.out is None:
        print(visible(costs_table(summary)))
    return INCOMPLETE if unread else 0


def _prices(path: Path | None) -> tuple[dict[str, Price], list[str]]:
    if path is None:
        return {}, []
    return prices_by_id(named_json(path, MAX_JSON_BYTES, ANYWHERE, "--pricing "), f"--pricing {path}")


def costs_table(summary: dict[str, Any]) -> str:
    """The whole for a terminal. Where any money is simulated, each row says whether its own is."""
    totals = [summary[name] for name in ("total", "total_simulated") if name in summary]
    entries = [(model, stage, entry) for model, stages in summary["models"].items() for stage, entry in stages.items()]
    rows = [_row(*entry) for entry in (*entries, *(("all", "total", total) for total in totals))]
    columns: Sequence[str] = COLUMNS
    numeric = [False, False, True, True, True, True, True]
    if summary.get("simulated"):
        columns, numeric = (*COLUMNS, "money"), [*numeric, False]
        flags = [entry["simulated"] for entry in (*(entry for _, _, entry in entries), *totals)]
        rows = [[*row, "simulated" if flag else "real"] for row, flag in zip(rows, flags, strict=True)]
    simulated = ["The simulated calls among them were not charged."] if summary.get("simulated") else []
    priced = any("priced_by" in entry for _, _, entry in entries)
    n = len(summary.get("unread", ()))
    unread = [f"{n:,} file{'s' if n > 1 else ''} could not be read and {'are' if n > 1 else 'is'} in no figure."] if n else []
    return "\n\n".join([aligned(columns, rows, numeric), *_notes(totals, priced), *unread, *simulated])


def _unmatched(path: Path | None, names: Sequence[str]) -> str:
    """Return a note on the prices of the file that match no model that is counted."""
    more = f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else ""
    ids = ", ".join(one_line(name, 80) for name in names[:SHOWN])
    return f"--pricing {path}: no model counted here has these ids: {ids}{more}"


def _notes(totals: Sequence[dict[str, Any]], priced: bool) -> Iterator[str]:
    """Yield notes on costs that are not in the figures, or are in them and were not charged."""
    names = ("n_cost_unknown", "n_tokens_unknown", "n_cached")
    unknown, untold, cached = (sum(total.get(name, 0) for total in totals) for name in names)
    if unknown > untold:
        but = f", but not for {untold:,} of them, whose tokens are not known" if untold else ""
        yield f"The cost of {unknown:,} calls is not known: --pricing FILE supplies prices{but}."
    elif unknown:
        yield f"The cost of {unknown:,} calls is not known, since their tokens are not known either."
    if cached:
        suffix = "; the prices of the file count their tokens all the same" if priced else ""
        yield f"{cached:,} replies were on file before and were charged nothing{suffix}."


def _row(model: str, stage: str, entry: dict[str, Any]) -> list[str]:
    tokens = ["-" if entry[name] is None else f"{entry[name]:,}" for name in ("input_tokens", "output_tokens")]
    if not entry["calls"]:
        return [model, stage, "0", *tokens, "-", "-"]
    known_usd, unknown = entry.get("known_cost_usd", entry["cost_usd"]), entry["n_cost_unknown"]
    average = "unknown" if entry["average"] is None else usd(entry["average"])
    return [model, stage, f"{entry['calls']:,}", *tokens, usd(known_usd, unknown), average]
