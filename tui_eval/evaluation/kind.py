"""The interface of a kind of evaluation: its config, what it asks about, what it asks, and what it makes of the answers."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel

from tui_eval.core.calls import Json
from tui_eval.core.former.old_paths import OLD_KIND_FIELDS
from tui_eval.core.kinds import Flow, Metric, ReadingRules, Role, RunDefaults, Stage, Totals
from tui_eval.core.reports import Leaderboard, Reporter
from tui_eval.core.results import SampleResult
from tui_eval.core.samples import Sample
from tui_eval.core.units import QUESTIONS, Units
from tui_eval.evaluation.config_references import FILES, speaking
from tui_eval.evaluation.inputs import Inputs, Task
from tui_eval.evaluation.judging.own_rubrics import RubricForm, asked_of_persons
from tui_eval.evaluation.sample_queues import Samples
from tui_eval.evaluation.scorers import SCORING, SCORING_PROMPTS
from tui_eval.evaluation.targets import NO_TARGETS, Targets

RESULTS_JSON = "results.json"
"""Every sample with its replies and scores, as one object."""


@dataclass(frozen=True, slots=True)
class SampleForm:
    """Forms of a sample, where the common ones do not do."""

    result: Callable[[Any, SampleResult], Json] | None = None
    """A row as a sample of results.json, where a specification fixes its form; None = the common form."""
    display: Callable[[Any, Sample], tuple[str, str | None]] | None = None
    """A sample's question and right answer as a person is shown them; None = the sample's own."""


@dataclass(frozen=True, slots=True)
class SampleFiles:
    """Files of a kind's own that are made of rows, beside its reports; none where nothing is set."""

    files: Callable[[Any, SampleResult], Mapping[str, Json]] | None = None
    """A row's own files, by their paths in the run folder (core.row_paths.path_of): a text, rows of a .csv, a value of a .json.
    They are written when the sample ends, and made again with the reports; None = it has none."""
    totals: Totals | None = None
    """Files that add up over the rows, of each repeat for itself; None = it has none."""
    partial: bool = False
    """Whether `files` and `totals` are told rows that have not ended, too, and make of them what rests on replies alone that
    settle their calls (`Reply.final`): each file is there as soon as its own replies are. False = ended rows alone."""
    on_demand: frozenset[str] = frozenset({RESULTS_JSON})
    """Files and tables of a report, by their names, that repeat every sample and that no specification names: a run writes none
    of them, `export --file` and the app make them."""
    paths: Callable[[Any, Sample], Iterable[str]] | None = None
    """The paths of all that `files` may make of a sample, so that two that are the same are found without driving every sample
    by its examples; None = it is driven."""


@dataclass(frozen=True, slots=True)
class TaskForm:
    """Form of a task in plans, run folders and their names."""

    factors: Callable[[Any], Mapping[str, Json]] | None = None
    """What the plan shows as factors of its counts; None = how many samples and models there are."""
    table: Callable[[Any], Mapping[str, object]] | None = None
    """A task's table with what its files came to, where a specification wants it on file; an iterator is a list. None = the
    table as it is."""
    id_suffix: Callable[[Any], str] | None = None
    """What stands behind the run's own name in the ids of its runs; None = nothing."""


@dataclass(frozen=True, slots=True)
class ColumnKeys:
    """Keys of a table that say what the columns of a set are, so that one can be begun from a file; empty where it has none."""

    target: str = ""
    """The column with the right answer, or a path into it."""
    prompts: str = ""
    """A list of { name, text, system } or { name, column }, whose slots are columns."""
    group: str = ""
    files: tuple[str, ...] = ()
    """The columns that name files: those of texts and PDFs, then those of images."""
    found: str = ""
    """The files that these may name: where it is empty, the ones beside the set."""


@dataclass(frozen=True, slots=True)
class Starts:
    """Tables that the program begins a config of the kind with; None of them = a person writes it."""

    from_set: Callable[[Any], Mapping[str, Json]] | None = None
    """The kind's table for a run with the selected questions of a set on file."""
    needs: frozenset[str] | None = None
    """What such a set must have: "options", "truth", "documents", "turns"; None = the kind asks no sets."""
    from_answers: Callable[[str, str, Sequence[str]], Mapping[str, Json]] | None = None
    """The kind's table for a run of answers made elsewhere: the file with the questions, the one with the answers, and who gave
    them."""
    from_files: Callable[[Sequence[str]], Mapping[str, Json]] | None = None
    """The kind's table for a run that works on these files (paths and patterns), with a table for each of its stages."""
    short_form: Literal["", "SET", "FOLDER"] = ""
    """What `tui-eval NAME` takes, to run the kind on it with the models and judges that are named behind: SET, by `from_set`;
    FOLDER, by `from_files`; empty = it has no verb."""
    set_keys: tuple[str, ...] = ("dataset",)
    """The keys of the table that may name such a set, by name or path; the first is the one that docs name."""
    columns: ColumnKeys | None = None
    """The keys of the table that name columns of such a set, which may be any; None = its columns are the kind's own."""
    uses: frozenset[str] = frozenset()
    """What else of a set the kind makes use of, in the words of `needs`: of kinds that can ask one, the one that makes the most
    of it is offered."""


