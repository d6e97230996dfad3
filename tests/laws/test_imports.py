"""What is loaded when: a command that needs nothing loads nothing."""

from __future__ import annotations

import subprocess
import sys

import pytest
from soaking import quick_first

from tui_eval.kinds import KINDS

SHOW = "import sys; {what}; print('\\n'.join(sys.modules))"


def modules_loaded_by(what: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", SHOW.format(what=what)], capture_output=True, text=True, timeout=240, check=True
    )
    return set(done.stdout.split())


def loaded_by(what: str) -> set[str]:
    return {name.split(".")[0] for name in modules_loaded_by(what)}


@pytest.mark.parametrize("heavy", ["pydantic", "httpx", "aiohttp", "textual", "pypdf", "cryptography", "plotext", "asyncio"])
def test_the_command_line_itself_is_light(heavy: str) -> None:
    """--help and a mistyped option answer at once: the command line loads none of the heavy packages."""

    assert heavy not in loaded_by("import tui_eval.cli.command_line")


def test_help_loads_no_exporter() -> None:
    """The list of formats in --help is made of their names: no exporter is loaded for it, nor what reads runs."""
    loaded = modules_loaded_by("import tui_eval.cli.command_line")
    exporting = {name.removeprefix("tui_eval.results.") for name in loaded if name.startswith("tui_eval.results.")}

    assert exporting == {"exporting", "exporting.exporter"} and "tui_eval.runs" not in loaded


def test_starting_up_loads_no_page() -> None:
    """What shows pages of documentation is loaded by the verb that does."""
    assert not [name for name in modules_loaded_by("import tui_eval.cli.command_line") if "cli.manual" in name]


def test_kinds_and_providers_load_no_network() -> None:
    """Flows, wire formats and what tells of configs are pure: loading them brings no HTTP client and no screen."""
    pure = "tui_eval.kinds, tui_eval.providers, tui_eval.evaluation.drivers, tui_eval.configuring.config_reference"

    loaded = loaded_by(f"import {pure}; from tui_eval.kinds import KINDS; [*KINDS.values()]")

    assert not [heavy for heavy in ("httpx", "aiohttp", "textual", "cryptography") if heavy in loaded]


def test_a_run_without_scorers_loads_no_rule() -> None:
    """Neither what begins a run nor what tells of its end: rules are loaded for configs that name some."""
    loaded = modules_loaded_by("import tui_eval.cli.running, tui_eval.cli.summary, tui_eval.reporting.derive")

    rules = "tui_eval.evaluation.scoring"
    assert not loaded & {f"{rules}.{name}" for name in ("scorer_table", "scoring", "rule", "own_code.python_rule")}


@pytest.mark.parametrize("kind", quick_first(["panel", None, *(kind for kind in KINDS if kind != "panel")]))
def test_a_run_loads_its_own_kind_and_no_simulator(kind: str | None) -> None:
    """What runs configs begins without any kind, since it needs one of them, and without the pretended models."""
    asked = f"; from tui_eval.kinds import KINDS; KINDS[{kind!r}]" if kind else ""

    loaded = modules_loaded_by(f"import tui_eval.cli.running{asked}")

    assert {name for name in KINDS if f"tui_eval.kinds.{name}" in loaded} == {kind} - {None}
    assert "tui_eval.simulator.server" not in loaded


@pytest.mark.parametrize("module", ["tui_eval.runs.steering", "tui_eval.tui.start"])
def test_the_app_starts_light(module: str) -> None:
    """The first screen is painted before anybody has waited: the app loads no HTTP client, no PDF reader, no charts and no
    validation; what it reads runs with does not even load Textual."""
    loaded = loaded_by(f"import {module}")

    assert not loaded & {"pydantic", "httpx", "aiohttp", "pypdf", "cryptography", "plotext"}
    assert ("textual" in loaded) == (module == "tui_eval.tui.start")


def test_slots_of_a_prompt_load_its_kind_alone() -> None:
    """A prompt with a slot of another prompt of its kind is looked up in that kind; so a run of choice loads no other."""
    loaded = modules_loaded_by("from tui_eval.configuring.prompt_files import known_slots; known_slots('choice')")

    assert {name for name in KINDS if f"tui_eval.kinds.{name}" in loaded} == {"choice"}


def test_sending_loads_no_command_line_of_a_library() -> None:
    """httpx brings one, with click, pygments and rich behind it."""
    assert not loaded_by("import tui_eval.engine.http.send") & {"click", "pygments", "rich"}
