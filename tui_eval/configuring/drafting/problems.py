"""What keeps a draft from being started, each at the key where a person can mend it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tui_eval.configuring.drafting.fields import UNFILLED
from tui_eval.configuring.drafting.names import models_named
from tui_eval.configuring.drafting.schema import Field, field_at
from tui_eval.configuring.generated_sets import check_set
from tui_eval.configuring.loading import Loaded, cap_problems
from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError, Place
from tui_eval.evaluation.kind_validation import TOP_KEYS
from tui_eval.providers import WIRES
from tui_eval.workspace.key_files import has_key
from tui_eval.workspace.model_settings import ModelTable
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.toml_files import TomlFile, dotted, placed


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that keeps a draft from being started."""

    place: Place
    """The key it is about; () where it is about the whole."""
    words: str
    """What is wrong and what to do, for a person; foreign text where it quotes some."""


Mark = tuple[int, int, int]
"""What changes about a file when it is written or replaced."""


def mark_of(path: Path) -> Mark | None:
    """A file's mark; None where it is not there."""
    try:
        state = os.stat(path)
    except (OSError, ValueError):
        return None
    return state.st_ino, state.st_mtime_ns, state.st_size


class KeysThere:
    """Which key variables are set; asked of the key files again only when these have changed."""

    def __init__(self) -> None:
        self._marks: tuple[Mark | None, ...] = ()
        self._known: dict[str, bool] = {}

    def has(self, name: str, files: Sequence[Path]) -> bool:
        """Whether a variable is set, in the environment or in one of the files."""
        marks = tuple(map(mark_of, files))
        if marks != self._marks:
            self._marks, self._known = marks, {}
        if name not in self._known:
            self._known[name] = has_key(name, files)
        return self._known[name]


def problems_of(file: TomlFile, error: ConfigError) -> Iterator[Problem]:
    """An error as problems, each at the key to mend; of a model that stands in another file, at the row that names it."""
    content = file.content
    kind = str(content.get("kind"))
    rows = [
        place
        for place, name in models_named(content, kind)
        if re.search(rf"\bmodel (named )?{re.escape(repr(name))}", str(error))
    ]
    if error.file not in (None, file.path):
        told = error.problems[0][1] if error.problems and rows else str(error)
        yield Problem(rows[0] if rows else (), told)
        return
    for place, words in error.problems or [((), _without_path(str(error), file.path))]:
        if place and place[0] not in (*TOP_KEYS, kind):  # it began like a key, and was something else
            yield Problem((), f"{dotted(place)}: {words}")
        elif place == ("models",):
            yield Problem(_entry_of(words.partition(": ")[0], content), words)
        elif len(place) < 2 and rows:
            yield Problem(rows[0], words)
        else:
            yield Problem(place, _with_advice(words, field_at(kind, place)))


def _with_advice(words: str, field: Field | None) -> str:
    """The words for a key that is not there, with what to do."""
    if words != "is missing" or field is None:
        return words
    return UNFILLED[1] if field.sort in ("tables", "texts") else UNFILLED[0]


def _entry_of(name: str, content: Mapping[str, Json]) -> Place:
    """Where the model of this name stands in the config; all models where it does not."""
    entries = content.get("models")
    for i, entry in enumerate(entries if isinstance(entries, list) else []):
        if isinstance(entry, dict) and entry.get("name") == name:
            return ("models", i)
    return ("models",)


def _variables(table: ModelTable) -> Iterator[tuple[str, str]]:
    """The variables that have to be set for a model to be asked: the key that names each, and its name."""
    for variable in re.findall(r"\$\{([^}]*)\}", table.base_url or ""):
        yield "base_url", variable
    if table.api_key_env:
        yield "api_key_env", table.api_key_env
    if table.organization_env:
        yield "organization_env", table.organization_env


def _place_of(table: ModelTable, key: str, loaded: Loaded) -> Place:
    """Where a model's key stands in the config; of a model on file, the row that names it."""
    content = loaded.file.content
    entry = _entry_of(table.name, content)
    if len(entry) > 1:
        return (*entry, key)
    rows = models_named(content, loaded.evaluation.kind.name)
    return next((place for place, name in rows if name == table.name), ())


def missing_keys(loaded: Loaded, keys: KeysThere) -> Iterator[Problem]:
    """Models whose key, organization or address needs a variable that is not set."""
    for table in loaded.asked_tables:
        for key, variable in _variables(table):
            if not keys.has(variable, loaded.key_files):
                words = f"model {table.name!r}: {key} names {variable}, which is not set: store it on screen 1 with K"
                yield Problem(_place_of(table, key, loaded), words)


def nothing_to_ask(loaded: Loaded) -> Iterator[Problem]:
    """Runs whose answers were imported."""
    if all(WIRES[spec.wire].recorded for spec in loaded.evaluation.models.values()):
        yield Problem((), "its answers were imported, so there is nothing to ask; import answers with tui-eval import")


def taken_names(loaded: Loaded, workspace: Workspace) -> Iterator[Problem]:
    """Where the run makes a set of questions: one of that name is there already, and stays."""
    try:
        check_set(loaded, workspace)
    except ConfigError as error:
        yield from problems_of(loaded.file, error)


def over_caps(loaded: Loaded) -> Iterator[Problem]:
    """Caps that the estimate does not fit, or that cannot be held."""
    most = loaded.plan["total_calls"] + loaded.plan["up_to_more"]
    return (Problem(*placed(problem)) for problem in cap_problems(loaded, f"to {most:,}"))


def _without_path(message: str, path: Path) -> str:
    """A message without the draft's own file and line, which a person who fills in a form has no use for."""
    return re.sub(rf"(?m)^{re.escape(str(path))}(:[0-9]+)?: ", "", message)
