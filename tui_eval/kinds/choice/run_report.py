"""From a task to the report of its run."""

from __future__ import annotations

import hashlib

from tui_eval.core.kinds import Reporter
from tui_eval.kinds.choice.marking import rule_of
from tui_eval.kinds.choice.option_orders import names_letters, order
from tui_eval.kinds.choice.report import ChoiceReport
from tui_eval.kinds.choice.selection import ChoiceTask
from tui_eval.kinds.choice.sheet import Asked


def reporter(task: ChoiceTask) -> Reporter:
    """What adds up rows to the leaderboard, the analysis and the tables behind them."""
    config = task.config
    asked = Asked(
        benchmark=task.benchmark,
        benchmark_size=task.benchmark_size,
        questions=task.questions,
        models=tuple(task.models),
        extraction=rule_of(config),
        permutations=config.permutations,
        shuffle=config.shuffle,
        prompt=_digest(config.prompts["system"], config.prompts["user"]),
        unmoved=sum(names_letters(question.options) for question in task.questions),
        order=lambda sample, n: order(task, sample, n),
        imported=task.imported,
    )
    return ChoiceReport(asked)


def _digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode("utf-8")).hexdigest()[:12]
