"""In which settings runs differ: read from the config that each of them was made with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tui_eval.core.plaintext import one_line
from tui_eval.runs.folder import CONFIG, MANIFEST
from tui_eval.runs.reader import RunReader
from tui_eval.workspace.plain_files import read_text_file
from tui_eval.workspace.toml_files import toml_of

MOST_BYTES = 4_000_000
MOST = 6
"""Settings that are named."""
SHOWN = 40
NOT_SETTINGS = (
    *("kind", "name", "inputs", "questions", "questions_file", "truths", "truths_file", "dataset"),
    *("documents", "prompts", "benchmark", "answers"),
)
"""What is asked, and what it is called: told elsewhere. `benchmark` as a table, how answers are graded, is a setting."""


def differing(paths: Sequence[Path]) -> str:
    """One sentence on the settings in which these runs differ, with their values in the order of the runs; "" where none do."""
    settings = [dict(_flat(settings_of(path), "")) for path in paths]
    if len(settings) < 2 or not all(settings):
        return ""
    names = _unlike(settings)
    phrases = [
        f"{one_line(name, 60)} ({', '.join(_value_words(run_settings.get(name)) for run_settings in settings)})"
        for name in names[:MOST]
    ]
    more = f" and {len(names) - MOST} more" if len(names) > MOST else ""
    return f"The runs differ in {', '.join(phrases)}{more}." if phrases else ""


def changes(before: Path, after: Path) -> list[str]:
    """Say what a later run has otherwise than an earlier one: settings with both values, then its input files by name."""
    settings = [dict(_flat(settings_of(path), "")) for path in (before, after)]
    files = [_inputs_of(path) for path in (before, after)]
    names = _unlike(settings) if all(settings) else []
    phrases = [
        f"{one_line(name, 60)} {' → '.join(_value_words(run_settings.get(name)) for run_settings in settings)}"
        for name in names
    ]
    return phrases + [
        f"{one_line(name.rpartition('/')[2], SHOWN)} {_how(*(hashes.get(name) for hashes in files))}" for name in _unlike(files)
    ]


def _unlike(tables: Sequence[Mapping[str, str]]) -> list[str]:
    """The names that do not have one and the same value everywhere."""
    return [
        name
        for name in dict.fromkeys(name for table in tables for name in table)
        if len({table.get(name) for table in tables}) > 1
    ]


def _inputs_of(path: Path) -> dict[str, str]:
    """A run's inputs by name, each with the hash of its content; empty where its manifest names none."""
    hashes = RunReader(path).table(MANIFEST).get("inputs_sha256")
    return {str(name): str(code) for name, code in hashes.items()} if isinstance(hashes, dict) else {}


def _how(before: str | None, after: str | None) -> str:
    if before is None or after is None:
        return "is new" if before is None else "is gone"
    return "changed"


def settings_of(path: Path) -> dict[str, Any]:
    """A run's config as it was read; empty where it is not there, too large, or no TOML."""
    try:
        return toml_of(read_text_file(path / CONFIG, MOST_BYTES))
    except (OSError, ValueError):
        return {}


def _flat(table: Mapping[str, Any], above: str) -> Iterator[tuple[str, str]]:
    """Settings by their dotted names; of a list of tables each by its name or number."""
    for name, value in table.items():
        if name in NOT_SETTINGS and not isinstance(value, dict):
            continue
        if name == "prompts":
            continue
        if isinstance(value, dict):
            yield from _flat(value, f"{above}{name}.")
        elif isinstance(value, list) and value and all(isinstance(entry, dict) for entry in value):
            for number, entry in enumerate(value, 1):
                label = entry.get("name") if name == "models" else number
                yield from _flat({key: inner for key, inner in entry.items() if key != "name"}, f"{above}{name} {label}.")
        else:
            yield above + name, str(value)


def _value_words(value: str | None) -> str:
    return "not set" if value is None else one_line(value, SHOWN)