@dataclass(frozen=True, slots=True)
class SetMaker:
    """The set of questions that a run of the kind makes; the report's file dataset.json holds it."""

    from_documents: Callable[[Sequence[str], str], Mapping[str, Json]] | None = None
    """The kind's table for a run that makes a set of questions about these files, and what the set is to be called."""
    set_name: Callable[[Any], str] | None = None
    """Of a task, what the set is called; empty = as the run. None = its runs make none."""


@dataclass(frozen=True, slots=True)
class RatingForm:
    """Declaration of the metrics by which persons may rate answers, since models judge these: 1 to 5, yes or no, or claims."""

    judge_stage: str
    """The stage whose models judge; a run in which nobody is asked there has nothing to rate."""
    asks: Mapping[str, str]
    """By metric, in the order in which they are offered: what a person is asked."""
    prompts: Callable[[str], tuple[str, ...]]
    """Of a metric, the names of the prompts that decide what its judges say."""
    rubrics: RubricForm | None = None
    """The key of its table that names rubrics of a person's own, each a metric and a prompt; None = it takes none."""
    rubric_report: Callable[[Any], Reporter] | None = None
    """What adds up rows where a task has such rubrics, in a kind without a report of its own."""


ASKED_OF_SCORERS = "Does the answer agree with what is right?"
"""What a person is asked beside a scorer of a config that asks a model."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of evaluation. All of it is pure: it asks nobody, reads nothing and knows no time."""

    name: str
    about: str
    """What it does, on a line: for lists, help and the app."""
    Config: type[Any]
    """Its table of a config. The fields say what they name (config_references): models with their stages, files, folders."""
    defaults: RunDefaults
    stages: tuple[Stage, ...]
    """In the order they are asked and reported."""
    metrics: tuple[Metric, ...]
    """What its scores measure; the first is the one that a reader asks for. Empty where nothing is scored."""
    prompts: Mapping[str, tuple[str, ...]]
    """The prompts it needs and the slots each must have; files of these names in prompts/<kind>/."""
    resolve: Callable[[Any, Inputs], Task]
    """From the table to the task. ConfigError, naming the key, for whatever a person has to mend."""
    samples: Callable[[Any], Samples]
    """What is asked about, queue by queue."""
    flow: Callable[[Any, Sample], Flow]
    """What is asked about one sample, and what the answers are worth."""
    report: Callable[[Any], Reporter] | None = None
    """What adds up rows to the kind's own tables; None = the tables that every kind has."""
    units: Units = QUESTIONS
    """What its numbers are about: items, what these share, which metrics are tested."""
    sample_form: SampleForm = SampleForm()
    sample_files: SampleFiles = SampleFiles()
    task_form: TaskForm = TaskForm()
    further: Callable[[Any, Sequence[SampleResult]], Sequence[Sample]] | None = None
    """Of a task and the rows of all samples, in order, once each has ended: those that go on, by what the others came to. Each
    has its id, begins as it did, and may ask more (calls beyond the plan); its new row takes the place of the old. Asked again
    when these have ended, until none goes on, so it must not name one that asked nothing more. None = samples never rest on
    each other."""
    starts: Starts = Starts()
    set_maker: SetMaker = SetMaker()
    rules: ReadingRules | None = None
    """The rules by which its replies can be read, so that a re-score may try another; None = there is one way to read them."""
    leaderboard: Callable[[], Leaderboard] | None = None
    """An empty one, where its runs can be merged into one; None = they cannot."""
    targets: Targets = NO_TARGETS
    """Which of its replies are held against an expected answer: a config may score these by `[[scorers]]`, whose metrics then
    stand behind its own. Without stages it takes none."""
    offered: bool = True
    """Whether a person sets up runs of it; the others are made by the program, as when a call is sent again."""
    ratings: RatingForm | None = None
    """What persons may rate beside its judges; None = what is marked from 1 to 5, and what its config's scorers ask models."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """An old field, read where it is today."""
            if name not in OLD_KIND_FIELDS:
                raise AttributeError(name)
            part, field = OLD_KIND_FIELDS[name]
            _warn_of(name)
            return getattr(getattr(self, part), field, None)

    @property
    def stage_names(self) -> tuple[str, ...]:
        """The names of its stages, in order."""
        return tuple(stage.name for stage in self.stages)

    def of(self, task: Any) -> Kind:
        """The same with the variants of what a task asks, with the metrics of its scorers behind its own, and with their stage
        where one asks a model. Pairs are tested on its own headline alone, or on one scorer: the one that says so, or the first
        where the kind measures nothing itself, rubrics of a person's own apart."""
        if task.rubrics and not task.rubrics.keys() & {metric.name for metric in self.metrics}:
            return self._with_rubrics(task).of(task)
        scorers, units = task.scorers, self.units.of_task(task)
        if not scorers:
            return self if units is self.units else replace(self, units=units)
        stages = (*self.stages, Stage(SCORING, role="judge")) if scorers.asking else self.stages
        own = self.metrics if self.targets.own_metrics is None else self.targets.own_metrics(task)
        tested = tuple(metric.name for metric in own if units.tests(metric.name))
        measures = bool(tested) and any(metric.name not in task.rubrics for metric in self.metrics)  # something of its own
        first = scorers.metrics[:1] if scorers.leads or not measures else ()
        headline = tuple(metric.name for metric in first) or tested
        metrics = (*first, *own, *scorers.metrics[len(first) :])
        return replace(self, stages=stages, metrics=metrics, units=replace(units, headline=headline))

    @property
    def rubrics(self) -> RubricForm | None:
        """The key of its table that names rubrics of a person's own; None = it takes none."""
        return None if self.ratings is None else self.ratings.rubrics

    def _with_rubrics(self, task: Any) -> Kind:
        """The same with the metrics and prompts of a task's rubrics; pairs are tested on these behind the shipped metrics that
        the same key names."""
        shipped = self.rubrics.shipped if self.rubrics is not None else ()
        headline = self.units.headline
        before = tuple(name for name in headline if name in shipped)
        tested = (*before, *task.rubrics, *(name for name in headline if name not in shipped)) if headline else headline
        return replace(
            self,
            metrics=(*self.metrics, *(rubric.metric for rubric in task.rubrics.values())),
            prompts=self.prompts if self.names_prompts else {**self.prompts, **dict.fromkeys(task.rubrics, ("answer",))},
            units=replace(self.units, headline=tested),
        )

    def judged(self, task: Any) -> dict[str, Json]:
        """Return what persons may rate in runs of a task, as files have it: by metric the stage of its judges, what is asked,
        and the names of the prompts that judges are given. No key where nothing is."""
        form, metric_names = self.ratings, {metric.name for metric in self.metrics}
        entries: dict[str, Json] = {}
        if form is not None and task.asked.get(form.judge_stage):
            for name, asks in form.asks.items():
                if name in metric_names:
                    entries[name] = {"stage": form.judge_stage, "asks": asks, "prompts": [*form.prompts(name)]}
        if self.rubrics is not None and task.asked.get(self.rubrics.stage):
            for name, asks in asked_of_persons(task.rubrics):
                entries[name] = {"stage": self.rubrics.stage, "asks": asks, "prompts": [*self.rubrics.prompts_of(name)]}
        for row in task.scorers.asking:
            entries[row.metric_name] = {"stage": SCORING, "asks": ASKED_OF_SCORERS, "prompts": [*SCORING_PROMPTS]}
        return {"judged": entries} if entries else {}

    @property
    def names_prompts(self) -> bool:
        """Return whether the key `prompts` of its table is a person's own, files or tables, with no prompts filled into it."""
        table: type[BaseModel] = self.Config
        if not self.prompts and "prompts" in table.model_fields and self.Config.model_fields["prompts"].is_required():
            return True
        return any(name == "prompts" and reference_type in FILES for name, _, reference_type in speaking(table))

    def role(self, stage: str) -> Role:
        """Return the role of a stage's replies. KeyError where it has no such stage."""
        return {entry.name: entry.role for entry in self.stages}[stage]


