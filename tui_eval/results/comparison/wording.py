"""Figures of a comparison as words: differences in points, how sure they are, and what a reader may conclude."""

from __future__ import annotations

from collections.abc import Sequence

from tui_eval.core.kinds import Metric
from tui_eval.core.plaintext import counted, one_line
from tui_eval.results.comparison.flips import Flip
from tui_eval.results.comparison.pairs import Pair, Standing
from tui_eval.results.comparison.sides import Run
from tui_eval.results.sums.differences import SIGNIFICANT
from tui_eval.results.sums.in_words import in_unit, points
from tui_eval.results.sums.means import Estimate
from tui_eval.results.sums.metrics import is_binary, scale_of
from tui_eval.runs.buckets import MIN_N
from tui_eval.statistics.estimates import nearest_rank

_TOLD = (
    "Holm p: corrected for all pairs listed; below 0.05 a pair is told apart. What would show is reckoned at the p that Holm"
    " asks of the first pair. Ranks: what the pairs told apart leave open. Latencies: of good replies; p90 needs 29 of them."
)
REST = "A-B: difference on the questions that both have a score for, with its 95 % interval. Points: of 100. " + _TOLD
"""What the figures rest on."""
MARKED = (
    "A-B: difference on the questions that both have a score for, with its 95 % interval: of marks in their own unit, of what"
    " is right or wrong in points of 100. " + _TOLD
)
"""The same where there are marks."""


def rests(metrics: Sequence[Metric]) -> str:
    """What the figures of a comparison by these metrics rest on."""
    if len(metrics) == 1 and is_binary(metrics[0]):
        return REST
    return MARKED


def metric_words(metric: Metric) -> str:
    """What a metric is called, and its scale."""
    name = one_line(metric.name, 40) or "score"
    if is_binary(metric):
        return f"{name} (right or wrong)"
    return f"{name} ({scale_of(metric)}, {metric.better} is better)"


def difference(pair: Pair) -> str:
    """The difference with its interval."""
    found = points(pair.difference, pair.share)
    if not pair.n:
        return found if pair.difference is None else f"unpaired {found}"
    if pair.low is None or pair.high is None:
        return found
    return f"{found} [{points(pair.low, pair.share)}, {points(pair.high, pair.share)}]"


def estimate(found: Estimate, metric: Metric) -> str:
    """A mean score with its interval."""
    value = in_unit(found.value, metric)
    if found.value is None or found.low is None or found.high is None:
        return value
    scale, digits = (100, 1) if is_binary(metric) else (1, 2)
    return f"{value} [{scale * found.low:.{digits}f}, {scale * found.high:.{digits}f}]"


def p_value(p: float | None) -> str:
    """A p to three digits."""
    return "-" if p is None else "<0.001" if p < 0.0005 else f"{p:.3f}"


def verdict(pair: Pair) -> str:
    """What may be concluded, in one sentence."""
    unit = " points" if pair.share else f" on {scale_of(pair.metric)}"
    if not pair.n and pair.difference is not None:
        interval = f"{points(pair.difference, pair.share)} [{points(pair.low, pair.share)}, {points(pair.high, pair.share)}]"
        return f"no question in common; unpaired, over other questions each: {interval}{unit}"
    if pair.n < 2:
        return f"nothing can be said: {questions(pair.n)} in common"
    if pair.significant and pair.difference and pair.better:
        how = "better" if pair.metric.better == "higher" else "better (lower)"
        return f"{pair.better.label} is {how} by {points(abs(pair.difference), pair.share, sign=False)}{unit}"
    if not pair.a_better + pair.b_better:
        return f"no difference shown: the same scores on all {questions(pair.n)}"
    if pair.p is not None and pair.p < SIGNIFICANT:
        return "no difference shown once all pairs are taken into account (Holm)"
    if pair.detectable is None:
        few = f"{pair.a_better + pair.b_better:,} of {questions(pair.n)}"
        return f"no difference shown: they differ on only {few}, too few to show one"
    seen = points(pair.detectable, pair.share, sign=False)
    return f"no difference shown: with {questions(pair.n)} only differences above {seen}{unit} would show{_at(pair)}"


def _at(pair: Pair) -> str:
    """The p below which it would count as shown, where there are several pairs."""
    return f" (p < {SIGNIFICANT} / {pair.tests:,})" if pair.tests > 1 else ""


