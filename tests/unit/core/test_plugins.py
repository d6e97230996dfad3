"""Plug-ins: which packages count, whose module is loaded, and what is said of those that cannot be used."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from plugged import Entries, install, packages_in, write

from tui_eval.core.plugins import Lazy, Package, Registry, passed_on, switch, untold
from tui_eval.evaluation.kind import Kind
from tui_eval.evaluation.scoring.registry import RULES
from tui_eval.evaluation.scoring.rule import Rule
from tui_eval.kinds import KINDS
from tui_eval.providers import WIRES
from tui_eval.providers.wire import Wire
from tui_eval.results.exporting import EXPORTERS
from tui_eval.results.exporting.exporter import Exporter
from tui_eval.workspace.validation import no_such

GROUP = "tui_eval.numbers"


def number(name: str, brought: Any) -> Iterator[str]:
    """What is wrong with a number."""
    if not isinstance(brought, int):
        yield f"it is no number but {type(brought).__name__}"


@pytest.fixture
def numbers() -> Registry[int]:
    """One of ours, and whatever is brought."""
    return Registry(GROUP, "number", number, {"one": 1})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of packages; the current folder is another, and the first on Python's path, as with -m."""
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    with packages_in(tmp_path / "packages", here, "", ".") as found:
        yield found


def brings(folder: Path, text: str, name: str = "two", package: str = "a-number", **more: Any) -> None:
    """Install a package that brings a number: its module has this text."""
    module = f"{package.replace('-', '_')}_module"
    install(folder, package, {f"{module}.py": text}, {GROUP: {name: f"{module}:IT"}}, **more)


