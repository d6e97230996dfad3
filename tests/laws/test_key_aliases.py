"""Laws of input-only aliases of config keys: they are read as the program's own keys, and only these are written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tui_eval.cli.command_line import main
from tui_eval.configuring.loading import Loaded, load
from tui_eval.core.errors import ConfigError
from tui_eval.evaluation.judging.judge_attacks import attacks_in
from tui_eval.models.catalogue import edit_model, models_on_file
from tui_eval.workspace.key_aliases import ALIASES
from tui_eval.workspace.places import Workspace, shipped

OWN = """\
kind = "panel"
name = "p"
[run]
max_calls = 50
repeat = 2
[panel]
questions = ["One?", "Two?"]
truths = ["1", "2"]
[[panel.doers]]
model = "a"
[panel.benchmark]
mode = "exact"
[gate]
correct = ">= 0 %"
[gate.models.a]
correct = ">= 0 %"
[[models]]
name = "a"
wire = "simulator"
model = "sim-scholar"
"""
ALIAS = (
    OWN.replace("repeat = 2", "epochs = 2").replace("truths =", "targets =").replace("correct =", "accuracy =")
    .replace("wire =", "provider =")
)  # fmt: skip


def loaded(folder: Path, text: str, *settings: str) -> Loaded:
    """Load such a config."""
    (folder / "c.toml").write_text(text)
    return load(folder / "c.toml", Workspace(folder), settings)


def test_an_alias_is_read_as_the_key_that_it_stands_for(tmp_path: Path) -> None:
    """The same evaluation, the same plan, the same gate."""
    own, alias = loaded(tmp_path, OWN), loaded(tmp_path, ALIAS)

    assert alias.file.content["models"] == own.file.content["models"] and alias.run == own.run and alias.plan == own.plan
    assert alias.evaluation.gates == own.evaluation.gates and alias.evaluation.config == own.evaluation.config
    assert loaded(tmp_path, OWN, "run.epochs=3").run.repeat == loaded(tmp_path, ALIAS, "run.repeat=3").run.repeat == 3


@pytest.mark.parametrize(
    ("before", "added", "names"),
    [
        ("wire = ", 'provider = "simulator"', ("models[0].provider", "'wire'")),
        ("repeat = ", "epochs = 2", ("run.epochs", "'repeat'")),
        ("truths = ", 'targets = ["1", "2"]', ("panel.targets", "'truths'")),
        ("correct = ", 'accuracy = ">= 0 %"', ("gate.accuracy", "'correct'")),
    ],
)
def test_both_given_is_an_error_that_names_both(before: str, added: str, names: tuple[str, ...], tmp_path: Path) -> None:
    """With file and line."""
    with pytest.raises(ConfigError) as error:
        loaded(tmp_path, OWN.replace(before, f"{added}\n{before}", 1))
    assert all(name in str(error.value) for name in (*names, "c.toml:")), error.value


def test_errors_about_an_alias_have_its_line(tmp_path: Path) -> None:
    """A wrong value of an alias is found in the file."""
    with pytest.raises(ConfigError) as error:
        loaded(tmp_path, ALIAS.replace('provider = "simulator"', "provider = 3"))
    line = next(n for n, text in enumerate(ALIAS.splitlines(), start=1) if text.startswith("provider"))
    assert f"c.toml:{line}: models[0].wire" in str(error.value), error.value


def test_what_is_written_has_the_programs_own_keys(tmp_path: Path) -> None:
    """The config of a run folder holds no alias, and a model that is edited loses its own."""
    (tmp_path / "c.toml").write_text(ALIAS)
    assert main(["run", str(tmp_path / "c.toml"), "--workspace", str(tmp_path), "--out", str(tmp_path / "run"), "-q"]) == 0
    for name in ("config.toml", "resolved_config.json"):
        text = (tmp_path / "run" / name).read_text()
        assert not [path[-1] for path in ALIASES if f"{path[-1]} = " in text or f'"{path[-1]}"' in text], name
    assert json.loads((tmp_path / "run" / "resolved_config.json").read_text())["run"]["repeat"] == 2

    workspace = Workspace(tmp_path)
    workspace.models_file.parent.mkdir(exist_ok=True)
    workspace.models_file.write_text('[[models]]\nname = "m" # ours\nprovider = "simulator"\nmodel = "sim-scholar"\n')
    assert [table.wire for table, _ in models_on_file(workspace).values()] == ["simulator"]
    edit_model(workspace, "m", {"model": "sim-rambler", "wire": "simulator"}, ())
    text = workspace.models_file.read_text()
    assert "provider" not in text and 'wire = "simulator"' in text and "# ours" in text


def test_attack_sets_take_targets(tmp_path: Path) -> None:
    """In place of `truth`; both are an error."""
    text = (shipped("examples") / "judge-attacks" / "attacks.toml").read_text()
    assert attacks_in(text.replace("\ntruth =", "\ntarget ="), "k") == attacks_in(text, "k")
    with pytest.raises(ConfigError, match=r"target: is another name of .truth"):
        attacks_in(text.replace("\ntruth =", '\ntarget = "x"\ntruth =', 1), "k")
