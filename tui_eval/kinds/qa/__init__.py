"""Questions of any form, answered by models under several prompts, and scored by rules: no judge, no letters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tui_eval.core.calls import Json, Reply
from tui_eval.core.kinds import Flow, RunDefaults, Stage
from tui_eval.core.samples import Sample
from tui_eval.core.units import Unit, Units
from tui_eval.datasets.selected import Selected
from tui_eval.evaluation.judging.rubric_judging import AnswerToJudge, RubricReport
from tui_eval.evaluation.kind import ColumnKeys, Kind, RatingForm, SampleForm, Starts, TaskForm
from tui_eval.evaluation.sample_queues import Queue, Samples, sample_id
from tui_eval.evaluation.stage_models import AskedModel
from tui_eval.evaluation.targets import TargetedAnswer, Targets
from tui_eval.kinds.qa.resolving import RUBRICS, QaTask, Row, messages_of, resolve
from tui_eval.kinds.qa.table import STAGE, QaConfig


def samples(task: QaTask) -> Samples:
    """Row x prompt for each model, whose samples are a queue of their own, so that no model waits for another."""

    twice = task.judging.twice if task.judging else frozenset[tuple[str, str]]()

    def queue(model: AskedModel) -> Queue:
        def shapes() -> Iterator[tuple[bool, bool]]:
            every = ((row, sample_id(model.name, asking.name, row.id)) for row in task.rows for asking in task.askings)
            return (((model.name, name) in twice, bool(row.context)) for row, name in every)

        def make(n: int) -> Sample:
            place, which = divmod(n, len(task.askings))
            row, asking = task.rows[place], task.askings[which]
            messages = messages_of(task, asking, row)
            return Sample(
                sample_id(model.name, asking.name, row.id),
                question=messages[-1].content,
                truth=row.truth,
                groups={task.config.group: (row.group,)} if task.config.group and row.group else {},
                queue=model.name,
                doc_id=row.id,
                q_index=place,
                data=(row, asking, model, messages),
            )

        return Queue(len(task.rows) * len(task.askings), make, shapes if task.judging else None)

    return {model.name: queue(model) for model in task.asked[STAGE]}


def display(task: QaTask, sample: Sample) -> tuple[str, str | None]:
    """A sample's question as its column has it, and below it what the prompt shows besides; without such a column all that is
    asked."""
    row, asking, *_ = sample.data
    if not row.question:
        return sample.question, sample.truth
    besides = dict.fromkeys(name for _, template in asking.turns for name in template.columns if name != task.config.documents)
    lines = (f"{name}: {row.values[name]}" for name in besides if row.values[name] not in ("", row.question))
    return "\n\n".join([row.question, *lines]), sample.truth


def flow(task: QaTask, sample: Sample) -> Flow:
    """One question to one model; its reply is scored by the scorers of its row alone."""
    row, _, model, messages = sample.data
    example = (row.expected.targets or ("A short answer.",))[0]
    (reply,) = yield [model.call(sample, messages, example=example)]
    if task.judging is None:
        return []
    slots = {
        "context": row.context,
        "question": row.question or messages[-1].content,
        "truth": row.truth or "",
    }
    judged = AnswerToJudge(reply, slots, task.judging.is_twice(model.name, sample))
    return (yield from task.judging.scores(sample, [judged]))


def judged_report(task: QaTask) -> RubricReport:
    """The scores of judges."""
    metrics = [rubric.metric for rubric in task.rubrics.values()]
    assert task.judging is not None
    return RubricReport(task, metrics, task.prices, task.max_concurrency, task.judging)


def unit_of(task: QaTask, sample: Sample) -> Unit:
    """A sample of the set, whatever prompt shows it; the prompt is part of who answers."""
    row, asking, *_ = sample.data
    return Unit(row.item, (row.group, row.id) if row.group else (row.id,), asking.name)


def table_of(selected: Selected) -> dict[str, Json]:
    """The set's file, and the numbers of its samples where not all of it is asked."""
    return {"dataset": selected.path, **({} if selected.whole else {"rows": [*map(str, selected.rows)]})}


def answers(task: QaTask, sample: Sample, replies: Sequence[Reply]) -> list[TargetedAnswer]:
    """Its one reply, beside its row's targets, for the scorers of its row."""
    row: Row = sample.data[0]
    mine = [reply for reply in replies if reply.call.stage == STAGE]
    return [TargetedAnswer(reply, row.expected, scorers=row.scorers) for reply in mine]


def sides(task: QaTask) -> Iterator[tuple[str, ...]]:
    """Each model by each prompt."""
    return ((STAGE, model.name, asking.name) for model in task.asked[STAGE] for asking in task.askings)


QA = Kind(
    name="qa",
    about="questions with open answers, under several prompts, scored by rules: numbers, words, JSON, formulas",
    Config=QaConfig,
    defaults=RunDefaults(timeout_s=60.0, max_output_tokens=1000, cache=True),
    stages=(Stage(STAGE), Stage("judge", role="judge")),
    metrics=(),
    prompts={},
    resolve=resolve,
    samples=samples,
    flow=flow,
    sample_form=SampleForm(display=display),
    units=Units("sample", "answer", ("group",), "prompt", (), unit_of, lambda task: [asking.name for asking in task.askings]),
    targets=Targets(
        (STAGE,), answers, where='qa.target: name the column with the right answer, as in target = "answer"', sides=sides
    ),
    starts=Starts(
        table_of,
        frozenset({"truth"}),
        short_form="SET",
        columns=ColumnKeys("target", "prompts", "group", ("documents", "images"), "files"),
    ),
    ratings=RatingForm("judge", {}, lambda metric: ("judge_system", metric, "reminder"), RUBRICS, judged_report),
    task_form=TaskForm(lambda it: {"samples": len(it.rows), "prompts": len(it.askings), "models": len(it.config.models)}),
)
