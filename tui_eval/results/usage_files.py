"""Tokens and cost over folders: of runs by all their attempts, of others by files of token usage as spec 000 has them."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from tui_eval.core.calls import Price
from tui_eval.core.errors import ConfigError
from tui_eval.core.gathering import gathered
from tui_eval.results.read_report import simulated_models, table_of
from tui_eval.results.sums.stage_costs import exact_sum, stage_costs, tokens_untold
from tui_eval.runs.stats_columns import StatsColumn, stat
from tui_eval.workspace.plain_files import named_json

BEGINS, ENDS = "_token_usage", ".json"
PATTERN = f"{BEGINS}*{ENDS}"
STATS, PROGRESS, REPORT = "stats.json", "progress.json", "report.json"
STAGES = {"processed": "process", "questions": "questions", "answers": "answers", "scores": "judge"}
"""What the folders of a pipeline run hold."""
COUNTED: Sequence[StatsColumn] = (
    "attempts_total", "calls_cached", "n_cost_known", "n_cost_unknown", "n_tokens_known", "sum_prompt_tokens",
    "sum_completion_tokens", "sum_total_tokens", "sum_cached_tokens", "sum_reasoning_tokens", "sum_cost_usd",
)  # fmt: skip
"""Figures of a row of statistics that costs rest on."""
TOKENS = (
    ("sum_prompt_tokens", "input_tokens", "prompt_tokens"),
    ("sum_completion_tokens", "output_tokens", "completion_tokens"),
    ("sum_cached_tokens", "cached_tokens"),
    ("sum_reasoning_tokens", "reasoning_tokens"),
)
"""Sums of a row, and under which keys files have what they are of."""
CALLS = ("calls", "total_calls", "n_calls")
"""Under which keys a file says how many calls it is about."""
TOLD = {"attempts_total": "calls", "sum_prompt_tokens": "input tokens", "sum_completion_tokens": "output tokens"}
"""What a file may say of its items, in words."""
MOST = 10**18
"""No count of tokens and no cost is larger."""
MOST_BYTES = 64 * 1024 * 1024


@dataclass(slots=True)
class _UsageSums:
    """Token usage read from the folders so far."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """What files say that does not go together."""
    unread: list[str] = field(default_factory=list)
    """Why a file is in no figure."""

    def read(self, path: Path) -> None:
        """Take in a run's statistics, or a file of token usage; where that cannot be, say so."""
        try:
            self.rows += [*_of_run(path)] if path.name == STATS else [_of_file(path, self.notes)]
            self.sources.append(str(path))
        except ConfigError as error:
            self.unread.append(str(error))


def folder_costs(folders: Sequence[Path], prices: Mapping[str, Price]) -> dict[str, Any]:
    """Return the costs in these folders and their sub-folders. `prices`: by API id; they win over the costs in the files.

    Prices whose id nothing in them has are in `unmatched_prices`.

    A folder with stats.json and a log is a run: its statistics count every attempt, so that its files of token usage, which
    have each call once, are left out. What is in two of the folders counts once. What cannot be read is in `unread`: then no
    total is known, and `known_cost_usd` is that of the others. What files say that does not go together is in `notes`.
    ConfigError for a folder without either, for one that cannot be looked into, and where nothing at all can be read.
    """
    usage = _UsageSums()
    read_paths: set[Path] = set()
    for folder in folders:
        if not folder.is_dir():
            raise ConfigError(f"{folder}: there is no such folder")
        runs, files = _inside(folder)
        if not runs and not files:
            raise ConfigError(f"{folder}: holds no {PATTERN}, and no run with {STATS}")
        for path in (*(run / STATS for run in runs), *files):
            if path.resolve() not in read_paths:
                read_paths.add(path.resolve())
                usage.read(path)
    if usage.unread and not usage.sources:
        raise ConfigError("\n".join(usage.unread))
    simulated = {"simulated": True} if any(row.get("simulated") for row in usage.rows) else {}
    ids = {row["model_id"] for row in usage.rows}
    unmatched = [name for name in prices if name not in ids]
    more = {"unmatched_prices": unmatched, "notes": usage.notes, "unread": usage.unread}
    costs = stage_costs(_added(usage.rows), prices)
    if usage.unread:
        costs |= {name: _at_least(costs[name]) for name in ("total", "total_simulated") if name in costs}
    return {**costs, "files": usage.sources, **{name: value for name, value in more.items() if value}, **simulated}


