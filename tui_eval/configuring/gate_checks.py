"""Gates of a config: thresholds by metric, and refusal of what no run of it could be judged by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from tui_eval.core.calls import Json
from tui_eval.core.errors import FolderError, Place
from tui_eval.core.kinds import Metric
from tui_eval.core.plaintext import one_line
from tui_eval.core.samples import NO_DOCUMENT
from tui_eval.core.units import clusters_of
from tui_eval.evaluation.inputs import Task
from tui_eval.evaluation.kind import Kind
from tui_eval.evaluation.sample_queues import Samples
from tui_eval.results.stored_run import StoredRun
from tui_eval.results.sums.board import Board
from tui_eval.results.sums.differences import SIGNIFICANT
from tui_eval.results.sums.gate_forecast import Forecast
from tui_eval.results.sums.gates import threshold_of
from tui_eval.results.sums.in_words import in_unit
from tui_eval.results.sums.metrics import scale_of
from tui_eval.results.sums.sentences import say
from tui_eval.runs.entry import look
from tui_eval.runs.folder import CONFIG, RESULTS
from tui_eval.runs.reader import RunReader
from tui_eval.statistics.clusters import degrees_of_clusters
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.toml_files import TomlFile
from tui_eval.workspace.validation import Strict, nearest, unknown_key, validate

CORRECT, ACCURACY = "correct", "accuracy"
"""The metric of right and wrong, and its usual name in other programs."""


class GateSettings(Strict):
    """The `[gate]` table. Its other keys are the kind's metrics, each with a threshold such as ">= 0.8"."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, str]

    stage: str = ""
    """The stage whose models must pass the gate. Empty = the last one that answers."""
    models: dict[str, dict[str, str]] = {}
    """Thresholds of single models by metric: { mini = { correct = ">= 0.7" } }. For these models they replace the thresholds
    of the gate itself. Every other model must meet those of the gate itself."""
    bound: Literal["value", "low", "high"] = "value"
    """The part of a result that must meet a threshold. value: the value itself. A model that lies exactly on the
    threshold fails in half of builds. low: all of the 95 % interval. No model passes by chance. high: any part of the
    interval. A model that is shown to miss the threshold fails."""
    max_missing: Annotated[float, Field(ge=0, le=1, examples=[0.05])] | None = None
    """The largest share of a model's answers that may have no score: failed, refused or unparsed. Empty = any."""
    max_cost_usd: Annotated[float, Field(ge=0, examples=[5.0])] | None = None
    """The most that the run may have cost, USD. It stops nothing; run.max_cost_usd does."""
    against: Annotated[str, Field(json_schema_extra={"names": "run"})] = ""
    """An earlier run that no model may be worse than: its id, or its folder as seen from this file. Empty = none."""
    at_most_worse: Annotated[float, Field(ge=0)] = 0.0
    """The margin by which a model may be worse than that run, in the metric's unit: 0.02 is two points of a hundred."""
    against_rule: Literal["not_shown_worse", "shown_not_worse"] = "not_shown_worse"
    """The demand on a model compared with that run. not_shown_worse: it is not shown to be worse. shown_not_worse (strict): it
    is shown to be no worse; this takes a margin and hundreds of questions."""
    critical: list[str] = []
    """Ids of questions, samples or documents: none of their answers may be wrong."""
    inconclusive: Literal["fail", "pass"] | None = None
    """The result of a gate that lacks scores, questions or costs to decide. Empty = failed. There is one exception: the
    default against_rule passes if it has too few common questions to show that a model is worse."""

    @property
    def thresholds(self) -> dict[str, str]:
        """The thresholds that hold for every model, by metric."""
        return self.__pydantic_extra__

    @property
    def measured(self) -> set[str]:
        """The metrics that it has a threshold of; none where it demands something else."""
        return set(self.thresholds).union(*self.models.values())

    def metrics(self, kind: Kind, scored: Collection[str] = ()) -> list[Metric]:
        """The metrics that it speaks of: those with a threshold, else the kind's headline, as far as it is `scored`."""
        metrics = [m for m in kind.metrics if (m.name in self.measured if self.measured else kind.units.tests(m.name))]
        return [metric for metric in metrics if self.measured or metric.name in scored] or metrics

    @property
    def demands(self) -> bool:
        """Return whether it demands anything, and does not just say how."""
        limits = (self.max_missing, self.max_cost_usd)
        return bool(self.measured or self.critical or self.against) or any(limit is not None for limit in limits)


