"""A kind of the tests with several measures: two of right or wrong, one of marks, over questions that belong to groups."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from pathlib import Path

from agree import AGREE, AgreeTask
from fault_bench import LOG, run_here, serving
from samples import AGREES, registered, written

from tui_eval.core.calls import Reply
from tui_eval.core.kinds import Flow, Metric
from tui_eval.core.results import Score
from tui_eval.core.samples import Sample
from tui_eval.evaluation.sample_queues import Samples, listed
from tui_eval.kinds import KINDS
from tui_eval.reporting import rescoring
from tui_eval.workspace.places import Workspace

METRICS = (Metric("agree", threshold=1.0), Metric("brief", threshold=1.0), Metric("worth", 1, 5, threshold=3))


def samples(task: AgreeTask) -> Samples:
    """Every question, with what it belongs to."""
    every = (found for queue in AGREE.samples(task).values() for found in queue)
    return listed(replace(found, groups={"length": ("long" if found.q_index % 2 else "short",)}) for found in every)


def flow(task: AgreeTask, sample: Sample) -> Flow:
    """All answer; what each is worth follows from its place alone, whatever it says."""
    replies = yield [
        model.ask(sample, task.config.prompts["system"], sample.question, example="Two.") for model in task.asked["answer"]
    ]
    return [score for place, reply in enumerate(replies) for score in _scores(reply, sample.q_index, place)]


def _scores(reply: Reply, question: int, place: int) -> list[Score]:
    values = (float((question + place) % 3 > 0), float(place < 2), 5.0 if question or place else 4.0)
    call = reply.call
    return [Score(call.stage, call.model, 0, metric.name, value) for metric, value in zip(METRICS, values, strict=True)]


SEVERAL = replace(AGREE, name="agree", samples=samples, flow=flow, metrics=METRICS)


async def run_of_several(folder: Path, path: Path) -> None:
    """A run of it in which every call took a second, so that every figure is the same each time."""
    with registered():
        KINDS["agree"] = SEVERAL
        async with serving(latency_scale=0) as served:
            folder.mkdir()
            table = tomllib.loads(written("agree", next(iter(AGREES)), folder, 1).read_text())
            for model in table["models"]:
                model["base_url"] = served.url
            await run_here(table, folder, out=path)
        records = [json.loads(line) for line in (path / LOG).read_text().splitlines()]
        (path / LOG).write_text("".join(json.dumps({**record, "latency_ms": 1000}) + "\n" for record in records))
        rescoring.rescore(path, Workspace(folder))
