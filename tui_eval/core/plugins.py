"""Plug-ins of other packages beside what we ship, by entry points; looked up only for a name that is not ours.

A package counts where it is installed: in the interpreter's own folders of packages, so far as Python looks there. One that
lies in the current folder, or comes by PYTHONPATH, does not: a folder that one works in may be anybody's. For the same reason
no module is loaded but the package's own: a file of its name that Python would find first is refused, never run.
"""

from __future__ import annotations

import re
from collections import UserDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from tui_eval.core.plaintext import one_line

if TYPE_CHECKING:
    from importlib.metadata import Distribution, EntryPoint

T = TypeVar("T")
Check = Callable[[str, Any], Iterable[str]]
"""(the name it is brought under, what was brought) -> what is wrong with it."""
SWITCH = "--no-plugins"
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")


@dataclass(frozen=True, slots=True)
class Package:
    """An installed package, and what tells one build of it from another."""

    distribution: str
    version: str
    record_sha256: str
    """SHA-256 of its RECORD, the list of its files with a checksum of each."""

    def __str__(self) -> str:
        return f"{self.distribution} {self.version}"


@dataclass(frozen=True, slots=True)
class _Plugin:
    """Plug-in of a name, or the reason why it cannot be used."""

    thing: Any = None
    package: Package | None = None
    folder: str = ""
    """Where its module lies."""
    problem: str = ""


class _Lookups:
    """Plug-ins that this process has looked up so far."""

    on = True
    entries: dict[str, dict[str, list[EntryPoint]]] = {}
    """By group and name."""
    plugins: dict[tuple[str, str], _Plugin] = {}
    """By group and name."""
    told: set[str] = set()


def switch(on: bool) -> None:
    """Let plug-ins be used, or not at all; what was looked up so far is forgotten."""
    _Lookups.on = on
    for cache in (_Lookups.entries, _Lookups.plugins, _Lookups.told):
        cache.clear()


def passed_on() -> list[str]:
    """The option that a process started by this one needs, so that it uses plug-ins as we do."""
    return [] if _Lookups.on else [SWITCH]


def untold(sentences: Iterable[str]) -> list[str]:
    """Of some sentences about plug-ins those that nobody was told yet; from now on they count as told."""
    new_sentences = [sentence for sentence in dict.fromkeys(sentences) if sentence not in _Lookups.told]
    _Lookups.told.update(new_sentences)
    return new_sentences


@dataclass(frozen=True, slots=True)
class Lazy(Generic[T]):
    """Place of something of ours, loaded at its first use: most commands need one of many."""

    place: str
    """Module and name in it: "tui_eval.kinds.panel:PANEL"."""

    def load(self) -> T:
        """Import the module and return what it has under that name."""
        from importlib import import_module

        module, _, name = self.place.partition(":")
        thing: T = getattr(import_module(module), name)
        return thing


