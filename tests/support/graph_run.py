"""A run of decision graphs to look at: two models, two briefs, two prompts; one graph breaks rules, one tries to act."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from fault_bench import LOG, run_here, serving, simulated_by
from graphs import changed, drawn, with_edges, with_node

from tui_eval.reporting import rescoring
from tui_eval.workspace.places import Workspace, shipped

RUN = "20260107_100000_ffff_drafts-draft-v1"
BRIEFS, PROMPTS = ("01-night-ferry", "02-mill-wheel"), ("draft_v1", "draft_v2")
MODELS = {"alder": "sim-scholar", "birch": "sim-thinker"}
HOSTILE = "[/red] \x1b[2J\x1b]52;c;aGk=\x07 [@click=app.quit]x"
REPLIES = (
    json.dumps(with_edges(with_node(drawn(), "lonely", "factor", "Lonely"), ("fares", "seats"))),
    json.dumps(changed(drawn(), "goal", label=HOSTILE)),
    f"No graph, but {HOSTILE}",
)
"""The first model's, to its first calls: a graph that breaks two rules, one with a label that would act, and none."""


async def graph_run(folder: Path, path: Path) -> None:
    """Made anew; all but REPLIES are the same sound graph, and every call took a second."""
    folder.mkdir(parents=True, exist_ok=True)
    for file in (shipped("examples") / "graph").glob("*/*"):
        shutil.copy(file, folder)
    files = {"prompts": [f"{name}.txt" for name in PROMPTS], "briefs": [f"{name}.md" for name in BRIEFS]}
    run = {"max_calls": 100, "seed": 3, "cache": False}
    async with serving(latency_scale=0) as served:
        models = [simulated_by(served.url, name, persona) for name, persona in MODELS.items()]
        table = {"kind": "graph", "name": "drafts", "run": run, "models": models, "graph": {**files, "models": [*MODELS]}}
        await run_here(table, folder, out=path)
    records = [json.loads(line) for line in (path / LOG).read_text().splitlines()]
    first = sorted(record["item_id"] for record in records if record["model"] == next(iter(MODELS)))
    said = dict(zip(first, REPLIES, strict=False))
    for record in records:
        record |= {"latency_ms": 1000, "response_text": said.get(record["item_id"], json.dumps(drawn()))}
    (path / LOG).write_text("".join(json.dumps(record) + "\n" for record in records))
    rescoring.rescore(path, Workspace(path.parent))
