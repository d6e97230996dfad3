"""Laws of compare: what it prints fits and says its n, what it writes is the same, and no foreign text acts anywhere."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path
from time import process_time

import pytest
from compared import item, items, write_run, written

from tui_eval.cli import command_line
from tui_eval.core.errors import ConfigError
from tui_eval.results.comparison import files as compare_files
from tui_eval.results.comparison.comparing import compare_runs
from tui_eval.workspace.places import Workspace

YES, NO = 1.0, 0.0
EVIL = "=HYPERLINK(1)\x1b[31m|`<b>"
NAMES = ["compare.csv", "compare.json", "compare.md", "flips.csv", "ranks.csv"]


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """A workspace with two runs of two models, their costs and latencies."""
    calls = {"mini": (30, 0.001), "flash": (3, 0.002)}
    first = {"mini": [YES] * 30 + [NO] * 6, "flash": [YES] * 20 + [NO] * 15 + [None]}
    second = {"mini": [NO] * 10 + [YES] * 26, "flash": [YES] * 20 + [NO] * 16}
    write_run(tmp_path / "runs" / "first", items(first), calls)
    write_run(tmp_path / "runs" / "second", items(second), calls)
    return tmp_path


def test_compare_prints_and_writes_the_same(two: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The table comes first and fits 80 columns, with intervals, Holm's p before the raw one, and every n; the path is told."""
    assert command_line.main(["--workspace", str(two), "compare", "first", "second"]) == 0
    printed = capsys.readouterr()
    lines = printed.out.splitlines()

    assert max(map(len, lines)) <= 80
    head = next(line for line in lines if "Holm p" in line)
    assert head.index("[95 %]") < head.index("Holm p") < head.rindex("p")
    assert any("mini @1" in line and "mini @2" in line and "36" in line and "+11.1" in line for line in lines)
    assert "flips: 10 for mini @1, 6 for mini @2, of 36 questions" in printed.out
    assert "1 question without a score of flash @1" in " ".join(printed.out.split())
    folder = next((two / "comparisons").iterdir())
    assert str(folder) in printed.err and sorted(path.name for path in folder.iterdir()) == NAMES
    whole = json.loads((folder / "compare.json").read_text())
    with (folder / "compare.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row, pair in zip(rows, whole["pairs"], strict=True):
        assert row == {name: cell(value) for name, value in pair.items() if name != "flips"}
    with (folder / "ranks.csv").open(newline="") as file:
        assert list(csv.DictReader(file)) == [{name: cell(value) for name, value in side.items()} for side in whole["sides"]]
    assert "+11.1" in (folder / "compare.md").read_text() and whole["verdict"] in (folder / "compare.md").read_text()
    assert whole["verdict"] in " ".join(printed.out.split())


def cell(value: object) -> str:
    """A value as a spreadsheet has it, in full precision."""
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def test_json_is_the_whole(two: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Standard output holds one JSON object alone: runs, sides with cost and latency and their n, pairs with their flips."""
    out = two / "mine"
    assert (
        command_line.main(["--workspace", str(two), "compare", "first", "--models", "mini,flash", "--json", "--out", str(out)])
        == 0
    )
    found = json.loads(capsys.readouterr().out)
    mini, flash = found["sides"]

    assert found == json.loads((out / "compare.json").read_text())
    assert (mini["p50_latency_ms"], mini["p90_latency_ms"], mini["n_latency"]) == (1014, 1026, 30)
    assert (flash["p90_latency_ms"], flash["cost_usd_per_call"], flash["missing"]) == (None, pytest.approx(0.002), 1)
    assert [len(pair["flips"]) for pair in found["pairs"]] == [pair["a_better"] + pair["b_better"] for pair in found["pairs"]]
    assert found["pairs"][0]["verdict"] == "mini is better by 28.6 points"


def test_answers_without_a_score_stand_beside_their_side(tmp_path: Path) -> None:
    """Printed as a note, and with each side in the files; the table of sides has a title over every column."""
    values = {"a": [[YES, None, None]] * 20, "b": [[NO, YES, YES]] * 20}
    comparison = compare_runs([write_run(tmp_path / "run", items(values))])
    files = written(comparison, tmp_path / "out")
    sides = [line for line in files["compare.md"].split("## Sides")[1].splitlines() if line.startswith("|")]

    assert "40 of 60 answers have no score" in compare_files.text(comparison)
    assert [(row["unscored_answers"], row["answers"]) for row in csv.DictReader(files["ranks.csv"].splitlines())] == [
        ("40", "60"),
        ("0", "60"),
    ]
    assert "| 40 of 60 |" in sides[2] and len({line.count("|") for line in sides}) == 1


def test_words_say_what_a_run_could_have_shown(tmp_path: Path) -> None:
    """A difference that survives Holm is named; one that does not comes with the smallest that would show."""
    chance = random.Random(2)
    spread = {name: [float(chance.random() < 0.6) for _ in range(60)] for name in ("a", "b")}
    same = compare_runs([write_run(tmp_path / "same", items({"a": [YES, NO], "b": [YES, NO]}))])
    comparison = compare_runs([write_run(tmp_path / "run", items(spread))])

    assert "with 60 questions only differences above" in compare_files.text(comparison).replace("\n  ", " ")
    assert "the same scores on all 2 questions" in compare_files.text(same).replace("\n  ", " ")


def test_no_foreign_text_acts_in_what_is_printed_or_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Names, questions and answers that hold escapes, formulas or Markdown are shown, and do nothing."""
    lines = [item(model, 0, value, question=EVIL, truth=EVIL) for model, value in ((EVIL, YES), ("@x", NO))]
    for line in lines:
        line["replies"][0]["text"] = EVIL
    write_run(tmp_path / "runs" / "evil", lines)
    assert command_line.main(["--workspace", str(tmp_path), "compare", "evil"]) == 0
    written = {path.name: path.read_text() for path in next((tmp_path / "comparisons").iterdir()).iterdir()}

    assert "\x1b" not in capsys.readouterr().out + "".join(written.values())
    for name in ("compare.csv", "flips.csv", "ranks.csv"):
        cells = [cell for row in csv.reader(written[name].splitlines()) for cell in row]
        assert not [cell for cell in cells if cell[:1] in "=@+\t" and cell], name
    assert "<b>" not in written["compare.md"].replace("\\<b\\>", "")


def test_nothing_else_is_written_over(two: Path) -> None:
    """A folder that holds anything but an earlier comparison is refused, a run folder above all; an earlier one is renewed."""
    comparison = compare_runs([two / "runs" / "first"])
    (two / "full").mkdir()
    (two / "full" / "notes.txt").write_text("mine")
    for folder in (two / "runs" / "first", two / "full", two / "full" / "notes.txt"):
        with pytest.raises(ConfigError, match="--out"):
            compare_files.write(comparison, folder)
    assert compare_files.write(comparison, compare_files.write(comparison, two / "new")) == two / "new"
    assert compare_files.new_folder(Workspace(two)).parent == two / "comparisons"


@pytest.mark.parametrize("words", [["compare", "first", "--set", "a=1"], ["status", "--models", "a"]])
def test_options_go_with_what_obeys_them(words: list[str], two: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An option that compare does not know is refused, and so are its own elsewhere."""
    option = next(word for word in words if word.startswith("--"))

    assert command_line.main(["--workspace", str(two), *words]) == 2
    assert f"tui-eval {words[0]}: no option {option}" in capsys.readouterr().err


@pytest.mark.soak
def test_large_runs_are_compared_in_seconds(tmp_path: Path) -> None:
    """Two runs of 5,000 questions by two models each: read, compared, with every flip, in seconds."""
    chance = random.Random(1)
    runs = []
    for name in ("one", "other"):
        scores = {model: [float(chance.random() < 0.7) for _ in range(5_000)] for model in ("a", "b")}
        runs.append(write_run(tmp_path / name, items(scores), {"a": (5_000, 0.001), "b": (5_000, 0.002)}))

    began = process_time()
    comparison = compare_runs(runs)
    found = json.loads(written(comparison, tmp_path / "out")["compare.json"])
    took = process_time() - began

    assert [pair.n for pair in comparison.pairs] == [5_000, 5_000] and found["pairs"]
    assert took < 30
