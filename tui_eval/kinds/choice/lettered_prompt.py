"""The call that asks one question of one model: the prompt with its options behind letters, and its parameters."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from tui_eval.core.calls import Call, Message
from tui_eval.core.samples import Sample
from tui_eval.kinds.choice.option_orders import key_place
from tui_eval.kinds.choice.selection import ChoiceTask
from tui_eval.kinds.choice.sheets import LETTERS
from tui_eval.reading.prompts import fill


def answer_call(task: ChoiceTask, sample: Sample, n: int, shown: Sequence[int]) -> Call:
    """The n-th call about a sample, with the options in the order shown."""
    prompts = task.config.prompts
    messages = _messages(prompts["system"], prompts["user"], sample.question, sample.options, tuple(shown))
    example = LETTERS[key_place(sample, shown)]
    return task.models[sample.queue].call(sample, messages, n, example=example)


@lru_cache(maxsize=256)
def _messages(system: str, user: str, question: str, options: tuple[str, ...], shown: tuple[int, ...]) -> tuple[Message, ...]:
    """The prompt: the same for every model that is asked this question in this order."""
    slots = {
        "question": question,
        "options": "\n".join(lettered_options(options, shown)),
        "letters": _enumerated(LETTERS[: len(shown)]),
    }
    return Message("system", fill(system, slots)), Message("user", fill(user, slots))


def lettered_options(options: Sequence[str], shown: Sequence[int]) -> list[str]:
    """The options in this order, each behind its letter."""
    return [f"{LETTERS[place]}) {options[i]}" for place, i in enumerate(shown)]


def _enumerated(letters: Sequence[str]) -> str:
    """A, B, C or D."""
    return f"{', '.join(letters[:-1])} or {letters[-1]}"
