"""Runs of decision graphs as tests drive them: two briefs, two models, and what these say."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import tomli_w

from tui_eval.configuring.loading import Loaded, load
from tui_eval.core.calls import Call, Reply, Usage
from tui_eval.core.results import About, Provenance, SampleResult
from tui_eval.kinds.graph.graph_report import GraphReport
from tui_eval.workspace.places import Workspace

HEAD = "---\nexpect_status_quo: true\nhas_numeric_target: false\ncomplexity: simple\n---\n"
BRIEFS = {"ferry.md": f"{HEAD}\nShall a ferry run at night?\n", "wheel.md": f"{HEAD}\nWhich wheel to build?\n"}
MODELS = [
    {"name": "one", "wire": "simulator", "model": "sim-scholar", "target_mode": "deep", "display_name": "One *deep*"},
    {"name": "two", "wire": "simulator", "model": "sim-sprinter", "target_mode": "fast"},
]
Say = Callable[[Call], str | Reply]


def run_of(
    folder: Path, briefs: Mapping[str, str] = BRIEFS, prompts: Sequence[str] = ("v1.txt",),
    models: Sequence[Mapping[str, Any]] = MODELS, **table: Any,
) -> Loaded:  # fmt: skip
    """A run of these briefs and prompts by these models, ready to be driven."""
    for name, text in briefs.items():
        (folder / name).write_text(text, encoding="utf-8")
    for name in prompts:
        (folder / name).write_text(f"Draw a decision graph ({name}).", encoding="utf-8")
    asked = {"prompts": [*prompts], "briefs": [*briefs], "models": [model["name"] for model in models], **table}
    config = {"kind": "graph", "name": "drafts", "run": {"max_calls": 1000}, "models": [*models], "graph": asked}
    (folder / "graph.toml").write_text(tomli_w.dumps(config), encoding="utf-8")
    return load(folder / "graph.toml", Workspace(folder))


def rows_of(run: Loaded, say: Say) -> list[SampleResult]:
    """Every sample, driven by what a test says."""

    def answer(call: Call) -> Reply:
        said = say(call)
        return said if isinstance(said, Reply) else Reply(call, "ok", text=said, latency_ms=100, usage=Usage(10, 20, 30))

    rows = [run.evaluation.driven(sample, answer) for sample in run.evaluation.samples()]
    assert [row.error for row in rows if row.error] == []
    return rows


def reported(run: Loaded, rows: Sequence[SampleResult]) -> GraphReport:
    """What they add up to."""
    found = GraphReport(run.evaluation.task)
    for row in rows:
        found.add(row)
    return found


def about(run: Loaded, **more: Any) -> About:
    """What a report says of a run."""
    models = {
        name: Provenance(name, spec.wire, spec.model, None, None, {}, {}, (), 0, None, None)
        for name, spec in run.evaluation.models.items()
    }
    return About("run-1", "uid", "drafts", "2026-01-01T00:00:00Z", "1", True, 4, 0, models, frozenset(models), **more)


def example(call: Call) -> str:
    """The call's own example."""
    return call.example_text
