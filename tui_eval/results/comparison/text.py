"""A comparison in words: figures with their units, text for a terminal of 80 columns, and Markdown."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from tui_eval.core.kinds import Metric
from tui_eval.core.plaintext import count_of, markdown_table, markdown_text, one_line
from tui_eval.results.comparison.comparing import ComparedPair, Comparison
from tui_eval.results.comparison.flips import Flip
from tui_eval.results.comparison.sides import Run, Standing
from tui_eval.results.sums.board import worst_case
from tui_eval.results.sums.in_words import in_unit, listed, p_value, points, rank, short
from tui_eval.results.sums.means import Estimate
from tui_eval.results.sums.metrics import is_binary, scale_of
from tui_eval.results.sums.pair_words import more_words, over_words, pair_verdict
from tui_eval.runs.buckets import MIN_N
from tui_eval.statistics.estimates import nearest_rank

WIDTH = 80
NAME_WIDTH = 12
"""Of names where there are several stages."""
MANY = 45
"""Pairs from which on only those of metrics that are tested are printed."""
SHOWN = 20
"""Pairs of a metric that are printed where there are too many for a person."""
Scored = TypeVar("Scored", ComparedPair, Standing)
_POINTS, _UNITS = "points of 100", "of scores in their own unit, of what is right or wrong in points of 100"


def rests(comparison: Comparison) -> str:
    """Say what the figures of a comparison rest on."""
    item = comparison.units.item
    unit = _POINTS if comparison.metrics and all(map(is_binary, comparison.metrics)) else _UNITS
    return (
        f"n: {item}s. A-B: difference on the {item}s that both have a score for, with its 95 % interval ({unit})."
        " Holm p: corrected for all pairs tested; below 0.05 a pair differs significantly; what has no p is a part of what is"
        " tested, or beside it. Ranks: what the significant pairs leave open. Latencies: of good replies; p90 needs 29 of them."
    )


def metric_words(metric: Metric) -> str:
    """Return the name of a metric, and its scale."""
    name = one_line(metric.name, 40) or "score"
    if is_binary(metric):
        return f"{name} (right or wrong)"
    return f"{name} ({scale_of(metric)}, {metric.better} is better)"


def difference(pair: ComparedPair) -> str:
    """The difference with its interval."""
    result, share = pair.found, pair.share
    words = points(result.value, share)
    if not pair.n:
        return words if result.value is None else f"unpaired {words}"
    if result.low is None or result.high is None:
        return words
    return f"{words} [{points(result.low, share)}, {points(result.high, share)}]"


def estimate(score: Estimate, metric: Metric) -> str:
    """A mean score with its interval."""
    value = in_unit(score.value, metric)
    if score.value is None or score.low is None or score.high is None:
        return value
    scale, digits = (100, 1) if is_binary(metric) else (1, 2)
    return f"{value} [{scale * score.low:.{digits}f}, {scale * score.high:.{digits}f}]"


def verdict(pair: ComparedPair) -> str:
    """Say what may be concluded, in one sentence."""
    return pair_verdict(pair.found, pair.p_holm, pair.tests, pair.metric, (pair.a.label, pair.b.label), pair.a.units)


def needed(pair: ComparedPair) -> str:
    """Say how many items more it would take; empty where that is not known, or where the two are told apart already."""
    return "" if pair.significant else more_words(pair.found, pair.tests, pair.a.units)


def differ(pair: ComparedPair) -> str:
    """Return the word for items on which the two differ: flips from right to wrong, or other marks."""
    return "flips" if pair.share else "better scores"


def gap(flip: Flip) -> str:
    """By how much two marks differ; empty where one is right and the other wrong."""
    return "" if is_binary(flip.metric) else f"{abs(flip.score_a - flip.score_b):.3g}"


def flips(pair: ComparedPair) -> str:
    """On how many items either does better."""
    n = count_of(pair.n, pair.a.units.item)
    return f"{pair.a_better:,} for {pair.a.label}, {pair.b_better:,} for {pair.b.label}, of {n}"


def left_out(pair: ComparedPair) -> str:
    """Say what the pair does not rest on; empty where nothing is left out."""
    parts = [
        (pair.missing_a, f"without a score of {pair.a.label}"),
        (pair.missing_b, f"without a score of {pair.b.label}"),
        (pair.only_a, f"only in {pair.a.label}"),
        (pair.only_b, f"only in {pair.b.label}"),
        (pair.changed, "with another truth or other options"),
    ]
    phrases = [f"{count_of(n, pair.a.units.item)} {reason}" for n, reason in parts if n]
    result, units = pair.found, pair.a.units
    over, few = over_words(result, units) if phrases else "", not result.answers == result.answers_a == result.answers_b
    if (
        few and result.n and max(result.answers_a - result.of_a, result.answers_b - result.of_b) > 0
    ):  # an item has several answers
        over = over or f"over {count_of(result.n, f'common {units.item}')}"
        common = count_of(result.answers, f"common {units.answer}")
        over += f" ({common} of {result.answers_a:,} and {result.answers_b:,})"
    return ", ".join(filter(None, [*phrases, over]))


def run_simulated(run: Run) -> str:
    """Say whether the simulator answered for a run's models; empty where it did not."""
    return ("partly simulated" if run.asked else "simulated") if run.simulated else ""


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
    """Return the number of replies that the latencies rest on."""
    return 0 if standing.side.calls is None else standing.side.calls.latencies.total()


