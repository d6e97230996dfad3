"""Models that score: who is asked by a config's scorers, with which limits and prompts; the run whose answers they score."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tui_eval.configuring.prompt_files import filled_scoring_prompts
from tui_eval.core.calls import ModelSpec
from tui_eval.core.errors import ConfigError
from tui_eval.core.input_sources import InputFile
from tui_eval.evaluation import config_references
from tui_eval.evaluation.inputs import Task
from tui_eval.evaluation.kind import Kind
from tui_eval.evaluation.sample_queues import Samples
from tui_eval.evaluation.scorers import SCORING, Scorers
from tui_eval.evaluation.stage_models import Asked, AskedModel, filled_in
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.run_settings import RunSettings
from tui_eval.workspace.toml_files import TomlFile

if TYPE_CHECKING:
    from tui_eval.evaluation.scoring.rule import ScorerRow


def named_models(config: Any, kind: Kind, scorers: Scorers, but: Iterable[str] = ()) -> dict[str, str]:
    """Names of the models that a config asks, its scorers' among them, and the key that names each first; `but`: stages that
    do not count."""
    own = config_references.models(config, kind.name, {*kind.stage_names} - {*but})
    return {**scoring_models(scorers), **own} if scorers.asking else own


def scoring_models(scorers: Scorers) -> dict[str, str]:
    """Names of the models that score, and the key that names each first."""
    key_by_model: dict[str, str] = {}
    for row in scorers.asking:
        key_by_model.setdefault(row.model, f"scorers[{scorers.rows.index(row)}].model")
    return key_by_model


def only_models(config: Any, kind: Kind, names: Sequence[str], scorers: Scorers) -> Any:
    """The kind's settings with these models only; who scores stays. ConfigError as `with_models` raises it."""
    scoring = scoring_models(scorers).keys() - config_references.models(config, kind.name).keys()
    for name in names:
        if name in scoring:
            raise ConfigError(f"--models {name}: this judge is always asked; name models that answer")
    return config_references.with_models(config, kind.name, names, kind.role) if names else config


def taken_runs(config: Any, kind: Kind, scorers: Scorers) -> Mapping[str, tuple[str, str]]:
    """By stage the run whose replies are taken in place of asking, and the key that names it: all but the scores of models with
    `scoring.answers`."""
    runs = config_references.runs(config, kind.name)
    if not scorers.answers:
        return runs
    return {**dict.fromkeys(kind.stage_names, (scorers.answers, f"{SCORING}.answers")), **runs}


def with_prompts(scorers: Scorers, file: TomlFile, workspace: Workspace) -> tuple[Scorers, list[InputFile]]:
    """The scorers with the prompts that they ask by, and these as files; none where they ask nobody."""
    if not scorers.asking:
        return scorers, []
    prompts, files = filled_scoring_prompts(file, workspace)
    return replace(scorers, prompts=prompts), files


def with_limits(scorers: Scorers, specs: Mapping[str, ModelSpec], run: RunSettings) -> Scorers:
    """The scorers with everything that a call to their models needs."""
    if not scorers.asking:
        return scorers
    full: dict[int, ScorerRow] = {}
    for row in scorers.asking:
        full[id(row)] = row.model_copy(update=filled_in(row, specs[row.model], run))
    rows, every = (tuple(full.get(id(row), row) for row in listed) for listed in (scorers.rows, scorers.every))
    return replace(scorers, rows=rows, every=every, seed=run.seed)


def with_scoring(models_by_stage: Asked, scorers: Scorers) -> Asked:
    """The models of each stage, with those that score."""
    if not scorers.asking:
        return models_by_stage
    scoring: dict[str, AskedModel] = {}
    for row in scorers.asking:
        scoring.setdefault(row.model, row.asked())
    return {**models_by_stage, SCORING: tuple(scoring.values())}


def told_apart(kind: Kind, task: Task, queues: Samples) -> Samples:
    """The queues, whose samples are told apart by how many of their answers a model scores."""
    if not task.scorers.asking:
        return queues
    from tui_eval.evaluation.drivers import as_example, driven  # only here: runs without such scorers drive nothing yet

    def scored_by(sample: Any) -> tuple[str, ...]:
        replies = driven(kind, task, sample, as_example).replies
        return tuple(reply.call.model for reply in replies if reply.call.stage == SCORING)

    return {name: queue.told_apart(scored_by) for name, queue in queues.items()}
