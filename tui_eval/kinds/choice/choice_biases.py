"""What a model's choices lean towards: positions, the longest option, options with absolute words."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tui_eval.core.samples import Sample
from tui_eval.kinds.choice.sheets import Board, Sheet
from tui_eval.results.sums.differences import holm_of
from tui_eval.statistics.bias import (
    LongestBias,
    PositionBias,
    QualifierBias,
    has_absolute_word,
    longest_bias,
    position_bias,
    qualifier_bias,
    significant_level,
)

Bias = PositionBias | LongestBias | QualifierBias


@dataclass(frozen=True, slots=True)
class Biases:
    """What one model's choices lean towards; None where nothing could be measured."""

    position: PositionBias | None
    longest: LongestBias | None
    qualifier: QualifierBias | None


def leanings(board: Board, size: int) -> list[Biases]:
    """Of each sheet; position is measured over questions of so many options."""
    shapes = {question.id: _Shape(question) for question in board.questions}
    return _levelled([_biases(sheet, shapes, size) for sheet in board.sheets])


class _Shape:
    """What of a question's options may tempt: which is the longest, which hold absolute words."""

    def __init__(self, question: Sample) -> None:
        lengths = [len(choice) for choice in question.options]
        self.size = len(lengths)
        self.key = question.answer
        self.longest = lengths.index(max(lengths)) if lengths.count(max(lengths)) == 1 else None
        self.absolute = frozenset(i for i, choice in enumerate(question.options) if has_absolute_word(choice))


def _biases(sheet: Sheet, shapes: dict[str, _Shape], size: int) -> Biases:
    """By the first reply to each question: several to one question are no independent evidence."""
    firsts = ((question, answers[0]) for question, answers in sheet.answers.items() if answers)
    read = [(shapes[question], answer) for question, answer in firsts if answer.option is not None]
    placed = [(answer.place, answer.key_place) for shape, answer in read if shape.size == size and answer.place is not None]
    return Biases(
        position=position_bias([place for place, _ in placed], [key for _, key in placed], size),
        longest=longest_bias(
            (answer.option == shape.longest, shape.key == shape.longest, answer.correct, shape.size)
            for shape, answer in read
            if shape.longest is not None
        ),
        qualifier=qualifier_bias(
            (answer.option in shape.absolute, shape.key in shape.absolute, answer.correct, len(shape.absolute), shape.size)
            for shape, answer in read
            if 0 < len(shape.absolute) < shape.size
        ),
    )


def _levelled(found: list[Biases]) -> list[Biases]:
    """Each bias with its level by p after Holm over the models: of many models some lean by chance."""
    position = [
        None if b.position is None or b.position.p_wrong is None else max(b.position.p, b.position.p_wrong) for b in found
    ]
    longest = [None if b.longest is None else b.longest.p for b in found]
    qualifier = [None if b.qualifier is None else b.qualifier.p for b in found]
    adjusted = [holm_of(values) for values in (position, longest, qualifier)]
    return [
        Biases(
            b.position and replace(b.position, level=significant_level(b.position.max_deviation, adjusted[0][i])),
            b.longest and replace(b.longest, level=significant_level(b.longest.excess, adjusted[1][i])),
            b.qualifier and replace(b.qualifier, level=b.qualifier.level_at(adjusted[2][i])),
        )
        for i, b in enumerate(found)
    ]