def tokens(standing: Standing) -> int | None:
    """Tokens of its calls, where they are known."""
    calls = standing.side.calls
    return calls.tokens["total_tokens"] if calls is not None and calls.tokens["n_total_tokens"] else None


# on a terminal


def text(comparison: Comparison, notes: Sequence[str], few: bool, requested: Sequence[int], apart: Sequence[int]) -> str:
    """Return the output of tui-eval compare, on 80 columns where names are not longer.

    The verdict and the pairs first, then what they mean, then the sides. Where pairs are not `few`: the sides, then the pairs
    of the places `requested`, in words, and the nearest of those `apart`, told apart.
    """
    comparison, rest = _tested(comparison)
    standings = comparison.standings
    if few:
        pairs = [*_by_metric(comparison, comparison.pairs, _pairs), "", *_in_words(comparison, comparison.pairs)]
        parts = [*pairs, "", *_by_metric(comparison, standings, _sides)]
    else:
        stages = comparison.stages
        ordered = sorted(
            standings,
            key=lambda standing: (stages.index(standing.side.key.stage), *worst_case(standing.score, standing.metric)),
        )
        requested_pairs, nearest_pairs = ([comparison.pairs[place] for place in places] for places in (requested, apart))
        heading = (
            f"{len(apart):,} of {len(comparison.pairs):,} pairs differ significantly. The smallest differences among them:"
        )
        pair_lines = [
            *_in_words(comparison, requested_pairs),
            *[""] * bool(requested_pairs),
            heading,
            "",
            *_by_metric(comparison, nearest_pairs, _pairs, SHOWN),
        ]
        parts = [*_by_metric(comparison, ordered, _sides), "", *pair_lines, "", "Every pair is in compare.csv."]
    verdict = [*_wrapped(comparison.verdict), ""] if comparison.verdict else []
    return "\n".join([*_heading(comparison, notes), "", *verdict, *parts, "", *_wrapped(rest + rests(comparison))])


def _tested(comparison: Comparison) -> tuple[Comparison, str]:
    """The same without the metrics that no pair is tested on, where pairs are many; and which these are."""
    tested = {pair.metric for pair in comparison.pairs if pair.tests or pair.a.units.tests(pair.metric.name)}
    untested = [metric.name for metric in comparison.metrics if metric not in tested]
    if len(comparison.pairs) <= MANY or not untested:
        return comparison, ""
    standings = [standing for standing in comparison.standings if standing.metric in tested]
    pairs = [pair for pair in comparison.pairs if pair.metric in tested]
    words = f"Of {listed([one_line(name, 30) for name in untested], 4)} every side and pair is in ranks.csv and compare.csv. "
    return Comparison(comparison.runs, standings, pairs, comparison.notes), words


