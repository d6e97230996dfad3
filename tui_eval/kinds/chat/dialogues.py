"""From the `[chat]` table to what is asked: each model's dialogue about each conversation, and what it is shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tui_eval.core.calls import Price
from tui_eval.core.errors import ConfigError
from tui_eval.evaluation.inputs import Inputs, Task
from tui_eval.evaluation.judging.families import own_family
from tui_eval.evaluation.judging.judge_panel import as_judge, drawn_twice
from tui_eval.evaluation.sample_queues import Samples
from tui_eval.kinds.chat.chat_table import Config
from tui_eval.kinds.chat.conversation_selection import Asked, Windows, check_window, chosen
from tui_eval.kinds.chat.dialogue_judging import attacks_on
from tui_eval.kinds.chat.dialogue_samples import dialogue_samples
from tui_eval.statistics.judge_ladder import STEPS

ALONE = "one model answers, so there is nothing to choose between (chat.judge.pairs)"
UNGROUNDED = "nothing is shown of a document, so groundedness and claims are left out"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatTask(Task):
    """The conversations, read."""

    config: Config
    dataset: str
    """What the set is called."""
    conversations: Sequence[Asked]
    twice: frozenset[tuple[str, str]]
    """(model, id of the turn) of the answers that are judged twice."""
    repeat: int = 1
    """How often everything is asked."""
    prices: Mapping[str, Price | None] = field(default_factory=dict)
    """Of the models, by their names."""
    max_concurrency: int | None = None
    """How many calls may be in flight: latencies say so."""


def resolve(config: Config, inputs: Inputs) -> ChatTask:
    """The conversations read, with what is shown of their documents. ConfigError, naming the key, for what cannot be asked."""
    judge, models = config.judge, inputs.asked["answer"]
    if len(models) > config.max_models:
        raise ConfigError(f"chat.models: {len(models)} models; at most {config.max_models} (chat.max_models raises it)")
    name, found = chosen(inputs, "dataset", config.selected, config.context)
    if judge.ladder and any(len(asked.places) != len(STEPS) for asked in found):
        raise ConfigError(f"chat.judge.ladder: each conversation needs {len(STEPS)} questions, one for each step of the ladder")
    windows = Windows(config.context_window, {} if config.answers_from else inputs.windows)
    unsure = check_window(found, models, config.history_pairs, windows, "chat")
    bare = sum(not any(asked.contexts) for asked in found)
    told = "" if bare == len(found) else f"{bare} of {len(found)} conversations: "
    answers = [(model.name, each.conversation.turns[n].id) for model in models for each in found for n in each.places]
    limits = (judge.temperature, judge.max_output_tokens, judge.use_temperature)
    judges = tuple(as_judge(model, *limits) for model in inputs.asked["judge"])
    return ChatTask(
        config=config,
        asked={**inputs.asked, "judge": judges},
        dataset=name,
        conversations=found,
        warnings=(
            *((f"{told}{UNGROUNDED}",) if bare else ()),
            *(unsure if not config.answers_from else ()),
            *((ALONE,) if judge.pairs and len(models) < 2 else ()),
            *own_family(judges, models),
        ),
        twice=drawn_twice(answers, judge.duplicates, inputs.run.seed),
        repeat=inputs.run.repeat,
        attacks=attacks_on(inputs, judge, judges, config.prompts),
        prices={name: spec.price for name, spec in inputs.models.items()},
        max_concurrency=inputs.run.max_concurrency,
    )


def samples(task: ChatTask) -> Samples:
    """Model x conversation; where judges choose between answers, conversations with all models, since a choice needs both."""
    return dialogue_samples(task.asked["answer"], task.conversations, task.twice, task.config.judge.pairs)