@dataclass(frozen=True, slots=True)
class Gates:
    """Gates that a run's results are held against; nothing of what is asked depends on them."""

    settings: GateSettings
    """As they stand in the run's config; `against` so that it is found from there, too."""
    stage: str
    """The stage whose models are held against it."""
    other: Path | None
    """The run that none of them may be worse than; None where there is none, or where it is gone."""


def gate_settings(file: TomlFile, kind: Kind, told_later: bool = False) -> GateSettings | None:
    """The [gate] table, so far as it can be told by itself; None where there is none. ConfigError names the key to mend.

    `told_later`: whether there are metrics besides the kind's, so that it is looked at again when the task has told them.
    """
    table = _with_accuracy(file, kind, file.content.get("gate"))
    if table in (None, {}):
        return None
    if isinstance(table, dict) and not told_later:
        own = {name: text for name, text in table.items() if name not in GateSettings.model_fields}
        _check_thresholds(file, kind, ("gate",), own, GateSettings.model_fields)
    settings = validate(GateSettings, table, file, ("gate",))
    if not settings.demands:
        example = f'{kind.metrics[0].name} = ">= ..."' if kind.metrics else "max_cost_usd = ..."
        raise file.error(("gate",), f"demands nothing yet: add, for example, {example}")
    if told_later:
        return settings
    if settings.at_most_worse and not settings.against:
        raise file.error(("gate", "at_most_worse"), "needs gate.against, the run to compare with; set it, too")
    for model, own in settings.models.items():
        _check_thresholds(file, kind, ("gate", "models", model), own)
    if settings.against and not kind.metrics:
        raise file.error(("gate", "against"), f"a {kind.name} run has no scores that could be worse")
    for metric in settings.metrics(kind) if settings.against else ():
        if settings.at_most_worse >= metric.high - metric.low:
            why = f"{settings.at_most_worse:g} is the whole scale of {metric.name}, {scale_of(metric)}: no model can be worse"
            raise file.error(("gate", "at_most_worse"), why)
    if settings.critical and not any(metric.threshold is not None for metric in kind.metrics):
        raise file.error(("gate", "critical"), f"a {kind.name} run has no metric that says which answers are wrong")
    return settings


def _with_accuracy(file: TomlFile, kind: Kind, table: Json) -> Json:
    """Return the [gate] table with `correct` in place of `accuracy`, where the kind has the one metric and not the other.

    ConfigError where a table has both.
    """
    names = {metric.name for metric in kind.metrics}
    if not isinstance(table, dict) or CORRECT not in names or ACCURACY in names:
        return table
    if isinstance(models := table.get("models"), dict):
        by_model = {name: _with_correct(file, ("gate", "models", name), own) for name, own in models.items()}
        table = {**table, "models": by_model}
    return _with_correct(file, ("gate",), table)


def _with_correct(file: TomlFile, place: Place, table: Json) -> Json:
    if not isinstance(table, dict) or ACCURACY not in table:
        return table
    if CORRECT in table:
        raise file.error((*place, ACCURACY), f"is another name of {CORRECT!r}, which is set, too: leave out one of them")
    return {CORRECT if name == ACCURACY else name: threshold for name, threshold in table.items()}


def _check_thresholds(
    file: TomlFile, kind: Kind, place: Place, table: Mapping[str, Json], other_keys: Collection[str] = ()
) -> None:
    metrics = {metric.name: metric for metric in kind.metrics}
    for name, text in table.items():
        if name not in metrics:
            raise unknown_key(file, (*place, name), [*metrics, *other_keys])
        try:
            threshold = threshold_of(text if isinstance(text, str) else str(text))
        except ValueError as error:
            raise file.error((*place, name), str(error)) from None
        metric = metrics[name]
        if not metric.holds(threshold.value):
            raise file.error((*place, name), f"{threshold.value:g} is off its scale, {metric.low:g} to {metric.high:g}")


