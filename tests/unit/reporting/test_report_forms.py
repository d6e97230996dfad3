"""In which forms the reports of a multiple-choice run are written: what is not wanted is not there, the rest is the same."""

from __future__ import annotations

from pathlib import Path

import pytest
import tomli_w

from tui_eval.cli.command_line import main
from tui_eval.configuring.loading import load
from tui_eval.core.errors import ConfigError
from tui_eval.workspace.places import Workspace

EXAM = "id,question,A,B,answer\nq1,Which is a rock?,chalk,water,A\nq2,Which is a gas?,iron,helium,B\n"
PAGES = {"leaderboard.md", "analysis.md"}
ROWS = {"questions.csv", "breakdown.csv", "accuracy.csv", "patterns.csv", "pairs.csv", "aggregate_accuracy.csv"}
DATA = {"all_results.json", "accuracy.json", "patterns.json", "pairs.json", "aggregate_accuracy.json"}
ALWAYS = {"report.json", "results.jsonl", "stats.json", "stats.csv", "aggregate_stats.json", "plan.json"}


def config(folder: Path, formats: list[str] | None) -> Path:
    """Two questions, asked twice of two models."""
    (folder / "exam.csv").write_text(EXAM)
    models = [{"name": name, "wire": "simulator", "model": f"sim-{name}"} for name in ("sprinter", "scholar")]
    choice = {
        "benchmark": "exam.csv",
        "models": ["sprinter", "scholar"],
        **({"formats": formats} if formats is not None else {}),
    }
    table = {"kind": "choice", "name": "exam", "run": {"repeat": 2}, "models": models, "choice": choice}
    (folder / "exam.toml").write_text(tomli_w.dumps(table))
    return folder / "exam.toml"


@pytest.mark.parametrize(
    ("formats", "wanted"),
    [
        (None, PAGES | ROWS | DATA),
        (["markdown"], PAGES),
        (["csv"], ROWS),
        (["json"], DATA),
        (["csv", "markdown"], PAGES | ROWS),
    ],
)
def test_only_what_is_wanted_is_written(formats: list[str] | None, wanted: set[str], tmp_path: Path) -> None:
    """Pages, rows or data, of the run and of each repeat; results, statistics and report.json are there in any case."""
    path = tmp_path / "run"
    assert main(["-q", "run", str(config(tmp_path, formats)), "--no-preflight", "--out", str(path)]) == 0
    found = {file.name for file in path.iterdir()}

    assert found & (PAGES | ROWS | DATA) == wanted
    assert found >= ALWAYS
    assert (path / "repeats" / "01" / "accuracy.csv").exists() == (not formats or "csv" in formats)


def test_no_form_at_all_is_a_mistake(tmp_path: Path) -> None:
    """And so is one that nobody knows."""
    for formats in ([], ["html"]):
        with pytest.raises(ConfigError, match=r"choice\.formats"):
            load(config(tmp_path, formats), Workspace(tmp_path))
