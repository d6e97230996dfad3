"""What today's code makes of a run folder on file: of a frozen one, and of one whose reports were just made."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from frozen import PLACE

from tui_eval.kinds import KINDS
from tui_eval.reporting import rescoring
from tui_eval.workspace.places import Workspace

NOT_DERIVED = frozenset(
    {"config.toml", "resolved_config.json", "manifest.json", "plan.json", "intents.jsonl", "call_logs.jsonl", "batches.jsonl"}
    | {"run.log", "progress.json", "lock", "STOP", "PAUSE"}
)
"""Files of a run folder that no re-score makes."""
NO_REPORTS = {"run.log", "lock", "progress.json"}
"""Files of a run folder that say when and how it was worked on."""


def run_folder(place: Path) -> Path:
    """The run folder of a frozen state."""
    return next(path for path in place.iterdir() if path.is_dir())


def laid_out(place: Path, workspace: Path) -> Path:
    """A copy of a frozen run folder where a workspace has its runs."""
    source = run_folder(place)
    path = workspace / "runs" / source.name
    shutil.copytree(source, path)
    return path


def derived(path: Path) -> dict[str, bytes]:
    """Every derived file of a run folder, by its path within."""
    found = {}
    for file in path.rglob("*"):
        parts = file.relative_to(path).parts
        if file.is_file() and parts[0] not in ("inputs", "batches") and file.name not in NOT_DERIVED:
            found["/".join(parts)] = file.read_bytes()
    return found


def derived_today(place: Path, workspace: Path) -> dict[str, bytes]:
    """The derived files of a frozen run, made anew from its log by today's code."""
    path = laid_out(place, workspace)
    on_demand = KINDS[json.loads((path / "manifest.json").read_bytes())["kind"]].sample_files.on_demand
    for name in derived(path):
        base = Path(name.removeprefix("aggregate_"))
        if {base.name, base.stem} & on_demand:
            (path / name).write_bytes(b"")  # a file that is there is made anew
        else:
            (path / name).unlink()
    os.environ.setdefault(PLACE, "http://127.0.0.1:9/v1")
    rescoring.rescore(path, Workspace(workspace))
    return derived(path)


def files_of(path: Path) -> dict[str, bytes]:
    """Every file of a run folder that a report may be."""
    files = (file for file in path.rglob("*") if file.is_file() and file.name not in NO_REPORTS)
    return {str(file.relative_to(path)): file.read_bytes() for file in files}


def check_rescored(path: Path) -> dict[str, bytes]:
    """Re-scoring changes no byte; what is in the files."""
    before = files_of(path)

    rescoring.rescore(path, Workspace(path.parent))

    after = files_of(path)
    assert before.keys() == after.keys()
    assert [name for name in before if before[name] != after[name]] == []
    return before
