"""Logs of runs that were never made: every call of some samples answered with its own example, or with what is made of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path

from tui_eval.configuring.evaluation import Evaluation
from tui_eval.configuring.loading import Loaded
from tui_eval.configuring.preparing import prepare
from tui_eval.core.calls import Call, Reply
from tui_eval.core.key import call_key
from tui_eval.core.kinds import Flow
from tui_eval.core.records import Attempt
from tui_eval.core.samples import Sample
from tui_eval.evaluation.inputs import Task
from tui_eval.runs.folder import INTENTS, LOG
from tui_eval.runs.record import line_of, place_of_call

LIFE = "abcdef"


def prepared(loaded: Loaded, out: Path) -> Path:
    """The run folder of a config, in which nothing was asked."""
    prepare(loaded, out, lambda text: text, ["test"])
    return out


def _as_it_is(text: str) -> str:
    return text


def answer_samples(out: Path, loaded: Loaded, places: Collection[int], said: Callable[[str], str] = _as_it_is) -> int:
    """Add to the log of a prepared run what an engine would write for these samples; how many calls. `said`: the reply that is
    made of a call's example."""
    numbers = count(len((out / LOG).read_bytes().splitlines()) if (out / LOG).exists() else 0)
    asked: list[Call] = []
    with (out / LOG).open("a", encoding="ascii") as log, (out / INTENTS).open("a", encoding="ascii") as intents:
        for place, sample in enumerate(loaded.evaluation.samples()):
            if place not in places:
                continue

            def answer(call: Call, sample: Sample = sample) -> Reply:
                asked.append(call)
                attempt = replace(_attempt(out, loaded, sample, call, next(numbers)), response_text=said(call.example_text or ""))
                log.write(line_of(attempt, json.dumps({"model": attempt.model_id, "prompt": call.messages[-1].content})))
                intents.write(json.dumps({"attempt_id": attempt.attempt_id, "call_key": attempt.call_key}) + "\n")
                return Reply(call, "ok", text=attempt.response_text)

            loaded.evaluation.driven(sample, answer)
    return len(asked)


def _attempt(out: Path, loaded: Loaded, sample: Sample, call: Call, number: int) -> Attempt:
    model = loaded.evaluation.models[call.model]
    second = f"2026-01-01T00:{number // 60 % 60:02d}:{number % 60:02d}.000Z"
    return Attempt(
        attempt_id=f"{LIFE}-{number:06d}",
        call_key=call_key(call, model),
        status="ok",
        **place_of_call(out.name, call, sample, model),
        started_at=second,
        ended_at=second,
        latency_ms=100 + number % 50,
        http_status=200,
        finish_reason="stop",
        served_model=model.model,
        simulated=True,
        response_text=call.example_text,
    )


def counting(evaluation: Evaluation) -> tuple[Evaluation, list[str]]:
    """The same evaluation, and the ids of the samples whose flows were begun, one entry each time."""
    begun: list[str] = []
    flow_of = evaluation.kind.flow

    def flow(task: Task, sample: Sample) -> Flow:
        begun.append(sample.id)
        return flow_of(task, sample)

    return replace(evaluation, kind=replace(evaluation.kind, flow=flow)), begun


def lines_of(path: Path) -> Iterator[dict[str, object]]:
    """The lines of a file, as objects."""
    return map(json.loads, path.read_text(encoding="utf-8").splitlines())
