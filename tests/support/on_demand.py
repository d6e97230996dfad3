"""Files of a run's reports that are made on demand, as `export --file` makes them."""

from __future__ import annotations

from pathlib import Path

from tui_eval.reporting.on_demand import file_on_demand
from tui_eval.workspace.places import Workspace

RESULTS_JSON = "results.json"


def report_file(path: Path, name: str = RESULTS_JSON) -> bytes:
    """A file of a run's reports, from its folder, or made."""
    if (path / name).is_file():
        return (path / name).read_bytes()
    with file_on_demand(path, Workspace(path.parent), name) as file:
        return file.read_bytes()
