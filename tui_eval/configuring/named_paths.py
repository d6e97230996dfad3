"""Paths of the files that a config names: those outside its folder, sent only after a yes, and private keys, refused."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

from tui_eval.core.errors import ConfigError
from tui_eval.core.input_sources import InputFile, Source
from tui_eval.datasets.documents import matching, pieces_of
from tui_eval.runs.folder import CONFIG, MANIFEST, holder
from tui_eval.workspace.patterns import Walk, has_magic, split_pattern
from tui_eval.workspace.places import Workspace, shipped, shipped_path
from tui_eval.workspace.plain_files import is_inside
from tui_eval.workspace.private_keys import holds_private_key, is_named, refusal
from tui_eval.workspace.toml_files import TomlFile
from tui_eval.workspace.trust import TrustRecord

MOST_KNOWN = 10_000
_SOUND: dict[str, None] = {}
"""Hashes of files that hold none: a draft is looked at again with every key that is pressed."""


def check_private_keys(files: Iterable[InputFile]) -> None:
    """Raise ConfigError for a file, or what it says, in which a private key seems to be. Files that a person named are sent."""
    for file in files:
        if file.sha256 in _SOUND or is_named(file.origin):
            continue
        if holds_private_key(pieces_of(file)) or (file.text is not None and holds_private_key([file.text.encode("utf-8")])):
            raise ConfigError(refusal(file.role or file.name, file.origin))
        if len(_SOUND) > MOST_KNOWN:
            _SOUND.clear()
        _SOUND[file.sha256] = None


@dataclass(frozen=True, slots=True, order=True)
class Outside:
    """A file that is read from elsewhere, or a folder there that is looked through."""

    real: str
    """Its real path; a folder's with / behind it."""
    key: str
    """Where it is named: the config's key, and of a link its path."""


@dataclass(slots=True)
class NamedPaths:
    """The files of a config's sources."""

    root: str
    """The real path of the config's folder."""
    workspace: Path
    of_others: bool
    """Whether the folder is not the person's: then its runs may hold what was read from elsewhere, and are files from there."""
    keys: frozenset[str]
    """The real paths of files of keys, which are never sent."""
    found: list[tuple[Source, Path]] = field(default_factory=list)
    """What is to be read, as it is named."""
    inside: dict[str, None] = field(default_factory=dict)
    """The files of the folder, by their paths from it; those that come with the program begin with `shipped:`."""
    outside: dict[Outside, None] = field(default_factory=dict)
    not_looked_through: dict[Outside, None] = field(default_factory=dict)
    """Folders elsewhere that nobody has said yes to: what is in them is not known."""

    def add(
        self, path: Path, key: str, by_words: bool = False, within: str = "", is_prompt: bool = False, is_schema: bool = False
    ) -> None:
        """Note where a file lies. `by_words`: a person has just named it; `within`: the folder elsewhere that it was found in.

        ConfigError for a prompt that is a link out of its folder.
        """
        real = os.path.realpath(path)
        if real in self.keys or _is_env_file(real):
            raise ConfigError(f"{key}: {path}: holds your keys, and is never sent; leave it out")
        if is_prompt and not is_inside(real, os.path.realpath(path.parent)):
            message = "is a link out of its folder: no prompt is read from there; put a copy in its place"
            raise ConfigError(f"{key}: {path}: {message}")
        if is_inside(real, self.root) and not (self.of_others and is_inside(real, os.path.join(self.root, "runs"))):
            self.inside[os.path.relpath(real, self.root)] = None
        elif name := shipped_path(real):
            self.inside[f"shipped:{name}"] = None
        elif (is_prompt or is_schema) and (name := self._of_workspace(real)):
            self.inside[f"workspace:{name}"] = None
        elif by_words and is_inside(real, os.path.realpath(path.parent)):
            self.inside[real] = None
        elif within and is_inside(real, within):
            self.outside[Outside(f"{within.rstrip('/')}/", key)] = None
        else:
            self.outside[Outside(real, f"{key}: {path}" if path.is_symlink() else key)] = None

    def _of_workspace(self, real: str) -> str:
        """Return where in the workspace a prompt or schema lies, which every config there may use; empty for anything else."""
        root = os.path.realpath(self.workspace)
        own = any(is_inside(real, os.path.join(root, name)) for name in ("prompts", "schemas"))
        return os.path.relpath(real, root) if own else ""


def named_paths(
    file: TomlFile, sources: Sequence[Source], workspace: Workspace, key_files: Sequence[Path],
    records: Collection[TrustRecord], of_rows: Iterable[Path] = (),
) -> NamedPaths:  # fmt: skip
    """The files that a config's sources stand for. ConfigError where there are none, and for a file of keys.

    A folder outside the config's is looked through only where a record says so. Nothing is read. `of_rows`: those that samples
    of a set name, which is not what a person named who wrote the command.
    """
    by_set = frozenset(map(os.path.realpath, of_rows))
    keys = frozenset(map(os.path.realpath, key_files))
    paths = NamedPaths(os.path.realpath(file.path.parent), workspace.root, not all(record.own for record in records), keys)
    for source in (_set_on_file(source, file.path.parent, workspace) for source in sources):
        for path, within in _PathFinder(file, source, workspace, records, paths).paths():
            paths.found.append((source, path))
            for each in (path, *beside(path, source)):
                is_prompt, is_schema = (source.role.endswith(end) for end in ("prompt", "schema"))
                by_words = file.by_words and os.path.realpath(each) not in by_set
                paths.add(each, source.key, by_words, within, is_prompt, is_schema)
    return paths


