"""The toy kind as a package that somebody installed: found by its entry point, run, taken up again, re-scored, compared."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from plugged import TOY_ENTRIES, TOY_FILES, TOY_TABLE, Interpreter, install, interpreter, uninstall, write
from samples import KNOWN, MODELS

EVIL = "import pathlib\npathlib.Path(__file__).with_name('loaded').touch()\nAGREE = EVIL = None\n"
"""A module that leaves a mark where it is loaded."""
CONFIG = f'kind = "agree"\n{MODELS}{TOY_TABLE}\n[run]\ncache = false\n'
LOOKS = """
import sys
def see(event, arguments):
    if event == "open" and str(arguments[0]).endswith("entry_points.txt"):
        print("looked into", arguments[0], file=sys.stderr)
sys.addaudithook(see)
from tui_eval.cli.command_line import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Interpreter:
    """An interpreter with the toy kind installed."""
    made = interpreter(tmp_path_factory.mktemp("interpreter"))
    install(made.packages, "agree-kind", TOY_FILES, TOY_ENTRIES)
    return made


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A config of the toy kind and its questions, in a folder where somebody has planted a package and two modules."""
    folder = tmp_path / "workspace"
    folder.mkdir()
    write(folder, {"config.toml": CONFIG, "questions.txt": "\n".join(KNOWN)})
    groups = {
        "tui_eval.kinds": {"evil": "evil:EVIL"},
        "tui_eval.wires": {"evil": "evil:EVIL"},
        "pydantic": {"evil": "evil:EVIL"},
    }
    install(folder, "evil", {"evil.py": EVIL}, groups)
    return folder


def manifest(path: Path) -> Any:
    return json.loads((path / "manifest.json").read_bytes())


@pytest.mark.soak
def test_it_runs_is_taken_up_again_rescored_and_compared(python: Interpreter, workspace: Path) -> None:
    """All by the command line, from a folder where another package lies: that one is never loaded."""
    python.tui_eval("--run", "config.toml", "--out", "one", cwd=workspace)
    python.tui_eval("--run", "config.toml", "--out", "two", cwd=workspace)
    record = next(python.packages.glob("agree_kind-1.0.dist-info/RECORD")).read_bytes()

    assert manifest(workspace / "one")["plugins"] == [
        {
            "group": "tui_eval.kinds",
            "name": "agree",
            "distribution": "agree-kind",
            "version": "1.0",
            "record_sha256": hashlib.sha256(record).hexdigest(),
        }
    ]
    again = python.tui_eval("resume", "one", cwd=workspace)
    assert "every call was answered in the log already" in again.stderr and "prepared with" not in again.stderr
    results = (workspace / "one" / "results.jsonl").read_bytes()
    assert "prepared with" not in python.tui_eval("rescore", "one", cwd=workspace).stderr
    assert (workspace / "one" / "results.jsonl").read_bytes() == results
    assert "agree" in python.tui_eval("compare", "one", "two", cwd=workspace).stdout
    assert not (workspace / "loaded").exists()


@pytest.mark.soak
def test_a_planted_package_is_nowhere(python: Interpreter, workspace: Path) -> None:
    """Not as a kind, not as a wire, not through a library that looks for plug-ins of its own; not by PYTHONPATH either."""
    write(workspace, {"evil.toml": CONFIG.replace("agree", "evil"), "wire.toml": CONFIG.replace('"simulator"', '"evil"', 1)})
    for config, words in {"evil.toml": "no kind 'evil'", "wire.toml": "no wire 'evil'"}.items():
        assert words in python.tui_eval("--run", config, cwd=workspace, code=2).stderr
        by_path = f"import sys; sys.path.insert(0, {str(workspace)!r}); sys.argv[1:] = ['--run', {config!r}]; " + LOOKS
        assert words in python.run("-c", by_path, cwd=workspace, code=2).stderr
    assert not (workspace / "loaded").exists()


def test_a_module_that_stands_in_front_is_refused(python: Interpreter, workspace: Path) -> None:
    """A file of the plug-in's name in the current folder: Python would load that one. It is named, and never run."""
    write(workspace, {"agree_kind.py": EVIL})

    told = python.tui_eval("--run", "config.toml", cwd=workspace, code=2).stderr

    assert "config.toml:1: kind: the kind 'agree' of the package agree-kind 1.0 cannot be used" in told
    assert str(workspace / "agree_kind.py") in told and len(told.splitlines()) == 1
    assert not (workspace / "loaded").exists()


@pytest.mark.soak
def test_what_needs_none_looks_for_none(python: Interpreter, workspace: Path) -> None:
    """Help, status, stop, compare and runs of our own kinds open no list of entry points; --no-plugins lets nobody look."""
    python.tui_eval("--run", "config.toml", "--out", "one", cwd=workspace)
    ours = [["--run", "quickstart", "--out", "ours"], ["rescore", "ours"]]

    for command in [["--help"], ["status", "one"], ["compare", "one"], ["models", "list"], *ours]:
        assert "looked into" not in python.run("-c", LOOKS, *command, cwd=workspace).stderr, command
    assert "looked into" not in python.run("-c", LOOKS, "stop", "one", cwd=workspace, code=2).stderr
    off = python.run("-c", LOOKS, "--run", "config.toml", "--no-plugins", cwd=workspace, code=2).stderr
    assert "looked into" not in off and "no kind 'agree'" in off and "plug-ins are switched off (--no-plugins)" in off
    assert "looked into" in python.run("-c", LOOKS, "--run", "config.toml", "--dry-run", cwd=workspace).stderr


@pytest.mark.soak
def test_another_version_is_said_and_a_missing_one_is_named(tmp_path: Path, workspace: Path) -> None:
    """At resume and re-score, on the screen and in run.log; without it the run can still be looked at and compared."""
    python, run = interpreter(tmp_path / "interpreter"), workspace / "one"
    first = install(python.packages, "agree-kind", TOY_FILES, TOY_ENTRIES)
    python.tui_eval("--run", "config.toml", "--out", "one", cwd=workspace)
    uninstall(first)

    for command in ("resume", "rescore"):
        told = python.tui_eval(command, "one", cwd=workspace, code=2).stderr
        assert "'agree' of the package agree-kind 1.0, which is not installed" in told
        assert "pip install agree-kind==1.0" in told
    assert "agree" in python.tui_eval("status", "one", cwd=workspace).stdout
    assert "agree" in python.tui_eval("compare", "one", cwd=workspace).stdout

    second = install(python.packages, "agree-kind", TOY_FILES, TOY_ENTRIES, version="2.0")
    words = "the kind 'agree' is that of agree-kind 2.0; the run was prepared with agree-kind 1.0"
    for number, command in enumerate(("resume", "rescore"), start=1):
        assert words in python.tui_eval(command, "one", cwd=workspace).stderr
        assert (run / "run.log").read_text().count(words) == number
    assert json.loads((run / "report.json").read_bytes())["plugins"][0]["version"] == "2.0"
    assert manifest(run)["plugins"][0]["version"] == "1.0"

    uninstall(second)
    install(python.packages, "agree-kind", {**TOY_FILES, "more.py": ""}, TOY_ENTRIES)
    assert "that of agree-kind 1.0, with other files" in python.tui_eval("rescore", "one", cwd=workspace).stderr
