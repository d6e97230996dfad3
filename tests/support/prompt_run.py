"""Runs of one set under several prompts: who is right how often is planted, and one model's name tries to act."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from fault_bench import LOG, run_here, serving, simulated_by

from tui_eval.reporting import rescoring
from tui_eval.workspace.places import Workspace

RUN = "20260108_100000_eeee_sums"
HOSTILE = "[bold red]x[/]"
Right = Mapping[str, Sequence[int]]
"""By prompt, in the order of the config, how many of its first samples each model has right."""
MODELS = ("alder", HOSTILE, "cedar")
SMALL: Right = {"plain": (10, 0, 0), "steps": (5, 10, 5)}
"""Of ten samples: under the first prompt one model is right and the others wrong, under the second none is shown to lead."""
MANY_MODELS = (*MODELS, *(f"openrouter/some-provider/a-model-of-a-long-name-{number:02}" for number in range(9)))
LARGE: Right = {
    "plain": (16, *[0] * 11), "steps": (0, 16, *[0] * 10), "terse": (8,) * 12, "polite": (4, 12) * 6,
    "a_prompt_of_a_rather_long_name": (16, *[0] * 11), "last": (0,) * 12,
}  # fmt: skip
"""Of sixteen: twelve models under six prompts, three of which have a leader."""


async def prompt_run(folder: Path, path: Path, models: Sequence[str] = MODELS, right: Right = SMALL, samples: int = 10) -> None:
    """Made anew by the simulator, with planted replies, and scored."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = [{"id": f"s{n:02}", "question": f"What is {n} and 1?", "answer": str(n + 1)} for n in range(samples)]
    (folder / "sums.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    prompts = [{"name": name, "text": f"{name}: {{question}}"} for name in right]
    async with serving(latency_scale=0) as served:
        tables = [simulated_by(served.url, name, "sim-scholar") for name in models]
        qa = {"dataset": "sums.jsonl", "target": "answer", "prompts": prompts}
        qa |= {"models": [*models]}
        run = {"max_calls": 5_000, "seed": 3, "cache": False}
        scorers = ["number", "length"]
        config = {"kind": "qa", "name": "sums", "scorers": scorers, "run": run, "models": tables, "qa": qa}
        await run_here(config, folder, out=path)
    records = [json.loads(line) for line in (path / LOG).read_text().splitlines()]
    for record in records:
        *_, prompt, sample = record["item_id"].split("/")
        n, of = int(sample[1:]), models.index(record["model"])
        record |= {"latency_ms": 1000, "response_text": f"It is {n + 1 if n < right[prompt][of] else n + 2}."}
    (path / LOG).write_text("".join(json.dumps(record) + "\n" for record in records))
    rescoring.rescore(path, Workspace(path.parent))
