"""Laws of the config that a run came from: one of the workspace with its name and evaluation type, and none where in doubt."""

from __future__ import annotations

import json
from pathlib import Path

from tui_eval.configuring.drafting.run_origin import config_of_run
from tui_eval.workspace.places import Workspace


def run_of(root: Path, command_line: object) -> Path:
    """A run folder."""
    path = root / "runs" / "one"
    path.mkdir(parents=True, exist_ok=True)
    (path / "config.toml").write_text('kind = "qa"\n')
    manifest = {"kind": "qa", "name": "sums", "command_line": command_line}
    (path / "manifest.json").write_text(json.dumps(manifest))
    return path


def test_the_one_of_its_name_and_kind(tmp_path: Path) -> None:
    """Named on the command line, else the only one; what is damaged, or outside, is none."""
    root = tmp_path / "ws"
    path, workspace = run_of(root, ["run", "b.toml"]), Workspace(root)
    (tmp_path / "b.toml").write_text('kind = "qa"\nname = "sums"\n')
    (root / "damaged.toml").write_text("[")
    (root / "other.toml").write_text('kind = "qa"\nname = "other"\n')
    assert config_of_run(path, workspace) is None
    (root / "a.toml").write_text('kind = "qa"\nname = "sums"\n')
    assert config_of_run(path, workspace) == root / "a.toml"
    (root / "b.toml").write_text('kind = "qa"\nname = "sums"\n')
    assert config_of_run(path, workspace) == root / "b.toml"
    assert config_of_run(run_of(root, ["run", "gone.toml", 1]), workspace) is None
    assert config_of_run(run_of(root, ["run", "../b.toml"]), workspace) is None
    assert config_of_run(run_of(root, None), workspace) is None
