"""Validation of a kind: it must declare what the rest of the program rests on; told before a run stumbles over it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from pydantic import BaseModel

from tui_eval.evaluation.config_references import speaking, tables_in
from tui_eval.evaluation.kind import Kind
from tui_eval.evaluation.stage_models import SCORING

SCORER_KEYS = ("scorers", "scoring")
"""The keys of a config that say what scores replies."""
TOP_KEYS = ("kind", "name", "run", "models", *SCORER_KEYS, "gate", "inputs")
"""The keys of every config; beside them stands the kind's own table."""


def problems_of(kind: Kind) -> list[str]:
    """Return the problems of a kind as it is written, in sentences for whoever writes it; none where nothing is wrong."""
    return [
        f"kinds: {kind.name}: {problem}"
        for problem in (*_of_name(kind.name), *_of_config(kind), *_of_stages(kind), *_of_metrics(kind))
    ]


def _of_name(name: str) -> Iterator[str]:
    if name in TOP_KEYS or not re.fullmatch("[a-z][a-z0-9_-]*", name):
        yield f"its name is that of its table: small letters, digits, '-' and '_', and none of {', '.join(TOP_KEYS)}"


def _of_config(kind: Kind) -> Iterator[str]:
    if kind.prompts and kind.names_prompts:
        yield "its key prompts names files, so there can be no shipped prompts that are filled into it"
    if kind.prompts and "prompts" not in kind.Config.model_fields:
        yield "its Config needs a field `prompts: dict[str, str] = {}`, into which its prompts are filled"
    for key, stage in _model_fields(kind.Config, ""):
        if not stage:
            yield f'Config.{key} names a model and no stage: names("model", stage=...), or asked_in(...) around the table'
        elif stage not in kind.stage_names:
            yield f"Config.{key} names a model of the stage {stage!r}; its stages are {', '.join(kind.stage_names)}"


def _model_fields(table: type[BaseModel], key: str, stage: str = "") -> Iterator[tuple[str, str]]:
    """(key, stage) of every field that names a model, those of inner tables included."""
    for name, extra, reference_type in speaking(table):
        field_stage, here = str(extra.get("stage") or stage), f"{key}{name}"
        if reference_type == "model":
            yield here, field_stage
        for inner in tables_in(table.model_fields[name].annotation):
            yield from _model_fields(inner, f"{here}.", field_stage)


def _of_stages(kind: Kind) -> Iterator[str]:
    twice = [name for name, n in Counter(kind.stage_names).items() if n > 1]
    if twice:
        yield f"two stages are called {twice[0]!r}"
    if SCORING in kind.stage_names:
        yield f"a stage is called {SCORING!r}, the stage of scorers that ask a model; give it another name"
    if all(stage.role == "judge" for stage in kind.stages):
        yield "no stage answers: each has the role judge"
    for name in kind.targets.stages:
        if name not in kind.stage_names or kind.role(name) != "answer":
            yield f"targets: {name!r} is not one of its stages that answer"


def _of_metrics(kind: Kind) -> Iterator[str]:
    for metric in kind.metrics:
        if not metric.low < metric.high:
            yield f"the scale of {metric.name} goes from {metric.low:g} to {metric.high:g}"
        if metric.threshold is not None and not metric.holds(metric.threshold):
            yield f"the threshold of {metric.name}, {metric.threshold:g}, is off its scale"
    twice = [name for name, n in Counter(metric.name for metric in kind.metrics).items() if n > 1]
    if twice:
        yield f"two metrics are called {twice[0]!r}"
