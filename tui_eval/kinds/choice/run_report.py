"""From a settled config to the report of its run."""

from __future__ import annotations

import hashlib

from tui_eval.core.kinds import Reporter
from tui_eval.kinds.choice.choice_table import Config
from tui_eval.kinds.choice.marking import rule_of
from tui_eval.kinds.choice.option_orders import names_letters, order
from tui_eval.kinds.choice.report import ChoiceReport
from tui_eval.kinds.choice.sheet import Asked


def reporter(config: Config) -> Reporter:
    """What adds up rows to the leaderboard, the analysis and the tables behind them."""
    read = config.read
    asked = Asked(
        benchmark=read.benchmark.name,
        benchmark_size=len(read.benchmark.questions),
        questions=read.questions,
        models=tuple(config.models),
        extraction=rule_of(config),
        permutations=config.permutations,
        shuffle=config.shuffle,
        prompt=_digest(config.prompts["system"], config.prompts["user"]),
        unmoved=sum(map(names_letters, read.questions)),
        order=lambda item, n: order(config, item, n),
        imported=read.imported,
    )
    return ChoiceReport(asked)


def _digest(*texts: str) -> str:
    return hashlib.sha256("\0".join(texts).encode("utf-8")).hexdigest()[:12]
