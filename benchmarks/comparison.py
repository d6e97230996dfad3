"""What comparing many models takes beside re-scoring them: 505 questions x 72 models, every pair; no call.

python benchmarks/comparison.py [--models 72] [--only "one answer each"]

Invented models of rising skill answer an invented benchmark in 200 to 800 characters; some replies are missing, some hold
no letter. The same run then has two answers to each question, and then marks from 1 to 5 beside what is right, of
questions that share documents. Each figure is a child process by the kernel's account of it.
"""

from __future__ import annotations

import argparse
import csv
import json
import platform
import random
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import children
import reports
from big_log import WORDS

MODELS = 72
MOST_RATIO, MOST_MB, MOST_WRITTEN_MB = 1.5, 300.0, 50.0
LIMIT_S = 560.0
MISSING, UNREAD = 0.01, 0.02
"""Shares of answers that are not there, and that hold no letter."""
PER_DOCUMENT = 5
QUALITY = {"low": 1.0, "high": 5.0, "better": "higher", "threshold": None}
Line = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Measured:
    """What one comparison took."""

    cost: children.Cost
    written_mb: float


def imported(folder: Path, models: int) -> Path:
    """A run of these answers, imported."""
    chance, n = random.Random(14), 0
    with (folder / "answers.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(("question_id", "model", "raw_response"))
        for question, model, text in reports.invented(folder, models):
            said = "" if chance.random() < UNREAD else f"\n\n{text}"
            if chance.random() >= MISSING:
                writer.writerow((question, model, prose(chance) + said))
                n += 1
    arguments = ["import", "answers.csv", "--dataset", "benchmark.json", "--out", "run"]
    children.run(["-m", "tui_eval", *arguments], LIMIT_S, str(folder))
    print(f"{n:,} answers of {models} models, {models * (models - 1) // 2:,} pairs. Python {platform.python_version()}.\n")
    return folder / "run"


def prose(chance: random.Random) -> str:
    """Words of 200 to 800 characters together."""
    return " ".join(chance.choices(WORDS, k=chance.randint(40, 150)))


def twice(line: Line, chance: random.Random) -> Iterator[Line]:
    """Two answers to each question."""
    yield line
    scores = [
        {**score, "value": score["value"] if chance.random() < 0.8 else chance.choice((0, 1))} for score in line["scores"]
    ]
    yield {**line, "repeat": 1, "scores": scores}


def marked(line: Line, chance: random.Random) -> Iterator[Line]:
    """A mark beside what is right, and several questions of one document."""
    marks = [
        {**score, "name": "quality", "value": None if score["value"] is None else chance.randint(1, 3) + 2 * score["value"]}
        for score in line["scores"]
    ]
    document = f"document {line['q_index'] // PER_DOCUMENT}"
    yield {**line, "doc_id": document, "scores": line["scores"] + marks, "metrics": {"quality": QUALITY}}


def changed(run: Path, name: str, change: Callable[[Line, random.Random], Iterator[Line]]) -> Path:
    """A copy of a run with other lines in its results."""
    copy, chance = run.with_name(name), random.Random(505)
    shutil.copytree(run, copy)
    with (run / "results.jsonl").open("rb") as old, (copy / "results.jsonl").open("w", encoding="utf-8") as new:
        for line in old:
            new.writelines(json.dumps(found) + "\n" for found in change(json.loads(line), chance))
    return copy


def compared(run: Path) -> Measured:
    """What comparing its models takes, and what it writes."""
    out = run.with_name(f"{run.name}-compared")
    cost = children.run(["-m", "tui_eval", "compare", str(run), "--out", str(out)], LIMIT_S, str(run.parent))
    return Measured(cost, sum(path.stat().st_size for path in out.iterdir()) / 1e6)


def main() -> int:
    """Measure and print a table; 1 where an aim is missed."""
    parser = argparse.ArgumentParser(description="What comparing many models takes beside re-scoring them.")
    parser.add_argument("--models", type=int, default=MODELS)
    parser.add_argument("--only", default="", help="one of the runs by its name in the table")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tui-eval-benchmark-") as name:
        run = imported(Path(name), options.models)
        makers: dict[str, Callable[[], Path]] = {
            "one answer each": lambda: run,
            "two answers each": lambda: changed(run, "twice", twice),
            "documents and marks": lambda: changed(run, "marked", marked),
        }
        base = children.run(["-m", "tui_eval", "rescore", str(run)], LIMIT_S, name)
        found = {what: compared(make()) for what, make in makers.items() if options.only in ("", what)}
    print("| what | CPU s | x rescore | wall s | peak RSS MB | written MB |\n|---|---:|---:|---:|---:|---:|")
    print(f"| rescore, one answer each | {base.cpu_s:.2f} | 1.00 | {base.wall_s:.2f} | {base.peak_mb:.0f} | |")
    for what, one in found.items():
        cost = one.cost
        print(f"| compare, {what} | {cost.cpu_s:.2f} | {cost.cpu_s / base.cpu_s:.2f} | {cost.wall_s:.2f} | "
              f"{cost.peak_mb:.0f} | {one.written_mb:.1f} |")  # fmt: skip
    missed = [what for what, one in found.items() if not _met(one, base)]
    print(f"\nAt most {MOST_RATIO} x rescore, {MOST_MB:.0f} MB, {MOST_WRITTEN_MB:.0f} MB written: "
          f"{'met by all' if not missed else 'MISSED by ' + ', '.join(missed)}.")  # fmt: skip
    return 1 if missed else 0


def _met(one: Measured, base: children.Cost) -> bool:
    cost = one.cost
    return cost.cpu_s <= MOST_RATIO * base.cpu_s and cost.peak_mb <= MOST_MB and one.written_mb <= MOST_WRITTEN_MB


if __name__ == "__main__":
    sys.exit(main())