class Registry(UserDict[str, T]):
    """Registry of what we ship, by name; a name that is not ours is looked up among the plug-ins.

    As with a defaultdict, `[name]`, `in` and `get` know more than is listed: iterating gives ours alone and looks nothing up;
    `every` gives all of them.
    """

    def __init__(self, group: str, noun: str, check: Check, ours: Mapping[str, T | Lazy[T]], alias: str = "") -> None:
        """`group`: of entry points, under its other name, `alias`, too; `noun`: what such a thing is called in sentences."""
        super().__init__(cast("Mapping[str, T]", ours))
        self.group, self.what, self.alias = group, noun, alias
        self._check = check

    def __getitem__(self, name: str) -> T:
        entry = self.data.get(name)
        if entry is None:
            return self.__missing__(name)
        if isinstance(entry, Lazy):
            entry = self.data[name] = entry.load()
        return entry

    def __contains__(self, name: object) -> bool:
        return name in self.data or (isinstance(name, str) and self._usable(name) is not None)

    def __missing__(self, name: str) -> T:
        plugin = self._usable(name)
        if plugin is None:
            raise KeyError(name)
        thing: T = plugin.thing
        return thing

    def names(self) -> list[str]:
        """Ours, then those of plug-ins, which are not loaded for it."""
        return [*self.data, *(name for name in sorted(_entries(self.group, self.alias)) if name not in self.data)]

    def every(self) -> dict[str, T]:
        """Ours, then those of plug-ins that can be used."""
        return {name: self[name] for name in self.names() if name in self}

    def problem(self, name: str) -> str:
        """Why what a package brings under a name that is not ours cannot be used; "" where it can, or where none brings it."""
        plugin = None if name in self.data else self._plugin(name)
        return plugin.problem if plugin is not None else ""

    def unknown(self) -> str:
        """Return the words to be added where a name is not known."""
        return "" if _Lookups.on else f"; plug-ins are switched off ({SWITCH})"

    def shadows(self) -> list[str]:
        """Of what was looked up so far: what bears a name of ours, and is passed over."""
        shadowed = ((name, entries) for name, entries in _Lookups.entries.get(self.group, {}).items() if name in self.data)
        return [
            f"the {self.what} {name!r} of the package {' and '.join(_package_label(entry.dist) for entry in entries)} "
            "is ignored: tui-eval has one of that name"
            for name, entries in sorted(shadowed)
        ]

    def notes(self) -> list[str]:
        """Return notes for a person who is shown all of them: those that cannot be used, and those that are passed over."""
        return [*filter(None, map(self.problem, self.names())), *self.shadows()]

    def package(self, name: str) -> Package | None:
        """Return the package that brings it; None where it is ours, or where none does."""
        plugin = None if name in self.data else self._usable(name)
        return None if plugin is None else plugin.package

    def folder(self, name: str) -> str | None:
        """Return the folder of its module, with what comes beside it, such as prompts; None where it is ours, or unknown."""
        plugin = None if name in self.data else self._usable(name)
        return None if plugin is None else plugin.folder

    def _usable(self, name: str) -> _Plugin | None:
        plugin = self._plugin(name)
        return None if plugin is None or plugin.problem else plugin

    def _plugin(self, name: str) -> _Plugin | None:
        plugin = _Lookups.plugins.get((self.group, name))
        if plugin is not None:
            return plugin
        entries = _entries(self.group, self.alias).get(name)
        if entries is None:
            return None
        return _Lookups.plugins.setdefault((self.group, name), _loaded(entries, self.what, self._check))


def _entries(group: str, alias: str = "") -> dict[str, list[EntryPoint]]:
    """The entry points of a group, under either of its names, in every package that counts, by their names."""
    if not _Lookups.on:
        return {}
    if group not in _Lookups.entries:
        by_name: dict[str, list[EntryPoint]] = {}
        for entry in _entry_points():
            if entry.group in (group, alias) and not _is_listed(entry, by_name.get(entry.name, ())):
                by_name.setdefault(entry.name, []).append(entry)
        _Lookups.entries[group] = by_name
    return _Lookups.entries[group]


def _is_listed(entry: EntryPoint, entries: Iterable[EntryPoint]) -> bool:
    """Tell whether a package brings the same under both names of a group, as for older versions of tui-eval, too."""
    return any(each.value == entry.value and each.dist == entry.dist for each in entries)


def _entry_points() -> Iterator[EntryPoint]:
    from importlib.metadata import distributions

    for distribution in distributions(path=_folders()):
        try:
            entries = list(distribution.entry_points)
        except Exception:  # whatever stands in that file: nobody can tell what the package would bring
            continue
        yield from entries


