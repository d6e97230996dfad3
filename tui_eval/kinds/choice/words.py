"""Figures as words: percentages, intervals, ranks, and what the comparison of models comes to."""

from __future__ import annotations

from collections import Counter

from tui_eval.kinds.choice.figures import Accuracy, Figures
from tui_eval.kinds.choice.sheet import Sheet
from tui_eval.plaintext import markdown_text

SHOWN = 10
"""Entries of a list; the tables beside the pages have them all."""


def percent(share: float | None, digits: int = 1) -> str:
    """78.2 %, or a dash where nothing is known."""
    return "-" if share is None else f"{100 * share:.{digits}f} %"


def interval(accuracy: Accuracy) -> str:
    """[74.4, 81.6], or a dash."""
    return span(accuracy.low, accuracy.high)


def span(low: float | None, high: float | None) -> str:
    """An interval in percent."""
    return "-" if low is None or high is None else f"[{100 * low:.1f}, {100 * high:.1f}]"


def rank(found: tuple[int, int] | None) -> str:
    """1, or 2-5 where the intervals leave several ranks open."""
    if found is None:
        return "-"
    return str(found[0]) if found[0] == found[1] else f"{found[0]}-{found[1]}"


def points(difference: float | None) -> str:
    """A difference of shares in percentage points, with its sign."""
    return "-" if difference is None else f"{100 * difference:+.1f}"


def chance(p: float) -> str:
    """A p value."""
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}"


def rounded(value: float | None) -> float | None:
    """Six places, for files."""
    return None if value is None else round(value, 6)


def unread(sheet: Sheet) -> Counter[str]:
    """Replies without a letter, by reason."""
    return Counter(answer.why for _, answer in sheet.all_answers() if answer.replied and answer.option is None)


def missing(sheet: Sheet) -> Counter[str]:
    """Calls without a reply, by reason."""
    return Counter(answer.why.removeprefix("no reply: ") for _, answer in sheet.all_answers() if not answer.replied)


def told_apart_text(figures: Figures) -> str:
    """What the paired comparison shows, in sentences."""
    pairs = figures.pairs
    if not pairs:
        return "There is nothing to compare: fewer than two models replied to a common question."
    apart = sum(pair.told_apart for pair in pairs)
    first = pairs[0].a
    open_against = [pair.b.label for pair in pairs if pair.a is first and not pair.told_apart]
    lines = [f"{apart} of {len(pairs)} pairs differ (paired on common questions, exact McNemar, p < 0.05 after Holm)."]
    if open_against:
        named = ", ".join(markdown_text(name) for name in open_against[:SHOWN])
        more = f" and {len(open_against) - SHOWN} more" if len(open_against) > SHOWN else ""
        lines.append(f"{markdown_text(first.label)}, first by its rate, cannot be told apart from {named}{more}.")
    else:
        lines.append(f"{markdown_text(first.label)} is better than every other model here.")
    lines.append(detectable_text(figures))
    return " ".join(line for line in lines if line)


def detectable_text(figures: Figures) -> str:
    """The smallest difference that this run shows."""
    disagreement = figures.disagreement
    if disagreement is None:
        return ""
    typical = sorted(pair.detectable for pair in figures.pairs if pair.detectable is not None)
    n = max(pair.n for pair in figures.pairs)
    if not typical:
        return f"With {n} common questions, disagreed on in {percent(disagreement, 0)}, no difference shows reliably."
    smallest = typical[len(typical) // 2]
    return (
        f"With {n} common questions and pairs that disagree on {percent(disagreement, 0)} of them, a difference below about "
        f"{100 * smallest:.0f} points escapes notice more often than once in five."
    )
