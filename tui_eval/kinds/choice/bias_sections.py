"""What choices lean towards, as sections of Markdown pages."""

from __future__ import annotations

from tui_eval.core.plaintext import markdown_rows
from tui_eval.kinds.choice.choice_biases import Bias
from tui_eval.kinds.choice.figures import Figures
from tui_eval.kinds.choice.sheets import LETTERS, Sheet
from tui_eval.results.sums.in_words import p_value, percent, points
from tui_eval.statistics.bias import LongestBias, PositionBias, QualifierBias

BIAS_NOTE = (
    "Measured against the answer key, not against 1/k: who follows the key shows no bias, however uneven it is. low: up to 5 "
    "points, medium: up to 10, high: above; a level above low needs p < 0.05 after Holm over the models, else it reads low "
    "(noise). Of several replies to one question the first counts. A position counts only if the wrong answers, too, lean to "
    "it, since even guessing strays from an uneven key. In brackets the measure of FormationEval's authors: against 1/k, "
    "whatever the key, without significance."
)
WORDS = ("Model", "Level", "Level, 1/k")
"""Columns that hold words."""


def bias_short(figures: Figures) -> str:
    """The level of each bias, by model."""
    rows = []
    for s in figures.ranked:
        found = {"Position": s.biases.position, "Longest option": s.biases.longest, "Absolute words": s.biases.qualifier}
        rows.append([("Model", s.sheet.name), *((name, _levels(bias)) for name, bias in found.items())])
    return markdown_rows(rows, [name for name, _ in rows[0]])


def _levels(found: Bias | None) -> str:
    if found is None:
        return "-"
    own = getattr(found, "level_uniform", None)
    return f"{found.level} [{own}]" if own else found.level


def bias_details(figures: Figures) -> list[str]:
    """Each bias with what it rests on; what nobody shows is left out."""
    position = [_position_row(s.sheet, s.biases.position) for s in figures.ranked if s.biases.position]
    longest = [_longest_row(s.sheet, s.biases.longest) for s in figures.ranked if s.biases.longest]
    qualifier = [_qualifier_row(s.sheet, s.biases.qualifier) for s in figures.ranked if s.biases.qualifier]
    notes = (
        "### Position\n\nShares of the letters chosen, as shown, of answers with a letter to questions of "
        f"{figures.usual_size} options. The key: {_key_shares(figures)}.",
        "### Longest option\n\nOver questions with one longest option. The sharper test looks at wrong answers where the key "
        "is not the longest: does the model fall for the longest more often than chance?",
        "### Absolute words (always, never, only, all, none)\n\n"
        "Over questions where some options hold such a word and some do not.",
    )
    made = zip(notes, (position, longest, qualifier), strict=True)
    return [f"{note}\n\n{markdown_rows(rows, WORDS)}" for note, rows in made if rows]


def _key_shares(figures: Figures) -> str:
    """Where the right options stood, over all models."""
    measured = [biases.position for biases in figures.biases if biases.position is not None]
    n = sum(position.n for position in measured)
    shares = [sum(p.n * p.key_share[i] for p in measured) / n for i in range(figures.usual_size)] if n else []
    return ", ".join(f"{letter} {percent(share, 0)}" for letter, share in zip(LETTERS, shares, strict=False))


def _position_row(sheet: Sheet, found: PositionBias) -> list[tuple[str, str]]:
    return [
        ("Model", sheet.name),
        ("n", str(found.n)),
        *((letter, percent(share, 0)) for letter, share in zip(LETTERS, found.chosen_share, strict=False)),
        ("Furthest from the key, points", points(found.max_deviation, sign=False)),
        ("Recall sd, points", points(found.recall_sd, sign=False)),
        ("p", p_value(found.p)),
        ("p, wrong answers", p_value(found.p_wrong)),
        ("Level", found.level),
        ("Furthest from 1/k, points", points(found.max_deviation_uniform, sign=False)),
        ("Level, 1/k", found.level_uniform),
    ]


def _longest_row(sheet: Sheet, found: LongestBias) -> list[tuple[str, str]]:
    wrong = f"{found.wrong_longest}/{found.wrong_n}"
    return [*_lean(sheet, found, "the longest", wrong), ("Level", found.level), ("Level, 1/k", found.level_uniform)]


def _qualifier_row(sheet: Sheet, found: QualifierBias) -> list[tuple[str, str]]:
    return [*_lean(sheet, found, "such an option", f"{found.wrong_with}/{found.wrong_n}"), ("Level", found.level)]


def _lean(sheet: Sheet, found: LongestBias | QualifierBias, what: str, wrong: str) -> list[tuple[str, str]]:
    """What both tables of tempting options say of a model."""
    return [
        ("Model", sheet.name),
        ("n", str(found.n)),
        (f"Picked {what}", percent(found.picked)),
        (f"Key is {what}", percent(found.key)),
        ("Excess, points", points(found.excess)),
        ("Of wrong answers", wrong),
        ("Expected of these", percent(found.expected)),
        ("p", p_value(found.p)),
    ]
