"""Multiple-choice runs for the fault tests: a small exam, configs that ask it, a reply cache, and servers that can change."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fault_bench import Life, Served, Table, files_in, run_here, spoken_by, strict_json, strict_lines
from scripted import as_bytes, completion, reply

EXAM = "exam.json"


def write_exam(folder: Path, questions: int) -> str:
    """A benchmark file of so many questions, every one with four options; its name."""
    entries = [_question(number) for number in range(questions)]
    (folder / EXAM).write_text(json.dumps(entries), encoding="utf-8")
    return EXAM


def _question(number: int) -> Table:
    return {
        "id": f"q{number}",
        "version": "exam",
        "question": f"Which share of rock number {number} is pore space?",
        "choices": ["The whole of it", "The part that is empty", "The part that is solid", "No part of it"],
        "answer_index": number % 4,
        "answer_key": "ABCD"[number % 4],
        "difficulty": ("easy", "medium", "hard")[number % 3],
        "domains": ["Rock"],
        "topics": ["Pores"],
        "metadata": {"calc_required": False},
    }


def choice(folder: Path, models: Sequence[Table], questions: int = 4, *, run: Table | None = None, **table: Any) -> Table:
    """A config that asks each of these models an exam of so many questions; limits are the kind's own."""
    return {
        "kind": "choice",
        "name": "exam",
        "run": run or {},
        "models": list(models),
        "choice": {"benchmark": write_exam(folder, questions), "models": [model["name"] for model in models], **table},
    }


def faulty(url: str, what: str) -> Table:
    """A model that meets a fault each time; one that never answers is given up soon, and no other is: a slow machine shall
    not make a timeout of what is another fault."""
    return spoken_by(url, what, f"fault:{what}", **({"timeout_s": 0.4} if what == "hang" else {}))


def cache_of(folder: Path) -> Path:
    """Where the replies of a workspace are kept."""
    return folder / ".cache" / "replies"


async def run_cached(config: Table, folder: Path, name: str = "run", **options: Any) -> Life:
    """Run a config in this process as the run command does, with the workspace's reply cache."""
    return await run_here(config, folder, out=folder / name, cache=cache_of(folder), **options)


def kept_in(cache: Path) -> dict[str, Path]:
    """Every kept reply's file, by its call key."""
    return {file.stem: file for file in files_in(cache) if file.suffix == ".json" and not file.name.startswith(".")}


async def since(served: Served, before: Table) -> Table:
    """What the server was asked since an earlier count."""
    now = await served.stats()
    return {**now, "requests": now["requests"] - before["requests"], "ids": now["ids"][len(before["ids"]) :]}


def answers_of(path: Path) -> bytes:
    """Every answer with its score, byte for byte; no time, no cost and no address is in it."""
    rows = strict_lines(path / "results.jsonl")
    for told in (told for row in rows for told in row["replies"]):
        told.pop("latency_ms")
        told.pop("cached", None)
    for score in (score for row in rows for score in row["scores"]):
        score.pop("version")
    return json.dumps(rows).encode()


def figures_of(path: Path) -> dict[str, dict[str, str]]:
    """accuracy.csv, by model."""
    rows = csv.DictReader(io.StringIO((path / "accuracy.csv").read_text(encoding="utf-8")))
    return {row["model"]: row for row in rows}


def provenance_of(path: Path) -> Table:
    """What report.json says of each model's provenance, by model."""
    report = strict_json((path / "report.json").read_bytes())
    return dict(report["models"])


ANSWERS = reply(as_bytes(completion("Answer: B")))
"""What a scripted server says when all is well."""
FAILS = reply(as_bytes({"error": {"message": "down for repair", "code": 500}}), status=500)
"""What it says when it is down."""
