"""The call that asks one question of one model: the prompt with its options behind letters, and its parameters."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from tui_eval.core.calls import Call, Message
from tui_eval.core.samples import Sample
from tui_eval.datasets.lettered.lettered_questions import ChoiceQuestion
from tui_eval.kinds.choice.choice_table import Config
from tui_eval.kinds.choice.sheet import LETTERS
from tui_eval.reading.prompts import fill


def answer_call(config: Config, item: Sample, n: int, shown: Sequence[int]) -> Call:
    """The n-th call about an item, with the options in the order shown."""
    question: ChoiceQuestion = item.data
    read = config.read
    spec, run = read.specs[item.lane], read.run
    temperature = spec.temperature if spec.temperature is not None else config.temperature
    return Call(
        "answer",
        item.id,
        item.lane,
        _messages(config.prompts["system"], config.prompts["user"], question, tuple(shown)),
        call_index=n,
        temperature=temperature if config.use_temperature else None,
        max_output_tokens=spec.max_output_tokens or run.max_output_tokens or None,
        timeout_s=spec.timeout_s or run.timeout_s,
        example=LETTERS[list(shown).index(question.answer)],
    )


@lru_cache(maxsize=256)
def _messages(system: str, user: str, question: ChoiceQuestion, shown: tuple[int, ...]) -> tuple[Message, ...]:
    """The prompt: the same for every model that is asked this question in this order."""
    slots = {
        "question": question.question,
        "options": "\n".join(lettered_options(question, shown)),
        "letters": _enumerated(LETTERS[: len(shown)]),
    }
    return Message("system", fill(system, slots)), Message("user", fill(user, slots))


def lettered_options(question: ChoiceQuestion, shown: Sequence[int]) -> list[str]:
    """The options in this order, each behind its letter."""
    return [f"{LETTERS[place]}) {question.choices[i]}" for place, i in enumerate(shown)]


def _enumerated(letters: Sequence[str]) -> str:
    """A, B, C or D."""
    return f"{', '.join(letters[:-1])} or {letters[-1]}"
