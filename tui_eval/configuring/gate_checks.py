"""Gates of a config: thresholds by metric, and refusal of what no run of it could be judged by."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from tui_eval.core.calls import Json
from tui_eval.core.errors import FolderError, Place
from tui_eval.core.samples import NO_DOCUMENT
from tui_eval.evaluation.inputs import Task
from tui_eval.evaluation.kind import Kind
from tui_eval.evaluation.sample_queues import Samples
from tui_eval.results.sums.gates import threshold_of
from tui_eval.runs.entry import look
from tui_eval.runs.folder import CONFIG
from tui_eval.runs.reader import RunReader
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.toml_files import TomlFile
from tui_eval.workspace.validation import Strict, nearest, unknown_key, validate


class GateSettings(Strict):
    """The `[gate]` table. Its other keys are the kind's metrics, each with a threshold such as ">= 0.8"."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, str]

    stage: str = ""
    """The stage whose models must hold it. Empty = the last one that answers."""
    models: dict[str, dict[str, str]] = {}
    """Thresholds of single models by metric, in place of the ones above: { mini = { correct = ">= 0.7" } }. Every other model
    must hold those above."""
    bound: Literal["value", "low"] = "value"
    """What must lie on the good side: the value itself, or (low) all of its 95 % interval, so that chance alone passes no
    gate."""
    max_missing: Annotated[float, Field(ge=0, le=1, examples=[0.05])] | None = None
    """The largest share of a model's answers that may have no score: failed, refused, not read. Empty = any."""
    max_cost_usd: Annotated[float, Field(ge=0, examples=[5.0])] | None = None
    """The most that the run may have cost, USD. It stops nothing; run.max_cost_usd does."""
    against: Annotated[str, Field(json_schema_extra={"names": "run"})] = ""
    """An earlier run that no model may be worse than: its id, or its folder as seen from this file. Empty = none."""
    at_most_worse: Annotated[float, Field(ge=0)] = 0.0
    """By how much it may be worse than that run, in the metric's unit: 0.02 is two points of a hundred."""
    critical: list[str] = []
    """Ids of questions, samples or documents of which no answer may be wrong."""
    inconclusive: Literal["fail", "pass"] = "fail"
    """What a gate counts as that cannot be told yet, for want of scores, questions or costs."""

    @property
    def thresholds(self) -> dict[str, str]:
        """The thresholds that hold for every model, by metric."""
        return self.__pydantic_extra__

    @property
    def measured(self) -> set[str]:
        """The metrics that it has a threshold of; none where it demands something else."""
        return set(self.thresholds).union(*self.models.values())

    @property
    def demands(self) -> bool:
        """Whether it demands anything, and does not just say how."""
        limits = (self.max_missing, self.max_cost_usd)
        return bool(self.measured or self.critical or self.against) or any(limit is not None for limit in limits)


@dataclass(frozen=True, slots=True)
class Gates:
    """What a run's results are held against; nothing of what is asked depends on it."""

    settings: GateSettings
    """As they stand in the run's config; `against` so that it is found from there, too."""
    stage: str
    """The stage whose models are held against it."""
    other: Path | None
    """The run that none of them may be worse than; None where there is none, or where it is gone."""


def gate_settings(file: TomlFile, kind: Kind) -> GateSettings | None:
    """The [gate] table, so far as it can be told by itself; None where there is none. ConfigError names the key to mend."""
    table = file.content.get("gate")
    if table is None or table == {}:
        return None
    if isinstance(table, dict):
        own = {name: text for name, text in table.items() if name not in GateSettings.model_fields}
        _check_thresholds(file, kind, ("gate",), own, GateSettings.model_fields)
    settings = validate(GateSettings, table, file, ("gate",))
    if not settings.demands:
        example = f'{kind.metrics[0].name} = ">= ..."' if kind.metrics else "max_cost_usd = ..."
        raise file.error(("gate",), f"demands nothing yet: add, for example, {example}")
    if settings.at_most_worse and not settings.against:
        raise file.error(("gate", "at_most_worse"), "says by how much a run may be worse than gate.against, which is not set")
    for model, own in settings.models.items():
        _check_thresholds(file, kind, ("gate", "models", model), own)
    if settings.critical and not any(metric.threshold is not None for metric in kind.metrics):
        raise file.error(("gate", "critical"), f"a {kind.name} run has no metric that says which answers are wrong")
    return settings


def _check_thresholds(
    file: TomlFile, kind: Kind, place: Place, table: Mapping[str, Json], others: Collection[str] = ()
) -> None:
    metrics = {metric.name: metric for metric in kind.metrics}
    for name, text in table.items():
        if name not in metrics:
            raise unknown_key(file, (*place, name), [*metrics, *others])
        try:
            wanted = threshold_of(text if isinstance(text, str) else str(text))
        except ValueError as error:
            raise file.error((*place, name), str(error)) from None
        metric = metrics[name]
        if not metric.holds(wanted.value):
            raise file.error((*place, name), f"{wanted.value:g} is off its scale, {metric.low:g} to {metric.high:g}")