def _at_least(total: Mapping[str, Any]) -> dict[str, Any]:
    """A total that something is missing of."""
    cost = total["cost_usd"] if total["cost_usd"] is not None else total.get("known_cost_usd")
    return {**total, "cost_usd": None, "average": None, **({} if cost is None else {"known_cost_usd": cost})}


def _inside(folder: Path) -> tuple[list[Path], list[Path]]:
    """The runs in a folder and all below it, and the files of token usage that are in none of them."""
    runs: list[Path] = []
    files: list[Path] = []
    for place, below, names in os.walk(folder, onerror=_raise_unreadable):
        below.sort()
        if STATS in names and "call_logs.jsonl" in names:
            runs.append(Path(place))
            below.clear()
        else:
            files += [Path(place, name) for name in sorted(names) if name.startswith(BEGINS) and name.endswith(ENDS)]
    return runs, files


def _raise_unreadable(error: OSError) -> None:
    """A folder that is gone meanwhile holds nothing; another that cannot be looked into might."""
    if not isinstance(error, FileNotFoundError):
        raise ConfigError(f"{error.filename}: cannot be read: {error.strerror}; name the folders to be counted")


def _of_run(path: Path) -> Iterator[dict[str, Any]]:
    value = table_of(named_json(path, MOST_BYTES))
    buckets, pretended = value.get("buckets"), _simulated(path.parent) if value.get("simulated") is True else frozenset()
    for row in buckets if isinstance(buckets, list) else ():
        if isinstance(row, dict) and row.get("scope") == "stage_model":
            for name in COUNTED:
                _number(path, name, stat(row, name))
            labels = {name: str(row.get(name) or "unknown") for name in ("model_id", "stage")}
            simulated = pretended is None or row.get("model") in pretended
            yield {**row, **labels, "n_tokens_unknown": tokens_untold(row), "simulated": simulated}


def _simulated(run: Path) -> frozenset[str] | None:
    """Return the simulated models of a run that has some; None where it does not tell them apart: then all may be."""
    progress, report = (run / name for name in (PROGRESS, REPORT))
    models = simulated_models(table_of(named_json(progress, MOST_BYTES)), {}) if progress.exists() else None
    return simulated_models({}, table_of(named_json(report, MOST_BYTES))) if models is None and report.exists() else models


def _of_file(path: Path, notes: list[str]) -> dict[str, Any]:
    """A file of token usage as a row of statistics: by its items, or where it has none by what it says they come to.

    `notes`: told where it says both, and they differ, and where it does not say of how many calls.
    """
    read = named_json(path, MOST_BYTES)
    value = {"items": read} if isinstance(read, list) else table_of(read)
    items = value.get("items")
    if items is not None and not (isinstance(items, list) and all(isinstance(item, dict) for item in items)):
        raise ConfigError(f'{path}: not a token usage file: its "items" are not a list of objects; move it away')
    from_items = _of_items(path, items) if items else {}
    totals = _of_totals(path, value)
    if not from_items and not totals and items is None:
        raise ConfigError(f'{path}: not a token usage file: it has no list of "items" and no totals; move it away')
    if items is not None:
        notes += _contradictions(
            path, from_items, totals if _either(value, *CALLS) is not None else {**totals, "attempts_total": None}
        )
    if totals and not from_items and _either(value, *CALLS) is None:
        notes.append(f"{path}: does not say how many calls its tokens are from, so it counts as one call")
    return {
        "model_id": _model_of(path, value),
        "simulated": value.get("simulated") is True,
        "stage": STAGES.get(path.parent.name, path.parent.name),
        "sum_total_tokens": None,
        **(from_items or totals or NO_ITEMS),
    }


