"""A config while it is being put together: changed key by key or as text, and saved as the file a person would have written."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Sequence
from pathlib import Path

from tui_eval.configuring.drafting.inline_toml import whole
from tui_eval.configuring.drafting.schema import rebased
from tui_eval.core.calls import Json
from tui_eval.core.errors import ConfigError, Place
from tui_eval.workspace.keys import KnownKeys
from tui_eval.workspace.places import Workspace, read_prompt
from tui_eval.workspace.plain_files import ANYWHERE, read_file, unreadable
from tui_eval.workspace.private_files import replace_file
from tui_eval.workspace.toml_files import MAX_TOML_BYTES, TomlFile, dotted, has_comments, key_lines, parse_toml, read_toml


def same(first: Json, second: Json) -> bool:
    """Return whether two values are the same in TOML, where 1, 1.0 and true are three."""
    if type(first) is not type(second):
        return False
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(same(value, second[key]) for key, value in first.items())
    if isinstance(first, list):
        return first is second or (len(first) == len(second) and all(map(same, first, second)))
    return bool(first == second)


def is_in(container: Json, part: str | int) -> bool:
    """Return whether a table has this key, or a list this entry."""
    if isinstance(part, int):
        return isinstance(container, list) and 0 <= part < len(container)
    return isinstance(container, dict) and part in container


def changed_at(container: Json, place: Place, value: Json) -> Json:
    """A copy of a table or list in which `value` stands at a place. IndexError for an entry that a list does not have."""
    if not place:
        return value
    part, *rest = place
    if isinstance(part, int):
        entries = list(container) if isinstance(container, list) else []
        entries[part] = changed_at(entries[part], tuple(rest), value)
        return entries
    table = container if isinstance(container, dict) else {}
    return {**table, part: changed_at(table.get(part), tuple(rest), value)}


def without(container: Json, place: Place) -> Json:
    """A copy of a table or list in which nothing stands at a place."""
    part, *rest = place
    if rest:
        return changed_at(container, (part,), without(container[part], tuple(rest)))
    if isinstance(part, int):
        return [*container[:part], *container[part + 1 :]]
    return {key: value for key, value in container.items() if key != part}


_SURROGATE = re.compile("[\ud800-\udfff]")


class Draft:
    """A config in the making.

    A change makes new tables along its path and leaves the old ones as they were: whoever holds an earlier `content`, perhaps
    in another thread, holds what it was then.
    """

    def __init__(self, content: dict[str, Json], folder: Path, path: Path | None = None) -> None:
        self.content = content
        self.folder = folder
        """Paths in it are relative to this folder."""
        self.path = path
        """The file it came from or was saved to; None = neither."""
        self.version = 0
        """Another after every change."""
        self._saved: tuple[int, str] | None = None
        """The version that stands in `path`, and the text there."""
        self._written: tuple[int, str] = (-1, "")

    @classmethod
    def new(cls, kind: str, folder: Path) -> Draft:
        """A config of a kind, with nothing in it that holds by itself."""
        return cls({"kind": kind, "name": kind, kind: {}}, folder)

    @classmethod
    def opened(cls, path: Path, workspace: Workspace | None = None) -> Draft:
        """A config file, or the config of a run folder: this has no file of its own, for a run's config stays as it is.

        `workspace`: prompts of a run that are the same there are left out. ConfigError where the file is not TOML.
        """
        file = read_toml(path)
        _refuse_unwritable(file.content, ())
        folder = path.absolute().parent
        if "inputs" in file.content:
            return cls(_of_run(file, workspace), folder)
        draft = cls(file.content, folder, path.absolute())
        draft._saved = (0, _text_of(path))
        return draft

    @property
    def kind(self) -> str:
        """The kind it names; "" where it names none."""
        kind = self.content.get("kind")
        return kind if isinstance(kind, str) else ""

    @property
    def changed(self) -> bool:
        """Return whether there is anything in it that stands in no file."""
        return self._saved is None or self._saved[0] != self.version

    # ------------------------------------------------------------------------------------------------------ key by key

    def get(self, place: Place) -> Json:
        """Return the value at a place; None where there is none."""
        value: Json = self.content
        for part in place:
            if not is_in(value, part):
                return None
            value = value[part]
        return value

    def has(self, place: Place) -> bool:
        """Return whether there is a value at a place."""
        return self.get(place) is not None

    def set(self, place: Place, value: Json) -> None:
        """Put a value at a place; tables around it are made where they are missing. None drops the key."""
        if value is None:
            return self.drop(place)
        _refuse_unwritable(value, place)
        if not same(self.get(place), value):
            self._change(changed_at(self.content, place, value))

    def drop(self, place: Place) -> None:
        """Take a key away, or an entry out of a list, and leave the table or the list it stood in."""
        if self.has(place):
            self._change(without(self.content, place))

    def add(self, place: Place, entry: Json) -> int:
        """Put an entry at the end of the list at a place; its index."""
        entries = self.get(place)
        before = entries if isinstance(entries, list) else []
        self.set(place, [*before, entry])
        return len(before)

    def _change(self, content: dict[str, Json]) -> None:
        self.content = content
        self.version += 1

    # ------------------------------------------------------------------------------------------------------ as a text

    def text(self) -> str:
        """As TOML."""
        if self._written[0] != self.version:
            self._written = (self.version, whole(self.content))
        return self._written[1]

    def read(self, text: str) -> dict[str, Json]:
        """Parse the TOML text of an editor. ConfigError, with line and column, where it is not TOML."""
        content = parse_toml(self._file_path, text).content
        _refuse_unwritable(content, ())
        return content

    def hold(self, content: dict[str, Json]) -> None:
        """Hold this from now on, as `read` brought it."""
        if not same(content, self.content):
            self._change(content)

    def file(self, lines: bool = True) -> TomlFile:
        """As a config that was read; a mistake in it is named by its line in `text()`, but for these `lines` to be counted."""
        return TomlFile(self._file_path, self.content, key_lines(self.text()) if lines else {})

    @property
    def _file_path(self) -> Path:
        return self.path or self.folder / "config.toml"

    # ------------------------------------------------------------------------------------------------------ as a file

    def save(self, path: Path, key_files: Sequence[Path] = ()) -> list[str]:
        """Write it to a file, which is its own from then on, and say what the person should know of that.

        Paths in it are made to hold from there. An unchanged draft is not written again into its own file. ConfigError where
        the file cannot be written or was changed by another program meanwhile, or where the value of a key would be in it
        (of the environment or of `key_files`).
        """
        path = path.absolute()
        if path == self.path and not self.changed:
            return []
        before = _text_of(path) if os.path.lexists(path) else None
        if path == self.path and self._saved and before is not None and before != self._saved[1]:
            raise ConfigError(f"{path}: was changed by another program; save under another name, or open it again")
        content = rebased(self.content, self.kind, self.folder, path.parent)
        text = whole(content)
        refuse_keys(path, text, key_files)
        replace_file(path, text)
        if not same(content, self.content):
            self._change(content)
        self.folder, self.path, self._saved = path.parent, path, (self.version, text)
        return [f"comments of {path.name} are not kept"] if before is not None and has_comments(before) else []


def _of_run(file: TomlFile, workspace: Workspace | None) -> dict[str, Json]:
    """A run's config without what only the run itself needs."""
    content = {key: value for key, value in file.content.items() if key != "inputs"}
    kind = content.get("kind")
    table = content.get(kind) if isinstance(kind, str) else None
    prompts = table.get("prompts") if isinstance(table, dict) else None
    if workspace is None or not isinstance(kind, str) or not isinstance(table, dict) or not isinstance(prompts, dict):
        return content
    own = {name: value for name, value in prompts.items() if not _is_usual(value, kind, name, file.path.parent, workspace)}
    rest = {key: value for key, value in table.items() if key != "prompts"}
    return {**content, kind: {**rest, "prompts": own} if own else rest}


