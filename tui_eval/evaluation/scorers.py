"""The scorers of a run as its task holds them: their rows and metrics, and when a sample passes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, cast

from tui_eval.core.kinds import Metric
from tui_eval.evaluation.scoring.fence.fenced_child import Fence
from tui_eval.evaluation.stage_models import SCORING as SCORING

if TYPE_CHECKING:
    from tui_eval.evaluation.scoring.by_model.llm_rule import LlmRow
    from tui_eval.evaluation.scoring.own_code.code_scores import CodeScores
    from tui_eval.evaluation.scoring.own_code.python_rule import PythonRow
    from tui_eval.evaluation.scoring.rule import ScorerRow


_PASSED, _BESIDE = "passed", "scorers_passed"
SCORING_PROMPTS: Mapping[str, tuple[str, ...]] = {
    "llm_system": (),
    "llm_user": ("question", "truth", "answer"),
    "llm_reminder": (),
}
"""The prompts of scorers that ask a model, with the slots that each must have."""


@dataclass(frozen=True)
class Scorers:
    """Scorers of `[[scorers]]` and `[scoring]`, with what samples bring; empty where nothing is scored by a rule."""

    rows: tuple[ScorerRow, ...] = ()
    """Those of the config, in its order: they score every sample that brings none instead."""
    every: tuple[ScorerRow, ...] = ()
    """All that score any sample, one for each metric, the headline first."""
    metrics: tuple[Metric, ...] = ()
    """One for each of `every`, and the one of passing where it is told."""
    passed: str = _PASSED
    """What the metric is called that says whether a sample passes."""
    tells_passing: bool = False
    """Whether several scorers decide on that together, so that there is this metric."""
    threshold: float | None = None
    """The weighted mean from which on a sample passes; None = all must pass."""
    leads: bool = False
    """Whether one of them says that it is the headline, before metrics of the kind's own."""
    may_wait: bool = False
    """Whether scoring may wait for a child process."""
    prompts: Mapping[str, str] = field(default_factory=dict)
    """Those of scorers that ask a model, by name; empty where none does."""
    answers: str = ""
    """An earlier run whose replies are scored in place of asking; empty where the models are asked."""
    seed: int = 0
    """The run's, of which the marks around foreign text are made."""
    code_refused: str = ""
    """Why own scorers must not run: nobody has said that their folder is trusted. Empty = they may."""
    code_scores: CodeScores | None = field(default=None, compare=False, repr=False)
    """The scores that own scorers gave, of the run that is read; None while there is no run to read them of."""
    fence: Fence = field(default_factory=Fence, compare=False, repr=False)

    @cached_property
    def names(self) -> frozenset[str]:
        """The names of their metrics."""
        return frozenset(metric.name for metric in self.metrics)

    @cached_property
    def asking(self) -> tuple[LlmRow, ...]:
        """Those that ask a model: a config's alone, for samples bring none."""
        return tuple(cast("LlmRow", row) for row in self.rows if row.asks_model)

    @cached_property
    def by_code(self) -> tuple[PythonRow, ...]:
        """Own scorers, whose code is run: a config's alone, for samples bring none."""
        return tuple(cast("PythonRow", row) for row in self.rows if row.runs_code)

    def __bool__(self) -> bool:
        return bool(self.every)


NO_SCORERS = Scorers()


def passed_beside(own: Collection[str]) -> str:
    """Return the name of the metric of passing beside a kind's own metrics, of which one may be called `passed` already."""
    return _BESIDE if _PASSED in own else _PASSED
