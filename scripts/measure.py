"""Measures the structure of the program: what each package holds, how large things are, and what stands in rings.

usage: python scripts/measure.py [--json] [CHECKOUT]
"""

from __future__ import annotations

import argparse
import ast
import json
import statistics
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "tui_eval"
LONG_FILE, LONG_FUNCTION, COMPLEX = 450, 60, 20
"""Lines, lines and branches above which a file or a function is named."""
MANY_MODULES = 25
"""Modules of one folder above which it is named."""
OPENINGS = ("What", "Whether", "Which", "How", "Where", "That")
"""Words that begin no first line of a docstring: it says what a thing is, or what a function does."""
CLOSED = frozenset((
    "found", "told", "said", "asked", "kept", "made", "known", "given", "taken", "shown", "written", "left", "done", "seen",
    "wanted", "named", "held", "brought", "chosen", "drawn", "used", "called", "counted", "looked", "meant", "one", "what",
    "these", "those", "whatever", "whoever", "other", "others", "some", "such",
))  # fmt: skip
"""Words that alone are no name of a module, class, function, parameter or variable."""
BRANCHES = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.IfExp, ast.ExceptHandler, ast.With, ast.AsyncWith, ast.Assert)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class Function:
    """One function or method."""

    place: str
    lines: int
    complexity: int


@dataclass(slots=True)
class Module:
    """One file of the program."""

    name: str
    path: Path
    lines: int
    statements: int
    public: int
    functions: list[Function]
    classes: list[str]
    imports: set[str]
    """Whole names of what it imports, at the top, in functions, for types, or by a name in a text."""


def main() -> int:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", nargs="?", type=Path, default=ROOT)
    parser.add_argument("--json", action="store_true", help="as one JSON object")
    options = parser.parse_args()
    found = measured(options.checkout)
    print(json.dumps(found, indent=1) if options.json else as_text(found))
    return 0


def measured(checkout: Path) -> dict[str, Any]:
    """Every figure by name."""
    modules = read_modules(checkout)
    functions = [function for module in modules.values() for function in module.functions]
    sizes = sorted(function.lines for function in functions)
    top = [name for name in modules if name.count(".") == 1]
    flat = [name for name in top if modules[name].path.name != "__init__.py"]
    packages = [name for name in top if name not in flat]
    return {
        "files": len(modules),
        "lines": sum(module.lines for module in modules.values()),
        "statements": sum(module.statements for module in modules.values()),
        "public definitions": sum(module.public for module in modules.values()),
        "functions": len(functions),
        "function lines: median, 95 %, longest": [int(statistics.median(sizes)), sizes[int(0.95 * len(sizes))], sizes[-1]],
        "modules flat at the top": len([name for name in flat if not name.endswith(".__main__")]),
        "packages at the top": len(packages),
        "imports of own modules per module, mean": round(sum(len(own(m, modules)) for m in modules.values()) / len(modules), 1),
        "modules with one importer": one_importer(modules),
        "largest ring": max((len(ring) for ring in rings(modules)), default=0),
        "module names used twice": len(doubled_modules(modules)),
        "class names used twice": len(doubled_classes(modules)),
        "first lines that open with a question word, %": opening_shares(checkout),
        "names of the closed list, %": closed_share(checkout),
        **contracts(checkout),
        "fields of Kind": kind_fields(modules),
        "closure of each kind: modules, lines": {
            kind: [len(names), sum(modules[name].lines for name in names)] for kind, names in closures(modules).items()
        },
        f"folders with more than {MANY_MODULES} modules": {
            folder: n for folder, n in flat_modules(modules).items() if n > MANY_MODULES
        },
        f"files above {LONG_FILE} lines": {m.name: m.lines for m in modules.values() if m.lines > LONG_FILE},
        f"functions above {LONG_FUNCTION} lines": {f.place: f.lines for f in functions if f.lines > LONG_FUNCTION},
        f"functions of complexity above {COMPLEX}": {f.place: f.complexity for f in functions if f.complexity > COMPLEX},
        "doubled module names": doubled_modules(modules),
        "by package: files, lines, statements": by_package(modules),
    }


