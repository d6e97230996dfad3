"""Planted truths through the command line: unchanged models stay green, and what was planted is told, no more and no less."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tui_eval.cli import command_line

LETTERS = "ABCD"


def build(folder: Path, random: Random, models: int, questions: int, baseline: str) -> int:
    """Models asked twice by import, the second time held against the first; the exit code of the gates."""
    folder.mkdir(parents=True)
    key = [random.choice(LETTERS) for _ in range(questions)]
    hard = [random.gauss(0, 1.2) for _ in range(questions)]
    able = [1.0] * (models // 3) + [random.uniform(-0.5, 2.5) for _ in range(models - models // 3)]
    rows = [[f"Question {n}?", *(f"{word}{n}" for word in ("one", "two", "three", "four")), key[n]] for n in range(questions)]
    write(folder / "exam.csv", ["question", *LETTERS, "answer"], rows)
    for name in ("before", "after"):
        answers = [
            [f"q{n + 1:04d}", f"m{model:02d}", f"Answer: {reply(random, able[model] - hard[n], key[n])}"]
            for model in range(models)
            for n in range(questions)
        ]
        write(folder / f"{name}.csv", ["question_id", "model", "raw_response"], answers)
        run(folder, "import", f"{name}.csv", "--dataset", "exam.csv", "--out", f"runs/{name}")
    return run(folder, "rescore", "after", "--set", f"gate.against={baseline}", expected=(0, 1))


def reply(random: Random, ease: float, key: str) -> str:
    """The right letter, or another."""
    if random.random() < 1 / (1 + math.exp(-ease)):
        return key
    return random.choice([letter for letter in LETTERS if letter != key])


def write(path: Path, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table."""
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([head, *rows])


def run(folder: Path, *words: str, expected: Sequence[int] = (0,)) -> int:
    """A command in a workspace, its files named from there."""
    named = [str(folder / word) if ("." in word and "=" not in word) or word.startswith("runs/") else word for word in words]
    code = command_line.main(["-q", "--workspace", str(folder), *named])
    assert code in expected, (words, code)
    return code


def test_unchanged_models_pass_the_gate_of_a_baseline(tmp_path: Path) -> None:
    """The short form: two builds of six models."""
    random = Random(1)
    assert [build(tmp_path / str(n), random, 6, 60, "before") for n in range(2)] == [0, 0]


@pytest.mark.soak
def test_of_twenty_unchanged_builds_at_most_three_are_red(tmp_path: Path) -> None:
    """24 models, 8 of them equal, on 200 questions."""
    random = Random(20261126)
    red = sum(build(tmp_path / str(n), random, 24, 200, "before") for n in range(20))
    assert red <= 3


def stored(folder: Path, kind: str, units: dict[str, Any], lines: Sequence[dict[str, Any]]) -> None:
    """A run folder with these lines."""
    path = folder / "runs" / "planted"
    path.mkdir(parents=True)
    (path / "config.toml").write_text(f'kind = "{kind}"\n')
    about = {"run_id": "planted", "kind": kind, "name": "planted", "simulated": False, "units": units}
    (path / "manifest.json").write_text(json.dumps(about))
    (path / "progress.json").write_text('{"state": "done"}')
    (path / "results.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def scored(
    name: str, model: str, unit: dict[str, Any], stage: str, values: dict[str, float | None], metrics: dict[str, Any]
) -> dict[str, Any]:
    """A line of results.jsonl."""
    said = {"stage": stage, "model": model, "call_index": 0, "version": "planted/1", "read": None, "pattern": ""}
    scores = [
        {**said, "name": metric, "value": value, "why": "" if value is not None else "invalid"}
        for metric, value in values.items()
    ]
    return {
        "item_id": f"{model}/{name}", "repeat": 0, "lane": model, "doc_id": name, "q_index": 0, "finished": True, "error": "",
        "question": name, "truth": None, "groups": {}, "unit": unit, "primary": [], "replies": [], "scores": scores,
        "metrics": metrics,
    }  # fmt: skip


def compared(folder: Path) -> dict[str, Any]:
    """What `compare` writes of the planted run."""
    assert command_line.main(["-q", "--workspace", str(folder), "compare", "planted", "--out", str(folder / "out")]) == 0
    found: dict[str, Any] = json.loads((folder / "out" / "compare.json").read_text())
    return found


RIGHT = {"low": 0, "high": 1, "better": "higher", "threshold": 1.0}
SHARE = {"low": 0, "high": 1, "better": "higher", "threshold": None}


def test_a_model_that_breaks_half_its_graphs_is_no_better_for_it(tmp_path: Path) -> None:
    """Two models draw equally good graphs of 30 briefs, .6 by v1 and .9 by v2; one breaks half of its graphs by v1."""
    random, lines = Random(3), []
    for brief in range(30):
        for model in ("scholar", "sprinter"):
            for prompt, level in (("v1", 0.6), ("v2", 0.9)):
                broken = model == "scholar" and prompt == "v1" and brief % 2
                overall = None if broken else min(max(random.gauss(level, 0.05), 0), 1)
                values = {"valid": float(not broken), "overall": overall}
                unit = {"item": f"brief{brief}", "clusters": [f"b{brief}"], "variant": prompt}
                metrics = {"valid": RIGHT, "overall": SHARE}
                lines.append(scored(f"b{brief}/{prompt}", model, unit, "draft", values, metrics))
    units = {"item": "brief", "answer": "graph", "levels": [], "variant": "prompt", "headline": ["overall", "valid"]}
    stored(tmp_path, "graph", units, lines)

    found = compared(tmp_path)
    pairs = {(p["measure"], p["model_a"], p["prompt_a"], p["model_b"], p["prompt_b"]): p for p in found["pairs"]}
    v1 = ("scholar", "v1", "sprinter", "v1")
    assert not pairs["overall", *v1]["told_apart"] and abs(pairs["overall", *v1]["difference"]) < 0.05
    assert pairs["valid", *v1]["told_apart"] and pairs["valid", *v1]["difference"] == -0.5
    assert not any(pairs[metric, "scholar", "v2", "sprinter", "v2"]["told_apart"] for metric in ("valid", "overall"))
    counts = {(s["side"], s["measure"]): s["n"] for s in found["sides"]}
    assert counts["scholar v1", "overall"] == 15 and counts["sprinter v1", "overall"] == 30


def test_files_that_are_all_seven_points_apart_are_told(tmp_path: Path) -> None:
    """22 files, 20 of them pictures that all show the same prompt: one model's error rate is 7 points higher on each."""
    random, lines = Random(4), []
    for file in range(22):
        base = random.uniform(0.01, 0.1)
        for model, rate in (("opus", base), ("cheap", base + random.gauss(0.07, 0.02))):
            unit = {"item": f"file{file}", "clusters": [f"f{file}"], "variant": ""}
            metrics = {"character_error_rate": {"low": 0, "high": 99_999, "better": "lower", "threshold": 0.05}}
            name = "Transcribe what you are shown" if file < 20 else f"text {file}"
            line = scored(f"f{file}", model, unit, "process", {"character_error_rate": rate}, metrics)
            lines.append(line | {"question": name})
    units = {"item": "file", "answer": "answer", "levels": [], "variant": "", "headline": ["mark", "character_error_rate"]}
    stored(tmp_path, "pipeline", units, lines)

    (pair,) = compared(tmp_path)["pairs"]
    assert pair["told_apart"] and pair["n"] == 22 and pair["p"] < 0.001
    assert "opus is better (lower) by 0.07" in pair["verdict"]
