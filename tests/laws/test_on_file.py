"""Of what was on file no report shows time or cost: what a reply took when another run asked for it is not of this run."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from choices import record
from fault_bench import LOG, RAW, files_in, strict_json, strict_lines
from soaking import FEW_LOADED

from tui_eval.configuring.loading import Loaded
from tui_eval.core.calls import Usage
from tui_eval.evaluation.drivers import as_example
from tui_eval.reporting import rescoring
from tui_eval.reporting.derive import derive
from tui_eval.results.usage_files import folder_costs
from tui_eval.workspace.places import Workspace

COMPARED = ("cost_per_point", "cost_per_correct_answer", "usd_per_correct", "a point", "a right answer")
"""Columns that compare models by what their replies cost, whoever paid; beside them stands how many were on file."""
SHEETS = ("usd_per_correct", "answer_distribution")
"""Where these stand, all costs are of that sort: a leaderboard's."""
ON_FILE = ("n_on_file", "n_on_file_mean", "n_cached", "on file")
TOOK, COST = {"latency_ms": 1_234, "ttft_ms": 567, "ttft_visible_ms": 568}, 0.0123

Leaf = tuple[tuple[str, ...], Any, bool]
"""Where a value stands, the value, and whether it is a cost as when first asked, with how many were on file beside it."""


def leaves(value: Any, place: tuple[str, ...] = (), told: bool = False) -> Iterator[Leaf]:
    """Every value of a JSON file by its place; tables of a report by their columns."""
    if isinstance(value, dict) and {"columns", "rows"} <= value.keys():
        for row in value["rows"]:
            yield from leaves(dict(zip(value["columns"], row, strict=True)), (*place, value["title"]))
    elif isinstance(value, dict):
        on_file = any(_number(value.get(name)) for name in ON_FILE)
        of_sheet = any(name.startswith(SHEETS) for name in value)
        for name, found in value.items():
            compares = on_file and (name.startswith(COMPARED) or (of_sheet and name.startswith("cost_usd")))
            yield from leaves(found, (*place, name), told or compares)
    elif isinstance(value, list):
        for number, found in enumerate(value):
            yield from leaves(found, (*place, str(number)), told)
    else:
        yield place, value, told


def _number(cell: Any) -> int:
    value = cell.get("value") if isinstance(cell, dict) else cell
    found = re.match(r"[0-9]+", str(value))
    return int(found[0]) if found else 0


def of_file(path: Path) -> Iterator[Leaf]:
    """A derived file's values; of a page its lines."""
    if path.suffix == ".json":
        yield from leaves(strict_json(path.read_bytes()))
    elif path.suffix == ".jsonl":
        yield from leaves(strict_lines(path))
    elif path.suffix == ".csv":
        yield from leaves([*csv.DictReader(io.StringIO(path.read_text(encoding="utf-8")))])
    else:
        said = path.read_text(encoding="utf-8")
        for number, line in enumerate(said.splitlines()):
            yield (str(number),), line, "when first asked" in said


def derived(run: Path) -> dict[str, list[Leaf]]:
    """What each derived file holds."""
    found = (file for file in files_in(run) if "inputs" not in file.relative_to(run).parts and file.name not in RAW)
    return {str(file.relative_to(run)): [*of_file(file)] for file in found}


def made(loaded: Loaded, run: Path, cached: bool) -> Path:
    """A run whose replies all took so long, and cost so much."""
    used = Usage(prompt_tokens=900, completion_tokens=90, total_tokens=990, cached_tokens=400, cost_usd=COST)
    record(run, loaded, as_example, cached=cached, usage=used, charged_usd=0.0 if cached else COST, **TOOK)
    return run


def slower_and_dearer(run: Path, loaded: Loaded) -> Path:
    """The same run, had its replies taken longer and cost more when they were asked for."""
    log = (run / LOG).read_text(encoding="utf-8")
    for name, value in {**TOOK, "cost_usd": COST}.items():
        assert f'"{name}": {value},' in log
        log = log.replace(f'"{name}": {value},', f'"{name}": {77 * value},')
    (run / LOG).write_text(log, encoding="utf-8")
    derive(run, loaded.evaluation)
    return run


@FEW_LOADED
def test_what_was_on_file_took_no_time_and_cost_nothing(loaded: Loaded, tmp_path: Path) -> None:
    """Where all replies come from the cache, no figure depends on how long these took or what they cost.

    But for what compares models by their cost, which says in words when that was paid, and how many replies were on file.
    """
    low = derived(made(loaded, tmp_path / "run", cached=True))
    high = derived(slower_and_dearer(tmp_path / "run", loaded))

    assert low.keys() == high.keys()
    for name, found in low.items():
        assert [place for place, *_ in found] == [place for place, *_ in high[name]]
        for (place, value, told), (_, other, _) in zip(found, high[name], strict=True):
            assert value == other or told, (name, place, value, other)
    for path in (tmp_path / "run", *_folders_of_usage(tmp_path / "run")):
        total = folder_costs([path], {})["total"]
        assert (total["cost_usd"], total["n_cached"], total["n_cost_unknown"]) == (0.0, total["calls"], 0), path


def _folders_of_usage(run: Path) -> set[Path]:
    return {file.parent for file in run.rglob("_token_usage*.json")}


@FEW_LOADED
def test_a_run_that_asks_has_time_and_cost(loaded: Loaded, tmp_path: Path) -> None:
    """The law above looks where these stand: of replies that were asked for they are in the results. Re-scored, bytes stay."""
    low = derived(made(loaded, tmp_path / "run", cached=False))
    high = derived(slower_and_dearer(tmp_path / "run", loaded))
    assert low["results.jsonl"] != high["results.jsonl"] and low["stats.json"] != high["stats.json"]

    for folder in (tmp_path / "run", made(loaded, tmp_path / "cached", cached=True)):
        before = {file: file.read_bytes() for file in files_in(folder) if file.name not in RAW}
        rescoring.rescore(folder, Workspace(tmp_path))
        assert {file: file.read_bytes() for file in before} == before
