"""Runs for tests of screens, made by the simulator with its waiting switched off."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import tomli_w

from tui_eval.configuring import preparing
from tui_eval.configuring.loading import load
from tui_eval.engine.run import run
from tui_eval.runs.folder import INTENTS, LOG, PROGRESS
from tui_eval.simulator.server import Simulator
from tui_eval.workspace.keys import Keys
from tui_eval.workspace.places import Workspace

PANEL, CHOICE = "20260101_100000_aaaa_panel", "20260102_100000_bbbb_exam"
"""The run folders that every test may have a copy of; the exam is the newer one."""
EXAM = "exam.json"
FAILING = "fault:400"
LONGEST_S = 20.0


def panel_config(url: str, questions: int = 4, **run_table: Any) -> dict[str, Any]:
    """A panel of two simulated doers, one of which always fails, and a judge."""
    names = (("scholar", "sim-scholar"), ("broken", FAILING), ("arbiter", "sim-arbiter"))
    return {
        "kind": "panel",
        "name": "small panel",
        "run": {"max_calls": 500, "max_concurrency": 8, "stop_model_after": 0, **run_table},
        "models": [{"name": name, "wire": "simulator", "model": model, "base_url": url} for name, model in names],
        "panel": {
            "questions": [f"What is porosity, question {number}?" for number in range(questions)],
            "doers": [{"model": "scholar", "calls": 2}, {"model": "broken"}],
            "judges": [{"model": "arbiter"}],
        },
    }


def exam_config(url: str) -> dict[str, Any]:
    """A multiple-choice exam of a few questions for the same models."""
    models = panel_config(url)["models"]
    return {
        "kind": "choice",
        "name": "small exam",
        "run": {"stop_model_after": 0},
        "models": models,
        "choice": {"benchmark": EXAM, "models": [model["name"] for model in models]},
    }


def write_exam(folder: Path, questions: int = 3) -> None:
    """The exam's questions."""
    choices = ["The whole of it", "The part that is empty", "The part that is solid", "No part of it"]
    entries = [
        {
            "id": f"q{number}",
            "version": "exam",
            "question": f"Which share of rock number {number} is pore space?",
            "choices": choices,
            "answer_index": number % 4,
            "answer_key": "ABCD"[number % 4],
            "difficulty": ("easy", "medium", "hard")[number % 3],
            "domains": ["Rock"],
            "topics": ["Pores"],
            "metadata": {"calc_required": False},
        }
        for number in range(questions)
    ]
    (folder / EXAM).write_text(json.dumps(entries), encoding="utf-8")


async def make_run(path: Path, config: dict[str, Any]) -> None:
    """Run a config in this process into a folder."""
    source = path.parent.parent / f"{path.name}.toml"
    source.write_text(tomli_w.dumps(config), encoding="utf-8")
    loaded = load(source, Workspace(path.parent.parent))
    keys = Keys([], loaded.key_files)
    preparing.prepare(loaded, path, keys.redact, ["--run", source.name])

    async with asyncio.timeout(LONGEST_S):
        await run(path, loaded, keys)


async def make_both(root: Path) -> None:
    """A panel and an exam, in a workspace."""
    simulator = Simulator(latency_scale=0.0)
    url = await simulator.start()
    try:
        await make_run(root / "runs" / PANEL, panel_config(url))
        write_exam(root)
        await make_run(root / "runs" / CHOICE, exam_config(url))
    finally:
        await simulator.stop()


def cut_off(path: Path, after: int) -> None:
    """Make a run that is over one whose process was lost after some attempts."""
    for name in (LOG, INTENTS):
        (path / name).write_bytes(b"".join((path / name).read_bytes().splitlines(keepends=True)[:after]))
    progress = json.loads((path / PROGRESS).read_bytes())
    (path / PROGRESS).write_text(json.dumps({**progress, "state": "running", "done": after}))
