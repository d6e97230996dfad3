"""A sample as text to read: what was asked, what is right, and every reply with its scores. Foreign texts become safe here."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import groupby

from tui_eval.results.asked_turns import AskedTurn
from tui_eval.results.stored_samples import Judgement, Mark, Owner, StoredReply, StoredSample, Verdict, judgements, owner_of
from tui_eval.results.sums.metrics import scale_of, threshold_of
from tui_eval.tui.sanitize import LONGEST_TEXT, safe, safe_line
from tui_eval.tui.widgets.cells import Cell, Tone
from tui_eval.tui.widgets.text import Paragraph
from tui_eval.tui.words import count, seconds

BLANK: Paragraph = ("", "")
POINTER = "› "
"""Sign before the title of the reply that was asked for."""
ALIKE = 2
"""So many scores that are missing for one reason each have a line of their own."""
SIGNS: dict[Verdict, tuple[str, Tone]] = {
    "right": ("✓ right", "good"),
    "wrong": ("✗ wrong", "bad"),
    "missing": ("– missing", "warn"),
    "partly": ("◐ partly", "warn"),
    "unscored": ("· none", "dim"),
    "marked": ("· marked", ""),
}


def verdict_cell(sample: StoredSample) -> Cell:
    """Return the verdict on the sample's answers, as a sign and a word."""
    verdict, right, scored = sample.verdict()
    mark = sample.mean_mark() if verdict == "marked" else None
    if mark is not None:
        return f"{mark:.1f}" + (f" n={scored}" if scored > 1 else ""), ""
    sign, tone = SIGNS[verdict]
    return (f"{sign[0]} {right}/{scored}" if scored > 1 else sign), tone


def mark_cell(mark: Mark) -> tuple[str, Tone]:
    """A score as a sign and a word."""
    if mark.value is None:
        return SIGNS["missing"]
    if mark.value in (0, 1) and not mark.is_graded:
        return SIGNS["right" if mark.value else "wrong"]
    return f"{mark.value:g}", ""


def answer_line(sample: StoredSample) -> str:
    """The sample's first primary answer on one line; why there is none; how many more there are."""
    answers = sample.kept()
    if not answers:
        return "no answer" + (f": {safe_line(sample.error)}" if sample.error else "")
    first = answers[0]
    text = safe_line(first.text) if first.text else f"no text: {safe_line(first.why or first.status)}"
    return text + (f"  (+{len(answers) - 1})" if len(answers) > 1 else "")


def sample_title(sample: StoredSample) -> str:
    """Return the title of a sample, on one line."""
    names = [sample.item_id] if sample.doc_id in sample.item_id else [sample.doc_id, sample.item_id]
    repeat = [f"repeat {sample.repeat + 1}"] if sample.repeat else []
    return " · ".join([*(safe_line(name, 80) for name in names), *repeat])


def sample_text(
    sample: StoredSample, whole: bool = False, turns: Sequence[AskedTurn] = (), pointed_at: Owner | None = None
) -> list[Paragraph]:
    """The sample in full; texts of more than 200,000 characters only where `whole`. `turns`: of a conversation, those asked.

    `pointed_at`: the reply whose title has a sign before it.
    """
    most = None if whole else LONGEST_TEXT
    paragraphs: list[Paragraph] = []
    if not turns:
        paragraphs += [("Question", "accent"), *_field(sample.question or None, most), ("", "")]
        if sample.truth is not None or not any(mark.is_graded for mark in sample.marks):
            paragraphs += [("Truth", "accent"), *_field(sample.truth, most), ("", "")]
    if sample.error or not sample.finished:
        paragraphs += [(f"not finished: {safe_line(sample.error or 'a call has no reply yet')}", "warn"), ("", "")]
    turn_places = {turn.number - 1 for turn in turns}
    reply = next((answer for answer in sample.in_order() if owner_of(answer) == pointed_at), None)
    for turn in turns:
        paragraphs += [*_turn(turn, most), *_replies(sample, {turn.number - 1}, most, reply)]
    paragraphs += _replies(sample, {answer.call_index for answer in sample.answers} - turn_places, most, reply)
    stray = [mark for mark in sample.marks if sample.answer_of(mark) is None]
    if stray:
        paragraphs += [("Scores without a reply", "accent"), *(line for mark in stray for line in _mark(mark))]
    return paragraphs


def place_of_turn(paragraphs: Sequence[Paragraph], turn: AskedTurn | None) -> int | None:
    """Return the place of a turn's title among the paragraphs of a sample; no reply can look like one."""
    return (
        None if turn is None else next((n for n, each in enumerate(paragraphs) if each == (turn_title(turn), "strong")), None)
    )


def place_pointed_at(paragraphs: Sequence[Paragraph]) -> int | None:
    """Return the place of the title that has a sign before it."""
    return next((n for n, (text, tone) in enumerate(paragraphs) if tone == "accent" and text.startswith(POINTER)), None)


def _replies(
    sample: StoredSample, places: Collection[int], most: int | None, pointed_at: StoredReply | None
) -> list[Paragraph]:
    """Every reply at one of these places, answers first."""
    primary = set(map(id, sample.kept()))
    answers = [answer for answer in sample.in_order() if answer.call_index in places]
    paragraphs: list[Paragraph] = []
    for answer in answers:
        (title, tone), *rest = _answer(sample, answer, id(answer) in primary, most)
        paragraphs += [(POINTER + title if answer is pointed_at else title, tone), *rest, BLANK]
    return paragraphs