def _warn_of(name: str) -> None:
    part, field = OLD_KIND_FIELDS[name]
    sentence = f"the field {name} of a Kind is now {field} of its {part}; the old one goes with the next release"
    warnings.warn(sentence, DeprecationWarning, stacklevel=3)


def _init_with_old_fields(init: Callable[..., None]) -> Callable[..., None]:
    """Let a Kind be made with old fields, each put into the part that has it today."""

    @wraps(init)
    def init_kind(self: Kind, *values: Any, **fields: Any) -> None:
        parts: dict[str, dict[str, Any]] = {}
        for name in OLD_KIND_FIELDS.keys() & fields.keys():
            _warn_of(name)
            part, field = OLD_KIND_FIELDS[name]
            parts.setdefault(part, {})[field] = fields.pop(name)
        for part, inner in parts.items():
            fields[part] = replace(fields[part], **inner) if part in fields else _PARTS[part](**inner)
        init(self, *values, **fields)

    return init_kind


_PARTS: Mapping[str, Callable[..., Any]] = {
    "sample_form": SampleForm,
    "sample_files": SampleFiles,
    "task_form": TaskForm,
    "starts": Starts,
    "set_maker": SetMaker,
}
Kind.__init__ = _init_with_old_fields(Kind.__init__)  # type: ignore[method-assign]
