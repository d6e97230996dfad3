"""How long the app's counter takes to follow a change of the form: planner.look after each of them, 10,000 questions.

python benchmarks/counter.py [--questions 10000] [--looks 100]

Three configs: a benchmark asked of three models, a panel whose questions stand in a file, and one whose questions stand in the
config itself. Each look comes after one changed field, in this process, everything else as it was. Nothing is sent. Times are
by the clock, and by the processor's time of this thread alone, which does not count what other programs take meanwhile.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tui_eval.configuring.drafting.drafts import Draft
from tui_eval.configuring.drafting.planner import Planner
from tui_eval.core.calls import Json
from tui_eval.core.errors import Place
from tui_eval.workspace.places import Workspace

QUESTIONS, LOOKS = 10_000, 100
MOST_P99_MS = 30.0
MODELS = [{"name": name, "wire": "simulator", "model": f"sim-{name}"} for name in ("scholar", "sprinter", "arbiter")]

Change = tuple[str, Callable[[int], Json], Place]
"""What is changed, its value at the n-th look, and where it stands."""

COMMON: list[Change] = [
    ("name", lambda n: f"run {n}", ("name",)),
    ("max_calls", lambda n: 1_000_000 + n, ("run", "max_calls")),
    ("temperature of a model", lambda n: n % 20 / 10, ("models", 0, "temperature")),
]
CHOICE: list[Change] = [
    *COMMON,
    ("filter.first", lambda n: QUESTIONS - n, ("choice", "filter", "first")),
    ("permutations", lambda n: 1 + n % 4, ("choice", "permutations")),
    ("shuffle", lambda n: n % 2 == 0, ("choice", "shuffle")),
    ("temperature", lambda n: n % 20 / 10, ("choice", "temperature")),
]
PANEL: list[Change] = [
    *COMMON,
    ("a model's calls", lambda n: 1 + n % 5, ("panel", "doers", 0, "calls")),
    ("a row's temperature", lambda n: n % 20 / 10, ("panel", "doers", 0, "temperature")),
]


def choice(folder: Path, questions: int) -> Draft:
    """A benchmark of four options asked of three models."""
    rows = [
        {
            "id": f"q{n}", "question": f"Which of these holds for station {n}, read at dawn and at dusk?",
            "choices": [f"Reading {n + i} before the sluice was opened" for i in range(4)], "answer_index": n % 4,
            "difficulty": ("easy", "medium", "hard")[n % 3], "domains": [f"Domain {n % 7}"],
        }
        for n in range(questions)
    ]  # fmt: skip
    (folder / "benchmark.json").write_text(json.dumps(rows), encoding="utf-8")
    draft = Draft.new("choice", folder)
    draft.set(("models",), MODELS)
    draft.set(("choice",), {"benchmark": "benchmark.json", "models": [str(model["name"]) for model in MODELS]})
    return draft


def panel(folder: Path, questions: int, inside: bool) -> Draft:
    """Two doers, a judge and a scorer; the questions inside the config, or in files."""
    asked = [f"What was read at station {n}, at dawn and at dusk?" for n in range(questions)]
    truths = [f"Reading {n}" for n in range(questions)]
    (folder / "questions.txt").write_text("\n".join(asked), encoding="utf-8")
    (folder / "truths.txt").write_text("\n".join(truths), encoding="utf-8")
    given: dict[str, Json] = {"questions": asked, "truths": truths}
    files: dict[str, Json] = {"questions_file": "questions.txt", "truths_file": "truths.txt"}
    draft = Draft.new("panel", folder)
    draft.set(("models",), MODELS)
    draft.set(
        ("panel",),
        {
            **(given if inside else files),
            "doers": [{"model": "scholar"}, {"model": "sprinter"}],
            "judges": [{"model": "arbiter"}],
            "benchmark": {"mode": "llm", "scorer": {"model": "arbiter"}},
        },
    )
    return draft


def measured(planner: Planner, draft: Draft, change: Change, looks: int) -> tuple[list[float], list[float]]:
    """Milliseconds of each look after a change, sorted: by the clock, and by the processor."""
    _, value, place = change
    clock, processor = [], []
    for n in range(looks):
        draft.set(place, value(n))
        begun, worked = time.perf_counter(), time.thread_time()
        look = planner.look(draft)
        processor.append(1000 * (time.thread_time() - worked))
        clock.append(1000 * (time.perf_counter() - begun))
        assert look.plan is not None, look.problems
    return sorted(clock), sorted(processor)


def percentile(ordered: list[float], share: float) -> float:
    """The value below which this share of the others lies."""
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]


def drafts(folder: Path, questions: int) -> list[tuple[str, Draft, list[Change]]]:
    """What is measured: a title, the config, and the fields that are changed."""
    return [
        ("choice", choice(folder, questions), CHOICE),
        ("panel, files", panel(folder, questions, inside=False), PANEL),
        ("panel, in the config", panel(folder, questions, inside=True), PANEL),
    ]


def main() -> int:
    """Print a table; 1 when a look takes longer than it may."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--questions", type=int, default=QUESTIONS)
    parser.add_argument("--looks", type=int, default=LOOKS)
    options = parser.parse_args()
    print(f"{platform.platform()}, Python {platform.python_version()}")
    print(f"{options.questions:,} questions, {options.looks} looks each; at most {MOST_P99_MS:g} ms by the processor")
    print(f"{'config':<20} {'changed':<24} {'p50 ms':>8} {'p99 ms':>8} {'cpu p99':>8} {'first ms':>9}")
    slow = False
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for title, draft, changes in drafts(folder, options.questions):
            planner = Planner(Workspace(folder))
            begun = time.perf_counter()
            planner.look(draft)
            first = 1000 * (time.perf_counter() - begun)
            for change in changes:
                clock, processor = measured(planner, draft, change, options.looks)
                p50, p99, cpu = percentile(clock, 0.5), percentile(clock, 0.99), percentile(processor, 0.99)
                slow = slow or cpu > MOST_P99_MS
                print(f"{title:<20} {change[0]:<24} {p50:>8.1f} {p99:>8.1f} {cpu:>8.1f} {first:>9.0f}")
    return int(slow)


if __name__ == "__main__":
    sys.exit(main())