def turn_title(turn: AskedTurn) -> str:
    """Return the title above a turn of a conversation."""
    return f"── Turn {turn.number} of {len(turn.conversation.turns)} "


def _turn(turn: AskedTurn, most: int | None) -> list[Paragraph]:
    """Return the question of a turn, its ground truth, and the place in the document that says so."""
    paragraphs: list[Paragraph] = [(turn_title(turn), "strong"), ("Question", "accent"), *_field(turn.turn.question, most)]
    if not turn.turn.answerable:
        paragraphs.append(("The document does not hold the answer to this question.", "warn"))
    paragraphs += [("", ""), ("Ground truth", "accent"), *_field(turn.turn.ground_truth or None, most), ("", "")]
    if turn.turn.quote and turn.document is not None:
        page = f", page {turn.turn.page}" if turn.turn.page is not None else ""
        paragraphs += [(f"{safe_line(turn.document.filename, 60)}{page}", "accent"), *_field(turn.turn.quote, most), ("", "")]
    return paragraphs


def _answer(sample: StoredSample, answer: StoredReply, is_primary: bool, most: int | None) -> list[Paragraph]:
    title = f"{'Answer' if is_primary else 'Reply'} · {safe_line(answer.stage, 40)} · {safe_line(answer.model, 60)}"
    title += f" · call {answer.call_index + 1}" if answer.call_index else ""
    title += f" · about {safe_line(answer.about, 80)}" if answer.about else ""
    facts = [safe_line(answer.status or "-", 40), "on file" if answer.cached else f"{seconds(answer.latency_ms)} s"]
    facts += [safe_line(answer.finish_reason, 40)] if answer.finish_reason else []
    facts += [safe_line(answer.why, 300)] if answer.why else []
    ok = answer.status == "ok"
    marks = _marks(sample.marks_of(answer))
    gap: list[Paragraph] = [("", "")] if len(marks) > len(sample.marks_of(answer)) else []
    return [(title, "accent"), (" · ".join(facts), "dim" if ok else "bad"), *marks, *gap, *_field(answer.text, most)]


def _marks(marks: Sequence[Mark]) -> list[Paragraph]:
    """Scores one below the other; those that are missing for one reason stand together, and what judges said of a mark is not
    repeated for whether it passes."""
    paragraphs: list[Paragraph] = []
    before: str | None = None
    for lost, each in groupby(marks, _lost):
        alike = list(each)
        if lost is not None and len(alike) > ALIKE:
            paragraphs.append(_missing(alike))
            continue
        for mark in alike:
            lines = _mark(mark)
            again = not mark.is_graded and mark.read is not None and mark.read == before
            paragraphs += lines[:1] if again else lines
            before = mark.read
    return paragraphs


def _lost(mark: Mark) -> tuple[str, str, str] | None:
    """Why there is no value, where nothing else is to be told of a score."""
    return (mark.why, mark.pattern, mark.version) if mark.value is None and mark.read is None and mark.why else None


def _missing(marks: Sequence[Mark]) -> Paragraph:
    """Scores that are missing for one reason, on a line."""
    names = ", ".join(safe_line(mark.name, 40) for mark in marks)
    more = [safe_line(text, 300) for text in (marks[0].why, marks[0].version) if text]
    return " · ".join([f"{SIGNS['missing'][0]} {count(len(marks))}: {names}", *more]), SIGNS["missing"][1]


def _mark(mark: Mark) -> list[Paragraph]:
    """A score, and below it what each judge said."""
    sign, tone = mark_cell(mark)
    name, opinions = safe_line(mark.name, 40), judgements(mark.read)
    if mark.is_graded and mark.value is not None:
        parts = [f"{name} = {mark.value:g} of {scale_of(mark.metric)}"]
        ends = {True: "✓ passes", False: "✗ does not pass"}
        parts += [] if mark.passes is None else [f"{ends[mark.passes]} ({threshold_of(mark.metric)})"]
    else:
        of = f" of {scale_of(mark.metric)}" if mark.is_graded else ""
        parts = [f"{sign}: {name} = {'-' if mark.value is None else f'{mark.value:g}'}{of}"]
    parts += [f"read as {safe_line(mark.read, 60)}"] if mark.read is not None and not opinions else []
    parts += [f"by {safe_line(mark.pattern, 60)}"] if mark.pattern else []
    parts += [safe_line(mark.why, 300)] if mark.why else []
    parts += [safe_line(mark.version, 40)] if mark.version else []
    return [(" · ".join(parts), tone), *(line for judgement in opinions for line in _judgement(judgement))]


def _judgement(judgement: Judgement) -> Iterator[Paragraph]:
    """Yield the words of one judge; its claims under one another, each with its verdict in a word."""
    mark = "" if judgement.mark is None else f" {judgement.mark:g}"
    yield (
        f"  {safe_line(judgement.judge, 40)}{mark}{': ' if judgement.reason else ''}{safe_line(judgement.reason or '', 1000)}",
        "dim",
    )
    for verdict, claim, quote in judgement.claims:
        quotation = f' — "{safe_line(quote, 200)}"' if quote else ""
        yield f"    {safe_line(verdict, 20)}: {safe_line(claim, 300)}{quotation}", "dim" if verdict == "supported" else "warn"


def _field(text: str | None, most: int | None) -> list[Paragraph]:
    if text is None:
        return [("-", "dim")]
    paragraphs: list[Paragraph] = [(safe(text if most is None else text[:most]), "")]
    if most is not None and len(text) > most:
        paragraphs.append((f"… {count(len(text) - most)} characters more; a shows all of them", "warn"))
    return paragraphs
