"""Grounded chat: models answer conversations about documents, turn by turn; judges mark every answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated, Literal

from pydantic import Field, field_validator

from tui_eval.core.calls import Call, Json, Message, Price, Reply
from tui_eval.core.errors import ConfigError
from tui_eval.core.kinds import Flow, RunDefaults, Stage
from tui_eval.core.results import Score
from tui_eval.core.samples import Sample
from tui_eval.core.units import Unit, Units, digest
from tui_eval.datasets.selected import Selected
from tui_eval.evaluation.calls import Part, together
from tui_eval.evaluation.config_references import asked_in, names
from tui_eval.evaluation.expected import Expected
from tui_eval.evaluation.inputs import Inputs, Task
from tui_eval.evaluation.judging.judge_panel import CLAIMS, as_judge, drawn_twice, own_family
from tui_eval.evaluation.kind import RESULTS_JSON, Kind, RatingForm, SampleFiles, Starts, TaskForm
from tui_eval.evaluation.sample_queues import Samples
from tui_eval.evaluation.targets import TargetedAnswer, Targets
from tui_eval.kinds.chat.conversation_selection import SelectedConversation, Shown, check_window, selected_conversations
from tui_eval.kinds.chat.dialogue_judging import (
    ASKED,
    MARKS,
    METRICS,
    OWN,
    PROMPTS,
    ChatJudge,
    DialogueJudging,
    attacks_on,
    metrics_of,
)
from tui_eval.kinds.chat.dialogue_report import DialogueReport
from tui_eval.kinds.chat.dialogue_turns import (
    Answers,
    Dialogue,
    dialogue_samples,
    dialogues_of,
    history_of,
    turns_of,
    waited_for,
)
from tui_eval.reading.prompts import fill
from tui_eval.statistics.judge_ladder import STEPS
from tui_eval.workspace.validation import Strict


class ChatConfig(Strict):
    """The `[chat]` table."""

    dataset: Annotated[str, names("file", shipped="datasets", attaches="shows"), Field(examples=["handbook"])]
    """The conversations: the name of a set in datasets/, the path of its file, or the path of a folder of documents with a
    Questions.md. If the set only names a document, the document is read from the file of that name beside the set."""
    models: Annotated[list[str], Field(min_length=1), names("model", stage="answer")]
    """The models that answer, one a line."""
    judge: Annotated[ChatJudge, asked_in("judge")]
    """The judges of the answers, and their metrics."""
    answers_from: Annotated[str | None, names("run", stage="answer")] = None
    """An earlier run, by its id or folder. Its answers are judged again, and only judges are asked. Answers that it lacks,
    such as those of a renamed model, are missing. "truth" = the ground truths are judged, as if a model had given them. Empty
    = the models are asked."""
    selected: list[str] = []
    """The ids of the questions to ask. Empty = all. The history has the other questions, too, with their ground truths."""
    history: Literal["own", "truth"] = "own"
    """The earlier answers that are sent with a later question. own: the model's own. truth: the ground truths; all questions
    are then asked at once."""
    history_pairs: Annotated[int, Field(ge=0)] = 10
    """The most earlier questions that are sent with their answers. The latest ones are sent."""
    context: Shown = "document"
    """The part of the document that models are shown. document: all. retrieved: the eight passages that share most words with
    the questions so far. passages: the pages with the answers, which is easier than any search. none: nothing."""
    context_window: Annotated[int, Field(ge=100, examples=[128_000])] | None = None
    """The number of tokens in the smallest model's window. A call that does not fit is refused before anything is sent. Empty
    = each model's own context_window counts, where it is known."""
    max_models: Annotated[int, Field(ge=1)] = 5
    """The most models that may answer."""
    prompts: dict[str, str] = {}
    """This run's own prompts, by name. For a prompt that is left out, the one in prompts/ is used, else the shipped one."""

    @property
    def shows(self) -> bool:
        """Return whether models are shown anything of documents."""
        return self.context != "none"

    @field_validator("dataset")
    @classmethod
    def _with_suffix(cls, value: str) -> str:
        return f"{value}.json" if value and not {"/", "\\", "."} & set(value) else value