def checked(
    settings: GateSettings,
    file: TomlFile,
    workspace: Workspace,
    kind: Kind,
    model_names: Collection[str],
    task: Task,
    queues: Samples,
) -> Gates | None:
    """The gates of a run, None where it has none left. `model_names`: the config's; what --models left out need hold nothing.

    ConfigError for a stage, a model, a question or a run that there is not.
    """
    stage = _stage(settings, file, kind, task)
    models = _models(settings, file, model_names, task, stage)
    for name in _unknown(settings.critical, queues):
        raise file.error(("gate", "critical"), f"no question, item or document {name!r}{_nearest_id(name, queues)}")
    changes: dict[str, Json] = {"models": models} if models != settings.models else {}
    other_run = _other_run(settings, file, workspace, kind)
    if other_run is not None:
        inside = other_run.parent.resolve() == workspace.runs.resolve()
        changes["against"] = other_run.name if inside else str(other_run.absolute())
    resolved = settings.model_copy(update=changes)
    return Gates(resolved, stage, other_run) if resolved.demands else None


def _stage(settings: GateSettings, file: TomlFile, kind: Kind, task: Task) -> str:
    """The stage that is held against them: the one that is named, else the last that answers."""
    by_role = {role: [stage.name for stage in kind.stages if stage.role == role] for role in ("work", "answer")}
    asked_stages = [stage for stages in by_role.values() for stage in stages if stage in task.asked]
    stage = settings.stage or next(reversed(asked_stages), "")
    if stage not in asked_stages:
        raise file.error(("gate", "stage"), f"no model is asked in a stage {stage!r}{nearest(stage, asked_stages)}")
    return stage


def _models(
    settings: GateSettings, file: TomlFile, model_names: Collection[str], task: Task, stage: str
) -> dict[str, dict[str, str]]:
    """The thresholds of single models, without those of models that --models left out."""
    asked_names = {model.name for model in task.asked[stage]}
    everywhere = {model.name for models in task.asked.values() for model in models}
    thresholds = {name: own for name, own in settings.models.items() if name not in model_names or name in everywhere}
    for name in thresholds:
        if name not in asked_names:
            stages = [stage_name for stage_name, models in task.asked.items() if name in {model.name for model in models}]
            hint = f'; it is asked in {stages[0]}: gate.stage = "{stages[0]}"' if stages else nearest(name, asked_names)
            message = f"no model of that name is asked in the stage {stage}{hint}"
            raise file.error(("gate", "models", name), message)
    return thresholds


def _unknown(ids: Collection[str], queues: Samples) -> Iterator[str]:
    """Those of some ids that nothing is asked about."""
    remaining = dict.fromkeys(ids)
    for queue in queues.values():
        for sample in queue if remaining else ():
            remaining.pop(sample.id, None)
            if sample.doc_id != NO_DOCUMENT:
                remaining.pop(sample.doc_id, None)
    yield from remaining


def _nearest_id(name: str, queues: Samples) -> str:
    """The nearest of the ids there are, or all of them; what one model is asked of a question only where an item is meant."""
    samples = list(islice(chain.from_iterable(queues.values()), 2000))
    items = [sample.id for sample in samples if "/" in name or not sample.id.endswith(f"/{sample.doc_id}")]
    return nearest(name, {*items, *(sample.doc_id for sample in samples)} - {NO_DOCUMENT})


def _other_run(settings: GateSettings, file: TomlFile, workspace: Workspace, kind: Kind) -> Path | None:
    """The run to compare with; None where there is none, or where a run that has begun has lost it."""
    if not settings.against:
        return None
    places = (file.path.parent / settings.against, workspace.runs / settings.against, Path(settings.against))
    run = next(filter(_is_run, places), None)
    if run is None and "inputs" in file.content and ("gate", "against") not in file.given:
        return None
    if run is None:
        raise file.error(("gate", "against"), f"{settings.against!r} is neither a run folder nor the id of a run")
    if run.resolve() == file.path.parent.resolve() and "inputs" in file.content:
        raise file.error(("gate", "against"), "is this run itself; name another run")
    try:
        other_kind = look(RunReader(run).path)[0].get("kind", kind.name)
    except FolderError as error:
        raise file.error(("gate", "against"), str(error)) from None
    if other_kind != kind.name:
        raise file.error(
            ("gate", "against"), f"{settings.against!r} is a run of another kind, {other_kind}; give one of {kind.name}"
        )
    return run


