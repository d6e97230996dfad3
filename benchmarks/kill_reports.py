"""Whether two run folders report the same, but for moments, ids and what an attempt more or less changes."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

NOT_DERIVED = frozenset(
    {"manifest.json", "intents.jsonl", "call_logs.jsonl", "batches.jsonl", "run.log", "lock", "progress.json"}
    | {"config.toml", "resolved_config.json"}
)
"""Files that are not made from the log; what of them must hold is judged elsewhere."""
MOMENTS = re.compile(
    r"\d{4}-\d\d-\d\d[T_]\d\d-\d\d|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z|127\.0\.0\.1:\d+|\b\d+(\.\d+)? (s|ms)\b"
)
"""What differs wherever it stands; the first of them also in the names of files."""
TIMES = re.compile(
    r"latency|ttft|tokens_per_s|(^|_)(at|uid|timestamp)$|^started|^ended|attempt|in_doubt|charged|(^|_)cached( |$)|(^| )time$"
    r"|^sha256$|^git_commit$|^report_bytes$",
    re.IGNORECASE,
)
"""Names of fields and columns that tell times, ids, attempts, or what settings with the server's port come to; at which commit
of ours, which others may move on meanwhile; and the size of a file that tells them."""
OF_TIMES = re.compile(r"^(aggregate_)?latency", re.IGNORECASE)
"""How files and tables begin that have nothing but times in them, whatever their columns are called."""
OF_ATTEMPTS = re.compile(r"stats\.(csv|json)$")
COSTS = re.compile(r"cost|tokens|usd|^calls|^served$|^n of each$|^preflight$|^a (point|right answer)$", re.IGNORECASE)
"""What differs besides where attempts fail once, where a model is asked alone again before a batch, where a cap had no room for
tiny questions at the start, and where it left out answers that others build on."""

Reports = dict[str, str]
"""By file, what it says that must be the same."""


def reports_of(out: Path, exact: bool) -> Reports:
    """Every derived file of a run folder. `exact`: costs and tokens, too. The run's own id, as a set names it, is left out."""
    found, manifest = {}, out / "manifest.json"
    own = json.loads(manifest.read_bytes())["uid"] if manifest.exists() else ""
    for file in sorted(out.rglob("*")):
        name = str(file.relative_to(out))
        left_out = file.name in NOT_DERIVED or OF_TIMES.search(file.name) or (not exact and OF_ATTEMPTS.search(file.name))
        if file.is_file() and not left_out:
            said = _same_part(file, exact)
            found[MOMENTS.sub("-", name)] = said.replace(own, "-") if own else said
    return found


def differences(reference: Reports, found: Reports) -> Iterator[str]:
    """Which files differ, and where first."""
    for name in sorted(reference.keys() | found.keys()):
        if name not in found or name not in reference:
            yield f"{name}: {'missing' if name not in found else 'not there in the run that was left alone'}"
        elif reference[name] != found[name]:
            yield f"{name}: {_first_difference(reference[name], found[name])}"


def _first_difference(ours: str, theirs: str) -> str:
    for number, (one, other) in enumerate(zip(ours.split("\n"), theirs.split("\n"), strict=False), 1):
        if one != other:
            at = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
            start = max(at - 60, 0)
            return f"line {number}: {one[start : at + 60]!r}, now {other[start : at + 60]!r}"
    return "a different number of lines"


def _same_part(file: Path, exact: bool) -> str:
    text = file.read_text(encoding="utf-8", errors="replace")
    if file.suffix == ".json":
        return MOMENTS.sub("-", json.dumps(_scrubbed(json.loads(text), exact), indent=0, sort_keys=True))
    if file.suffix == ".jsonl":
        lines = [json.dumps(_scrubbed(json.loads(line), exact)) for line in text.split("\n") if line]
        return MOMENTS.sub("-", "\n".join(lines))
    if file.suffix == ".csv":
        return MOMENTS.sub("-", _scrubbed_csv(text, exact))
    return MOMENTS.sub("-", _scrubbed_markdown(text, exact))


def _scrubbed_markdown(text: str, exact: bool) -> str:
    """Without the columns of its tables that may differ."""
    lines: list[str] = []
    kept: list[int] | None = None
    for line, below in pairwise([*text.split("\n"), ""]):
        cells = line.strip("|").split(" | ") if line.startswith("|") else None
        if cells is None:
            kept = None
        elif kept is None and below.startswith("| -"):
            kept = [place for place, name in enumerate(cells) if not _differs(name.strip(), exact)]
        lines.append(line if cells is None or kept is None else " | ".join(_at(cells, kept)))
    return "\n".join(lines)


def _differs(name: str, exact: bool) -> bool:
    return bool(TIMES.search(name) or (not exact and COSTS.search(name)))


def _scrubbed(value: Any, exact: bool) -> Any:
    if isinstance(value, dict) and OF_TIMES.search(str(value.get("title", ""))):
        return None
    if isinstance(value, dict):
        value = _without_columns(value, exact)
        return {name: _scrubbed(inner, exact) for name, inner in value.items() if not _differs(name, exact)}
    return [_scrubbed(inner, exact) for inner in value] if isinstance(value, list) else value


def _without_columns(table: dict[str, Any], exact: bool) -> dict[str, Any]:
    """A table with a row of column names, without the columns that may differ."""
    columns, rows = table.get("columns"), table.get("rows")
    if not isinstance(columns, list) or not isinstance(rows, list):
        return table
    kept = [place for place, name in enumerate(columns) if not _differs(str(name), exact)]
    return {**table, "columns": _at(columns, kept), "rows": [_at(row, kept) if isinstance(row, list) else row for row in rows]}


def _scrubbed_csv(text: str, exact: bool) -> str:
    rows = list(csv.reader(io.StringIO(text, newline="")))
    kept = [place for place, name in enumerate(rows[0]) if not _differs(name, exact)] if rows else []
    return "\n".join(json.dumps(_at(row, kept)) for row in rows)


def _at(cells: Sequence[Any], places: Sequence[int]) -> list[Any]:
    return [cells[place] for place in places if place < len(cells)]
