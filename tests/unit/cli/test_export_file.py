"""The verb export --file: files of a run's reports that are made on demand."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
from pathlib import Path

import pytest

from tui_eval.cli.command_line import main
from tui_eval.kinds import KINDS

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
ON_DEMAND = [
    ("choice", "results.json"),
    ("choice", "questions_by_difficulty.csv"),
    ("choice", "questions_by_difficulty.json"),
    ("chat", "results.json"),
    ("chat", "turns.csv"),
    ("chat", "turns.json"),
]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """One with a choice, a chat and a panel run, none of which has a file on demand."""
    for name in ("choice", "chat", "panel"):
        path = tmp_path / "runs" / name
        shutil.copytree(GOLDEN / name, path)
        for file in json.loads((path / "report.json").read_bytes())["on_demand"]:
            (path / file).unlink()
    return tmp_path


def export(workspace: Path, *arguments: str | Path) -> int:
    return main(["--workspace", str(workspace), "export", *map(str, arguments)])


@pytest.mark.parametrize(("kind", "name"), ON_DEMAND)
def test_it_is_what_a_run_wrote_before(kind: str, name: str, workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On standard output and in a file; nothing is written into the run folder."""
    run, out = workspace / "runs" / kind, workspace / "out" / name
    before = {file: file.read_bytes() for file in run.rglob("*") if file.is_file()}

    assert export(workspace, run, "--file", name, "--out", out) == 0
    assert capsys.readouterr().out == ""
    assert export(workspace, run, "--file", name) == 0

    assert out.read_bytes() == (GOLDEN / kind / name).read_bytes()
    assert capsys.readouterr().out == out.read_text(encoding="utf-8")
    assert {file: file.read_bytes() for file in run.rglob("*") if file.is_file()} == before


def test_every_file_that_a_report_lists_can_be_made(workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """They are read as their names say."""
    for kind in ("choice", "chat"):
        for name in json.loads((workspace / "runs" / kind / "report.json").read_bytes())["on_demand"]:
            assert export(workspace, workspace / "runs" / kind, "--file", name) == 0
            text = capsys.readouterr().out
            assert json.loads(text) if name.endswith(".json") else list(csv.reader(io.StringIO(text)))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("runs/choice", "--file", "result.json"), "did you mean 'results.json'?"),
        (("runs/choice", "--file", "../../etc/passwd"), "no file that is made on demand"),
        (("runs/choice", "--file", "report.json"), "no file that is made on demand"),
        (("runs/panel", "--file", "results.json"), "runs of panel write all their files themselves"),
        (("runs/choice", "runs/chat", "--file", "results.json"), "one run"),
        (("runs/choice", "--file", "results.json", "--format", "csv"), "leave out --format"),
        (("runs/choice", "--file", "results.json", "--out", "runs/choice/x.json"), "lies in the run folder"),
    ],
)
def test_a_mistake_is_told(
    arguments: tuple[str, ...], words: str, workspace: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what there is, and nothing is printed as data."""
    monkeypatch.chdir(workspace)

    assert export(workspace, *arguments) == 2

    said = capsys.readouterr()
    assert words in said.err and said.out == ""
    assert not os.path.exists("runs/choice/x.json")


def test_a_rescore_renews_what_is_there_and_adds_nothing(workspace: Path) -> None:
    """A file of an older version is never stale, and none comes back by itself."""
    run = workspace / "runs" / "choice"
    (run / "results.json").write_text("stale")

    assert main(["--workspace", str(workspace), "-q", "rescore", str(run)]) == 0

    assert (run / "results.json").read_bytes() == (GOLDEN / "choice" / "results.json").read_bytes()
    assert not (run / "questions_by_difficulty.csv").exists()


def test_specifications_files_are_always_written() -> None:
    """A kind that a specification gives a results.json has it in every run."""
    assert not KINDS["panel"].sample_files.on_demand
