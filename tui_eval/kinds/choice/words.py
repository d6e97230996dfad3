"""Figures as words: percentages, intervals, ranks, and what the comparison of models comes to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from tui_eval.core.plaintext import markdown_text
from tui_eval.core.samples import Sample
from tui_eval.kinds.choice.figures import Figures
from tui_eval.kinds.choice.sheet import Answer, Sheet
from tui_eval.results.sums.means import Rate

SHOWN = 10
"""Entries of a list; the tables beside the pages have them all."""
NOT_READ = ("ambiguous", "no_letter")
CUT = ("truncated", "truncated_reasoning", "empty")
"""Reasons for a reply without a letter: those that are no refusal, and those of a reply that was cut or empty."""


def percent(share: float | None, digits: int = 1) -> str:
    """78.2 %, or a dash where nothing is known."""
    return "-" if share is None else f"{100 * share:.{digits}f} %"


def interval(accuracy: Rate) -> str:
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


def chance(p: float | None) -> str:
    """A p value, or a dash."""
    return "-" if p is None else "< 0.0001" if p < 0.0001 else f"{p:.4f}"


def counted(n: int, noun: str, plural: str = "") -> str:
    """1 question, 2 questions."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def chance_text(figures: Figures) -> str:
    """What picking at random would score."""
    return f"Picking at random would score {percent(figures.chance)}."


def rounded(value: float | None) -> float | None:
    """Six places, for files."""
    return None if value is None else round(value, 6)


def unread(sheet: Sheet) -> Counter[str]:
    """Replies without a letter, by reason."""
    return Counter(answer.why for _, answer in sheet.all_answers() if answer.replied and answer.option is None)


def missing(sheet: Sheet) -> Counter[str]:
    """Calls without a reply, by reason."""
    return Counter(answer.why.removeprefix("no reply: ") for _, answer in sheet.all_answers() if not answer.replied)


def verdict(answer: Answer) -> str:
    """An answer as a report says it: `B (right)`, `none (refusal)`, `missing (timeout)`."""
    if not answer.replied:
        return f"missing ({answer.why.removeprefix('no reply: ')})"
    if answer.letter is None:
        return f"none ({answer.why})"
    return f"{answer.letter} ({'right' if answer.correct else 'wrong'})"


def key_letter(question: Sample) -> str:
    """The right option by its letter."""
    return question.letter


Name = Callable[[Sheet], str]
"""How a sheet is named: escaped on a page, short on a terminal."""


def on_page(sheet: Sheet) -> str:
    """A sheet's name in Markdown."""
    return markdown_text(sheet.label)


def significant(figures: Figures, name: Name = on_page) -> list[str]:
    """What the paired comparison shows, in sentences."""
    pairs = figures.pairs
    if not pairs:
        return ["There is nothing to compare: fewer than two models replied to a common question."]
    apart = sum(pair.significant for pair in pairs)
    test = "exact McNemar" if figures.single else "each question by its share of right replies"
    lines = [f"{apart or 'none'} of {len(pairs)} pairs differ (paired on common questions, {test}, p < 0.05 after Holm)."]
    lines += [*_first_text(figures, name), detectable_text(figures), _more_questions_text(figures, name)]
    return [line for line in lines if line]


def _first_text(figures: Figures, name: Name) -> list[str]:
    """What the model in the first row is, and is not, better than."""
    ranked = [figures.board.sheets[i] for i in figures.by_rank if figures.accuracies[i].scored]
    first, others = ranked[0], ranked[1:]
    open_to, worse, apart = _not_behind(figures, first, others)
    if not open_to and not worse and not apart:
        return [f"{name(first)} is better than every other model here."]
    lines = []
    if open_to:
        lines.append(f"{name(first)}, first here, cannot be told apart from {_listed(open_to, name)}.")
    if worse:
        lines.append(f"On their common questions {name(first)} is worse than {_listed(worse, name)}.")
    if apart:
        lines.append(f"{name(first)} shares no question with {_listed(apart, name)}.")
    return lines


def _not_behind(figures: Figures, first: Sheet, others: Sequence[Sheet]) -> tuple[list[Sheet], list[Sheet], list[Sheet]]:
    """Of the others: those not told apart from the first, those that it is worse than, those it shares no question with."""
    against = {id(pair.b): pair for pair in figures.pairs if pair.a is first}
    found = [(sheet, against.get(id(sheet))) for sheet in others]
    open_to = [sheet for sheet, pair in found if pair is not None and not pair.significant]
    worse = [sheet for sheet, pair in found if pair is not None and pair.significant and (pair.found.value or 0) < 0]
    apart = [sheet for sheet, pair in found if pair is None]
    return open_to, worse, apart


def _listed(sheets: Sequence[Sheet], name: Name) -> str:
    more = f" and {len(sheets) - SHOWN} more" if len(sheets) > SHOWN else ""
    return ", ".join(map(name, sheets[:SHOWN])) + more


def detectable_text(figures: Figures) -> str:
    """The smallest difference that this run shows."""
    power = figures.power
    if power is None:
        return ""
    n, seen = power.common, power.detectable
    disagree = f", disagreed on in {percent(power.disagreement, 0)}" if figures.single else ""
    if seen is None:
        return f"With {counted(n, 'common question')}{disagree}, no difference shows reliably."
    return (
        f"With {counted(n, 'common question')}{disagree}, a difference below about {100 * seen:.0f} points escapes notice "
        "more often than once in five."
    )


def _more_questions_text(figures: Figures, name: Name) -> str:
    """How many questions would tell the first two apart, if they went on as they do here."""
    first = figures.pairs[0]
    needed = first.found.needed
    if not figures.single or first.significant or needed is None:
        return ""
    both = f"{name(first.a)} and {name(first.b)}"
    return f"If {both} went on like this, it would take about {needed:,} questions to tell them apart."