def checked(
    settings: GateSettings,
    file: TomlFile,
    workspace: Workspace,
    kind: Kind,
    named: Collection[str],
    task: Task,
    queues: Samples,
) -> Gates | None:
    """The gates of a run, None where it has none left. `named`: its config's models; what --models left out need hold nothing.

    ConfigError for a stage, a model, a question or a run that there is not.
    """
    stage = _stage(settings, file, kind, task)
    models = _models(settings, file, named, task, stage)
    for name in _unknown(settings.critical, queues):
        raise file.error(("gate", "critical"), f"no question, item or document {name!r}{_nearest_id(name, queues)}")
    changes: dict[str, Json] = {"models": models} if models != settings.models else {}
    other = _other(settings, file, workspace, kind)
    if other is not None:
        inside = other.parent.resolve() == workspace.runs.resolve()
        changes["against"] = other.name if inside else str(other.absolute())
    kept = settings.model_copy(update=changes)
    return Gates(kept, stage, other) if kept.demands else None


def _stage(settings: GateSettings, file: TomlFile, kind: Kind, task: Task) -> str:
    """The stage that is held against them: the one that is named, else the last that answers."""
    by_role = {role: [stage.name for stage in kind.stages if stage.role == role] for role in ("work", "answer")}
    asked = [stage for stages in by_role.values() for stage in stages if stage in task.asked]
    stage = settings.stage or next(reversed(asked), "")
    if stage not in asked:
        raise file.error(("gate", "stage"), f"no model is asked in a stage {stage!r}{nearest(stage, asked)}")
    return stage


def _models(
    settings: GateSettings, file: TomlFile, named: Collection[str], task: Task, stage: str
) -> dict[str, dict[str, str]]:
    """The thresholds of single models, without those of models that --models left out."""
    asked = {model.name for model in task.asked[stage]}
    everywhere = {model.name for models in task.asked.values() for model in models}
    found = {name: own for name, own in settings.models.items() if name not in named or name in everywhere}
    for name in found:
        if name not in asked:
            stages = [other for other, models in task.asked.items() if name in {model.name for model in models}]
            hint = f'; it is asked in {stages[0]}: gate.stage = "{stages[0]}"' if stages else nearest(name, asked)
            told = f"no model of that name is asked in the stage {stage}{hint}"
            raise file.error(("gate", "models", name), told)
    return found


def _unknown(ids: Collection[str], queues: Samples) -> Iterator[str]:
    """Those of some ids that nothing is asked about."""
    left = dict.fromkeys(ids)
    for queue in queues.values():
        for sample in queue if left else ():
            left.pop(sample.id, None)
            if sample.doc_id != NO_DOCUMENT:
                left.pop(sample.doc_id, None)
    yield from left


def _nearest_id(name: str, queues: Samples) -> str:
    """The nearest of the ids there are, or all of them; what one model is asked of a question only where an item is meant."""
    samples = list(islice(chain.from_iterable(queues.values()), 2000))
    items = [sample.id for sample in samples if "/" in name or not sample.id.endswith(f"/{sample.doc_id}")]
    return nearest(name, {*items, *(sample.doc_id for sample in samples)} - {NO_DOCUMENT})


def _other(settings: GateSettings, file: TomlFile, workspace: Workspace, kind: Kind) -> Path | None:
    """The run to compare with; None where there is none, or where a run that has begun has lost it."""
    if not settings.against:
        return None
    places = (file.path.parent / settings.against, workspace.runs / settings.against, Path(settings.against))
    found = next(filter(_is_run, places), None)
    if found is None and "inputs" in file.content and ("gate", "against") not in file.given:
        return None
    if found is None:
        raise file.error(("gate", "against"), f"{settings.against!r} is neither a run folder nor the id of a run")
    if found.resolve() == file.path.parent.resolve() and "inputs" in file.content:
        raise file.error(("gate", "against"), "is this run itself, which is never worse; name another")
    try:
        said = look(RunReader(found).path)[0].get("kind", kind.name)
    except FolderError as error:
        raise file.error(("gate", "against"), str(error)) from None
    if said != kind.name:
        raise file.error(("gate", "against"), f"{settings.against!r} is a run of another kind, {said}; give one of {kind.name}")
    return found


def _is_run(path: Path) -> bool:
    try:
        return (path / CONFIG).is_file()
    except (OSError, ValueError):
        return False


def warnings_of(gates: Gates | None) -> list[str]:
    """What a person should know of them before the run starts."""
    if gates is None or gates.other is not None or not gates.settings.against:
        return []
    return [f"gate.against: the run {gates.settings.against} is gone, so that gate cannot be told"]
