"""The import contracts hold whatever is added: what is planted in the wrong place is found without an entry in a list."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import measure
import pytest

ROOT = Path(__file__).resolve().parents[2]
PLANTED = {
    "foo.py": ("", "layers"),
    "runs/planted_client.py": ("import httpx\n", "http"),
    "configuring/planted_client.py": ("def ask():\n    from aiohttp import ClientSession\n", "http"),
    "datasets/document_text/planted_opener.py": ("def pages():\n    from pypdf import PdfReader\n", "pdf"),
    "evaluation/scoring/planted_formulas.py": ("def equal():\n    from math_verify import verify\n", "formulas"),
    "evaluation/scoring/planted_process.py": ("import subprocess\n", "pure"),
    "configuring/planted_screen.py": ("from textual.app import App\n", "screen"),
    "cli/planted_chart.py": ("import plotext\n", "screen"),
    "evaluation/judging/planted_disk.py": ("import os\n", "pure"),
    "statistics/planted_clock.py": ("def now():\n    import time\n", "pure"),
    "core/planted_above.py": (
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from tui_eval.configuring.loading import Loaded\n",
        "layers",
    ),
    "kinds/planted_reader.py": ("from tui_eval.results.stored_run import StoredRun\n", "sums"),
    "kinds/planted_kind.py": ("from tui_eval.kinds.call import CALL\n", "kinds"),
    "tui/planted_asker.py": ("from tui_eval.evaluation import drivers\n", "app"),
    "results/planted_settings.py": ("import pydantic\n", "quick"),
}
"""By place: what is written there, and which contract must say so."""


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the contracts say of the program with all of it planted."""
    folder = tmp_path_factory.mktemp("planted")
    shutil.copytree(ROOT / "tui_eval", folder / "tui_eval", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    for place, (text, _) in PLANTED.items():
        (folder / "tui_eval" / place).write_text(f'"""Planted."""\n\n{text}', encoding="utf-8")
    program = "import sys; sys.path.insert(0, '.'); from importlinter.cli import lint_imports_command as c; c()"
    command = [sys.executable, "-c", program, "--no-cache"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=360, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


def section(told: str, contract: str) -> str:
    """What is said of one broken contract, by the first word of its name; line ends within taken out."""
    found = re.search(rf"^{contract}\b[^\n]*(?:\n[^\n]+)?\n-{{5,}}\n(.*?)(?=^-{{5,}}$|\Z)", told, re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


@pytest.mark.parametrize("place", PLANTED)
def test_what_stands_in_the_wrong_place_is_found(told: str, place: str) -> None:
    """A module at the top, a client, a screen, a clock or a file where none belongs, an import upwards, even for types."""
    contract = PLANTED[place][1]
    name = place.removesuffix(".py").replace("/", ".")

    assert name in section(told, contract), told[-6000:]


def test_no_contract_but_the_layers_is_a_list_of_the_house() -> None:
    """A contract that names many modules protects a list, and the next module stands outside it."""
    entries = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]

    for entry in entries:
        if entry["type"] == "layers":
            assert entry["exhaustive"] and len(entry["layers"]) <= 11
        else:
            assert len(entry.get("source_modules", entry.get("modules", []))) <= 10, entry["name"]


def test_nothing_stands_in_a_ring() -> None:
    """No module imports itself by a detour: imports within functions and those for types count as well."""
    assert measure.rings(measure.read_modules(ROOT)) == []


def test_every_page_is_short_enough_to_be_read() -> None:
    """No file above 450 lines, no function above 60 or of complexity above 20; where one grows beyond, it is taken apart."""
    found = measure.measured(ROOT)

    assert found["files above 450 lines"] == {}
    assert found["functions above 60 lines"] == {}
    assert found["functions of complexity above 20"] == {}
    assert found["folders with more than 25 modules"] == {}


def test_few_modules_bear_the_name_of_another() -> None:
    """At most fifteen names stand for several modules (HOUSE.md): whoever reads one in a traceback is to know which it is."""
    doubled = measure.doubled_modules(measure.read_modules(ROOT))

    assert len(doubled) <= 15, doubled


def test_at_the_top_there_are_only_packages() -> None:
    """At most seventeen, and beside them nothing but `__init__`, `__main__` and what plug-ins import from."""
    top = [path for path in (ROOT / "tui_eval").iterdir() if path.name != "__pycache__"]

    assert {path.name for path in top if path.is_file()} <= {"__init__.py", "__main__.py", "plugin.py"}
    assert len([path for path in top if path.is_dir() and (path / "__init__.py").exists()]) <= 18


def test_what_a_registry_lists_counts_as_imported() -> None:
    """Kinds, wires and exporters are loaded by a place in a text, at their first use: `measure` reads these places, so that
    rings and closures hold them."""
    modules = measure.read_modules(ROOT)
    listed = {
        "tui_eval.kinds": {"tui_eval.kinds.panel", "tui_eval.kinds.pipeline", "tui_eval.kinds.call"},
        "tui_eval.providers": {"tui_eval.providers.openai", "tui_eval.providers.local", "tui_eval.providers.recorded"},
        "tui_eval.results.exporting": {"tui_eval.results.exporting.data_exports", "tui_eval.results.exporting.junit_report"},
    }

    for registry, members in listed.items():
        assert members <= measure.own(modules[registry], modules), registry


BY_NAME = re.compile(r"importlib|__import__|runpy|pkgutil|pkg_resources|\bexec\(|\beval\(")
"""What loads code that no import statement names."""


def loads_by_name(package: Path) -> list[str]:
    """The modules in which code is loaded by a name in a text."""
    found = (path for path in package.rglob("*.py") if BY_NAME.search(path.read_text(encoding="utf-8")))
    return sorted(str(path.relative_to(package)) for path in found)


def test_no_module_is_loaded_by_a_name_in_a_text(tmp_path: Path) -> None:
    """Every tool that reads imports sees them all, but for plug-ins (by entry points), old paths (by a table), own scorers (in
    the child process of their supervisor alone), and what our registries list: places that `measure` reads, above."""
    assert loads_by_name(ROOT / "tui_eval") == ["core/former/old_paths.py", "core/plugins.py", "reporting/own_code/child.py"]

    for number, text in enumerate(["from importlib import import_module", "m = __import__(name)", "exec(source)"]):
        (tmp_path / f"planted{number}.py").write_text(text, encoding="utf-8")
    assert len(loads_by_name(tmp_path)) == 3
