"""The set of questions that a config names: found by its name or path, and only the questions that are selected in it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from tui_eval.configuring.folder_documents import document_notes, list_of, named_files, with_documents_key
from tui_eval.configuring.named_paths import NamedPaths
from tui_eval.configuring.prompt_files import kind_table, with_prompts
from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import count_of, one_line
from tui_eval.datasets.document_text.attached_documents import documents_at, file_beside
from tui_eval.datasets.field_values import enumerated, files_in_words
from tui_eval.datasets.lettered.fixed_options import same_options
from tui_eval.datasets.notes import Noted, notes
from tui_eval.datasets.questions import is_set_list
from tui_eval.datasets.selected import Selected
from tui_eval.datasets.set_list import (
    folder_of,
    name_of,
    paths_of,
    read_set,
    selected_of,
    set_named,
)
from tui_eval.evaluation.config_references import rewritten
from tui_eval.evaluation.inputs import Task
from tui_eval.evaluation.judging.judge_frames import with_new_defaults
from tui_eval.evaluation.kind import Kind
from tui_eval.workspace.places import Workspace, path_from, shipped
from tui_eval.workspace.toml_files import TomlFile
from tui_eval.workspace.validation import nearest, validate


@dataclass(frozen=True, slots=True)
class NamedSet:
    """A kind's table in which the set that it names is a file that a run reads, or the questions themselves."""

    table: Mapping[str, Json]
    words: tuple[str, ...] = ()
    """How much of the set is asked, where questions of it are deselected."""
    files: tuple[tuple[Path, str], ...] = ()
    """Files whose questions stand in the table now, and the key that names each: what leaves is told of these, too."""
    of_rows: tuple[tuple[Path, str], ...] = ()
    """Files that samples name, found beside the set. Whoever wrote the set named them, and no person by words of a command."""
    shown: str = ""
    """Which files models are shown besides since the set has them, in words."""

    @property
    def row_files(self) -> list[Path]:
        """The files that samples name."""
        return [path for path, _ in self.of_rows]

    def add_to(self, paths: NamedPaths, by_words: bool) -> None:
        """Note the files among those that a config names."""
        for path, key in self.files:
            paths.add(path, key, by_words)
        for path, key in self.of_rows:
            paths.add(path, key)


def own_keys(file: TomlFile, kind: Kind) -> dict[str, Json]:
    """The kind's table without the prompts that are filled into it."""
    table = kind_table(file, kind)
    if kind.names_prompts:
        return with_prompts(kind, table, {})
    return {name: value for name, value in table.items() if name != "prompts"}


def sound_config(file: TomlFile, kind: Kind, workspace: Workspace, prompts: Mapping[str, Json]) -> tuple[Any, NamedSet]:
    """The kind's settings, with the set that they name looked up. A run folder's own config names files, and stays as it is.

    ConfigError for what a person has to mend.
    """
    own = own_keys(file, kind)
    config = validate(kind.Config, with_prompts(kind, own, prompts), file, (kind.name,))
    if "inputs" in file.content:
        return config, NamedSet(own)
    named_set = _with_files_told(_looked_up(file, kind, workspace, own))
    if named_set.table is not own:
        config = validate(kind.Config, with_prompts(kind, named_set.table, prompts), file, (kind.name,))
    return rewritten(config, with_new_defaults), named_set


def _with_files_told(named_set: NamedSet) -> NamedSet:
    """The same, with a line about the files that models are shown since samples name them."""
    shown_words = named_set.shown or (files_in_words(path.name for path in named_set.row_files) if named_set.of_rows else "")
    return replace(named_set, words=(*named_set.words, f"shown to models: {shown_words}")) if shown_words else named_set


def _looked_up(file: TomlFile, kind: Kind, workspace: Workspace, table: Mapping[str, Json]) -> NamedSet:
    key = next((key for key in kind.starts.set_keys if isinstance(table.get(key), str) and table[key]), None)
    if key is None or kind.starts.from_set is None:
        return NamedSet(table)
    try:
        path = _path_of(file, kind, workspace, key, str(table[key]))
        return NamedSet(table) if path is None else _with_selection(file, kind, workspace, table, key, path)
    except ConfigError as error:
        place = f"{kind.name}.{key}: "
        raise file.located_error(str(error) if str(error).startswith(place) else f"{place}{error}") from None