def _contradictions(path: Path, from_items: Mapping[str, Any], totals: Mapping[str, Any]) -> Iterator[str]:
    """Say where a file and its items contradict each other."""
    for name, words in TOLD.items():
        stated, summed = totals.get(name), from_items.get(name) or 0
        if stated is not None and stated != summed:
            rests = "the items count" if from_items else "it has no items, so its own figures count"
            yield f"{path}: says {stated:,} {words}, but its items come to {summed:,}: {rests}"


NO_ITEMS: Mapping[str, Any] = {"attempts_total": 0, "sum_cost_usd": None, "n_cost_unknown": 0}
"""Of a file that says nothing of any call."""


def _model_of(path: Path, value: Mapping[str, Any]) -> str:
    """Return the model that a file is about, as it says or as its name does."""
    model = value.get("model_id") or value.get("model")
    return str(model or unquote(path.stem.removeprefix(BEGINS).lstrip("_")) or "unknown")


def _of_items(path: Path, items: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    uncached = [item for item in items if item.get("cached") is not True]
    costs = [_number(path, "cost_usd", item.get("cost_usd")) for item in uncached]
    known_costs = [cost for cost in costs if cost is not None]
    tokens = [[_whole(path, name, _either(item, *names)) for item in items] for name, *names in TOKENS]
    return {
        "attempts_total": len(items),
        "calls_cached": len(items) - len(uncached),
        **{name: exact_sum(counts) for (name, *_), counts in zip(TOKENS, tokens, strict=True)},
        "sum_cost_usd": math.fsum(known_costs) if known_costs else None,
        "n_cost_unknown": len(costs) - len(known_costs),
        "n_tokens_unknown": sum(None in pair for pair in zip(*tokens[:2], strict=True)),
    }


def _of_totals(path: Path, value: Mapping[str, Any]) -> dict[str, Any]:
    """Return the totals that a file states (an older form has nothing else); empty where it states neither calls nor tokens."""
    tokens = {
        name: _whole(path, f"total_{names[0]}", _either(value, *(f"total_{each}" for each in names))) for name, *names in TOKENS
    }
    calls = _whole(path, "calls", _either(value, *CALLS))
    cost = _number(path, "total_cost_usd", _either(value, "total_cost_usd", "cost_usd"))
    if calls is None and cost is None and all(count is None for count in tokens.values()):
        return {}
    n = 1 if calls is None else calls  # as the notes say, since no row can hold an unknown number of calls
    untold = None in (tokens["sum_prompt_tokens"], tokens["sum_completion_tokens"])
    return {
        "attempts_total": n,
        **tokens,
        "sum_cost_usd": cost,
        "n_cost_unknown": n if cost is None else 0,
        "n_tokens_unknown": n if untold else 0,
    }


def _either(table: Mapping[str, Any], *names: str) -> Any:
    """Return the value under the first of these keys that has one."""
    return next((table[name] for name in names if table.get(name) is not None), None)


def _whole(path: Path, name: str, value: object) -> int | None:
    """A whole number that is not below 0, or None where there is none; ConfigError for anything else."""
    number = _number(path, name, value, "whole numbers")
    if number is not None and number != int(number):
        raise ConfigError(f"{path}: {name}: must be whole numbers, or left out")
    return None if number is None else int(number)


def _number(path: Path, name: str, value: object, requirement: str = "a number that is not below 0") -> float | None:
    """A figure that is not below 0, or None where there is none; ConfigError for anything else."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= MOST:
        raise ConfigError(f"{path}: {name}: must be {requirement}, or left out")
    return value


_OWN = ("model", "model_id", "stage", "simulated")


def _added(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One row for each model, by name and id and whether it is simulated, and stage."""
    counts, totals = ("attempts_total", "calls_cached", "n_cost_unknown", "n_tokens_unknown"), []
    for mine in gathered((tuple(str(row.get(name)) for name in _OWN), row) for row in rows).values():
        values = gathered(item for row in mine for item in row.items() if item[0] in counts or item[0].startswith("sum_"))
        totals.append({name: mine[0].get(name) for name in _OWN} | {name: exact_sum(each) for name, each in values.items()})
    return totals
