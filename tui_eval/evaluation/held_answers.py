"""Answers that a report holds, to try on them whether another scorer would pass what the run's headline does not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from tui_eval.core.calls import Reply
from tui_eval.core.results import SampleResult
from tui_eval.core.units import digest
from tui_eval.evaluation.expected import Expected
from tui_eval.evaluation.targets import TargetedAnswer

_TRIED = 200
"""Questions of which answers are held, and answers of a model that are tried."""
NOTHING, FEWEST = 0.05, 5
"""The share up to which a scorer gives almost nothing, and of how many answers at least."""
Passing = Callable[[Reply, Expected], bool | None]
"""Whether a reply passes by what is expected of it; None where nobody knows."""


@dataclass(slots=True)
class HeldAnswers:
    """The answers of the first samples of a run, those of its first repeat and variant, model by model."""

    variant: str | None = None
    by_model: dict[str, list[TargetedAnswer]] = field(default_factory=dict)

    def wants(self, row: SampleResult, variant: Callable[[], str] = str) -> bool:
        """Return whether a row is among the first ones. `variant`: what is asked otherwise in others, read for these alone."""
        if row.sample.q_index >= _TRIED or row.sample.repeat:
            return False
        if self.variant is None:
            self.variant = variant()
        return variant() == self.variant

    def add(self, answers: Iterable[TargetedAnswer]) -> None:
        """Hold the answers that are a text."""
        for answer in answers:
            if answer.reply.ok and not answer.why:
                model_answers = self.by_model.setdefault(answer.reply.call.model, [])
                model_answers.append(answer)
                if len(model_answers) > 2 * _TRIED:
                    model_answers[:] = _sampled(model_answers)

    def failing(self, passing: Passing) -> tuple[list[TargetedAnswer], list[str]]:
        """The answers of which almost none passes: of all models together, else of those alone that are so, with their names.
        None of fewer than five."""
        by_model = {model: _sampled(model_answers) for model, model_answers in self.by_model.items()}
        passed = {
            model: [has_passed for each in model_answers if (has_passed := passing(each.reply, each.expected)) is not None]
            for model, model_answers in by_model.items()
        }
        if _almost_none([each for outcomes in passed.values() for each in outcomes]):
            return [answer for model_answers in by_model.values() for answer in model_answers], []
        models = [model for model, outcomes in passed.items() if _almost_none(outcomes)]
        return [answer for model in models for answer in by_model[model]], models


def _sampled(answers: Sequence[TargetedAnswer]) -> list[TargetedAnswer]:
    """At most so many of a model's answers as are tried, whichever order they came in: of a question to many documents some."""
    if len(answers) <= _TRIED:
        return [*answers]
    least = sorted((digest(answer.reply.call.item_id), n) for n, answer in enumerate(answers))[:_TRIED]
    return [answers[n] for n in sorted(n for _, n in least)]


def _almost_none(passed: Sequence[bool]) -> bool:
    return len(passed) >= FEWEST and sum(passed) <= NOTHING * len(passed)
