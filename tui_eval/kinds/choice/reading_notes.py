"""What a reader must know of how letters were read before any rank: replies that were not, and letters beside another text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from tui_eval.core.plaintext import counted, markdown_text, one_line
from tui_eval.kinds.choice.sentences import Name
from tui_eval.kinds.choice.sheets import WITHOUT_LETTER, Sheet
from tui_eval.reading.letters import CONTRADICTED, SHARED
from tui_eval.results.sums.in_words import percent

MOST_UNREAD = 0.05
"""The share of a model's replies without a readable letter above which its accuracy says more of the rule than of the model."""
_FORMS = 3
_HEAD, _TAIL = 24, 24


def _on_page(sheet: Sheet) -> str:
    return sheet.name


def reading_notes_md(sheets: Sequence[Sheet]) -> list[str]:
    """The same for a page."""
    unread = [f"**Warning:** {text}" for text in _unread(sheets, _on_page, markdown_text)]
    return unread + _letter_notes(sheets, _on_page)


def reading_notes(sheets: Sequence[Sheet]) -> list[str]:
    """Models of whose replies more than 5 % were not read, with the commonest forms; and letters with a note."""

    def name(sheet: Sheet) -> str:
        return sheet.short_label

    return [f"Warning: {text}" for text in _unread(sheets, name, str)] + _letter_notes(sheets, name)


def _unread(sheets: Sequence[Sheet], name: Name, safe: Callable[[str], str]) -> list[str]:
    lines = []
    for sheet in sheets:
        replies = [answer for _, answer in sheet.all_answers() if answer.replied]
        forms = Counter(
            _form(answer.raw) for answer in replies if answer.option is None and answer.why in WITHOUT_LETTER["no letter"]
        )
        lost = forms.total()
        if lost <= MOST_UNREAD * len(replies):
            continue
        commonest = sorted(forms.items(), key=lambda each: (-each[1], each[0]))[:_FORMS]
        shown = ", ".join(f"{safe(form)} ({n})" for form, n in commonest)
        of_all = f"{lost} of {counted(len(replies), 'reply', 'replies')} ({percent(lost / len(replies))})"
        lines.append(f"{name(sheet)}: no letter was read in {of_all}, which count as wrong; the commonest: {shown}.")
    return lines


def _form(raw: str) -> str:
    """A reply in short: its beginning and its end, where letters stand."""
    line = one_line(raw, len(raw) + 1)
    return f'"{line}"' if len(line) <= _HEAD + _TAIL else f'"{line[:_HEAD]}…{line[-_TAIL:]}"'


_NOTES = {
    CONTRADICTED: ("answer gives", "answers give", "the text of another option beside the letter"),
    SHARED: ("answer is", "answers are", "a bare letter that is also the text of another option"),
}
"""Of each note that a letter may have, what it says of one answer and of several."""


def _letter_notes(sheets: Sequence[Sheet], name: Name) -> list[str]:
    """Return a sentence for each note that letters of these models have: how many, of whom, and that the label counts."""
    lines = []
    for note, (single, several, text) in _NOTES.items():
        totals = {name(sheet): _with_note(sheet, note) for sheet in sheets}
        if total := sum(totals.values()):
            named = ", ".join(f"{label} {n}" for label, n in totals.items() if n)
            lines.append(
                f"{counted(total, single, several)} {text} ({named}): the letter counts; "
                f'questions.csv has "{note}" in the column why.'
            )
    return lines


def _with_note(sheet: Sheet, note: str) -> int:
    return sum(answer.letter is not None and answer.why == note for _, answer in sheet.all_answers())
