"""Sentences on answer sheets: what pairs show, how models put their answers, and what must be known of how these were read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Literal

from tui_eval.core.plaintext import count_of, markdown_text, one_line
from tui_eval.kinds.choice.sheets import WITHOUT_LETTER, Sheet, SheetAnswer
from tui_eval.reading.letters import CONTRADICTED, PATTERNS, SHARED
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
    """Counts of how one model's replies were read: the first to each question, so that they are independent of each other."""

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
class BiasClaim:
    """Something that may be said of a model, and the p of saying it by chance."""

    sort: Literal["most begin", "few begin", "commonest", "less right", "more right"]
    pattern: str
    p: float = field(compare=False, default=1.0)


def claims(models: Sequence[Forms]) -> list[list[BiasClaim]]:
    """Return the claims that hold of each model: exact tests, with Holm's correction over all that might be said of any."""
    tried = [[*_tried(forms)] for forms in models]
    adjusted = iter(holm([claim.p for model_claims in tried for claim in model_claims]))
    return [[claim for claim in model_claims if next(adjusted) < LEVEL] for model_claims in tried]


def _tried(forms: Forms) -> Iterator[BiasClaim]:
    """Everything that might be said of a model, one thing for each test."""
    if forms.tells_first and forms.replies:
        begin = forms.by.get(BEGINS, (0, 0))[0]
        p = mcnemar_exact(begin, forms.replies - begin)
        yield BiasClaim("most begin" if 2 * begin > forms.replies else "few begin", BEGINS, p)
    ranked = sorted(forms.by.items(), key=lambda entry: -entry[1][0])
    if ranked:
        # the commonest is so in truth where it is told from the second at all, whatever the others are (Hung and Fithian 2019)
        first, second = ranked[0][1][0], ranked[1][1][0] if len(ranked) > 1 else 0
        yield BiasClaim("commonest", ranked[0][0], mcnemar_exact(first, second))
    right = sum(k for _, k in forms.by.values())
    for pattern, (n, k) in ranked:
        rest, rest_right = forms.lettered - n, right - k
        if rest:
            p = fisher_exact(k, n - k, rest_right, rest - rest_right)
            yield BiasClaim("less right" if k * rest < rest_right * n else "more right", pattern, p)


# ------------------------------------------------------------------------------------------------------------ of a board


def forms_of(sheet: Sheet) -> Forms:
    """Count how a sheet's replies were read, the first to each question."""
    firsts = [(answer, times) for answers, times in sheet.answers.tally() for answer in answers[:1] if answer.replied]
    by: dict[str, tuple[int, int]] = {}
    for answer, times in firsts:
        if answer.letter is not None:
            n, k = by.get(answer.pattern, (0, 0))
            by[answer.pattern] = (n + times, k + answer.correct * times)
    own = sheet.extraction.startswith((LITERAL, PATTERNS)) or any(_is_of_a_table(answer) for answer, _ in firsts)
    return Forms(sum(times for _, times in firsts), by, tells_first=bool(sheet.extraction) and not own)


def _is_of_a_table(answer: SheetAnswer) -> bool:
    return answer.pattern == IMPORTED


def observations(sheets: Sequence[Sheet], single: bool) -> str:
    """Say what holds of the models, a line for each of which anything does. `single`: every question was asked once."""
    forms = [forms_of(sheet) for sheet in sheets]
    rows = zip(sheets, forms, claims(forms), strict=True)
    sheet_words = [(sheet.name, [_words(each, claim) for claim in _needed(model_claims)]) for sheet, each, model_claims in rows]
    lines = [f"- {name}: {'; '.join(words)}." for name, words in sheet_words if words]
    of = "" if single else ", by the first reply to each question"
    if not lines:
        return f"**Observations:** nothing holds beyond chance with these replies{of}."
    how = f"Said is only what holds beyond chance{of}: exact tests, p < 0.05 after Holm over all that might have been said."
    return f"**Observations:**\n\n{chr(10).join(lines)}\n\n{how}"


