"""Laws of comparing many sides: time, memory and files are bounded, and what is left out is said and can be had."""

from __future__ import annotations

import csv
import json
import random
import subprocess
import sys
import tracemalloc
from collections import Counter
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from compared import items, write_run, written

from tui_eval.cli import command_line
from tui_eval.core.results import Score
from tui_eval.core.units import Unit, Units
from tui_eval.results import stored_samples, stored_scores
from tui_eval.results.comparison import files as compare_files
from tui_eval.results.comparison import tables
from tui_eval.results.comparison.comparing import Comparison, compare_runs
from tui_eval.results.stored_scores import parse_line
from tui_eval.results.sums.board import Board
from tui_eval.results.sums.metrics import RIGHT_OR_WRONG

BENCHMARK = Path(__file__).resolve().parents[3] / "benchmarks" / "comparison.py"
MODELS, QUESTIONS = 20, 100


def run_of(path: Path, models: int = MODELS, questions: int = QUESTIONS) -> Path:
    """A run of models of rising skill."""
    chance = random.Random(72)
    skills = {f"m{i:02d}": 0.3 + 0.6 * i / models for i in range(models)}
    return write_run(
        path, items({name: [float(chance.random() < skill) for _ in range(questions)] for name, skill in skills.items()})
    )


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """190 pairs, some of them told apart."""
    return run_of(tmp_path_factory.mktemp("many") / "runs" / "many")


@pytest.fixture(scope="module")
def many(run: Path) -> Comparison:
    """Its comparison."""
    return compare_runs([run])


def listed(files: dict[str, str]) -> Counter[tuple[str, str]]:
    """How many flips of each pair stand in flips.csv."""
    return Counter((row["a"], row["b"]) for row in csv.DictReader(files["flips.csv"].splitlines()))


def test_of_few_pairs_every_flip_is_listed(tmp_path: Path) -> None:
    """Up to 45 pairs nothing is left out, and nothing is said of what is listed; with one side more it is."""
    for models, whole in ((10, True), (11, False)):
        found = compare_runs([run_of(tmp_path / f"run-{models}", models, 12)])
        files = written(found, tmp_path / f"out-{models}")
        pairs = json.loads(files["compare.json"])["pairs"]

        assert (sum(listed(files).values()) == sum(pair.a_better + pair.b_better for pair in found.pairs)) == whole
        assert all(("flips_listed" in pair) != whole for pair in pairs)
        assert ("--flips" in files["compare.md"]) != whole
        assert compare_files.text(found).count("flips: ") == (len(found.pairs) if whole else 0)