ALONE = "one model answers, so there is nothing to choose between (chat.judge.pairs)"
UNGROUNDED = "nothing is shown of a document, so groundedness and claims are left out"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatTask(Task):
    """The conversations, read."""

    config: ChatConfig
    dataset: str
    """What the set is called."""
    conversations: Sequence[SelectedConversation]
    twice: frozenset[tuple[str, str]]
    """(model, id of the turn) of the answers that are judged twice."""
    repeat: int = 1
    """How often everything is asked."""
    prices: Mapping[str, Price | None] = field(default_factory=dict)
    """Of the models, by their names."""
    max_concurrency: int | None = None
    """How many calls may be in flight: latencies say so."""


def resolve(config: ChatConfig, inputs: Inputs) -> ChatTask:
    """The conversations read, with what is shown of their documents. ConfigError, naming the key, for what cannot be asked."""
    judge, models = config.judge, inputs.asked["answer"]
    own = OWN.rubrics(judge.metrics, config.prompts, "chat")
    if len(models) > config.max_models:
        raise ConfigError(f"chat.models: {len(models)} models; at most {config.max_models} (chat.max_models raises it)")
    name, conversations = selected_conversations(inputs, "dataset", config.selected, config.context)
    if judge.ladder and any(len(conversation.places) != len(STEPS) for conversation in conversations):
        raise ConfigError(f"chat.judge.ladder: each conversation needs {len(STEPS)} questions, one for each step of the ladder")
    windows = {} if config.answers_from else inputs.windows
    unsure = check_window(conversations, models, config.history_pairs, config.context_window, windows)
    bare = sum(not any(conversation.contexts) for conversation in conversations)
    prefix = "" if bare == len(conversations) else f"{bare} of {len(conversations)} conversations: "
    answers = [(model.name, each.conversation.turns[n].id) for model in models for each in conversations for n in each.places]
    limits = (judge.temperature, judge.max_output_tokens, judge.use_temperature)
    judges = tuple(as_judge(model, *limits) for model in inputs.asked["judge"])
    in_full = [each.conversation.turns[n].id for each in conversations for n in each.places] if config.selected else []
    return ChatTask(
        config=config.model_copy(update={"selected": in_full}),  # so that a run's own config names each by its id
        asked={**inputs.asked, "judge": judges},
        dataset=name,
        conversations=conversations,
        warnings=(
            *((f"{prefix}{UNGROUNDED}",) if bare else ()),
            *(unsure if not config.answers_from else ()),
            *((ALONE,) if judge.pairs and len(models) < 2 else ()),
            *own_family(judges, models),
        ),
        twice=drawn_twice(answers, judge.duplicates, inputs.run.seed),
        repeat=inputs.run.repeat,
        attacks=attacks_on(inputs, judge, judges, config.prompts, own),
        rubrics=own,
        prices={name: spec.price for name, spec in inputs.models.items()},
        max_concurrency=inputs.run.max_concurrency,
    )


def samples(task: ChatTask) -> Samples:
    """Model x conversation; where judges choose between answers, conversations with all models, since a choice needs both."""
    return dialogue_samples(task.asked["answer"], task.conversations, task.twice, task.config.judge.pairs)


def flow(task: ChatTask, sample: Sample) -> Flow:
    """Dialogues side by side, each judged when it has ended; choices between their answers when all have."""
    dialogues, answers = dialogues_of(sample), dict[int, Answers]()
    times = len(task.asked["answer"]) * task.repeat
    judges, prompts = task.asked["judge"], task.config.prompts
    judging = DialogueJudging(sample, task.config.judge, judges, prompts, task.rubrics, times, task.seed)

    def choices() -> Part[list[Score]] | None:
        there = len(answers) == len(dialogues)
        return judging.choices(dialogues, [answers[place] for place in range(len(dialogues))]) if there else None

    judged = [_judged(task, sample, judging, answers, place) for place in range(len(dialogues))]
    scores = yield from together(judged, choices if task.config.judge.pairs else None)
    return [score for part in scores for score in part]


def _judged(
    task: ChatTask, sample: Sample, judging: DialogueJudging, answers: dict[int, Answers], place: int
) -> Part[list[Score]]:
    """A dialogue's turns in order, after the model's own answers, or all at once after the ground truth; then its marks."""
    dialogue = dialogues_of(sample)[place]
    answers[place] = yield from turns_of(dialogue, partial(_answer, task, sample, dialogue), task.config.history == "own")
    return (yield from judging.marks(dialogue, answers[place]))


