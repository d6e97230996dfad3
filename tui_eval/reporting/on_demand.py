"""Files of a report that repeat every sample: a run does not write them, and `export --file` and the app make them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from tui_eval.configuring.reopening import reopen
from tui_eval.core.errors import ConfigError
from tui_eval.evaluation.kind import Kind
from tui_eval.reporting.derive import derive
from tui_eval.runs.writing import Inside
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.validation import nearest


@contextmanager
def file_on_demand(path: Path, workspace: Workspace, name: str) -> Iterator[Path]:
    """Make a file of a run's reports, `repeats/02/results.json` for that of a repeat, for as long as it is read. Nothing is
    written into the run folder, which may be live. ConfigError where the run has no such file."""
    evaluation = reopen(path, workspace, sends=False).evaluation
    _check(evaluation.kind, evaluation.repeat, name)
    with tempfile.TemporaryDirectory(prefix="tui-eval-") as folder:
        outcome = derive(path, evaluation, Inside(Path(folder)), names={name})
        file = Path(folder).joinpath(*PurePosixPath(name).parts)
        if not file.is_file():
            every = ", ".join(map(str, outcome.report["on_demand"])) or "no such files"
            raise ConfigError(f"--file {name}: this run has nothing to write there; it has {every}")
        yield file


def _check(kind: Kind, repeats: int, name: str) -> None:
    """Raise ConfigError where no run of the kind has such a file."""
    folders = ["", *(f"repeats/{n + 1:02d}/" for n in range(repeats if repeats > 1 else 0))]
    names = sorted(kind.sample_files.on_demand)
    files = [f"{each}{form}" for each in names for form in ([""] if "." in each else [".csv", ".json"])]
    known = [f"{folder}{file}" for folder in folders for file in files]
    if name not in known:
        every = f"; there are {', '.join(known)}" if known else f"; runs of {kind.name} write all their files themselves"
        raise ConfigError(f"--file {name}: no file that is made on demand{nearest(name, known) or every}")
