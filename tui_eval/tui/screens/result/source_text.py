"""A processed text as an inspector shows it: its questions, the answers from it, what each judge said. Foreign texts become
safe here."""

from __future__ import annotations

from collections.abc import Iterator

from tui_eval.reading.quotes import find_quote
from tui_eval.results.source_files import SourceAnswer, SourceFiles, SourceText
from tui_eval.tui.sanitize import LONGEST_TEXT, safe, safe_line
from tui_eval.tui.widgets.cells import Cell, Tone, cell_text
from tui_eval.tui.widgets.inspector import Dossier, Section
from tui_eval.tui.widgets.lines import Piece
from tui_eval.tui.words import count

MOST_SEARCHED = 20_000
"""Characters of a text in which a reference answer is looked for at once."""
NO_ANSWER, NO_MARK = "!", "–"
NO_TEXT = "There is no text: its call failed, or it was not made in this run."
NO_QUESTION = "Nothing was asked about this text in this run."
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


def source_dossier(row: SourceText, files: SourceFiles, number: int, whole: bool, where: str) -> Dossier:
    """Say of a text what the answers from it came to: one of its questions in full (`whole`: each), then all on a line each.
    Beside it stands the text, with what the question's reference answer says marked. `where`: its place in the list."""
    answers, text, (mean, n, lacking) = files.answers(row), files.text(row), scored_words(row, files)
    number = min(number, max(len(answers) - 1, 0))
    asked = answers if whole else answers[number : number + 1]
    characters, words = rate_words(row, files)
    facts = [f"{mean} of 5, n = {n}" if answers else NO_QUESTION, lacking]
    facts += [f"CER {characters}  WER {words}"] if characters != "-" else []
    facts += [f"answered by {safe_line(files.name_of(row.answer_model), 40)}"] if row.answer_model else []
    sections = [each for answer in asked for each in _answer(answer, files.threshold)]
    sections.append(Section("MEAN" if answers else "WHY", "  ".join(filter(None, facts)), "warn" if lacking else ""))
    listed = [_line(answer, files.threshold, place == number) for place, answer in enumerate(answers)]
    sections += [each._replace(label="" if place else "ASKED") for place, each in enumerate(listed) if not whole]
    shown = safe((text or "")[:LONGEST_TEXT])
    start, end = span_of(answers[number].reference, shown) if answers else (0, 0)
    beside = Section("", shown, marks=((start, end),) if start < end else ()) if shown else Section("", NO_TEXT, "warn")
    above = f"── text by {text_title(row, files)}" + ("" if text is None else f"  {count(len(text))} characters")
    heading: tuple[Piece, ...] = ((row_title(row, files), "strong"), (f"  {where}", "dim"))
    return Dossier(
        heading,
        tuple(sections),
        (beside,),
        name=f"{row.source}-{row.process_model}-run{row.run}",
        beside_title=((above, "dim"),),
    )


def _line(answer: SourceAnswer, threshold: float | None, is_chosen: bool) -> Section:
    """A question on a line, with its mark."""
    mark = mark_cell(answer, threshold)
    words = f"{'›' if is_chosen else ' '}{cell_text(mark):>4} {safe_line(answer.question, 200)}"
    return Section("", words, "" if isinstance(mark, str) else mark[1], is_line=True)


def _answer(answer: SourceAnswer, threshold: float | None) -> Iterator[Section]:
    """Yield the question, its reference answer, the answer, and the marks with their reasons."""
    category = f"  ({safe_line(answer.category, 40)})" if answer.category else ""
    yield Section(f"Q {safe_line(answer.id, 6)}", _cut(answer.question) + category, "strong")
    yield Section("TRUTH", _cut(answer.reference) or "-")
    if not answer.answerable:
        yield Section("", UNANSWERABLE, "warn")
    missing = f"no answer: {safe_line(answer.why or 'nobody says why', 300)}"
    yield Section("ANSWER", missing, "bad") if answer.answer is None else Section("ANSWER", _cut(answer.answer))
    for mark in answer.marks:
        judge, tone = safe_line(mark.judge, 40), tone_of(mark.score, threshold) if mark.score is not None else "warn"
        sign = {"good": "  ✓ passes", "bad": "  ✗ does not pass"}.get(tone, "")
        passing = f"{sign} ({threshold:g} or more)" if threshold is not None else ""
        given = f"no mark ({safe_line(mark.why or 'nobody says why', 200)})"
        given = given if mark.score is None else f"{mark.score:g} of 5{passing}"
        yield Section("JUDGE", f"{judge}: {given}", tone)
        if mark.rationale:
            yield Section("", _cut(mark.rationale))


def span_of(words: str, text: str) -> tuple[int, int]:
    """Return the span of words in a text, small faults forgiven; (0, 0) where they are nowhere."""
    quote = safe(words[:MOST_SEARCHED]).strip().rstrip(".")
    at = text.find(quote)
    if not quote or at >= 0:
        return (at, at + len(quote)) if quote else (0, 0)
    match = find_quote(quote, text) if len(text) <= MOST_SEARCHED else None
    return (0, 0) if match is None else (match.start, match.end)


def _cut(text: str) -> str:
    return safe(text[:LONGEST_TEXT])