def _answer(task: ChatTask, sample: Sample, dialogue: Dialogue, n: int, answers: Answers) -> Call:
    """The turn at a place."""
    turn, context, prompts = dialogue.turn(n), dialogue.contexts[n], task.config.prompts
    system = fill(prompts["system"], {"context": context}) if context else prompts["system_alone"]
    history = history_of(dialogue, n, answers, task.config.history_pairs)
    again = context and dialogue.times[n] * task.repeat > 1
    messages = (Message("system", system, shared=len(system) if again else 0), *history, Message("user", turn.question))
    return dialogue.model.call(sample, messages, n, follows=waited_for(answers), example=turn.ground_truth or "An answer.")


UPPER_BOUND = "The models were shown the pages that hold the answers: an upper bound of what a search would bring."


def scored_answers(task: ChatTask, sample: Sample, replies: Sequence[Reply]) -> Iterator[TargetedAnswer]:
    """Each answer to a turn beside its ground truth. What the document does not say has no target for a rule."""
    turns = {dialogue.model.name: dialogue.turn for dialogue in dialogues_of(sample)}
    for reply in replies:
        if reply.call.stage == "answer":
            turn = turns[reply.call.model](reply.call.call_index)
            expected = Expected((turn.ground_truth,) if turn.answerable and turn.ground_truth.strip() else None)
            yield TargetedAnswer(reply, expected, question=turn.question)


def has_target(task: ChatTask, sample: Sample) -> bool:
    """Return whether any turn that is asked has a ground truth."""
    dialogue = dialogues_of(sample)[0]
    return any(turn.answerable and turn.ground_truth.strip() for turn in map(dialogue.turn, dialogue.places))


TARGETS = Targets(("answer",), scored_answers, has_target, "chat.dataset: give its turns a ground_truth")


def chat_report(task: ChatTask) -> DialogueReport:
    """The metrics that are judged, by the threshold of the config; below them what a reader must know of the run."""
    judge, judged_metrics = task.config.judge, metrics_of(task.config.judge)
    metrics = [replace(m, threshold=judge.threshold) if m.high > 1 else m for m in METRICS if m.name in judged_metrics]
    metrics += [rubric.metric for rubric in task.rubrics.values()]
    notes = [*([UPPER_BOUND] if task.config.context == "passages" else []), *(f"{warning}." for warning in task.warnings)]
    ladder, own = judge.metrics[0] if judge.ladder else "", task.config.history == "own"
    return DialogueReport(task, metrics, task.prices, task.max_concurrency, task.dataset, own, ladder, notes)


def _factors(task: ChatTask) -> dict[str, Json]:
    turns = sum(len(conversation.places) for conversation in task.conversations)
    return {"models": len(task.asked["answer"]), "conversations": len(task.conversations), "questions": turns}


def _from_set(selected: Selected) -> dict[str, Json]:
    """The set's file, and the ids where not all of it is asked."""
    selection = {} if selected.whole else {"selected": [question.id for question in selected.questions]}
    return {"dataset": selected.path, **selection}


def unit_of(task: ChatTask, sample: Sample) -> Unit:
    """A conversation and the document that it is about, with all that the document says."""
    dialogue = dialogues_of(sample)[0]
    turns = [(turn.question, turn.ground_truth, turn.answerable) for turn in map(dialogue.turn, dialogue.places)]
    source, _ = sample.cluster
    return Unit(digest(turns, dialogue.document), (source, f"{source}/{sample.doc_id}"))


CHAT = Kind(
    name="chat",
    about="models side by side on conversations about documents, judged for groundedness and more",
    Config=ChatConfig,
    defaults=RunDefaults(max_concurrency=10, retries=3, timeout_s=60.0, max_output_tokens=2000),
    stages=(Stage("answer"), Stage("judge", role="judge")),
    metrics=METRICS,
    prompts={"system": ("context",), "system_alone": (), **PROMPTS},
    resolve=resolve,
    samples=samples,
    flow=flow,
    report=chat_report,
    targets=TARGETS,
    units=Units("conversation", headline=(*MARKS, CLAIMS.name), of=unit_of),
    task_form=TaskForm(_factors),
    starts=Starts(_from_set, frozenset({"turns"}), short_form="SET", uses=frozenset({"documents"})),
    sample_files=SampleFiles(on_demand=frozenset({RESULTS_JSON, "turns.json", "turns.csv"})),
    ratings=RatingForm("judge", ASKED, lambda metric: ("judge_system", metric, "reminder"), OWN),
)
