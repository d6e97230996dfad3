"""Leanings of a model's choices: towards positions, the longest option, options with absolute words."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tui_eval.core.results import Cell, Table
from tui_eval.evaluation.sum_cells import RESTS_ON, Cells, table_of
from tui_eval.kinds.choice.asked_questions import AskedQuestions
from tui_eval.kinds.choice.sheets import LETTERS, AnswerSheets, Sheet
from tui_eval.results.sums.differences import holm_of
from tui_eval.statistics.bias import (
    LongestBias,
    PositionBias,
    QualifierBias,
    longest_bias,
    position_bias,
    qualifier_bias,
    significant_level,
)

BIASES = ("position", "longest", "absolute_words")
COLUMNS = (
    "model", "bias", "n", "picked", "key", "difference", "n_wrong", "wrong_picked", "expected", "p", "p_wrong", "recall_sd",
    "level", "difference_uniform", "level_uniform",
)  # fmt: skip
NOTE = (
    "difference: picked - key, for position the largest of the letters'. wrong_picked: of the n_wrong wrong answers to"
    " questions whose key it is not; expected: their share without a bias. uniform: the measure against 1/k."
)


@dataclass(frozen=True, slots=True)
class Biases:
    """The leanings of one model's choices; None where nothing could be measured."""

    position: PositionBias | None
    longest: LongestBias | None
    qualifier: QualifierBias | None


def leanings(whole: AnswerSheets, size: int) -> list[Biases]:
    """Of each sheet; position is measured over questions of so many options."""
    return _levelled([_biases(sheet, whole.asked, size) for sheet in whole.sheets])


def _biases(sheet: Sheet, asked: AskedQuestions, size: int) -> Biases:
    """By the first reply to each question: several to one question are no independent evidence."""
    firsts = ((asked.numbers[place], answers[0]) for place, answers in sheet.answers.items() if answers)
    counts = Counter((number, a.option, a.place, a.key_place, a.correct) for number, a in firsts if a.option is not None)
    placed, longest = Counter[tuple[int, int]](), Counter[tuple[bool, bool, bool, int]]()
    words = Counter[tuple[bool, bool, bool, int, int]]()
    for (number, option, place, key_place, correct), n in counts.items():
        shape = asked.shapes[number]
        size_of, absolute = shape.size, shape.absolute
        if size_of == size and place is not None:
            placed[place, key_place] += n
        if shape.longest is not None:
            longest[option == shape.longest, shape.key == shape.longest, correct, size_of] += n
        if 0 < len(absolute) < size_of:
            words[option in absolute, shape.key in absolute, correct, len(absolute), size_of] += n
    chosen, keys = (array("I", (both[end] for both in placed.elements())) for end in (0, 1))
    return Biases(position_bias(chosen, keys, size), longest_bias(longest.elements()), qualifier_bias(words.elements()))


def _levelled(biases: list[Biases]) -> list[Biases]:
    """Each bias with its level by p after Holm over the models: of many models some lean by chance."""
    position = [
        None if b.position is None or b.position.p_wrong is None else max(b.position.p, b.position.p_wrong) for b in biases
    ]
    longest = [None if b.longest is None else b.longest.p for b in biases]
    qualifier = [None if b.qualifier is None else b.qualifier.p for b in biases]
    adjusted = [holm_of(values) for values in (position, longest, qualifier)]
    return [
        Biases(
            b.position and replace(b.position, level=significant_level(b.position.max_deviation, adjusted[0][i])),
            b.longest and replace(b.longest, level=significant_level(b.longest.excess, adjusted[1][i])),
            b.qualifier and replace(b.qualifier, level=b.qualifier.level_at(adjusted[2][i])),
        )
        for i, b in enumerate(biases)
    ]


# tables


def row_of(sheet: Sheet) -> Cells:
    """Return the first cells of a row about a sheet: its name, and which scores it rests on."""
    return {RESTS_ON: {"model": sheet.model}, "model": sheet.label}


def letters_table(sheets: Sequence[Sheet], biases: Mapping[str, Biases], size: int) -> Table:
    """Tabulate the letters that were chosen, as shown, of answers to questions of so many options."""
    rows: list[Cells] = []
    for sheet in sheets:
        position = biases[sheet.label].position
        for place in range(0 if position is None else size):
            assert position is not None
            rows.append({
                **row_of(sheet),
                "letter": LETTERS[place],
                "chosen_share": Cell(position.chosen_share[place], position.n, formula="chosen / answers"),
                "key_share": Cell(position.key_share[place], position.n, formula="right there / answers"),
                "recall": Cell(
                    position.recalls[place], round(position.key_share[place] * position.n), formula="right / right there"
                ),
            })  # fmt: skip
    note = f"Letters as shown, over answers with a letter to questions of {size} options."
    columns = ("model", "letter", "chosen_share", "key_share", "recall")
    return table_of("Letters chosen", rows, columns, note, columns[:2])


def bias_table(sheets: Sequence[Sheet], biases: Mapping[str, Biases]) -> Table:
    """Tabulate each bias that could be measured, with what it rests on; what it has no figure of is None."""
    blank: Cells = dict.fromkeys(COLUMNS)
    rows = [{**blank, **row_of(sheet), **row} for sheet in sheets for row in _rows(biases[sheet.label])]
    return table_of("Bias against the answer key", rows, COLUMNS, NOTE, COLUMNS[:2])


def _rows(biases: Biases) -> Iterator[Cells]:
    if position := biases.position:
        yield {
            "bias": BIASES[0],
            "n": position.n,
            "picked": Cell(None, position.n),
            "key": Cell(None, position.n),
            "difference": Cell(position.max_deviation, position.n),
            "p": position.p,
            "p_wrong": position.p_wrong,
            "recall_sd": position.recall_sd,
            "level": position.level,
            "difference_uniform": position.max_deviation_uniform,
            "level_uniform": position.level_uniform,
        }
    if longest := biases.longest:
        yield {**_tempting(BIASES[1], longest, longest.wrong_longest), "level_uniform": longest.level_uniform}
    if words := biases.qualifier:
        yield _tempting(BIASES[2], words, words.wrong_with)


def _tempting(name: str, bias: LongestBias | QualifierBias, wrong: int) -> Cells:
    shares = {"picked": bias.picked, "key": bias.key, "difference": bias.excess}
    return {
        "bias": name,
        "n": bias.n,
        **{column: Cell(share, bias.n) for column, share in shares.items()},
        "n_wrong": bias.wrong_n,
        "wrong_picked": wrong,
        "expected": bias.expected,
        "p": bias.p,
        "level": bias.level,
    }
