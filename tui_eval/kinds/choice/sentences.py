"""Sentences on a comparison of answer sheets, and on how models put their answers: only what holds beyond chance."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tui_eval.core.plaintext import counted, markdown_text
from tui_eval.kinds.choice.figures import Figures
from tui_eval.kinds.choice.sheets import Answer, Sheet
from tui_eval.reading.letters import PATTERNS
from tui_eval.results.sums.differences import each_of
from tui_eval.results.sums.in_words import percent
from tui_eval.statistics.bias import fisher_exact
from tui_eval.statistics.paired import holm, mcnemar_exact

BEGINS = "first_char"
"""The pattern of a reply that begins with its letter, as it was asked to."""
LITERAL = "formationeval"
"""How the rule is called by which a reply may begin with a letter that is none: the A of "Answer: C"."""
IMPORTED = "imported"
LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class Forms:
    """How one model's replies were read: the first to each question, so that they are independent of each other."""

    replies: int
    by: Mapping[str, tuple[int, int]]
    """By pattern: the replies whose letter was found by it, and how many of these are right."""
    tells_first: bool = True
    """Whether the pattern `BEGINS` says that a reply begins with its letter."""

    @property
    def lettered(self) -> int:
        """Replies with a letter."""
        return sum(n for n, _ in self.by.values())


@dataclass(frozen=True, slots=True)
class Claim:
    """Something that may be said of a model, and the p of saying it by chance."""

    sort: Literal["most begin", "few begin", "commonest", "less right", "more right"]
    pattern: str
    p: float = field(compare=False, default=1.0)


def claims(models: Sequence[Forms]) -> list[list[Claim]]:
    """What holds of each model: exact tests, with Holm's correction over everything that might have been said of any."""
    tried = [[*_tried(forms)] for forms in models]
    adjusted = iter(holm([claim.p for found in tried for claim in found]))
    return [[claim for claim in found if next(adjusted) < LEVEL] for found in tried]


def _tried(forms: Forms) -> Iterator[Claim]:
    """Everything that might be said of a model, one thing for each test."""
    if forms.tells_first and forms.replies:
        begin = forms.by.get(BEGINS, (0, 0))[0]
        p = mcnemar_exact(begin, forms.replies - begin)
        yield Claim("most begin" if 2 * begin > forms.replies else "few begin", BEGINS, p)
    ranked = sorted(forms.by.items(), key=lambda entry: -entry[1][0])
    if ranked:
        # the commonest is so in truth where it is told from the second at all, whatever the others are (Hung and Fithian 2019)
        first, second = ranked[0][1][0], ranked[1][1][0] if len(ranked) > 1 else 0
        yield Claim("commonest", ranked[0][0], mcnemar_exact(first, second))
    right = sum(k for _, k in forms.by.values())
    for pattern, (n, k) in ranked:
        rest, rest_right = forms.lettered - n, right - k
        if rest:
            p = fisher_exact(k, n - k, rest_right, rest - rest_right)
            yield Claim("less right" if k * rest < rest_right * n else "more right", pattern, p)


# ------------------------------------------------------------------------------------------------------------ of a board


def forms_of(sheet: Sheet) -> Forms:
    """How a sheet's replies were read, the first to each question."""
    firsts = [answer for answers in sheet.answers.values() for answer in answers[:1] if answer.replied]
    by: dict[str, tuple[int, int]] = {}
    for answer in firsts:
        if answer.letter is not None:
            n, k = by.get(answer.pattern, (0, 0))
            by[answer.pattern] = (n + 1, k + answer.correct)
    own = sheet.extraction.startswith((LITERAL, PATTERNS)) or any(map(_is_of_a_table, firsts))
    return Forms(len(firsts), by, tells_first=bool(sheet.extraction) and not own)


def _is_of_a_table(answer: Answer) -> bool:
    return answer.pattern == IMPORTED


def observations(figures: Figures) -> str:
    """What holds of the models, a line for each of which anything does, in the order of their ranks."""
    sheets = [standing.sheet for standing in figures.ranked]
    forms = [forms_of(sheet) for sheet in sheets]
    found = zip(sheets, forms, claims(forms), strict=True)
    told = [(sheet.name, [_words(each, one) for one in _needed(said)]) for sheet, each, said in found]
    lines = [f"- {name}: {'; '.join(words)}." for name, words in told if words]
    of = "" if figures.single else ", by the first reply to each question"
    if not lines:
        return f"**Observations:** nothing holds beyond chance with these replies{of}."
    how = f"Said is only what holds beyond chance{of}: exact tests, p < 0.05 after Holm over all that might have been said."
    return f"**Observations:**\n\n{chr(10).join(lines)}\n\n{how}"


def _needed(said: Sequence[Claim]) -> list[Claim]:
    """Without what another claim says as well: where most replies begin with the letter, that is the commonest form."""
    most = any(claim.sort == "most begin" for claim in said)
    return [claim for claim in said if not (most and claim.sort == "commonest" and claim.pattern == BEGINS)]


def _words(forms: Forms, claim: Claim) -> str:
    n, k = forms.by.get(claim.pattern, (0, 0))
    named = markdown_text(claim.pattern)
    if claim.sort in ("most begin", "few begin"):
        begin = "most replies begin" if claim.sort == "most begin" else "fewer than half of the replies begin"
        return f"{begin} with the letter ({percent(n / forms.replies, 0)} of {forms.replies:,})"
    if claim.sort == "commonest":
        return f"the letter is found most often by {named} ({percent(n / forms.lettered, 0)} of {forms.lettered:,})"
    right, rest = sum(right for _, right in forms.by.values()) - k, forms.lettered - n
    often = "less" if claim.sort == "less right" else "more"
    return (
        f"right {often} often where it is found by {named} ({percent(k / n, 0)} of {n:,}) than elsewhere "
        f"({percent(right / rest, 0)} of {rest:,})"
    )


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
