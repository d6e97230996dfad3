"""The command export: runs in a format that other programs read, on standard output or in a file. It sends nothing."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from io import TextIOWrapper
from pathlib import Path

from tui_eval.cli.named_config import words_in
from tui_eval.cli.run_status import say_damage
from tui_eval.cli.standard_error import narrate, tell
from tui_eval.cli.summary import told_gates
from tui_eval.core.errors import ConfigError, FolderError, StorageError, TuiEvalError
from tui_eval.core.plaintext import one_line
from tui_eval.results.exporting import EXPORTERS
from tui_eval.results.exporting.exported_run import ExportedRun, opened_run
from tui_eval.results.exporting.exporter import Exporter
from tui_eval.runs.folder import CONFIG, MANIFEST
from tui_eval.runs.writing import AtomicFile
from tui_eval.workspace.keys import KnownKeys
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.plain_files import stream_of
from tui_eval.workspace.validation import nearest, no_such


def execute(options: argparse.Namespace, workspace: Workspace) -> int:
    """Export the runs; what a reader of the file must know besides is told on standard error. Returns the exit code."""
    out = options.out
    name, exporter = exporter_of(options.format, out)
    models = set(words_in("--models", options.models))
    if models and not exporter.by_sample:
        raise ConfigError("--models works only with formats made of samples; reports cover all models of a run")
    if out is not None:
        _check_place(out)
    paths = [workspace.run(name) for name in options.runs]
    if len(set(map(os.path.realpath, paths))) < len(paths):
        raise FolderError("export: the same run is named twice")
    with ExitStack() as stack:
        runs = [stack.enter_context(opened_run(path, models)) for path in paths]
        _check_models(models, runs)
        _write(_pieces(name, exporter, runs), out, KnownKeys([workspace.env_file]).redact)
    say_damage(paths)
    for sentence in EXPORTERS.shadows():
        tell(f"note: {sentence}")
    for run in runs:
        for note in (*filter(None, [exporter.lacks(run)]), *run.notes):
            tell(f"note: {run.run_id}: {note}")
    if out is not None:
        narrate(f"exported to {out}")
    return told_gates(paths)


def execute_file(options: argparse.Namespace, workspace: Workspace) -> int:
    """Make a file of a run's reports that is made on demand, and export it. Returns the exit code."""
    from tui_eval.reporting.on_demand import file_on_demand  # only here: it loads the settings

    if options.format or options.models or len(options.runs) > 1:
        raise ConfigError("--file names a file of one run: leave out --format, --models and the other runs")
    if options.out is not None:
        _check_place(options.out)
    path = workspace.run(options.runs[0])
    with (
        file_on_demand(path, workspace, options.file) as file,
        TextIOWrapper(stream_of(file), encoding="utf-8", errors="backslashreplace", newline="") as lines,
    ):
        _write(lines, options.out, KnownKeys([workspace.env_file]).redact)
    say_damage([path])
    if options.out is not None:
        narrate(f"exported to {options.out}")
    return told_gates([path])


def exporter_of(name: str, out: Path | None) -> tuple[str, Exporter]:
    """The exporter of a name, or, without one, of how a file's name ends. ConfigError where that is none, or not clear."""
    if name and name not in EXPORTERS:
        message = no_such(name, EXPORTERS)
        every = "" if "known are" in message else f"; there are {', '.join(EXPORTERS.names())}"
        raise ConfigError(f"--format {name}: {message}{every}")
    if name:
        return name, EXPORTERS[name]
    matches = _by_suffix(EXPORTERS, out) or _by_suffix(EXPORTERS.every(), out)
    if not matches:
        raise ConfigError(f"export: say in which format: --format F, one of {', '.join(EXPORTERS.names())}")
    return matches[-1]


def _by_suffix(exporters: Mapping[str, Exporter], out: Path | None) -> list[tuple[str, Exporter]]:
    """Those that fit a file's name, the longest suffix last."""
    name = "" if out is None else out.name.lower()
    matches = [(key, each) for key, each in exporters.items() if each.suffix.startswith(".") and name.endswith(each.suffix)]
    return sorted(matches, key=lambda entry: len(entry[1].suffix))


def _pieces(name: str, exporter: Exporter, runs: list[ExportedRun]) -> Iterator[str]:
    """The file; what an exporter of another package raises is told as that package's fault."""
    try:
        for piece in exporter.write(runs):
            if not isinstance(piece, str):
                raise TypeError(f"it made {type(piece).__name__}, not text")
            yield piece
    except (TuiEvalError, OSError, GeneratorExit, MemoryError):
        raise
    except Exception as error:
        package = EXPORTERS.package(name)
        if package is None:
            raise
        raise ConfigError(f"the format {name} of the package {package} failed: {type(error).__name__}: {error}") from None


def _check_place(out: Path) -> None:
    """ConfigError where a file would lie in a run folder, which holds what its run wrote, or replace what is no file."""
    if out.exists() and not out.is_file():
        raise ConfigError(f"--out {out}: is not a file; name a file, or leave out --out for standard output")
    for folder in out.resolve().parents:
        if (folder / CONFIG).is_file() and (folder / MANIFEST).is_file():
            raise ConfigError(f"--out {out}: lies in the run folder {folder}; choose a place outside of it")


def _check_models(models: set[str], runs: list[ExportedRun]) -> None:
    there = {one_line(model) for run in runs for model in run.models}
    for name in sorted(models - there):
        raise ConfigError(f"--models {name}: no reply or score of that model is on file{nearest(name, there)}")


def _write(pieces: Iterable[str], out: Path | None, redact: Callable[[str], str]) -> None:
    """Print the pieces, or put them under the file's name when all of them are there."""
    if out is None:
        _print(pieces)
        return
    with AtomicFile(out.resolve()) as file:  # where a link leads: it stays a link
        for piece in pieces:
            file.write(redact(piece))


def _print(pieces: Iterable[str]) -> None:
    """Through the guarded stream, piece by piece, and in UTF-8, as XML says of itself."""
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    try:
        for piece in pieces:
            sys.stdout.write(piece)
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise StorageError(f"standard output: cannot be written: {error.strerror}") from error