def _in_words(comparison: Comparison, pairs: Sequence[ComparedPair]) -> Iterator[str]:
    """Say what may be concluded of the tested pairs, on how many items they differ, and what is left out."""
    for pair in pairs:
        if pair.n > 1 and not pair.tests:
            continue
        stage = f"{one_line(pair.a.side.key.stage, 20)}: " if len(comparison.stages) > 1 else ""
        stage += f"{one_line(pair.metric.name, 30)}: " if comparison.named else ""
        omissions, more = left_out(pair), needed(pair)
        yield from _wrapped(f"{stage}{pair.a.label} - {pair.b.label}: {verdict(pair)}" + (f"; {more}" if more else ""), "  ")
        yield from _wrapped(f"  {differ(pair)}: {flips(pair)}" + (f"; left out: {omissions}" if omissions else ""), "    ")


def _heading(comparison: Comparison, notes: Sequence[str]) -> Iterator[str]:
    yield f"{comparison.counts} on common {comparison.units.item}s"
    for number, run in enumerate(comparison.runs, 1):
        about = ", ".join(filter(None, (run.kind or "unknown kind", run.state, run_simulated(run))))
        yield f"  @{number} {run.run_id} ({about})"
    for note in notes:
        yield from _wrapped(f"  note: {note}", "    ")


def _by_metric(
    comparison: Comparison,
    rows: Sequence[Scored],
    table: Callable[[Comparison, Metric, list[Scored]], list[str]],
    most: int | None = None,
) -> Iterator[str]:
    """A table of the first rows of each metric, under its name where it must be said."""
    for place, metric in enumerate(comparison.metrics):
        metric_rows = [row for row in rows if row.metric == metric]
        if metric_rows and comparison.named:
            yield from ([""] if place else [])
            yield metric_words(metric)
        yield from table(comparison, metric, metric_rows[:most]) if metric_rows else ()


def _pairs(comparison: Comparison, metric: Metric, pairs: Sequence[ComparedPair]) -> list[str]:
    rows = [
        [pair.a.side.key.stage, pair.a.label, pair.b.label, f"{pair.n:,}", difference(pair), p_value(pair.p_holm),
         p_value(pair.found.p if pair.tests else None)]
        for pair in pairs
    ]  # fmt: skip
    heading = "A-B points [95 %]" if is_binary(metric) else "A-B [95 %]"
    return _columns(comparison, ("stage", "A", "B", f"{comparison.units.item}s", heading, "Holm p", "p"), rows, names=3)


def _sides(comparison: Comparison, metric: Metric, standings: Sequence[Standing]) -> list[str]:
    rows = [
        [
            standing.side.key.stage,
            standing.label,
            estimate(standing.score, metric).replace(" %", ""),
            f"{standing.score.n:,}",
            rank(standing.rank),
            f"{standing.missing:,}",
            usd(cost_each(standing)).removeprefix("$"),
            seconds(latency(standing, "p50")),
            seconds(latency(standing, "p90")),
        ]
        for standing in standings
    ]
    score = "score % [95 %]" if is_binary(metric) else "mean [95 %]"
    titles = ("stage", "side", score, "n", "rank", "missing", "USD/call", "p50 s", "p90 s")
    return _columns(comparison, titles, rows, names=2)


