"""Keys of a config outside of its kind's table: its kind, its name, and how it is carried out."""

from __future__ import annotations

from collections.abc import Sequence

from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError
from tui_eval.evaluation.kind import Kind
from tui_eval.evaluation.kind_validation import TOP_KEYS, problems_of
from tui_eval.kinds import KINDS
from tui_eval.workspace.run_settings import RunSettings
from tui_eval.workspace.secret_looks import looks_secret
from tui_eval.workspace.toml_files import TomlFile
from tui_eval.workspace.validation import no_such, unknown_key, validate


def kind_of(file: TomlFile) -> Kind:
    """The kind that a config names. ConfigError where it names none, or has a key that no config of the kind has."""
    name = file.content.get("kind")
    if not isinstance(name, str):
        missing = "is missing" if name is None else "must be text"
        missing += '; the first line should be, for example, kind = "panel"'
        raise ConfigError(f"{file.path}: kind: {missing}", [(("kind",), missing)], file.path)
    if name not in KINDS:
        raise file.error(("kind",), no_such(name, KINDS))
    for key in file.content:
        if key not in TOP_KEYS and key != name:
            if key not in KINDS:
                raise unknown_key(file, (key,), (*TOP_KEYS, name))
            raise file.error((key,), f"unknown key (a table of another kind; this is a {name} config)")
    kind = KINDS[name]
    problems = problems_of(kind)
    if problems:
        raise TypeError("\n".join(problems))
    return kind


def run_settings(file: TomlFile, kind: Kind, repeat: int | None, only: Sequence[str]) -> RunSettings:
    """The `[run]` table with the kind's defaults; `repeat` and `only` are those of the command line."""
    defaults = kind.defaults
    table = file.content.get("run", {})
    if not isinstance(table, dict):
        raise file.error(("run",), "must be a table")
    bounded = defaults.reasoning_without_limit and table.keys() & {"max_output_tokens", "max_cost_usd"}
    own: dict[str, Json] = {"reasoning_without_limit": None} if bounded else {}
    if defaults.longer_when_cut and "inputs" in file.content:  # a run folder's own config, from before there was the key
        own["longer_when_cut"] = None
    filled = {
        **defaults.table,
        **own,
        **table,
        **({} if repeat is None else {"repeat": repeat}),
        **({"only": list(only)} if only else {}),
    }
    return validate(RunSettings, filled, file, ("run",))


def name_of(file: TomlFile) -> str:
    """The run's own name. ConfigError where it is no text, or may be a key."""
    name = file.content.get("name", file.path.stem)
    if not isinstance(name, str):
        raise file.error(("name",), "must be text")
    if looks_secret(name):
        raise file.error(("name",), "looks like a key; names are visible to all, in folders and files")
    return name