def _is_usual(value: Json, kind: str, name: str, folder: Path, workspace: Workspace) -> bool:
    """Return whether a run's prompt is the one that would be taken anyway."""
    if not isinstance(value, dict) or not isinstance(value.get("file"), str):
        return False
    try:
        return read_prompt(folder / value["file"]) == workspace.prompt(kind, name)[0]
    except ConfigError:
        return False


def _text_of(path: Path) -> str:
    try:
        return read_file(path, MAX_TOML_BYTES, ANYWHERE).decode("utf-8", "replace")
    except OSError as error:
        raise ConfigError(unreadable(path, error)) from None


def refuse_keys(path: Path, text: str, key_files: Sequence[Path]) -> None:
    """ConfigError where a config to be written holds the value of a key."""
    if KnownKeys(key_files).redact(text) != text:
        raise ConfigError(
            f"{path}: not saved: the config holds the value of one of your keys. Name the key's variable instead "
            "(api_key_env), and store the key with K on screen 1"
        )


def _refuse_unwritable(value: Json, place: Place) -> None:
    """Raise ConfigError for a number that is none, and for a text that no file can hold."""
    if isinstance(value, float) and not math.isfinite(value):
        raise _refused(place, f"must be a number, not {value}")
    if isinstance(value, str) and not value.isascii() and _SURROGATE.search(value):
        raise _refused(place, "holds characters that no file can hold; type it anew")
    if isinstance(value, dict | list):
        for part, inner in value.items() if isinstance(value, dict) else enumerate(value):
            if not isinstance(inner, int):
                _refuse_unwritable(inner, (*place, part))


def _refused(place: Place, words: str) -> ConfigError:
    return ConfigError(f"{dotted(place)}: {words}", [(place, words)])
