"""What is plotted of a comparison: scores with their intervals, cost against score, scores by category."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tui_eval.results.comparison import wording as said
from tui_eval.results.comparison.comparing import Comparison, Standing
from tui_eval.statistics.estimates import mean
from tui_eval.tui.charts import LETTERS, MOST, Intervals, Picture, Scatter, Spread, Swarm
from tui_eval.tui.safe import safe_line
from tui_eval.tui.words import count, share

SMALL = LETTERS[:26]
NO_SHARES = "No side has scores between 0 and 1, which these charts are drawn of."
Need = tuple[str, Callable[[Standing], object]]
"""What is said of sides that are not drawn for want of it, and whether a side has it."""
SCORED: tuple[Need, ...] = (
    ("without a score", lambda standing: standing.score.value is not None),
    ("with a score outside 0 to 1", lambda standing: 0 <= (standing.score.value or 0.0) <= 1),
)


def scores(comparison: Comparison) -> Picture:
    """Every side's score with its interval, on one scale."""
    name = "Scores with intervals"
    found, left = _drawn(comparison.standings, MOST)
    if not found:
        return Picture(name, NO_SHARES + left, None)
    several = len(comparison.stages) > 1
    spreads = tuple(Spread(_name(s, several), s.score.value or 0.0, s.score.low, s.score.high) for s in found)
    about = f"Score (●) and its 95 % interval, in per cent, over each side's own questions. {_n(found)}"
    return Picture(name, about + left + _simulated(found), Intervals(spreads))


def costs(comparison: Comparison, chosen: int) -> Picture:
    """What a call costs against the score, of one stage; sides that no other beats in both are marked."""
    name = "Cost against score"
    stages = comparison.stages
    stage = stages[chosen % len(stages)]
    inside = [standing for standing in comparison.standings if standing.side.stage == stage]
    known, left = _drawn(inside, len(SMALL), ("without a known cost", lambda standing: said.cost_each(standing) is not None))
    choices = tuple(safe_line(name, 40) for name in stages)
    if not known:
        return Picture(name, f"No side of this stage has both a known cost and a score.{left}", None, choices=choices)
    points, legend = [], []
    for letter, standing in zip(SMALL, known, strict=False):
        best = not any(_beats(other, standing) for other in known)
        sign = letter.upper() if best else letter
        value = standing.score.value or 0.0
        points.append((sign, said.cost_each(standing) or 0.0, value))
        mark = " ★" if best else ""
        legend.append(f"{sign} {safe_line(standing.label, 40)}  {share(value)}  {said.usd(said.cost_each(standing))}{mark}")
    about = "USD of a call (to the right) and score. Capital letters, ★: no other side is both cheaper and better."
    about += f" {_n(known)}{left}"
    return Picture(name, about + _simulated(known), Scatter(tuple(points)), tuple(legend), choices)


def categories(comparison: Comparison, chosen: int) -> Picture:
    """Scores within one grouping of the questions, such as difficulty."""
    name = "Score by category"
    found = [(stage, by) for stage in comparison.stages for by in _groupings(comparison, stage)]
    if not found:
        return Picture(name, "The runs do not say what their questions belong to.", None)
    several = len(comparison.stages) > 1
    choices = tuple(safe_line(f"{stage}, {by}" if several else by, 60) for stage, by in found)
    stage, by = found[chosen % len(found)]
    of_stage = [standing for standing in comparison.standings if standing.side.stage == stage]
    inside, left = _drawn(of_stage, len(SMALL), (f"without questions by {by}", lambda standing: _by_value(standing, by)))
    tallies = [_by_value(standing, by) for standing in inside]
    values = list(dict.fromkeys(value for tally in tallies for value in tally))
    lines = []
    for value in values[:MOST]:
        here = [(letter, tally[value]) for letter, tally in zip(SMALL, tallies, strict=False) if value in tally]
        sizes = [len(values) for _, values in here]
        n = count(sizes[0]) if min(sizes) == max(sizes) else f"{count(min(sizes))} to {count(max(sizes))}"
        lines.append((f"{safe_line(value, 40)} ({n})", tuple((letter, mean(values) or 0.0) for letter, values in here)))
    legend = tuple(f"{letter} {safe_line(standing.label, 40)}" for letter, standing in zip(SMALL, inside, strict=False))
    about = f"Score by {choices[chosen % len(found)]}, in per cent; in brackets the questions of each score, n."
    about += " Letters on one spot are stacked. No intervals here: trust no small difference."
    about += f" {count(len(values) - MOST)} categories beyond the first {MOST} are not drawn." if len(values) > MOST else ""
    return Picture(name, about + left + _simulated(inside), Swarm(tuple(lines)), legend, choices)


def _drawn(standings: Sequence[Standing], most: int, *needed: Need) -> tuple[list[Standing], str]:
    """The sides that can be drawn, and in words how many cannot, each for the first reason that holds for it."""
    found, reasons = list(standings), []
    for lack, has in (*SCORED, *needed):
        kept = [standing for standing in found if has(standing)]
        reasons.append((len(found) - len(kept), lack))
        found = kept
    reasons.append((len(found[most:]), f"beyond the first {most}"))
    told = ", ".join(f"{count(n)} {lack}" for n, lack in reasons if n)
    left = len(standings) - len(found[:most])
    return found[:most], f" Not drawn: {count(left)} of {count(len(standings))} sides ({told})." if told else ""


def _beats(one: Standing, other: Standing) -> bool:
    """Whether it is at least as cheap and as good, and one of the two more."""
    a, b = (said.cost_each(one) or 0.0, -(one.score.value or 0.0)), (said.cost_each(other) or 0.0, -(other.score.value or 0.0))
    return a != b and a[0] <= b[0] and a[1] <= b[1]


def _groupings(comparison: Comparison, stage: str) -> list[str]:
    sides = [standing.side for standing in comparison.standings if standing.side.stage == stage]
    found = (by for side in sides for key in side.scores for by, _ in side.run.questions[key].groups)
    return list(dict.fromkeys(found))


def _by_value(standing: Standing, by: str) -> dict[str, list[float]]:
    """Scores by what the questions belong to."""
    found: dict[str, list[float]] = {}
    for key, score in standing.side.scores.items():
        for name, value in standing.side.run.questions[key].groups:
            if name == by:
                found.setdefault(value, []).append(score)
    return found


def _name(standing: Standing, several: bool) -> str:
    return safe_line(f"{standing.side.stage} {standing.label}" if several else standing.label, 60)


def _n(standings: Sequence[Standing]) -> str:
    sizes = [standing.score.n for standing in standings]
    return f"n = {count(min(sizes))}" + ("" if min(sizes) == max(sizes) else f" to {count(max(sizes))}") + " questions each."


def _simulated(standings: Sequence[Standing]) -> str:
    words = safe_line(said.simulated(standings), 300)
    return f" {words}" if words else ""
