"""Laws of what a config's fields name: models by stage, what --models leaves of them, files, limits; for every kind."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from samples import ALL_SAMPLES, MODELS, written
from soaking import WIDEST_SAMPLES

from tui_eval.configuring.loading import Loaded, load
from tui_eval.core.calls import Reply
from tui_eval.core.errors import ConfigError
from tui_eval.evaluation import config_references
from tui_eval.evaluation.plan import planned
from tui_eval.kinds import KINDS
from tui_eval.workspace.places import Workspace


def named(loaded: Loaded) -> Iterator[config_references.ConfigReference]:
    """Everything that a config names."""
    evaluation = loaded.evaluation
    return config_references.references_in(evaluation.config, evaluation.kind.name)


def test_every_model_is_named_for_a_stage(loaded: Loaded) -> None:
    """A field that names a model says in which stage it is asked, and the kind has that stage; so the task has its limits."""
    kind, task = loaded.evaluation.kind, loaded.evaluation.task
    models = [entry for entry in named(loaded) if entry.what == "model"]

    assert models and {entry.stage for entry in models} <= set(kind.stage_names)
    assert {(entry.stage, entry.value) for entry in models} == {(s, m.name) for s, found in task.asked.items() for m in found}


def test_every_call_is_to_a_model_that_is_named_for_its_stage(loaded: Loaded) -> None:
    """No flow asks anybody else."""
    asked = {(stage, model.name) for stage, found in loaded.evaluation.task.asked.items() for model in found}

    for sample in loaded.evaluation.samples():
        for reply in loaded.evaluation.driven(sample, lambda call: Reply(call, "ok", text=call.example_text)).replies:
            assert (reply.call.stage, reply.call.model) in asked


def test_a_resolved_config_names_files_of_the_run_folder(loaded: Loaded) -> None:
    """Every file lies under inputs/, where its field says, and there is no other; no pattern is left."""
    files = {file.path for file in loaded.evaluation.files}

    for entry in named(loaded):
        if entry.what in config_references.FILES:
            assert entry.value.startswith(f"inputs/{entry.extra['place']}/") and entry.value in files


@pytest.mark.parametrize(("kind", "name"), WIDEST_SAMPLES, ids=[name for _, name in ALL_SAMPLES])
@pytest.mark.parametrize("model", ["one", "two", "three"])
def test_models_leaves_those_and_the_judges(kind: str, name: str, model: str, tmp_path: Path) -> None:
    """--models asks the named model and whoever judges or is said to stay, nobody else; a model that only judges cannot be
    named."""
    config = written(kind, name, tmp_path)
    whole = load(config, Workspace(tmp_path))
    role = KINDS[kind].role
    entries = [entry for entry in named(whole) if entry.what == "model"]
    staying = {entry.stage for entry in entries if role(entry.stage) == "judge" or entry.extra["stays"]}
    answering = {entry.value for entry in entries if entry.stage not in staying}
    cut, said = None, ""
    try:
        cut = load(config, Workspace(tmp_path), models=[model])
    except ConfigError as error:
        said = str(error)
    if cut is None:
        assert "--models" in said and (model not in answering or "would be left without a model" in said)
        return

    before = {(stage, m.name) for stage, found in whole.evaluation.task.asked.items() for m in found}
    after = {(stage, m.name) for stage, found in cut.evaluation.task.asked.items() for m in found}
    assert after == {(stage, found) for stage, found in before if found == model or stage in staying}


@pytest.mark.parametrize(("kind", "name"), ALL_SAMPLES, ids=[name for _, name in ALL_SAMPLES])
def test_where_nobody_sets_a_cap_there_is_one_that_the_plan_fits(kind: str, name: str, tmp_path: Path) -> None:
    """The kind's own, or one with room for everything that the plan says may follow."""
    config = written(kind, name, tmp_path)
    table: dict[str, Any] = tomllib.loads(config.read_text())
    del table["run"]["max_calls"]
    config.write_text(tomli_w.dumps(table))

    loaded = load(config, Workspace(tmp_path))

    plan, own = loaded.plan, KINDS[kind].defaults.max_calls
    assert loaded.run.max_calls == own or own is None
    assert own is not None or (loaded.run.max_calls or 0) >= plan["total_calls"] + plan["up_to_more"]


@pytest.mark.parametrize(("kind", "name"), WIDEST_SAMPLES, ids=[name for _, name in ALL_SAMPLES])
def test_a_plan_of_some_samples_is_what_they_ask(kind: str, name: str, tmp_path: Path) -> None:
    """--only, too, is planned exactly, sample by sample: the plans of each one alone add up to the whole."""
    config = written(kind, name, tmp_path, repeat=1)
    whole = load(config, Workspace(tmp_path))
    evaluation = whole.evaluation
    total = 0
    for sample in evaluation.samples():
        one = load(config, Workspace(tmp_path), only=[sample.id]).evaluation
        total += planned(one.kind, one.task, one.queues, one.models, 1, every=False)["total_calls"]

    assert total == whole.plan["total_calls"]


def test_a_models_own_limits_are_sent(tmp_path: Path) -> None:
    """What a row leaves open comes from its model; what the model leaves open, from the run."""
    config = written("agree", "agree, by a judge", tmp_path)
    text = config.read_text().replace(MODELS, MODELS.replace('name = "one"', 'name = "one"\ntimeout_s = 7\ntemperature = 0.5'))
    config.write_text(text.replace("[run]\n", "[run]\ntimeout_s = 9\nmax_output_tokens = 50\n"))

    asked = load(config, Workspace(tmp_path)).evaluation.task.asked["answer"]

    assert [(m.name, m.timeout_s, m.temperature, m.max_output_tokens) for m in asked] == [
        ("one", 7, 0.5, 50),
        ("two", 9, None, 50),
    ]
