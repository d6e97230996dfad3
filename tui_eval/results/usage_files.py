"""Tokens and cost over folders: of runs by all their attempts, of others by files of token usage as spec 000 has them."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tui_eval.core.calls import Price
from tui_eval.core.errors import ConfigError
from tui_eval.results.read_report import simulated_models, table_of
from tui_eval.results.sums.stage_costs import stage_costs, tokens_untold

BEGINS, ENDS = "_token_usage", ".json"
PATTERN = f"{BEGINS}*{ENDS}"
STATS, PROGRESS, REPORT = "stats.json", "progress.json", "report.json"
STAGES = {"processed": "process", "questions": "questions", "answers": "answers", "scores": "judge"}
"""What the folders of a pipeline run hold."""
COUNTED = (
    "attempts_total", "calls_cached", "n_cost_known", "n_cost_unknown", "n_tokens_known", "sum_prompt_tokens",
    "sum_completion_tokens", "sum_total_tokens", "sum_cached_tokens", "sum_reasoning_tokens", "sum_cost_usd",
)  # fmt: skip
"""Figures of a row of statistics that costs rest on."""
MOST_BYTES = 64 * 1024 * 1024


def folder_costs(folders: Sequence[Path], prices: Mapping[str, Price]) -> dict[str, Any]:
    """What is in them and their sub-folders. `prices`: by API id; they win over what the files say it cost.

    Prices whose id nothing in them has are in `unmatched_prices`.

    A folder with stats.json and a log is a run: its statistics count every attempt, so that its files of token usage, which
    have each call once, are left out. What is in two of the folders counts once. ConfigError for a folder without either, for
    one that cannot be read, and for a file that is none.
    """
    rows: list[dict[str, Any]] = []
    sources: list[str] = []
    counted: set[Path] = set()
    for folder in folders:
        if not folder.is_dir():
            raise ConfigError(f"{folder}: there is no such folder")
        runs, files = _inside(folder)
        if not runs and not files:
            raise ConfigError(f"{folder}: holds no {PATTERN}, and no run with {STATS}")
        for path in (*(run / STATS for run in runs), *files):
            if path.resolve() not in counted:
                counted.add(path.resolve())
                rows += _of_run(path) if path.name == STATS else [_of_file(path)]
                sources.append(str(path))
    simulated = {"simulated": True} if any(row.get("simulated") for row in rows) else {}
    ids = {row["model_id"] for row in rows}
    unmatched = [name for name in prices if name not in ids]
    lost = {"unmatched_prices": unmatched} if unmatched else {}
    return {**stage_costs(_added(rows), prices), "files": sources, **lost, **simulated}


def _inside(folder: Path) -> tuple[list[Path], list[Path]]:
    """The runs in a folder and all below it, and the files of token usage that are in none of them."""
    runs: list[Path] = []
    files: list[Path] = []
    for place, below, names in os.walk(folder, onerror=_told):
        below.sort()
        if STATS in names and "call_logs.jsonl" in names:
            runs.append(Path(place))
            below.clear()
        else:
            files += [Path(place, name) for name in sorted(names) if name.startswith(BEGINS) and name.endswith(ENDS)]
    return runs, files


def _told(error: OSError) -> None:
    """A folder that is gone meanwhile holds nothing; another that cannot be looked into might."""
    if not isinstance(error, FileNotFoundError):
        raise ConfigError(f"{error.filename}: cannot be read: {error.strerror}; name the folders to be counted")


def _json(path: Path) -> Any:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ConfigError(f"{path}: larger than {MOST_BYTES:,} bytes")
        return json.loads(path.read_bytes())
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: not JSON: {error}") from None


def _of_run(path: Path) -> Iterator[dict[str, Any]]:
    value = table_of(_json(path))
    buckets, pretended = value.get("buckets"), _simulated(path.parent) if value.get("simulated") is True else frozenset()
    for row in buckets if isinstance(buckets, list) else ():
        if isinstance(row, dict) and row.get("scope") == "stage_model":
            for name in COUNTED:
                _number(path, name, row.get(name))
            told = {name: str(row.get(name) or "unknown") for name in ("model_id", "stage")}
            simulated = pretended is None or row.get("model") in pretended
            yield {**row, **told, "n_tokens_unknown": tokens_untold(row), "simulated": simulated}


def _simulated(run: Path) -> frozenset[str] | None:
    """Which models of a run with simulated ones are; None where it does not tell them apart: then all may be."""
    progress, report = (run / name for name in (PROGRESS, REPORT))
    found = simulated_models(table_of(_json(progress)), {}) if progress.exists() else None
    return simulated_models({}, table_of(_json(report))) if found is None and report.exists() else found


def _of_file(path: Path) -> dict[str, Any]:
    """A file of token usage as a row of statistics."""
    value = _json(path)
    items = value.get("items") if isinstance(value, dict) else None
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise ConfigError(f'{path}: no file of token usage: it has no list of "items"; move it away')
    asked = [item for item in items if item.get("cached") is not True]
    costs = [_number(path, "cost_usd", item.get("cost_usd")) for item in asked]
    return {
        "model_id": str(value.get("model_id") or path.stem.rpartition("__")[2]),
        "simulated": value.get("simulated") is True,
        "stage": STAGES.get(path.parent.name, path.parent.name),
        "attempts_total": len(items),
        "calls_cached": len(items) - len(asked),
        "sum_prompt_tokens": _sum(path, items, "input_tokens"),
        "sum_completion_tokens": _sum(path, items, "output_tokens"),
        "sum_total_tokens": None,
        "sum_cached_tokens": _sum(path, items, "cached_tokens"),
        "sum_reasoning_tokens": _sum(path, items, "reasoning_tokens"),
        "sum_cost_usd": sum(cost for cost in costs if cost is not None) if any(cost is not None for cost in costs) else None,
        "n_cost_unknown": sum(cost is None for cost in costs),
        "n_tokens_unknown": sum(None in (item.get("input_tokens"), item.get("output_tokens")) for item in items),
    }


def _number(path: Path, name: str, value: object) -> float | None:
    """A figure that is not below 0, or None where there is none; ConfigError for anything else."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
        raise ConfigError(f"{path}: {name}: must be a number that is not below 0, or left out")
    return value


def _sum(path: Path, items: Sequence[Mapping[str, Any]], name: str) -> int | None:
    values = [item.get(name) for item in items if item.get(name) is not None]
    if any(not isinstance(value, int) or isinstance(value, bool) or value < 0 for value in values):
        raise ConfigError(f"{path}: {name}: must be whole numbers, or left out")
    return sum(value for value in values if isinstance(value, int)) if values else None


def _added(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One row for each model, by name and id and whether it is simulated, and stage."""
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    for row in rows:
        own = {name: row.get(name) for name in ("model", "model_id", "stage", "simulated")}
        kept = found.setdefault(tuple(map(str, own.values())), own)
        for name, value in row.items():
            if name in ("attempts_total", "calls_cached", "n_cost_unknown", "n_tokens_unknown") or name.startswith("sum_"):
                kept[name] = kept.get(name) if value is None else (kept.get(name) or 0) + value
    return [*found.values()]