def _path_of(file: TomlFile, kind: Kind, workspace: Workspace, key: str, word: str) -> Path | None:
    """The file or folder that is meant: beside the config, else a set of the workspace; None where there is none, and reading
    says so."""
    beside = file.path.parent / word
    if os.path.lexists(beside):
        return beside
    if Path(word).name != word or "\0" in word:
        return None
    set_path = set_named(workspace, word)
    if set_path is None and key == kind.starts.set_keys[0] and "." not in word:
        if (shipped("datasets") / f"{word}.json").is_file():
            return None
        suggestion = nearest(word, [name_of(path) for path in paths_of(workspace)])
        raise ConfigError(f"{one_line(word, 80)!r}: neither a dataset nor a file beside the config{suggestion}")
    return set_path


def _with_selection(
    file: TomlFile, kind: Kind, workspace: Workspace, table: Mapping[str, Json], key: str, path: Path
) -> NamedSet:
    """The table with what is selected of a set."""
    whole = path.parent if is_set_list(path.name) and _is_kept(workspace, path.parent) else path
    left_out = notes(workspace).get(whole.name, Noted()).left_out if _is_kept(workspace, whole) else frozenset()
    place = f"{kind.name}.{key}"
    any_form = kind.starts.columns is not None
    by_path = bool(kind.starts.needs) or path.is_dir() or is_set_list(path.name) or key != kind.starts.set_keys[0]
    if by_path and not left_out:
        return _by_path(file, kind, table, key, path)
    ids = tuple(question.id for question in read_set(whole).questions)
    selected = selected_of(workspace, whole, any_form)
    if by_path and selected.whole:
        return _by_path(file, kind, table, key, path)
    assert kind.starts.from_set is not None
    selected_names = [*map(str, selected.rows)] if any_form else [question.id for question in selected.questions]
    every = [str(n) for n in range(1, len(ids) + 1)] if any_form else [*ids]
    begun = dict(kind.starts.from_set(_from_config(selected, file.path.parent, whole)))
    selection = _Selection(selected_names, every, place)
    merged = selection.merged({name: value for name, value in table.items() if name != key}, begun)
    words = (selection.words(name_of(whole)),) if len(selected_names) < len(ids) else ()
    named_set = _with_files_beside(file, kind, merged, path, selected.rows)
    return replace(named_set, words=(*words, *named_set.words), files=((list_of(path) or path, place),))


def _by_path(file: TomlFile, kind: Kind, table: Mapping[str, Json], key: str, path: Path) -> NamedSet:
    """The table with the path of a set that is asked whole, and what is read along with it."""
    relative, word = path_from(file.path.parent, path), str(table[key])
    there = os.path.lexists(file.path.parent / word) and not (path.is_dir() and Path(word).name == word)
    as_named = table if there else {**table, key: f"./{relative}" if Path(relative).name == relative else relative}
    if kind.starts.columns is not None:
        return _with_files_beside(file, kind, as_named, path)
    needs = kind.starts.needs or frozenset()
    beside = _beside(path, f"{kind.name}.{key}") if "turns" in needs else ()
    return NamedSet(as_named, files=beside) if path.is_dir() else NamedSet(as_named, of_rows=beside)


def _with_files_beside(file: TomlFile, kind: Kind, table: Mapping[str, Json], path: Path, rows: Sequence[int] = ()) -> NamedSet:
    """The table with the files that the set's samples are shown with, found beside it, where it names their columns and no
    files. `rows`: the samples that are asked, from 1; none = all. ConfigError for a file that is not there."""
    table, columns = with_documents_key(kind, table, path), kind.starts.columns
    words = tuple(document_notes(kind, table, path, rows))
    naming = [str(table[key]) for key in columns.files if table.get(key)] if columns and not table.get(columns.found) else []
    if columns is None or not naming:
        return NamedSet(table, words)
    folder, files = path if path.is_dir() else path.parent, named_files(path, naming, rows)
    paths_by_name = {name: path_from(file.path.parent, file_beside(folder, name, path.name)) for name in files.every}
    of_rows = tuple((file.path.parent / paths_by_name[name], f"{kind.name}.{columns.found}") for name in files.names)
    filled = {columns.found: [*paths_by_name.values()]} if paths_by_name else {}
    return NamedSet({**table, **filled}, words, of_rows=of_rows, shown=files.words)