def _folders() -> list[str]:
    """Return the folders of installed packages, so far as Python looks there: never the current folder, whatever the path."""
    import os
    import site
    import sys
    import sysconfig

    own = {*site.getsitepackages(), site.getusersitepackages(), sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    real_paths = {os.path.realpath(folder) for folder in own}
    by_real_path = {os.path.realpath(folder): folder for folder in reversed(sys.path) if os.path.isabs(folder)}
    return [by_real_path[folder] for folder in reversed(by_real_path) if folder in real_paths]


def _loaded(entries: Sequence[EntryPoint], noun: str, check: Check) -> _Plugin:
    """Load what is brought under a name. Whatever is wrong with it ends as one sentence that names the package."""
    entry, packages = entries[0], [_package_label(entry.dist) for entry in entries]
    if len(entries) > 1:
        several = " and ".join(packages)
        return _Plugin(problem=f"the {noun} {entry.name!r} is provided by several packages, {several}: uninstall all but one")
    folder, thing, package = "", None, None
    try:
        package = _package(entry.dist)
        folder, thing = _own_thing(entry)
        name_problems = (
            [] if _NAME.fullmatch(entry.name) else ["its name may have only lowercase letters, digits, '-', '_' and '.'"]
        )
        problems = [*name_problems, *check(entry.name, thing)]
    except (Exception, SystemExit) as error:
        problems = [str(error) if isinstance(error, _UnusableError) else f"{type(error).__name__}: {error}"]
    wrong = f"the {noun} {entry.name!r} of the package {packages[0]} cannot be used: "
    return _Plugin(thing, package, folder, wrong + one_line("; ".join(problems), 400) if problems else "")


class _UnusableError(Exception):
    """A package that is not installed as it should be, or a module that is not the package's own."""


def _package_label(distribution: Distribution | None) -> str:
    try:
        return one_line(f"{distribution.name} {distribution.version}", 100) if distribution is not None else "?"
    except (KeyError, OSError, AttributeError):
        return "? (its METADATA cannot be read)"


def _package(distribution: Distribution | None) -> Package:
    from hashlib import sha256

    files = distribution.files if distribution is not None else None
    record = next((file for file in files or () if file.match("*.dist-info/RECORD")), None)
    if distribution is None or record is None:
        raise _UnusableError("it has no RECORD of its files; install it with pip, uv or their like")
    return Package(distribution.name, distribution.version, sha256(record.read_binary()).hexdigest())


def _own_thing(entry: EntryPoint) -> tuple[str, Any]:
    """(the folder of the entry's module, what the entry names there). Each package on the way is looked at before it runs."""
    import os
    from importlib import import_module

    place: Sequence[str] | None = None
    name, origin = "", ""
    for part in entry.module.split("."):
        name = f"{name}.{part}" if name else part
        spec = _spec(name, place)
        if spec is None:
            raise _UnusableError(f"there is no module {name}")
        origin = spec.origin or ""
        portion_of_several = not spec.has_location and spec.submodule_search_locations is not None
        if not portion_of_several and not _is_own(origin, entry.dist):
            raise _UnusableError(
                f"its module {name} would be loaded from {origin or 'elsewhere'}, which is not a file of that package"
            )
        thing: Any = import_module(name)
        place = getattr(thing, "__path__", ())
    for attribute in filter(None, entry.attr.split(".")):
        thing = getattr(thing, attribute)
    return os.path.dirname(os.path.realpath(origin)), thing


def _spec(name: str, place: Sequence[str] | None) -> Any:
    """Return the spec that a module would be loaded by, or was; None where there is none."""
    import sys

    if name in sys.modules:
        return getattr(sys.modules[name], "__spec__", None)
    specs = (finder.find_spec(name, place) for finder in sys.meta_path)
    return next((spec for spec in specs if spec is not None), None)


def _is_own(origin: str, distribution: Any) -> bool:
    """Return whether a file was installed with the package, or lies in the project that was installed as editable."""
    import json
    import os
    from urllib.parse import unquote, urlsplit

    real = os.path.realpath(origin)
    listed = (file.locate() for file in distribution.files or () if file.name == os.path.basename(origin))
    if any(os.path.realpath(file) == real for file in listed):
        return True
    direct_url = json.loads(distribution.read_text("direct_url.json") or "{}")
    if not direct_url.get("dir_info", {}).get("editable"):
        return False
    project = os.path.realpath(unquote(urlsplit(direct_url["url"]).path))
    return os.path.commonpath([real, project]) == project
