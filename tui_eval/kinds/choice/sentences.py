"""What the comparison of answer sheets shows, in sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tui_eval.core.plaintext import counted
from tui_eval.kinds.choice.figures import Figures
from tui_eval.kinds.choice.sheets import Sheet
from tui_eval.results.sums.differences import each_of
from tui_eval.results.sums.in_words import percent

NAMED = 10
"""Models that a sentence names; of more it says how many there are."""
Name = Callable[[Sheet], str]
"""How a sheet is named: escaped on a page, short on a terminal."""


def significant(figures: Figures, name: Name = lambda sheet: sheet.name) -> list[str]:
    """What the paired comparison shows, in sentences."""
    pairs = figures.pairs
    if not pairs:
        return ["There is nothing to compare: fewer than two models replied to a common question."]
    apart = sum(pair.significant for pair in pairs)
    test = "exact McNemar" if figures.single else "each question by its share of right replies"
    lines = [f"{apart or 'none'} of {len(pairs)} pairs differ (paired on common questions, {test}, p < 0.05 after Holm)."]
    lines += [*_first_text(figures, name), _detectable_text(figures), _more_questions_text(figures, name)]
    return [line for line in lines if line]


def _first_text(figures: Figures, name: Name) -> list[str]:
    """What the model in the first row is, and is not, better than."""
    first, *others = (s.sheet for s in figures.ranked if s.accuracy.scored)
    against = {id(pair.b): pair for pair in figures.pairs if pair.a is first}
    open_to, worse, apart = [], [], []
    for sheet in others:
        pair = against.get(id(sheet))
        if pair is None:
            apart.append(sheet)
        elif not pair.significant:
            open_to.append(sheet)
        elif (pair.found.value or 0) < 0:
            worse.append(sheet)
    lines = []
    if open_to:
        lines.append(f"{name(first)}, first here, cannot be told apart from {_listed(open_to, name)}.")
    if worse:
        lines.append(f"On their common questions {name(first)} is worse than {_listed(worse, name)}.")
    if apart:
        lines.append(f"{name(first)} shares no question with {_listed(apart, name)}.")
    return lines or [f"{name(first)} is better than every other model here."]


def _listed(sheets: Sequence[Sheet], name: Name) -> str:
    more = f" and {len(sheets) - NAMED} more" if len(sheets) > NAMED else ""
    return ", ".join(map(name, sheets[:NAMED])) + more


def _detectable_text(figures: Figures) -> str:
    """The smallest difference that this run shows."""
    power = figures.power
    if power is None:
        return ""
    n, seen = power.common, power.detectable
    disagree = f", disagreed on in {percent(power.disagreement, 0)}" if figures.single else ""
    if seen is None:
        return f"With {counted(n, 'common question')}{disagree}, no difference shows reliably{each_of(power.tests)}."
    return (
        f"With {counted(n, 'common question')}{disagree}, a difference below about {100 * seen:.0f} points escapes notice "
        f"more often than once in five{each_of(power.tests)}."
    )


def _more_questions_text(figures: Figures, name: Name) -> str:
    """How many questions would tell the first two apart, if they went on as they do here."""
    first = figures.pairs[0]
    needed = first.needed
    if not figures.single or first.significant or needed is None or needed <= first.found.n:
        return ""
    both = f"{name(first.a)} and {name(first.b)}"
    at = " at that p" if first.tests > 1 else ""
    return f"If {both} went on like this, it would take about {needed:,} questions to tell them apart{at}."


def chance_text(figures: Figures) -> str:
    """What picking at random would score."""
    return f"Picking at random would score {percent(figures.chance)}."