def _columns(comparison: Comparison, titles: Sequence[str], rows: Sequence[Sequence[str]], names: int) -> list[str]:
    """Columns as wide as what stands in them, figures to the right; the stage only where there are several."""
    skipped = int(len(comparison.stages) == 1)
    most = NAME_WIDTH + 2 * skipped
    cells = [
        list(titles),
        *([short(one_line(cell), most) if i < names else cell for i, cell in enumerate(row)] for row in rows),
    ]
    widths = [max(len(row[i]) for row in cells) for i in range(len(titles))]
    fitted = [
        [c.ljust(w) if i < names else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))] for row in cells
    ]
    fitted.insert(1, ["-" * width for width in widths])
    return ["  ".join(row[skipped:]).rstrip() for row in fitted]


def _wrapped(line: str, indent: str = "") -> list[str]:
    return textwrap.wrap(line, WIDTH, subsequent_indent=indent, drop_whitespace=True, break_on_hyphens=False)


# as Markdown


def markdown(comparison: Comparison, notes: Sequence[str]) -> str:
    """compare.md: for a person."""
    runs = "\n".join(
        f"{number}. {markdown_text(run.run_id)} ({markdown_text(run.kind)}, {markdown_text(run.state)}"
        f"{f', **{run_simulated(run)}**' if run.simulated else ''})"
        for number, run in enumerate(comparison.runs, 1)
    )
    methods = "; ".join(dict.fromkeys(pair.found.method for pair in comparison.pairs))
    parts = [
        "# Comparison",
        f"**{markdown_text(comparison.verdict)}**" if comparison.verdict else "",
        "Runs:",
        runs,
        "\n".join(f"- {markdown_text(note)}" for note in notes),
        "## Pairs",
        _markdown_pairs(comparison),
        "## Sides",
        _markdown_sides(comparison),
        markdown_text(rests(comparison)),
        markdown_text(f"How: {methods}. The {comparison.units.item}s on which a pair differs are in flips.csv."),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _markdown_pairs(comparison: Comparison) -> str:
    measure = ["metric"] if comparison.named else []
    items = markdown_text(f"{comparison.units.item}s")
    columns = ("A", "B", items, "A-B [95 %]", "Holm p", "p", "A better", "B better", "in words", "left out")
    rows = [
        [
            *map(markdown_text, (pair.a.side.key.stage, *_metric(comparison, pair.metric), pair.a.label, pair.b.label)),
            f"{pair.n:,}",
            difference(pair),
            *(p_value(p).replace("<", "\\<") for p in (pair.p_holm, pair.found.p if pair.tests else None)),
            f"{pair.a_better:,}",
            f"{pair.b_better:,}",
            *map(markdown_text, (verdict(pair), left_out(pair) or "-")),
        ]
        for pair in comparison.pairs
    ]
    return markdown_table(("stage", *measure, *columns), rows, (*[False] * (3 + len(measure)), *[True] * 6))


def _metric(comparison: Comparison, metric: Metric) -> list[str]:
    """Name the metric that is measured, where it must be said."""
    return [metric_words(metric)] if comparison.named else []


def _markdown_sides(comparison: Comparison) -> str:
    measure = ["metric"] if comparison.named else []
    columns = ("side", "score [95 %]", markdown_text(f"{comparison.units.item}s"), "rank", "without a score",
               "answers without a score", "USD per call", "USD", "p50 s", "p90 s", "n of latencies")  # fmt: skip
    rows = [
        [
            *map(markdown_text, (standing.side.key.stage, *_metric(comparison, standing.metric), standing.label)),
            estimate(standing.score, standing.metric),
            f"{standing.score.n:,}",
            rank(standing.rank),
            f"{standing.missing:,}",
            f"{standing.score.missing:,} of {standing.score.asked:,}",
            markdown_text(usd(cost_each(standing))),
            markdown_text(cost_words(standing)),
            seconds(latency(standing, "p50")),
            seconds(latency(standing, "p90")),
            f"{latency_n(standing):,}",
        ]
        for standing in comparison.standings
    ]
    return markdown_table(("stage", *measure, *columns), rows, (*[False] * (2 + len(measure)), *[True] * 10))