def _needed(model_claims: Sequence[BiasClaim]) -> list[BiasClaim]:
    """Without what another claim says as well: where most replies begin with the letter, that is the commonest form."""
    most = any(claim.sort == "most begin" for claim in model_claims)
    return [claim for claim in model_claims if not (most and claim.sort == "commonest" and claim.pattern == BEGINS)]


def _words(forms: Forms, claim: BiasClaim) -> str:
    n, k = forms.by.get(claim.pattern, (0, 0))
    pattern = markdown_text(claim.pattern)
    if claim.sort in ("most begin", "few begin"):
        begin = "most replies begin" if claim.sort == "most begin" else "fewer than half of the replies begin"
        return f"{begin} with the letter ({percent(n / forms.replies, 0)} of {forms.replies:,})"
    if claim.sort == "commonest":
        return f"the letter is found most often by {pattern} ({percent(n / forms.lettered, 0)} of {forms.lettered:,})"
    right, rest = sum(right for _, right in forms.by.values()) - k, forms.lettered - n
    often = "less" if claim.sort == "less right" else "more"
    return (
        f"right {often} often where it is found by {pattern} ({percent(k / n, 0)} of {n:,}) than elsewhere "
        f"({percent(right / rest, 0)} of {rest:,})"
    )


def chance_text(sizes: Iterable[int]) -> str:
    """Return a sentence with the accuracy of picking at random. `sizes`: of each question how many options it has."""
    return f"Picking at random would score {percent(fmean(1 / size for size in sizes))}."


# ------------------------------------------------------------------------------------------------------------ of reading

UNREAD, MOST_UNREAD = WITHOUT_LETTER["no letter"], 0.05
"""The share of a model's replies without a readable letter above which its accuracy says more of the rule than of the model."""
_FORMS = 3
_HEAD, _TAIL = 24, 24


def reading_notes(sheets: Sequence[Sheet]) -> list[str]:
    """Models of whose replies more than 5 % were not read, with the commonest forms; and letters with a note."""
    return [*(f"Warning: {text}" for text in _unread(sheets)), *_letter_notes(sheets)]


def _unread(sheets: Sequence[Sheet]) -> Iterator[str]:
    for sheet in sheets:
        replies = sum(n for answer, n in sheet.tally() if answer.replied)
        forms = sheet.counts(lambda a: _form(a.raw) if a.replied and a.option is None and a.why in UNREAD else None)
        lost = forms.total()
        if lost <= MOST_UNREAD * replies:
            continue
        commonest = sorted(forms.items(), key=lambda each: (-each[1], each[0]))[:_FORMS]
        examples = ", ".join(f"{form} ({n})" for form, n in commonest)
        of_all = f"{lost} of {count_of(replies, 'reply', 'replies')} ({percent(lost / replies)})"
        yield f"{sheet.label}: no letter was read in {of_all}, which count as wrong; the commonest: {examples}."


def _form(raw: str) -> str:
    """A reply in short: its beginning and its end, where letters stand."""
    line = one_line(raw, len(raw) + 1)
    return f'"{line}"' if len(line) <= _HEAD + _TAIL else f'"{line[:_HEAD]}…{line[-_TAIL:]}"'


_NOTES = {
    CONTRADICTED: ("answer gives", "answers give", "the text of another option beside the letter"),
    SHARED: ("answer is", "answers are", "a bare letter that is also the text of another option"),
}
"""Of each note that a letter may have, what it says of one answer and of several."""


def _letter_notes(sheets: Sequence[Sheet]) -> Iterator[str]:
    """Return a sentence for each note that letters of these models have: how many, of whom, and that the label counts."""
    for note, (single, several, text) in _NOTES.items():
        totals = {sheet.label: _with_note(sheet, note) for sheet in sheets}
        if total := sum(totals.values()):
            counts = ", ".join(f"{label} {n}" for label, n in totals.items() if n)
            hint = f'the letter counts; questions.csv has "{note}" in the column why'
            yield f"{count_of(total, single, several)} {text} ({counts}): {hint}."


def _with_note(sheet: Sheet, note: str) -> int:
    return sum(n for answer, n in sheet.tally() if answer.letter is not None and answer.why == note)
