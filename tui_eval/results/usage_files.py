"""Tokens and cost over folders: of runs by all their attempts, of others by files of token usage as spec 000 has them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tui_eval.core.calls import Price
from tui_eval.core.errors import ConfigError
from tui_eval.results.sums.stage_costs import stage_costs

PATTERN = "_token_usage*.json"
STATS = "stats.json"
STAGES = {"processed": "process", "questions": "questions", "answers": "answers", "scores": "judge"}
"""What the folders of a pipeline run hold."""
MOST_BYTES = 64 * 1024 * 1024


def folder_costs(folders: Sequence[Path], prices: Mapping[str, Price]) -> dict[str, Any]:
    """What is in them and their sub-folders. `prices`: by API id; they win over what the files say it cost.

    A folder with stats.json and a log is a run: its statistics count every attempt, so that its files of token usage, which
    have each call once, are left out. ConfigError for a folder without either, and for a file that is none.
    """
    rows: list[dict[str, Any]] = []
    sources: list[str] = []
    for folder in folders:
        if not folder.is_dir():
            raise ConfigError(f"{folder}: there is no such folder")
        runs = sorted(path.parent for path in folder.rglob(STATS) if (path.parent / "call_logs.jsonl").is_file())
        runs = [run for run in runs if not any(other in run.parents for other in runs)]
        files = [path for path in sorted(folder.rglob(PATTERN)) if not any(run in path.parents for run in runs)]
        if not runs and not files:
            raise ConfigError(f"{folder}: holds no {PATTERN}, and no run with {STATS}")
        rows += [row for run in runs for row in _of_run(run)]
        rows += [_of_file(path) for path in files]
        sources += [str(path) for path in (*(run / STATS for run in runs), *files)]
    simulated = {"simulated": True} if any(row.get("simulated") for row in rows) else {}
    return {**stage_costs(_added(rows), prices), "files": sources, **simulated}


def _json(path: Path) -> Any:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise ConfigError(f"{path}: larger than {MOST_BYTES:,} bytes")
        return json.loads(path.read_bytes())
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: not JSON: {error}") from None


def _of_run(run: Path) -> Iterator[dict[str, Any]]:
    value = _json(run / STATS)
    buckets = value.get("buckets") if isinstance(value, dict) else None
    for row in buckets if isinstance(buckets, list) else ():
        if isinstance(row, dict) and row.get("scope") == "stage_model":
            yield {**row, "simulated": value.get("simulated") is True}


def _of_file(path: Path) -> dict[str, Any]:
    """A file of token usage as a row of statistics."""
    value = _json(path)
    items = value.get("items") if isinstance(value, dict) else None
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise ConfigError(f'{path}: no file of token usage: it has no list of "items"')
    costs = [item.get("cost_usd") for item in items]
    return {
        "model_id": str(value.get("model_id") or path.stem.rpartition("__")[2]),
        "simulated": value.get("simulated") is True,
        "stage": STAGES.get(path.parent.name, path.parent.name),
        "attempts_total": len(items),
        "sum_prompt_tokens": _sum(path, items, "input_tokens"),
        "sum_completion_tokens": _sum(path, items, "output_tokens"),
        "sum_total_tokens": None,
        "sum_cached_tokens": _sum(path, items, "cached_tokens"),
        "sum_reasoning_tokens": _sum(path, items, "reasoning_tokens"),
        "sum_cost_usd": sum(cost for cost in costs if cost is not None) if any(cost is not None for cost in costs) else None,
        "n_cost_unknown": sum(cost is None for cost in costs),
    }


def _sum(path: Path, items: Sequence[Mapping[str, Any]], name: str) -> int | None:
    values = [item.get(name) for item in items if item.get(name) is not None]
    if any(not isinstance(value, int) or isinstance(value, bool) or value < 0 for value in values):
        raise ConfigError(f"{path}: {name}: must be whole numbers, or left out")
    return sum(value for value in values if isinstance(value, int)) if values else None


def _added(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """One row for each model and stage."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows:
        kept = found.setdefault((str(row["model_id"]), str(row["stage"])), {"model_id": row["model_id"], "stage": row["stage"]})
        for name, value in row.items():
            if name in ("attempts_total", "n_cost_unknown") or name.startswith("sum_"):
                kept[name] = kept.get(name) if value is None else (kept.get(name) or 0) + value
    return [*found.values()]
