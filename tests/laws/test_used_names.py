"""What stands in the program is used by the program: a sum that tests alone call looks checked, and nobody is shown it."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_WORD = re.compile(r"\w+")


def unused(modules: Mapping[str, str], elsewhere: str = "") -> list[str]:
    """Names that a module defines at its top and that no other statement of any module uses, as path and name.

    `elsewhere`: text that names some, such as entry points.
    """
    trees = {path: ast.parse(source) for path, source in modules.items()}
    statements = [
        (path, statement, set(_used(statement)))
        for path, tree in trees.items()
        for statement in tree.body
        if "__all__" not in _defined(statement)
    ]
    times = Counter(name for _, _, names in statements for name in names)
    times.update(set(_WORD.findall(elsewhere)))
    return [
        f"{path}: {name}"
        for path, statement, names in statements
        for name in _defined(statement)
        if times[name] == (name in names) and not name.startswith("__")
    ]


def _defined(statement: ast.stmt) -> list[str]:
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [statement.name]
    targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
    return [node.id for target in targets if target is not None for node in ast.walk(target) if isinstance(node, ast.Name)]


def _used(statement: ast.stmt) -> Iterator[str]:
    """Every name that a statement reads, imports or has as a word of a text without spaces (annotations, places of screens)."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.ImportFrom):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and " " not in node.value:
            yield from _WORD.findall(node.value)


@pytest.mark.soak
def test_every_name_is_used_by_the_program() -> None:
    """Whatever a module has at its top: functions, classes, constants; `__all__` and the like are Python's own.

    What plug-ins import from is left out: that it passes a name on is no use of the name by the program.
    """
    paths = [path for path in (ROOT / "tui_eval").rglob("*.py") if path != ROOT / "tui_eval" / "plugin.py"]
    modules = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in paths}

    assert unused(modules, (ROOT / "pyproject.toml").read_text(encoding="utf-8")) == []


def test_the_law_sees_what_it_should() -> None:
    """A function that nobody calls, or only itself; not one that another module imports, or that is named as a place."""
    public = "__all__ = ['lost']\n"
    alone = public + "def lost(n):\n    return lost(n - 1)\n\ndef found(): ...\n\nLEFT, USED = 1, 2\n\nclass Screen: ...\n"
    other = "from a import found\n\nSCREENS = ['a:Screen']\nprint(found(), SCREENS, USED)\n"

    assert unused({"a": alone, "b": other}) == ["a: lost", "a: LEFT"]
    assert unused({"a": "def main(): ...\n"}, "x = 'a:main'") == []