def _beside(path: Path, key: str) -> tuple[tuple[Path, str], ...]:
    """The files that a set of conversations takes from beside it, each with the key that names the set."""
    about = path.stat()
    return tuple((each, key) for each in _documents_at(path, about.st_mtime_ns, about.st_size, about.st_ino))


@lru_cache(maxsize=4)
def _documents_at(path: Path, *mark: int) -> list[Path]:
    """The same, not read again while the set stays: a draft is looked at again with every key that is pressed."""
    return documents_at(path)


def _is_kept(workspace: Workspace, path: Path) -> bool:
    """Return whether a file or folder is a set of the workspace, in which questions can be deselected."""
    return os.path.realpath(path.parent) == os.path.realpath(folder_of(workspace))


def _from_config(selected: Selected, folder: Path, path: Path) -> Selected:
    """The same with paths as a config in a folder names them."""
    set_path = path_from(folder, path)
    documents = tuple(path_from(folder, path / Path(each).name) for each in selected.documents)
    return replace(selected, path=set_path, documents=documents)


@dataclass(slots=True)
class _Selection:
    """Selection of a set, held against the ids or rows that a person names in the config."""

    chosen: Sequence[str]
    every: Sequence[str]
    key: str
    """Of the set, for errors."""
    name: str = ""
    """The key in which a person names some; empty where none does."""
    named: tuple[str, ...] = ()
    """What it names."""

    def merged(self, own: Mapping[str, Json], begun: Mapping[str, Json]) -> dict[str, Json]:
        """A person's own keys and those of the set: ids of both are asked, and what is deselected is not."""
        merged_table = {**own, **begun}
        for name in own.keys() & begun.keys():
            ours, theirs = own[name], begun[name]
            if isinstance(ours, dict) and isinstance(theirs, dict):
                merged_table[name] = self.merged(ours, theirs)
            elif isinstance(ours, list) and theirs == [*self.chosen]:
                dropped = self._dropped(ours)
                remaining = [sample_id for sample_id in ours if sample_id not in dropped]
                if ours and not remaining:
                    message = f"all {len(ours):,} ids that {name} names are deselected in the set: select some"
                    raise ConfigError(f"{self.key}: {message}")
                merged_table[name] = remaining or theirs
                self.name, self.named = (name, tuple(dict.fromkeys(ours))) if ours else ("", ())
            elif ours:
                raise ConfigError(f"{self.key}: the set has its own {name}; leave that key out")
        return merged_table

    def _dropped(self, ids: Sequence[str]) -> list[str]:
        deselected = {*self.every} - {*self.chosen}
        return [sample_id for sample_id in ids if sample_id in deselected]

    def words(self, set_name: str) -> str:
        """Say how much of the set is asked, and what a person names of it that is not."""
        of, n = count_of(len(self.every), "sample"), len(self.every) - len(self.chosen)
        if {*self.named} in (set(), {*self.chosen}):
            return f"{set_name}: {len(self.chosen):,} of {of} ({n:,} deselected)"
        dropped = self._dropped(self.named)
        selection_words = f"{n:,} deselected; {self.name} names {len(self.named):,}"
        selection_words += f", and not asked of these, as deselected: {enumerated(dropped)}" if dropped else ""
        if {*self.named} <= {*self.every}:
            return f"{set_name}: {len(self.named) - len(dropped):,} of {of} ({selection_words})"
        return f"{set_name}: of {of} {selection_words}"  # names of several samples, which only the kind can tell


def checked_options(task: Task, file: TomlFile) -> Task:
    """The task, whose questions have options that differ: of two that say the same nobody could tell which is the right one.

    ConfigError, with the question and the letters, where two are the same; never for a run on file.
    """
    for question in getattr(task, "questions", ()) if "inputs" not in file.content else ():
        options = getattr(question, "options", ())
        if not options:
            break
        if message := same_options(question.id, options):
            raise ConfigError(f"{message}: mend the file, or deselect the question")
    return task