def _set_on_file(source: Source, folder: Path, workspace: Workspace) -> Source:
    """A source that names a set on file by its bare name, by its path: the file of that name, or the folder."""
    name = source.pattern
    if not (source.shipped and source.inside) or Path(name).name != name or "\0" in name or (folder / name).exists():
        return source
    place = workspace.root / source.shipped
    if (place / f"{name}.json").is_file():
        return replace(source, pattern=f"{name}.json")
    return replace(source, pattern=str(place / name)) if (place / name).is_dir() else source


def _is_env_file(real: str) -> bool:
    """Return whether a file is one of keys by its name, of whatever folder; examples of such files are none."""
    name = os.path.basename(real)
    return name == ".env" or (name.startswith(".env.") and not name.endswith((".example", ".sample", ".template")))


def beside(path: Path, source: Source) -> Iterator[Path]:
    """Yield the file that is read along with a file; of two that are there the one with its whole name."""
    names = (f"{path.name}{source.beside}", f"{path.stem}{source.beside}") if source.beside else ()
    yield from [path.with_name(name) for name in names if path.with_name(name).is_file()][:1]


@dataclass(frozen=True, slots=True)
class _PathFinder:
    """Finds the files of one source, without looking through folders outside the config's unasked."""

    file: TomlFile
    source: Source
    workspace: Workspace
    records: Collection[TrustRecord]
    seen: NamedPaths

    def paths(self) -> Iterator[tuple[Path, str]]:
        """Each file, and the real path of the folder outside in which it was found; empty where there is none."""
        source, folder = self.source, self.file.path.parent
        try:
            if source.inside and (inner_folder := _named_folder(folder, source, self.workspace)) is not None:
                within = self._within(inner_folder)
                yield from ((path, within or "") for path in self._files_inside(inner_folder)) if within is not None else ()
                return
            folder = _folder_of(folder, source, self.workspace)
            begin = folder / source.pattern
            if has_magic(source.pattern) and not source.folder and not begin.exists():
                begin = folder / split_pattern(Path(source.pattern))[0]
            elif not source.folder:
                yield from ((path, "") for path in self._matching(folder))
                return
            within = self._within(begin)
            yield from ((path, within) for path in self._matching(folder)) if within is not None else ()
        except OSError as error:
            message = f"{source.pattern[:100]!r}: cannot be looked for: {error.strerror}"
            raise ConfigError(f"{source.key}: {message}") from None

    def _within(self, folder: Path) -> str | None:
        """The real path of a folder that is to be looked through, where it lies outside; empty where it does not, None where
        nobody has said that it may be looked through.
        """
        real = os.path.realpath(folder)
        if is_inside(real, self.seen.root) or shipped_path(f"{real}/"):
            return ""
        if self.file.by_words or self._may_enter(f"{real}/".replace("//", "/")):
            return real
        self.seen.not_looked_through[Outside(f"{real}/".replace("//", "/"), f"{self.source.key}: {self.source.pattern}")] = None
        return None

    def _may_enter(self, folder: str) -> bool:
        return any(record.walks(folder) for record in self.records)

    def _walk(self, folder: Path) -> Walk:
        real = os.path.realpath(folder)
        return Walk(self.seen.root if is_inside(real, self.seen.root) else real, self._may_enter)

    def _matching(self, folder: Path) -> list[Path]:
        source = self.source
        walk = self._walk(folder / split_pattern(Path(source.pattern))[0] if has_magic(source.pattern) else folder)
        paths = [path for path in matching(folder, source, walk) if not source.beside or not path.name.endswith(source.beside)]
        self._note(walk)
        return paths

    def _note(self, walk: Walk) -> None:
        for real in walk.refused:
            self.seen.not_looked_through[Outside(real, f"{self.source.key}: {self.source.pattern}")] = None

    def _files_inside(self, folder: Path) -> list[Path]:
        """Find the files meant of a folder. Of a run it is what runs make: its own records and reports never count as that."""
        source = self.source
        is_run = (folder / CONFIG).is_file() and (folder / MANIFEST).is_file()
        if is_run and (writer := holder(folder)) is not None:
            by = f" by process {writer['pid']}" if writer["pid"] else ""
            wait = f"wait until it has ended, or end it: tui-eval stop {folder}"
            raise ConfigError(f"{source.key}: the run {folder.name} is being written{by}; {wait}")
        walk = self._walk(folder)
        for patterns in source.inside[:1] if is_run else source.inside:
            matches = [[path for path in walk.matches(folder, Path(each).parts) if path.is_file()] for each in patterns.split()]
            if matches[-1]:
                self._note(walk)
                return list(dict.fromkeys(chain.from_iterable(matches)))
        file_patterns = [patterns.split()[-1] for patterns in source.inside]
        if is_run:
            goes_on = f"if it should make some, finish it: tui-eval resume {folder}"
            raise ConfigError(f"{source.key}: the run {folder.name} has no {file_patterns[0]}; {goes_on}")
        raise ConfigError(f"{source.key}: {folder}: has no {' and no '.join(file_patterns)}")


def _named_folder(folder: Path, source: Source, workspace: Workspace) -> Path | None:
    """The folder that is named: a path, or else the id of a run."""
    if not source.pattern.strip() or "\0" in source.pattern:
        return None
    own, run = folder / source.pattern, workspace.runs / source.pattern
    if own.exists() or Path(source.pattern).name != source.pattern:
        return own if own.is_dir() else None
    return run if run.is_dir() else None


def _folder_of(folder: Path, source: Source, workspace: Workspace) -> Path:
    """Return the folder of a file: beside the config; a bare name that is not there is looked for among those shipped, too."""
    if not source.shipped or Path(source.pattern).name != source.pattern or (folder / source.pattern).exists():
        return folder
    places = (workspace.root / source.shipped, shipped(source.shipped))
    return next((place for place in places if (place / source.pattern).is_file()), folder)