@cache
def read_modules(checkout: Path) -> dict[str, Module]:
    """Every module of the program by its whole name; a checkout is read once."""
    paths = {}
    for path in sorted((checkout / PACKAGE).rglob("*.py")):
        parts = path.relative_to(checkout).with_suffix("").parts
        paths[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return {name: read_module(name, path, set(paths)) for name, path in paths.items()}


def read_module(name: str, path: Path, names: set[str]) -> Module:
    """One module, of a program that has modules of these names."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    nodes = list(ast.walk(tree))
    named = [node for node in tree.body if isinstance(node, (*FUNCTIONS, ast.ClassDef))]
    functions = [
        Function(f"{name}.{node.name}", (node.end_lineno or node.lineno) - node.lineno + 1, complexity_of(node))
        for node in nodes
        if isinstance(node, FUNCTIONS)
    ]
    statements = sum(isinstance(node, ast.stmt) for node in nodes)
    public = sum(not node.name.startswith("_") for node in named)
    classes = [node.name for node in nodes if isinstance(node, ast.ClassDef)]
    imports = set(imports_of(nodes, names))
    return Module(name, path, text.count("\n"), statements, public, functions, classes, imports)


def complexity_of(function: ast.AST) -> int:
    """Cyclomatic complexity as mccabe counts it, and each further operand of `and` and `or`, each `if` of a comprehension.

    Functions within are counted by themselves.
    """
    total, waiting = 1, list(ast.iter_child_nodes(function))
    while waiting:
        node = waiting.pop()
        if isinstance(node, FUNCTIONS):
            continue
        if isinstance(node, BRANCHES):
            total += not isinstance(node, (ast.With, ast.AsyncWith, ast.Assert))
        elif isinstance(node, ast.BoolOp):
            total += len(node.values) - 1
        elif isinstance(node, ast.comprehension):
            total += 1 + len(node.ifs)
        elif isinstance(node, ast.match_case):
            total += 1
        waiting.extend(ast.iter_child_nodes(node))
    return total


def imports_of(nodes: list[ast.AST], modules: set[str]) -> Iterator[str]:
    """What these nodes import, wherever it stands; a name of a module in a text counts where import_module is used.

    So does the module of a place "module:NAME" in a text, by which registries load what they list.
    """
    prefixes = late_prefixes(nodes)
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield whole if whole in modules else node.module
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from (prefix + node.value for prefix in prefixes if prefix + node.value in modules)
            module, _, name = node.value.partition(":")
            if name.isidentifier() and module in modules:
                yield module


def first_lines(tree: ast.Module) -> Iterator[tuple[str, int, str]]:
    """Yield (sort of definition, line, first line) of each docstring of a module."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, *FUNCTIONS)) and (text := ast.get_docstring(node)):
            sort = "module" if isinstance(node, ast.Module) else "class" if isinstance(node, ast.ClassDef) else "function"
            yield sort, getattr(node, "lineno", 1), text.splitlines()[0]


def opens_with_a_question(line: str) -> bool:
    """Return whether a first line begins with one of the words of OPENINGS."""
    return line.split(" ", 1)[0].rstrip(",") in OPENINGS


def bound_names(tree: ast.Module) -> Iterator[str]:
    """Yield each name that a module binds, as often as it does: definitions, parameters, variables, attributes."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.ClassDef, *FUNCTIONS)):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


def trees(checkout: Path) -> list[ast.Module]:
    """Parse every module of the program."""
    return [ast.parse(path.read_text(encoding="utf-8")) for path in sorted((checkout / PACKAGE).rglob("*.py"))]


def opening_shares(checkout: Path) -> dict[str, float]:
    """Return by sort of definition the percentage of first lines that open with a question word."""
    lines = [line for tree in trees(checkout) for line in first_lines(tree)]
    totals = Counter(sort for sort, _, _ in lines)
    opening = Counter(sort for sort, _, text in lines if opens_with_a_question(text))
    return {sort: round(100 * opening[sort] / n, 1) for sort, n in totals.items()}


def closed_share(checkout: Path) -> float:
    """Return the percentage of bound names that are a word of the closed list alone."""
    names = [name.strip("_") for tree in trees(checkout) for name in bound_names(tree)]
    return round(100 * sum(name in CLOSED for name in names) / len(names), 1)


def late_prefixes(nodes: list[ast.AST]) -> set[str]:
    """What the names of modules begin with that are loaded by import_module; none where nothing is."""
    found = set()
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "import_module":
            named = node.args[0]
            found.add(
                named.values[0].value if isinstance(named, ast.JoinedStr) and isinstance(named.values[0], ast.Constant) else ""
            )
    return {str(prefix) for prefix in found}


def own(module: Module, modules: dict[str, Module]) -> set[str]:
    """Modules of the program that a module imports."""
    return {name for name in module.imports if name in modules and name != module.name}


def importers(modules: dict[str, Module]) -> dict[str, set[str]]:
    """By each module, packages left out: the modules that import it."""
    result: dict[str, set[str]] = {name: set() for name, module in modules.items() if module.path.name != "__init__.py"}
    for name, module in modules.items():
        for other in own(module, modules) & result.keys():
            result[other].add(name)
    return result


def one_importer(modules: dict[str, Module]) -> str:
    """Return how many modules have one importer, of how many, and the share."""
    counts = [len(names) for names in importers(modules).values()]
    return f"{counts.count(1)} of {len(counts)}, {counts.count(1) / len(counts):.1%}"


def reached(name: str, modules: dict[str, Module]) -> set[str]:
    """Return a module and all that it imports, directly or by another."""
    names, waiting = set[str](), [name]
    while waiting:
        if (name := waiting.pop()) not in names:
            names.add(name)
            waiting += own(modules[name], modules)
    return names


def closures(modules: dict[str, Module]) -> dict[str, set[str]]:
    """By kind: the modules in its folder, and those anywhere that its entry module reaches and no other kind's does."""
    registry = f"{PACKAGE}.kinds"
    entries = [name for name in sorted(modules[registry].imports) if name in modules and name.count(".") == 2]
    entries = [name for name in entries if name.startswith(f"{registry}.")]
    all_reached = {entry: reached(entry, modules) for entry in entries}
    result = {}
    for entry in entries:
        others = set[str]().union(*(all_reached[other] for other in entries if other != entry))
        folder = {name for name in modules if name == entry or name.startswith(f"{entry}.")}
        result[entry.rpartition(".")[2]] = folder | (all_reached[entry] - others)
    return result


def flat_modules(modules: dict[str, Module]) -> dict[str, int]:
    """By folder, largest first: the modules that lie flat in it, its `__init__` left out."""
    folders = Counter(name.rpartition(".")[0] for name, module in modules.items() if module.path.name != "__init__.py")
    return dict(folders.most_common())


def kind_fields(modules: dict[str, Module]) -> int:
    """Return the number of fields of the class Kind."""
    for module in modules.values():
        if "Kind" in module.classes:
            tree = ast.parse(module.path.read_text(encoding="utf-8"))
            kind = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Kind")
            return sum(isinstance(node, ast.AnnAssign) for node in kind.body)
    return 0


def rings(modules: dict[str, Module]) -> list[list[str]]:
    """Groups of modules that import each other, by Tarjan's algorithm; single modules left out."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        index[name] = low[name] = len(index)
        stack.append(name)
        for other in sorted(own(modules[name], modules)):
            if other not in index:
                visit(other)
                low[name] = min(low[name], low[other])
            elif other in stack:
                low[name] = min(low[name], index[other])
        if low[name] == index[name]:
            ring = []
            while not ring or ring[-1] != name:
                ring.append(stack.pop())
            found.append(sorted(ring))

    before = sys.getrecursionlimit()
    sys.setrecursionlimit(10_000)
    try:
        for name in modules:
            if name not in index:
                visit(name)
    finally:
        sys.setrecursionlimit(before)
    return [ring for ring in found if len(ring) > 1]


def doubled_modules(modules: dict[str, Module]) -> dict[str, int]:
    """Names that several modules have; those of `cli` (one a verb) and `screen` are not counted."""
    names = [
        module.path.stem
        for name, module in modules.items()
        if not module.path.stem.startswith("__") and not name.startswith(f"{PACKAGE}.cli.") and module.path.stem != "screen"
    ]
    return {name: n for name, n in sorted(Counter(names).items()) if n > 1}


def doubled_classes(modules: dict[str, Module]) -> dict[str, int]:
    """Names that several classes have."""
    names = [name for module in modules.values() for name in module.classes]
    return {name: n for name, n in sorted(Counter(names).items()) if n > 1}


def contracts(checkout: Path) -> dict[str, int]:
    """How many layers there are, and how many modules the longest of the other contracts names."""
    settings = tomllib.loads((checkout / "pyproject.toml").read_text(encoding="utf-8"))
    entries = settings["tool"]["importlinter"]["contracts"]
    layers = max(
        len(entry["layers"])
        for entry in entries
        if entry["type"] == "layers" and PACKAGE in str(entry["layers"] + entry.get("containers", []))
    )
    longest = max(
        max(len(entry.get(key, [])) for key in ("source_modules", "modules", "ignore_imports"))
        for entry in entries
        if entry["type"] != "layers"
    )
    return {"layers": layers, "longest other contract": longest}


def by_package(modules: dict[str, Module]) -> dict[str, list[int]]:
    """Of each package (and of all modules that lie flat at the top): files, lines, statements."""
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for name, module in modules.items():
        parts = name.split(".")
        flat = len(parts) == 2 and module.path.name != "__init__.py"
        package = PACKAGE if len(parts) == 1 or flat else parts[1]
        for place, n in enumerate((1, module.lines, module.statements)):
            sums[package][place] += n
    return dict(sorted(sums.items()))


def as_text(found: dict[str, Any]) -> str:
    """One figure a line."""
    lines = []
    for name, value in found.items():
        if isinstance(value, dict):
            lines.append(f"{name}: {len(value)}")
            lines += [f"    {key}: {' '.join(map(str, v)) if isinstance(v, list) else v}" for key, v in value.items()]
        else:
            lines.append(f"{name}: {' '.join(map(str, value)) if isinstance(value, list) else value}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
