"""Runs to look at, made once by the simulator with its waiting switched off, and an environment without surprises."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tomli_w

from tui_eval import session
from tui_eval.engine.progress import Progress
from tui_eval.engine.run import run
from tui_eval.keys import Keys
from tui_eval.loading import load
from tui_eval.simulator.server import Simulator
from tui_eval.store.folder import LOG, STOP
from tui_eval.workspace import Workspace

UNWANTED = ("NO_COLOR", "COLORTERM", "TMUX", "SSH_CONNECTION", "PAGER", "LESS", "COLUMNS", "LINES")
"""Variables of the terminal that the tests were started in; those of TEXTUAL_* are left out, too."""
PANEL, CHOICE = "20260101_100000_aaaa_panel", "20260102_100000_bbbb_exam"
"""The run folders that every test may have a copy of; the exam is the newer one."""
EXAM = "exam.json"
FAILING = "fault:400"
LONGEST_S = 20.0


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in os.environ:
        if name in UNWANTED or name.startswith("TEXTUAL_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


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


async def make_run(path: Path, config: dict[str, Any], stop_after: int | None = None) -> None:
    """Run a config in this process into a folder; `stop_after`: stop it once so many attempts have ended."""
    source = path.parent.parent / f"{path.name}.toml"
    source.write_text(tomli_w.dumps(config), encoding="utf-8")
    loaded = load(source, Workspace(path.parent.parent))
    keys = Keys([], loaded.key_files)
    session.prepare(loaded, path, keys.redact, ["--run", source.name])

    def watch(progress: Progress) -> None:
        if stop_after is not None and (path / LOG).read_bytes().count(b"\n") >= stop_after:
            (path / STOP).touch()

    async with asyncio.timeout(LONGEST_S):
        await run(path, loaded, keys, watch)


async def _make(root: Path) -> None:
    simulator = Simulator(latency_scale=0.0)
    url = await simulator.start()
    try:
        await make_run(root / "runs" / PANEL, panel_config(url))
        write_exam(root)
        await make_run(root / "runs" / CHOICE, exam_config(url))
    finally:
        await simulator.stop()


@pytest.fixture(scope="session")
def made_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with a panel and an exam, both over; not to be changed."""
    root = tmp_path_factory.mktemp("made")
    (root / "runs").mkdir()
    asyncio.run(_make(root))
    return root


@pytest.fixture
def workspace(made_runs: Path, tmp_path: Path) -> Path:
    """A workspace of one's own with both runs in it."""
    shutil.copytree(made_runs / "runs", tmp_path / "runs")
    return tmp_path
