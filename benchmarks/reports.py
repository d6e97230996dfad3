"""What it takes to score and report many stored answers: 505 questions x 72 models, every pair, every report; no call.

python benchmarks/reports.py [--models 72] [--data ../shared/data/formationeval]
python benchmarks/reports.py --ends 10000
python benchmarks/reports.py --large [--shrunk 10]

With --ends: the end of runs of ten times as many samples, a panel and a benchmark of so many distinct questions: re-scored with
nothing, 9 % and all of them answered, and taken up again with all of them answered.

With --large: a benchmark of 10,000 questions and 100 models re-scored, and one of 10,000 and 20 taken up again, of whose calls
50 are open: CPU until the first of these. With --shrunk, of so many times fewer questions, with the aims as many times smaller.

The answers are the real ones in --data (12 models), repeated with seeded noise up to the number of models; where that
folder is absent, both benchmark and answers are made up. Each figure is a child process by the kernel's account of it.
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
from collections.abc import Iterator
from pathlib import Path

import children
import ended_run
import phases

TIMES, STOPPED = 10, 0.09
QUESTIONS, MODELS = 505, 72
MOST_S, MOST_MB = 15.0, 300.0
LARGE, LEFT_OPEN = 10_000, 50
LARGE_S, LARGE_MB, FIRST_S = 900.0, 250.0, 40.0
"""The aims for the large runs: CPU and memory of the reports, CPU until the first open call."""
NOISE = 0.1
"""Share of answers that a repeated model changes."""
DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "formationeval"
FORMS = ("{letter}", "{letter}) as it says", "**{letter}**", "The answer is {letter}.", "Answer: {letter}",
         "Weighing the options one after the other, I would go with {letter}, since it fits best.")  # fmt: skip

GIVEN = ("call_logs.jsonl", "intents.jsonl", "config.toml", "resolved_config.json", "manifest.json", "plan.json")
"""Files of a run that are no part of its reports."""

Answer = tuple[str, str, str]
"""Question id, model, reply."""


def real(folder: Path, models: int) -> Iterator[Answer]:
    """The stored answers, then copies of them under other names, a share of which says another letter."""
    with (folder / "answers.csv").open(encoding="utf-8", newline="") as stream:
        rows = [(row["question_id"], row["model"], row["raw_response"]) for row in csv.DictReader(stream)]
    names = list(dict.fromkeys(model for _, model, _ in rows))
    chance = random.Random(505)
    for copy in range(-(-models // len(names))):
        for question, model, text in rows:
            if copy * len(names) + names.index(model) < models:
                changed = copy and chance.random() < NOISE
                yield (
                    question,
                    f"{model}-{copy}" if copy else model,
                    chance.choice(FORMS).format(letter=chance.choice("ABCD")) if changed else text,
                )


def invented(folder: Path, models: int) -> Iterator[Answer]:
    """Answers of invented models of rising skill to an invented benchmark, which is written into `folder`."""
    chance = random.Random(72)
    questions = [
        {
            "id": f"q{n:04d}", "version": "invented",
            "question": f"Which of these holds for station {n}, read at dawn and dusk?",
            "choices": [f"Reading {n + i}, {chance.choice(('before', 'after'))} the sluice was opened" for i in range(4)],
            "answer_index": chance.randrange(4), "difficulty": chance.choice(("easy", "medium", "hard")),
            "domains": [f"Domain {n % 7}"], "topics": [f"Topic {n % 300}", f"Topic {n % 211}"],
        }
        for n in range(QUESTIONS)
    ]  # fmt: skip
    (folder / "benchmark.json").write_text(json.dumps(questions), encoding="utf-8")
    for question in questions:
        for model in range(models):
            right = chance.random() < 0.3 + 0.6 * model / models
            letter = "ABCD"[int(str(question["answer_index"]))] if right else chance.choice("ABCD")
            yield str(question["id"]), f"model-{model:02d}", chance.choice(FORMS).format(letter=letter)


def write(folder: Path, data: Path, models: int) -> tuple[Path, Path, int]:
    """The benchmark, the table of answers, and how many answers it holds."""
    there = (data / "answers.csv").is_file()
    benchmark = data / "benchmark.json" if there else folder / "benchmark.json"
    table, n = folder / "answers.csv", 0
    with table.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(("question_id", "model", "raw_response"))
        for row in real(data, models) if there else invented(folder, models):
            writer.writerow(row)
            n += 1
    return benchmark, table, n


def ends(questions: int, folder: Path) -> str:
    """A table of what the end of runs takes, by how much of them was asked."""
    lines = [
        "| run | samples | answered | what | CPU s | wall s | peak RSS MB | derived MB |",
        "|---|---:|---:|---|---:|---:|---:|---:|",
    ]
    samples = questions * TIMES
    for kind in ("panel", "choice"):
        for answered in (0, int(STOPPED * samples), samples):
            place = folder / f"{kind}-{answered}"
            out = ended_run.made_apart(place, kind, questions, TIMES, answered)
            for what in ("rescore", "resume") if answered == samples else ("rescore",):
                cost = children.run(["-m", "tui_eval", what, str(out)], 900, str(folder))
                derived = sum(path.stat().st_size for path in out.iterdir() if path.name not in GIVEN and path.is_file()) / 1e6
                figures = f"{cost.cpu_s:.1f} | {cost.wall_s:.1f} | {cost.peak_mb:.0f} | {derived:.1f}"
                lines.append(f"| {kind} | {samples:,} | {answered:,} | {what} | {figures} |")
                print(lines[-1], file=sys.stderr, flush=True)
            shutil.rmtree(place)
    return "\n".join(lines)


def large(folder: Path, shrunk: int) -> tuple[str, bool]:
    """A table of what large benchmarks take, and whether the aims are met."""
    questions = LARGE // shrunk
    out = ended_run.made_apart(folder / "reported", "choice", questions, 100, 100 * questions)
    cost = children.run(["-m", "tui_eval", "rescore", str(out)], 3 * LARGE_S, str(folder), lambda pid: None)
    shutil.rmtree(folder / "reported")
    settled = 20 * questions - LEFT_OPEN
    out = ended_run.made_apart(folder / "resumed", "choice", questions, 20, settled)
    found = phases.phases_of(["resume", str(out)], out, LARGE_S, folder)
    met = (cost.cpu_s <= LARGE_S / shrunk and cost.peak_mb <= LARGE_MB, found.start_s <= FIRST_S / shrunk)
    said = ["yes" if each else "NO" for each in met]
    return "\n".join([
        "| what | CPU s | peak RSS MB | met |",
        "|---|---:|---:|---|",
        f"| {questions:,} questions x 100 models re-scored | {cost.cpu_s:.1f} | {cost.peak_mb:.0f} | {said[0]} |",
        f"| {settled:,} settled calls taken up again, until the first open call | {found.start_s:.1f} | - | {said[1]} |",
        f"| the same to its end | {found.whole_s:.1f} | {found.peak_mb:.0f} | - |",
    ]), all(met)  # fmt: skip


def main() -> int:
    """Measure and print a table; 1 where an aim is missed."""
    parser = argparse.ArgumentParser(description="What scoring and reporting stored answers takes.")
    parser.add_argument("--models", type=int, default=MODELS)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--ends", type=int, default=0, help="distinct questions of the runs whose end is measured instead")
    parser.add_argument("--large", action="store_true", help="measure large benchmarks instead")
    parser.add_argument("--shrunk", type=int, default=1, help="by how much these are smaller")
    options = parser.parse_args()
    if options.large:
        with tempfile.TemporaryDirectory(prefix="tui-eval-benchmark-") as name:
            text, is_met = large(Path(name), options.shrunk)
        print(text)
        return 0 if is_met else 1
    if options.ends:
        with tempfile.TemporaryDirectory(prefix="tui-eval-benchmark-") as name:
            print(ends(options.ends, Path(name)))
        return 0
    with tempfile.TemporaryDirectory(prefix="tui-eval-benchmark-") as name:
        folder = Path(name)
        benchmark, table, n = write(folder, options.data, options.models)
        out = folder / "run"
        import_ = ["import", str(table), "--dataset", str(benchmark), "--out", str(out)]
        costs = {
            "import and report": children.run(["-m", "tui_eval", *import_], 300, name),
            "rescore": children.run(["-m", "tui_eval", "rescore", str(out)], 300, name),
            "rescore under another rule": children.run(
                ["-m", "tui_eval", "rescore", str(out), "--set", "choice.extraction=formationeval-v0.1"], 300, name
            ),
            "leaderboard": children.run(["-m", "tui_eval", "leaderboard", str(out), "--out", str(folder / "board")], 300, name),
        }
    source = "real answers repeated with noise" if benchmark.parent == options.data else "invented answers"
    print(f"{n:,} stored answers of {options.models} models ({source}), {options.models * (options.models - 1) // 2:,} pairs.")
    print(f"Python {platform.python_version()}.\n\n| what | CPU s | wall s | peak RSS MB |\n|---|---:|---:|---:|")
    for what, cost in costs.items():
        print(f"| {what} | {cost.cpu_s:.2f} | {cost.wall_s:.2f} | {cost.peak_mb:.0f} |")
    cost = costs["rescore"]
    met = cost.wall_s <= MOST_S and cost.peak_mb <= MOST_MB
    print(f"\n| aim | found | met |\n|---|---:|---|\n| rescore below {MOST_S:.0f} s and {MOST_MB:.0f} MB | "
          f"{cost.wall_s:.1f} s, {cost.peak_mb:.0f} MB | {'yes' if met else 'NO'} |")  # fmt: skip
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