def needed(pair: Pair) -> str:
    """How many questions it would take; empty where that is not known, or where the two are told apart already."""
    if pair.needed is None or pair.significant or pair.needed <= pair.n:
        return ""
    return f"to show a difference like this one takes about {pair.needed:,} such questions{_at(pair)}"


def differ(pair: Pair) -> str:
    """What questions are called on which the two differ: flips from right to wrong, or other marks."""
    return "flips" if pair.share else "better marks"


def gap(flip: Flip) -> str:
    """By how much two marks differ; empty where one is right and the other wrong."""
    return "" if is_binary(flip.metric) else f"{abs(flip.score_a - flip.score_b):.3g}"


def flips(pair: Pair) -> str:
    """On how many questions either does better."""
    return f"{pair.a_better:,} for {pair.a.label}, {pair.b_better:,} for {pair.b.label}, of {questions(pair.n)}"


def left_out(pair: Pair) -> str:
    """What the pair does not rest on; empty where nothing is left out."""
    parts = [
        (pair.missing_a, f"without a score of {pair.a.label}"),
        (pair.missing_b, f"without a score of {pair.b.label}"),
        (pair.only_a, f"only in {pair.a.label}"),
        (pair.only_b, f"only in {pair.b.label}"),
        (pair.changed, "with another truth or other options"),
    ]
    return ", ".join(f"{questions(n)} {what}" for n, what in parts if n)


def unscored(standing: Standing) -> str:
    """How many of its answers have no score; empty where all have one."""
    side = standing.side
    return f"{side.unscored:,} of {side.answers:,} answers have no score" if side.unscored else ""


def simulated(standings: Sequence[Standing]) -> str:
    """For which of these sides the simulator answered; empty where for none."""
    made_up = [standing for standing in standings if standing.side.simulated]
    names = [label for _, label in dict.fromkeys((standing.side.stage, standing.label) for standing in made_up)]
    if not names:
        return ""
    if len(made_up) == len(standings) and not any(standing.side.run.asked for standing in standings):
        return "Simulated: no model was asked."
    return f"{listed(names)} {'is' if len(names) == 1 else 'are'} simulated."


def run_simulated(run: Run) -> str:
    """Whether the simulator answered for a run's models; empty where it did not."""
    return ("partly simulated" if run.asked else "simulated") if run.simulated else ""


def listed(names: Sequence[str], most: int = 5) -> str:
    """Names in a sentence: the first ones, and how many more there are."""
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most:,} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def questions(n: int) -> str:
    """A number of questions."""
    return counted(n, "question")


def usd(value: float | None) -> str:
    """An amount."""
    return (
        "-" if value is None else f"${value:,.2f}" if value >= 100 else f"${value:.6f}" if 0 < value < 0.01 else f"${value:.4f}"
    )


def cost(standing: Standing) -> float | None:
    """USD of all its calls whose cost is known; None where no cost is."""
    calls = standing.side.calls
    return calls.cost if calls is not None and calls.counts["cost_known"] else None


def cost_each(standing: Standing) -> float | None:
    """USD of a call, over those whose cost is known."""
    calls, whole = standing.side.calls, cost(standing)
    return None if calls is None or whole is None else whole / calls.counts["cost_known"]


def cost_words(standing: Standing) -> str:
    """The whole cost, and how many calls' cost is not in it because nobody knows it."""
    calls, whole = standing.side.calls, cost(standing)
    unknown = 0 if calls is None else calls.counts["cost_unknown"]
    if whole is None:
        return "unknown" if calls is None or unknown else "-"
    return usd(whole) + (f" + {unknown:,} unknown" if unknown else "")


def latency(standing: Standing, name: str) -> int | None:
    """A percentile (p50, p90) of its good replies in ms; None where there are too few for it."""
    calls = standing.side.calls
    if calls is None or calls.latencies.total() < MIN_N.get(name, 1):
        return None
    return nearest_rank(calls.latencies, int(name[1:]) / 100)


def seconds(milliseconds: int | None) -> str:
    """A latency in seconds."""
    return "-" if milliseconds is None else f"{milliseconds / 1000:,.2f}"


def latency_n(standing: Standing) -> int:
    """How many replies the latencies rest on."""
    return 0 if standing.side.calls is None else standing.side.calls.latencies.total()


def tokens(standing: Standing) -> int | None:
    """Tokens of its calls, where they are known."""
    calls = standing.side.calls
    return calls.tokens["total_tokens"] if calls is not None and calls.tokens["n_total_tokens"] else None
