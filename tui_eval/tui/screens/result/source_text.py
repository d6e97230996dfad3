"""A question about a source as text to read: the answer from a processed text, and what each judge said. Foreign texts become
safe here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tui_eval.results.source_files import SourceAnswer, SourceFiles, SourceText
from tui_eval.tui.sanitize import LONGEST_TEXT, safe, safe_line
from tui_eval.tui.widgets.cells import Cell, Tone
from tui_eval.tui.widgets.text import Paragraph

NO_ANSWER, NO_MARK = "!", "–"
UNANSWERABLE = "The text does not hold the answer: saying so is right."


def mark_cell(answer: SourceAnswer, threshold: float | None) -> Cell:
    """The mark of an answer, or a sign for why there is none."""
    if answer.answer is None:
        return NO_ANSWER, "bad"
    if answer.score is None:
        return (NO_MARK, "warn") if answer.marks else ("", "dim")
    return f"{answer.score:g}" if answer.score == round(answer.score, 1) else f"{answer.score:.2f}", tone_of(
        answer.score, threshold
    )


def tone_of(score: float, threshold: float | None) -> Tone:
    """Return the tone of a mark."""
    return "" if threshold is None else "good" if score >= threshold else "bad"


def row_title(row: SourceText, files: SourceFiles) -> str:
    """Return the title of a text, on a line."""
    repeat = f" · repeat {row.repeat}" if row.repeat else ""
    return f"{safe_line(row.source, 80)} · {text_title(row, files)}{repeat}"


def text_title(row: SourceText, files: SourceFiles) -> str:
    """Who made a text."""
    return f"{safe_line(files.name_of(row.process_model), 60)} run {row.run}"


def scored_words(row: SourceText, files: SourceFiles) -> tuple[str, str, str]:
    """(mean, with how many of how many marks, how many answers lack one) of the answers from a text."""
    tally = files.scored(row)
    if not tally.asked:
        return "-", "-", ""
    mean = f"{tally.total / tally.n:.2f}" if tally.n else "-"
    lacking = tally.asked - tally.n
    return mean, str(tally.n), f"{lacking} without a mark" if lacking else ""


def rate_words(row: SourceText, files: SourceFiles) -> tuple[str, str]:
    """(character, word) error rate of a text, in percent."""
    rates = files.rates(row)
    return ("-", "-") if rates is None else (f"{100 * rates.characters:.1f} %", f"{100 * rates.words:.1f} %")


def answer_paragraphs(answer: SourceAnswer, row: SourceText, files: SourceFiles) -> list[Paragraph]:
    """Question, reference, answer, marks with their rationale."""
    paragraphs: list[Paragraph] = [(f"Question {safe_line(answer.id, 20)} · {safe_line(answer.category, 40)}", "accent")]
    paragraphs += [(_cut(answer.question), ""), ("Reference answer", "accent"), (_cut(answer.reference) or "-", "")]
    paragraphs += [] if answer.answerable else [(UNANSWERABLE, "warn")]
    paragraphs.append((f"Answer · {safe_line(files.name_of(row.answer_model), 40)}", "accent"))
    if answer.answer is None:
        paragraphs.append((f"no answer: {safe_line(answer.why or 'nobody says why', 300)}", "bad"))
    else:
        paragraphs.append((_cut(answer.answer), ""))
    return [*paragraphs, *_marks(answer, files.threshold)]


def _marks(answer: SourceAnswer, threshold: float | None) -> Iterator[Paragraph]:
    for mark in answer.marks:
        judge = f"Judge · {safe_line(mark.judge, 40)}"
        if mark.score is None:
            yield f"{judge}: no mark ({safe_line(mark.why or 'nobody says why', 200)})", "warn"
        else:
            tone = tone_of(mark.score, threshold)
            sign = {"good": "✓ passes", "bad": "✗ does not pass"}.get(tone, "")
            passing = f"  {sign} ({threshold:g} or more)" if threshold is not None else ""
            yield f"{judge}: {mark.score:g} of 5{passing}", tone
        if mark.rationale:
            yield _cut(mark.rationale), ""


def as_text(row: SourceText, files: SourceFiles, answers: Sequence[SourceAnswer]) -> str:
    """Everything about a text, for a file."""
    lines = [row_title(row, files), "", _cut(files.text(row) or "-")]
    for answer in answers:
        lines += ["", *(text for text, _ in answer_paragraphs(answer, row, files))]
    return "\n".join(lines) + "\n"


def _cut(text: str) -> str:
    return safe(text[:LONGEST_TEXT])