def test_ours_are_found_without_a_look(numbers: Registry[int], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither for a name of ours nor for going through them is a package looked at."""
    monkeypatch.setattr("importlib.metadata.distributions", None)

    assert (numbers["one"], numbers.get("one"), "one" in numbers, dict(numbers)) == (1, 1, True, {"one": 1})
    assert (numbers.package("one"), numbers.folder("one"), numbers.problem("one"), numbers.shadows()) == (None, None, "", [])


@pytest.mark.parametrize(
    ("registry", "sort"),
    [(KINDS, Kind), (WIRES, Wire), (RULES, Rule), (EXPORTERS, Exporter)],
    ids=("kind", "wire", "scorer", "format"),
)
def test_what_we_list_is_what_it_says(registry: Registry[Any], sort: type) -> None:
    """A place in a table of ours is a text, so no type checker looks at it: each leads to what its table lists."""
    assert {name: type(thing) for name, thing in registry.items()} == dict.fromkeys(registry, sort)


def test_what_we_list_is_loaded_at_its_first_use() -> None:
    """Names are listed, and looked for, without a module being loaded; a place that leads nowhere fails by its name."""
    lazy: Registry[Any] = Registry(GROUP, "number", number, {"pi": Lazy("math:pi"), "lost": Lazy("math:lost")})

    assert list(lazy) == lazy.names() == ["pi", "lost"] and "lost" in lazy
    assert lazy["pi"] == lazy.get("pi") == math.pi
    with pytest.raises(AttributeError, match="lost"):
        lazy["lost"]


def test_what_a_package_brings_is_found_by_name(numbers: Registry[int], folder: Path) -> None:
    """With the package it comes from, where its module lies, and a place in every list."""
    brings(folder, "IT = 2\n")

    assert (numbers["two"], numbers.get("two"), "two" in numbers, "three" in numbers) == (2, 2, True, False)
    assert numbers.every() == {"one": 1, "two": 2} and numbers.names() == ["one", "two"] and list(numbers) == ["one"]
    assert str(numbers.package("two")) == "a-number 1.0" and numbers.folder("two") == str(folder)
    assert numbers.notes() == []
    with pytest.raises(KeyError):
        numbers["three"]


def test_ours_cannot_be_shadowed(numbers: Registry[int], folder: Path) -> None:
    """A package that brings a name of ours is passed over, and that is said once; its module is not even loaded."""
    brings(folder, "raise SystemExit('loaded')\n", name="one")

    assert numbers["one"] == 1 and numbers.every() == {"one": 1} and numbers.package("one") is None
    said = ["the number 'one' of the package a-number 1.0 is ignored: tui-eval has one of that name"]
    assert (numbers.notes(), untold(numbers.shadows()), untold(numbers.shadows())) == (said, said, [])


BROKEN: Mapping[str, str] = {
    "import nothing_of_this_name\nIT = 2\n": "ModuleNotFoundError: No module named 'nothing_of_this_name'",
    "IT = 2 +\n": "SyntaxError",
    "raise SystemExit(1)\n": "SystemExit: 1",
    "THAT = 2\n": "has no attribute 'IT'",
    "IT = 'two'\n": "it is no number but str",
    "raise ValueError('first\\nsecond\\x1b[2J')\n": "ValueError: first second␛[2J",
}


@pytest.mark.parametrize("text", BROKEN)
def test_a_broken_one_is_one_sentence_that_names_the_package(numbers: Registry[int], folder: Path, text: str) -> None:
    """Whatever is raised as it is loaded, or whatever it is instead: it is not there, and the sentence says why."""
    brings(folder, text)

    assert "two" not in numbers and numbers.get("two") is None and numbers.every() == {"one": 1}
    told = no_such("two", numbers)
    assert told.startswith("the number 'two' of the package a-number 1.0 cannot be used: ") and BROKEN[text] in told
    assert "\n" not in told and numbers.notes() == [told]


def test_two_of_one_name_are_none(numbers: Registry[int], folder: Path) -> None:
    """Nobody guesses which is meant."""
    brings(folder, "IT = 2\n", package="first")
    brings(folder, "IT = 3\n", package="second")

    assert "two" not in numbers
    said = numbers.problem("two")
    assert "first 1.0" in said and "second 1.0" in said and "uninstall all but one" in said


def test_a_package_that_only_lies_on_the_path_does_not_count(numbers: Registry[int], folder: Path) -> None:
    """In the current folder (as '', '.', or whole), or wherever PYTHONPATH leads: it was not installed."""
    brings(Path.cwd(), "raise SystemExit('loaded')\n")

    assert numbers.names() == ["one"] and "two" not in numbers
    assert no_such("two", numbers) == "no number 'two'; known are one"


def test_a_module_in_front_of_the_packages_own_is_not_run(numbers: Registry[int], folder: Path) -> None:
    """A file of its name in the current folder, a package of that name, or one that was loaded from there already."""
    brings(folder, "IT = 2\n")
    for path in ("a_number_module.py", "a_number_module/__init__.py"):
        write(Path.cwd(), {path: "raise SystemExit('loaded')\n"})
        switch(True)
        assert f"would be loaded from {Path.cwd() / path}" in numbers.problem("two")
        (Path.cwd() / path).unlink()
    write(Path.cwd(), {"a_number_module.py": "IT = 6\n"})
    __import__("a_number_module")
    switch(True)
    assert "two" not in numbers


def test_of_a_package_in_several_places_only_its_own_part_counts(numbers: Registry[int], folder: Path) -> None:
    """Parts of a namespace may lie anywhere: the module itself must be the package's own."""
    install(folder, "part", {"in_parts/own.py": "IT = 2\n"}, {GROUP: {"two": "in_parts.own:IT", "six": "in_parts.planted:IT"}})
    write(Path.cwd(), {"in_parts/planted.py": "raise SystemExit('loaded')\n"})

    assert numbers["two"] == 2
    assert "would be loaded from" in numbers.problem("six")


def test_an_editable_install_counts_and_only_its_project(numbers: Registry[int], folder: Path, tmp_path: Path) -> None:
    """Its code lies elsewhere; a module of its name that does not lie there is refused."""
    brings(folder, "IT = 2\n", editable=tmp_path / "project")
    sys.path.append(str(tmp_path / "project"))
    assert numbers["two"] == 2 and numbers.folder("two") == str(tmp_path / "project")

    write(Path.cwd(), {"a_number_module.py": "raise SystemExit('loaded')\n"})
    del sys.modules["a_number_module"]
    switch(True)
    assert str(Path.cwd()) in numbers.problem("two")


def test_a_package_without_a_list_of_its_files_is_refused(numbers: Registry[int], folder: Path) -> None:
    """Nobody could say later what it was."""
    brings(folder, "IT = 2\n")
    next(folder.glob("*.dist-info/RECORD")).unlink()

    assert "has no RECORD of its files" in numbers.problem("two")


@pytest.mark.parametrize("name", ["Two", "../two", "-two", "t" * 41])
def test_a_name_is_a_plain_word(numbers: Registry[int], folder: Path, name: str) -> None:
    """It stands in configs, lists and paths."""
    brings(folder, "IT = 2\n", name=name)

    assert name not in numbers and "its name may have" in numbers.problem(name)


@pytest.mark.parametrize(
    "points", ["[tui_eval.numbers\ntwo", "[tui_eval.numbers]\ntwo", "[tui_eval.numbers]\ntwo = :", "\0", "two = x"]
)
def test_lists_of_entry_points_that_cannot_be_read_break_nothing(numbers: Registry[int], folder: Path, points: str) -> None:
    """Neither the list of what there is nor the packages beside."""
    install(folder, "odd", {}, {})
    next(folder.glob("odd*/entry_points.txt")).write_text(points, encoding="utf-8")
    brings(folder, "IT = 3\n", name="three")

    assert numbers.every() == {"one": 1, "three": 3}


def test_switched_off_nothing_is_looked_for(numbers: Registry[int], folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And whoever misses a name is told; a process that is started then has plug-ins switched off, too."""
    brings(folder, "IT = 2\n")
    assert passed_on() == []
    switch(False)
    monkeypatch.setattr("importlib.metadata.distributions", None)

    assert "two" not in numbers and numbers.every() == {"one": 1} and numbers.notes() == []
    assert no_such("two", numbers) == "no number 'two'; known are one; plug-ins are switched off (--no-plugins)"
    assert passed_on() == ["--no-plugins"]


def test_another_build_of_a_version_is_told_by_its_record(numbers: Registry[int], folder: Path) -> None:
    """The same version with other files has another checksum."""
    seen: list[Package | None] = []
    for text in ("IT = 2\n", "IT = 1 + 1\n"):
        brings(folder, text)
        switch(True)
        seen.append(numbers.package("two"))

    assert None not in seen and seen[0] != seen[1] and str(seen[0]) == str(seen[1])


def test_entries_may_name_what_lies_within(numbers: Registry[int], folder: Path) -> None:
    """An attribute of an attribute, in a module of a package."""
    entries: Entries = {GROUP: {"two": "deep.inner:Holder.IT"}}
    install(folder, "deep", {"deep/__init__.py": "", "deep/inner.py": "class Holder:\n    IT = 2\n"}, entries)

    assert numbers["two"] == 2 and numbers.folder("two") == str(folder / "deep")


def test_providers_are_brought_under_either_name_of_their_group(folder: Path) -> None:
    """A package for older versions, too, has both names; what it brings is one thing all the same."""
    wires: Registry[int] = Registry("tui_eval.wires", "number", number, {}, "tui_eval.providers")
    install(folder, "both", {"both_module.py": "IT = 2\n"}, {g: {"two": "both_module:IT"} for g in PROVIDER_GROUPS})
    install(folder, "new", {"new_module.py": "IT = 3\n"}, {PROVIDER_GROUPS[0]: {"three": "new_module:IT"}})

    assert (wires["two"], wires["three"], wires.names(), wires.notes()) == (2, 3, ["three", "two"], [])


PROVIDER_GROUPS = ("tui_eval.providers", "tui_eval.wires")
