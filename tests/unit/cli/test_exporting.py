"""The verb export: its format, its place, its words; standard output holds the file and nothing else."""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from shutil import copytree

import pytest
from exported import line, read_csv, read_junit, reader_of
from plugged import install, packages_in
from soaking import quick_first_rows

from tui_eval.cli.command_line import main
from tui_eval.cli.options import either
from tui_eval.results.exporting import EXPORTERS

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
FORMATS = ", ".join(EXPORTERS)
KEY = "sk-planted/9f2K+tX7Lq0wB5rJ"


def export(workspace: Path, *arguments: str | Path) -> int:
    return main(["--workspace", str(workspace), "export", *map(str, arguments)])


@pytest.mark.parametrize("name", list(EXPORTERS))
def test_the_suffix_of_the_file_tells_the_format(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """--out alone is enough; on standard output the format is named, and the bytes are the same."""
    out = tmp_path / "made" / f"results{EXPORTERS[name].suffix}"

    assert export(tmp_path, GOLDEN / "choice", GOLDEN / "panel", "--out", out) == 0
    said = capsys.readouterr()
    assert export(tmp_path, GOLDEN / "choice", GOLDEN / "panel", "--format", name) == 0

    assert said.out == "" and "results" in said.err
    assert capsys.readouterr().out == out.read_text()
    assert reader_of(name)(out.read_text())
    assert [path.name for path in out.parent.iterdir()] == [out.name]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), f"--format F, one of {FORMATS}"),
        (("--out", "results.txt"), f"--format F, one of {FORMATS}"),
        (("--format", "junti"), f"did you mean 'junit'?; there are {FORMATS}"),
        (("--format", "csv", "--models", "schola"), "did you mean 'scholar'?"),
        (("--format", "md", "--models", "scholar"), "made of samples"),
        (("--format", "csv", "--out", "."), "is not a file"),
        (("--format", "csv", "--out", "/dev/null"), "is not a file"),
        (("--format", "csv", "--json"), "tui-eval export: no option --json"),
    ],
)
def test_a_mistake_is_told_and_nothing_is_written(
    arguments: Sequence[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 2, the way out in the message, and no file."""
    monkeypatch.chdir(tmp_path)

    assert export(tmp_path, GOLDEN / "choice", *arguments) == 2

    said = capsys.readouterr()
    assert words in said.err and said.out == "" and not list(tmp_path.iterdir())


def test_nothing_is_written_into_a_run_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Not over its files, nor beside them, nor through a link; a link elsewhere stays one."""
    run = copytree(GOLDEN / "choice", tmp_path / "runs" / "one")
    before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    (tmp_path / "link.csv").symlink_to(run / "accuracy.csv")
    (tmp_path / "other.csv").symlink_to(tmp_path / "real.csv")

    for out in (run / "accuracy.csv", run / "new.csv", run / "inputs" / "new.csv", tmp_path / "link.csv"):
        assert export(tmp_path, "one", "--out", out) == 2
        assert "lies in the run folder" in capsys.readouterr().err
    assert export(tmp_path, "one", "--out", tmp_path / "other.csv") == 0

    assert before == {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
    assert (tmp_path / "other.csv").is_symlink() and len(read_csv((tmp_path / "real.csv").read_text())) == 24


def test_an_export_that_cannot_be_ended_leaves_the_former_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file appears when it is whole: what stands there stays, and nothing lies beside it."""
    run = copytree(GOLDEN / "choice", tmp_path / "run")
    report = json.loads((run / "report.json").read_text())
    (run / "report.json").write_text(json.dumps({**report, "charged_usd": float("inf")}))
    out = tmp_path / "results.json"
    out.write_text("former")

    assert export(tmp_path, run, "--out", out) == 2

    assert "rescore" in capsys.readouterr().err and out.read_text() == "former"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["results.json", "run"]


def test_models_are_cut_and_what_is_unfinished_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Only the named ones; standard error says what the file lacks, the file says in which state the run was."""
    assert export(tmp_path, GOLDEN / "stopped", "--format", "csv", "--models", "broken,silent") == 0
    said = capsys.readouterr()

    assert {row["model"] for row in read_csv(said.out)} == {"broken", "silent"}
    assert {row["state"] for row in read_csv(said.out)} == {"stopped"}
    assert "3 of 4 samples are finished" in said.err


def test_a_run_named_twice_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its scores would count twice."""
    assert export(tmp_path, GOLDEN / "panel", GOLDEN / "panel", "--format", "csv") == 2
    assert "twice" in capsys.readouterr().err


def test_no_key_comes_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A key that a model wrote, and that is stored by now, is blotted out of the file and of standard output."""
    run = copytree(GOLDEN / "choice", tmp_path / "run")
    (run / "results.jsonl").write_text(json.dumps(line(question=f"Is it {KEY}?", values=[0])) + "\n")
    (tmp_path / ".env").write_text(f"SOME_API_KEY={KEY}\n")

    for name, exporter in EXPORTERS.items():
        out = tmp_path / f"results{exporter.suffix}"
        assert export(tmp_path, run, "--out", out) == 0 and export(tmp_path, run, "--format", name) == 0
        assert KEY not in out.read_text() and KEY not in capsys.readouterr().out


@pytest.mark.parametrize(("target", "code"), quick_first_rows([("/dev/full", 3), ("closed", 0)]))
def test_where_standard_output_takes_no_more(target: str, code: int, tmp_path: Path) -> None:
    """A full disk is told as one; a reader that has seen enough is no error."""
    (tmp_path / "config.toml").write_text("")
    (tmp_path / "results.jsonl").write_text("".join(json.dumps(line(n)) + "\n" for n in range(3_000)))
    command = [sys.executable, "-m", "tui_eval", "--workspace", str(tmp_path), "export", str(tmp_path), "--format", "junit"]
    if target == "closed":
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
            assert child.stdout is not None and child.stderr is not None
            child.stdout.close()
            said = child.stderr.read()
            assert child.wait(60) == code, said
    else:
        with Path(target).open("w") as full:
            done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, timeout=60)
        said = done.stderr
        assert done.returncode == code and b"cannot be written" in said
    assert b"Traceback" not in said


def test_bytes_are_utf_8_in_any_locale(tmp_path: Path) -> None:
    """What the head of an XML file says of its bytes is true where the terminal speaks another encoding, too."""
    (tmp_path / "config.toml").write_text("")
    (tmp_path / "results.jsonl").write_text(json.dumps(line(0, "Modell für Größe", [0])) + "\n")
    command = [sys.executable, "-m", "tui_eval", "--workspace", str(tmp_path), "export", str(tmp_path), "--format", "junit"]

    done = subprocess.run(command, capture_output=True, timeout=60, env={"PYTHONIOENCODING": "latin-1"}, check=True)

    (suite,) = read_junit(done.stdout.decode("utf-8"))
    assert [case.classname.split(".")[-1] for case in suite] == ["Modell für Größe"]


def test_a_package_may_bring_a_format(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By --format or by the end of a file's name; one that is no exporter, or that fails, is told with its package."""
    made = "from tui_eval.results.exporting.exporter import Exporter\n"
    made += "IDS = Exporter('ids', '.ids', lambda runs: (run.run_id + chr(10) for run in runs))\nNONE = len\n"
    made += "NUMBERS = Exporter('n', '.n', lambda runs: iter([1]))\n"
    made += "RAISES = Exporter('r', '.r', lambda runs: {}['boom'])\n"
    brought = {"ids": "ids:IDS", "none": "ids:NONE", "numbers": "ids:NUMBERS", "raises": "ids:RAISES"}
    with packages_in(tmp_path / "packages") as folder:
        install(folder, "ids", {"ids.py": made}, {"tui_eval.exporters": brought})

        assert export(tmp_path, GOLDEN / "choice", "--format", "ids") == 0
        assert len(capsys.readouterr().out.splitlines()) == 1
        assert export(tmp_path, GOLDEN / "choice", "--format", "none") == 2
        assert "the format 'none' of the package ids 1.0 cannot be used: it is not an Exporter" in capsys.readouterr().err
        assert export(tmp_path, GOLDEN / "choice", "--out", tmp_path / "some.ids") == 0
        for name, said in (("numbers", "TypeError: it made int, not text"), ("raises", "KeyError: 'boom'")):
            assert export(tmp_path, GOLDEN / "choice", "--format", name, "--out", tmp_path / "none") == 2
            assert f"the format {name} of the package ids 1.0 failed: {said}" in capsys.readouterr().err
        assert not (tmp_path / "none").exists()
        assert export(tmp_path, GOLDEN / "choice", "--format", "ids", "--no-plugins") == 2
        assert "plug-ins are switched off" in capsys.readouterr().err


def test_a_run_that_fails_a_gate_ends_with_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The file is written all the same, and holds the gate as a failure; beside a run without gates, too."""
    gated = copytree(GOLDEN / "choice", tmp_path / "runs" / "gated")
    report = json.loads((gated / "report.json").read_text())
    gate = {"name": "correct", "verdict": "FAIL", "passed": False, "found": "0.5", "wanted": ">= 0.9", "text": "too low"}
    (gated / "report.json").write_text(json.dumps({**report, "gates": [gate]}))

    assert export(tmp_path, gated, GOLDEN / "panel", "--format", "junit") == 1
    suites = read_junit(capsys.readouterr().out)

    assert len(list(suites)) == 2
    (gated / "report.json").write_text(json.dumps({**report, "gates": [{**gate, "verdict": "PASS", "passed": True}]}))
    assert export(tmp_path, gated, "--format", "junit") == 0


@pytest.mark.parametrize(("names", "text"), [(["csv"], "csv"), (["a", "b"], "a or b"), (["a", "b", "c"], "a, b or c")])
def test_names_are_listed_in_words(names: list[str], text: str) -> None:
    """One alone, and the last of several behind an "or"."""
    assert either(names) == text


def test_help_names_every_format(capsys: pytest.CaptureFixture[str]) -> None:
    """None that ships is left out, in the list of verbs and in the verb's own help: both are made of the registry's names."""
    formats = set(EXPORTERS)
    for words in (["--help"], ["export", "--help"]):
        with contextlib.suppress(SystemExit):
            main(words)
        told = next(line for line in capsys.readouterr().out.splitlines() if "csv," in line)
        assert formats <= set(re.findall(r"[a-z]+", told))


def test_a_run_without_gates_is_said_to_have_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An empty test suite is no sign that all is well."""
    assert export(tmp_path, GOLDEN / "choice", "--format", "gates") == 0
    assert "no gates: its report has none" in capsys.readouterr().err
    assert export(tmp_path, GOLDEN / "choice", "--format", "junit") == 0
    assert "no gates" not in capsys.readouterr().err