def test_of_many_pairs_those_told_apart_are_listed(many: Comparison, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each with all its flips, the smallest differences first, up to a number; every file says of each pair whether it is."""
    apart = [pair for pair in many.pairs if pair.significant]
    monkeypatch.setattr(tables, "MOST", sum(pair.a_better + pair.b_better for pair in apart) // 2)
    files = written(many, tmp_path / "out")
    told = {(row["a"], row["b"]): row["flips_listed"] == "true" for row in csv.DictReader(files["compare.csv"].splitlines())}
    pairs, found = json.loads(files["compare.json"])["pairs"], listed(files)
    inside = [pair for pair in many.pairs if (pair.a.label, pair.b.label) in found]

    assert 10 < len(inside) < len(apart) < len(many.pairs) and sum(found.values()) <= tables.MOST
    assert all(found[pair.a.label, pair.b.label] == pair.a_better + pair.b_better for pair in inside)
    largest = max(abs(pair.found.value or 0.0) for pair in inside)
    assert all(pair in inside for pair in apart if abs(pair.found.value or 0.0) < largest)
    assert {name for name, there in told.items() if there} == found.keys() and len(told) == len(many.pairs)
    assert [(len(pair["flips"]), pair["flips_listed"]) for pair in pairs] == [
        (found[pair["a"], pair["b"]], (pair["a"], pair["b"]) in found) for pair in pairs
    ]
    assert f"Flips of {len(inside)} of 190 pairs" in files["compare.md"]


def test_flips_of_any_pair_can_be_had(run: Path, many: Comparison, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """By the names of its sides in either order, as often as wanted; it is told in words, too. What is no pair is refused."""
    near = [pair for pair in many.pairs if not pair.significant and pair.a_better][:2]
    names = [f"{near[0].a.label},{near[0].b.label}", f"{near[1].b.side.key.model}, {near[1].a.label}"]
    arguments = ["compare", str(run), "--out", str(tmp_path / "out")]
    wanted = [*arguments, *(word for name in names for word in ("--flips", name))]

    assert command_line.main(wanted) == 0
    assert capsys.readouterr().out.count("flips: ") == 2
    found = listed({"flips.csv": (tmp_path / "out" / "flips.csv").read_text()})
    assert [found[pair.a.label, pair.b.label] for pair in near] == [pair.a_better + pair.b_better for pair in near]
    assert command_line.main([*arguments, "--flips", "m00,m99"]) == 2
    assert "'m00,m99'" in (said := capsys.readouterr().err) and "m01" in said
    assert command_line.main(["status", "--flips", "m00,m01"]) == 2


def test_a_name_may_hold_a_comma(tmp_path: Path) -> None:
    """Where a name of a model is cut is tried at every comma."""
    found = compare_runs([write_run(tmp_path / "run", items({"a,b": [1.0, 0.0], "c": [0.0, 0.0], "b,c": [1.0, 1.0]}))])

    assert tables.listing_of(found, ["a,b,c"]).asked == (0,)
    assert tables.listing_of(found, ["a,b,b,c"]).asked == (1,)


def test_many_pairs_are_printed_for_a_person(many: Comparison) -> None:
    """Sides best first, then the pairs only just told apart; no line is longer than 80, and what is not shown is counted."""
    lines = compare_files.text(many).splitlines()
    sides = [line.split()[0] for line in lines if line.startswith("m") and "[" in line][:MODELS]
    best = sorted(many.standings, key=lambda standing: -(standing.score.value or 0.0))

    assert max(map(len, lines)) <= 80 and len(lines) < 80
    assert sides == [standing.label for standing in best]
    assert any(f"{sum(pair.significant for pair in many.pairs)} of 190 pairs differ significantly" in line for line in lines)
    assert "Every pair is in compare.csv." in lines


@pytest.mark.soak
def test_what_many_sides_take_is_bounded(run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No line is read more than twice, once for its scores and once for all flips; seconds, and little memory."""
    read: Counter[str] = Counter()

    def counting(line: bytes) -> dict[str, Any] | None:
        entry = parse_line(line)
        read[entry["item_id"] if entry else ""] += 1
        return entry

    for module in (stored_scores, stored_samples):
        monkeypatch.setattr(module, "parse_line", counting)
    tracemalloc.start()
    began = process_time()
    files = written(compare_runs([run]), tmp_path / "out")
    took, (_, most) = process_time() - began, tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert len(read) == MODELS * QUESTIONS and set(read.values()) <= {1, 2} and max(read.values()) == 2
    assert took < 20 and most < 40e6 and sum(map(len, files.values())) < 15e6


@pytest.mark.soak
def test_12_models_are_compared_within_what_rescoring_them_takes() -> None:
    """505 questions: at most 1.5 times the CPU of rescore of the same run, 300 MB and 50 MB written."""
    command = [sys.executable, str(BENCHMARK), "--models", "12"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=900, check=False)

    assert done.returncode == 0, done.stdout + done.stderr


def test_who_did_not_answer_takes_no_rank_from_the_others(tmp_path: Path) -> None:
    """Beside one model without a score, and one with a single score, ranks and Holm's p are those of a board of the others."""
    chance = random.Random(5)
    scores: dict[str, list[float | None]] = {f"m{i}": [float(chance.random() < 0.15 * i) for _ in range(60)] for i in range(6)}
    board = Board.empty(Units(), [RIGHT_OR_WRONG])
    for model, values in scores.items():
        for place, value in enumerate(values):
            board.add(Unit(f"q{place}", (f"q{place}",)), {}, 0, [Score("answer", model, 0, "correct", value)])
    scores |= {"silent": [None] * 60, "once": [1.0, *[None] * 59]}
    found = compare_runs([write_run(tmp_path / "run", items(scores))])
    own = {side.model: rank for side, rank in board.ranks.items()}

    assert own["m0"] != own["m5"]
    ranks = {model: (best, worst + 1) for model, (best, worst) in own.items()}  # who answered once may stand anywhere
    assert {standing.label: standing.rank for standing in found.standings} == {**ranks, "once": (1, 7), "silent": None}
    told = {(pair.a.label, pair.b.label): (pair.p_holm, pair.tests) for pair in found.pairs if pair.p_holm is not None}
    assert told == {(pair.a.model, pair.b.model): (pair.p_holm, pair.tests) for pair in board.pairs}


def test_of_many_metrics_those_that_are_tested_are_printed(tmp_path: Path) -> None:
    """Where pairs are many, parts of what is tested stand in the files alone, and that is said."""
    chance = random.Random(3)
    lines = items({f"m{i}": [float(chance.random() < 0.1 * i) for _ in range(20)] for i in range(8)})
    for line in lines:
        line["scores"] += [{**line["scores"][0], "name": f"part_{n}", "value": float(chance.random() < 0.5)} for n in range(3)]
    found = compare_runs([write_run(tmp_path / "run", lines, units=Units(headline=("correct",)))])
    printed, files = compare_files.text(found), written(found, tmp_path / "out")
    rows = list(csv.DictReader(files["compare.csv"].splitlines()))

    assert len(found.pairs) == 4 * 28 and {pair.tests for pair in found.pairs} == {0, 28}
    assert "Of part_0, part_1 and part_2 every side and pair is in ranks.csv and compare.csv." in " ".join(printed.split())
    assert "part_0 (right or wrong)" not in printed and "correct" in printed
    assert [row["p"] == row["p_holm"] == row["told_apart"] == "" for row in rows] == [r["measure"] != "correct" for r in rows]
    named = compare_runs([tmp_path / "run"], metric="part_0")
    assert {pair.tests for pair in named.pairs} == {28} and all(pair.found.p is not None for pair in named.pairs)