def _is_run(path: Path) -> bool:
    try:
        return (path / CONFIG).is_file()
    except (OSError, ValueError):
        return False


def warnings_of(gates: Gates | None, kind: Kind, task: Task, queues: Samples) -> list[str]:
    """Return what a person should know of the gates before the run starts."""
    if gates is None or not gates.settings.against:
        return []
    settings, notes = gates.settings, []
    if gates.other is None:
        notes.append(f"gate.against: the run {settings.against} is gone, so this gate cannot be checked")
    if settings.bound != "value":
        notes.append(f'gate.bound governs thresholds only; gate.against goes by against_rule = "{settings.against_rule}"')
    if settings.against_rule == "shown_not_worse":
        forecast = _forecast(gates, kind, task, queues)
        sentences = _unchanged("gate.against", forecast.unchanged_fails())
        notes += [f"{each} at {forecast.n:,} {forecast.item}s, {forecast.assumed}" for each in sentences]
    return notes


def forecast_lines(gates: Gates | None, kind: Kind, task: Task, queues: Samples) -> list[str]:
    """Say what gates do with a model that is worse, and with one that is not: what the dry run says beside the warnings."""
    if gates is None:
        return []
    settings, lines = gates.settings, list[str]()
    if settings.against and settings.against_rule == "not_shown_worse":
        forecast = _forecast(gates, kind, task, queues)
        if words := forecast.words():
            lines.append(f"gate.against, by {forecast.metric.name}: {words}")
    if settings.measured and settings.bound == "value":
        lines.append(f'gate: {say("half_of_builds")} by bound = "value"; bound = "high" fails only what is shown to miss it')
        lines += _near_thresholds(gates, kind, task, queues) if gates.other is not None else []
    return lines


def _forecast(gates: Gates, kind: Kind, task: Task, queues: Samples) -> Forecast:
    units = [kind.units.of(task, sample) for queue in queues.values() for sample in queue if not sample.checks_judge]
    items, variants = list({unit[:2]: unit for unit in units}.values()), len({unit.variant for unit in units})
    clusters, level = clusters_of(items)
    sizes = list(Counter(clusters or ()).values())
    metrics = gates.settings.metrics(kind)
    tests = len(task.asked[gates.stage]) * len(metrics) * variants
    forecast = Forecast(max(len(items), 1), max(tests, 1), metrics[0], kind.units.item, gates.settings.at_most_worse)
    if not sizes:
        return forecast
    cluster_name = kind.units.levels[level] if level < len(kind.units.levels) else "group"
    return replace(forecast, clusters=len(sizes), degrees=degrees_of_clusters(sizes), cluster=cluster_name)


def _unchanged(gate: str, share: float) -> list[str]:
    """A warning where an unchanged model fails more often than one build in twenty."""
    return [say("unchanged_fails", gate=gate, builds=f"{100 * share:.0f}")] if share > SIGNIFICANT else []


def _near_thresholds(gates: Gates, kind: Kind, task: Task, queues: Samples) -> Iterator[str]:
    """Warnings of thresholds that the models of the other run held so narrowly that they would often miss them."""
    assert gates.other is not None
    board, forecast = Board.empty(kind.units, kind.metrics), _forecast(gates, kind, task, queues)
    for sample in StoredRun(gates.other / RESULTS).scores():
        board.add(sample.unit, sample.groups, sample.repeat, sample.scores)
    for side in board.series:
        text = gates.settings.models.get(side.model, {}).get(side.metric) or gates.settings.thresholds.get(side.metric)
        stat, asked_names = board.estimate(side), {model.name for model in task.asked[gates.stage]}
        if text and side.stage == gates.stage and side.model in asked_names and stat.value is not None:
            case = replace(forecast, metric=board.metric(side))
            gate = f"gate.{side.metric} of {one_line(board.named(side), 60)} ({text}; {in_unit(stat.value, case.metric)} there)"
            yield from (f"warning: {each}" for each in _unchanged(gate, case.misses(threshold_of(text), stat.value)))
