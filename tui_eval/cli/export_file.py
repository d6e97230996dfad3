"""The command export --file: a file of a run's reports that is made on demand, on standard output or in a file of its own."""

from __future__ import annotations

import argparse
from io import TextIOWrapper

from tui_eval.cli.exporting import check_place, write_export
from tui_eval.cli.run_status import say_damage
from tui_eval.cli.standard_error import narrate
from tui_eval.core.errors import ConfigError
from tui_eval.workspace.keys import KnownKeys
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.plain_files import stream_of


def execute(options: argparse.Namespace, workspace: Workspace) -> int:
    """Make the file and export it. Returns the exit code."""
    from tui_eval.reporting.on_demand import file_on_demand  # only here: it loads the settings

    if options.format or options.models or len(options.runs) > 1:
        raise ConfigError("--file names a file of one run: leave out --format, --models and the other runs")
    if options.out is not None:
        check_place(options.out)
    path = workspace.run(options.runs[0])
    with (
        file_on_demand(path, workspace, options.file) as file,
        TextIOWrapper(stream_of(file), encoding="utf-8", errors="backslashreplace", newline="") as lines,
    ):
        write_export(lines, options.out, KnownKeys([workspace.env_file]).redact)
    say_damage([path])
    if options.out is not None:
        narrate(f"exported to {options.out}")
    return 0
