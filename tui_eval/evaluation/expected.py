"""Expectations of a reply: its sample's right answers, and the options of a multiple-choice question."""

from __future__ import annotations

from tui_eval.core.record_class import record
from tui_eval.core.samples import Sample


@record
class Expected:
    """Expectation of a reply, as its sample states it."""

    targets: tuple[str, ...] | None = None
    """Right answers, of which each is enough. None: none is known. Empty: the right answer is to give none (SQuAD 2)."""
    options: tuple[str, ...] = ()
    """The options of a multiple-choice question, in the order in which they were shown."""
    answer: int | None = None
    """The right one among `options`, counted from 0."""

    @staticmethod
    def of(sample: Sample) -> Expected:
        """Return the expectation of a sample."""
        targets = None if sample.truth is None else (sample.truth,)
        return Expected(targets, sample.options, sample.answer)
