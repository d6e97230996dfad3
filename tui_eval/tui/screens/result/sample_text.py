"""A sample as text to read: what was asked, what is right, and every reply with its scores. Foreign texts become safe here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from tui_eval.results.asked_turns import AskedTurn
from tui_eval.results.stored_samples import Judgement, Mark, Owner, StoredReply, StoredSample, Verdict, judgements, owner_of
from tui_eval.results.sums.metrics import scale_of, threshold_of
from tui_eval.tui.sanitize import safe_line
from tui_eval.tui.widgets.cells import Cell, Tone
from tui_eval.tui.widgets.inspector import Section, labelled, reply_section, section
from tui_eval.tui.widgets.text import Paragraph
from tui_eval.tui.words import count, seconds

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
    item = sample.item_id.removeprefix(f"{sample.queue}/") if sample.queue else sample.item_id
    names = [item] if sample.doc_id in item else [sample.doc_id, item]
    names = [*([sample.queue] if sample.queue else []), *names]
    repeat = [f"repeat {sample.repeat + 1}"] if sample.repeat else []
    return " · ".join([*(safe_line(name, 80) for name in names), *repeat])


def sample_sections(
    sample: StoredSample, owner: Owner | None, turns: Sequence[AskedTurn], whole: bool, drawn: Sequence[Section] = ()
) -> list[Section]:
    """Say of a sample why it lacks what it lacks, what was asked, what is right, the replies with their scores, and what led
    to them or judged them.

    `owner`: the reply that is looked at; None = every answer. `turns`: of a conversation, those asked. `whole`: long texts in
    full, where else their beginning stands. `drawn`: what the reply comes to, as a drawing.
    """
    unfinished = f"not finished: {safe_line(sample.error or 'a call has no reply yet')}"
    why = [Section("WHY", unfinished, "warn")] if sample.error or not sample.finished else []
    shown = [reply for reply in sample.in_order() if owner_of(reply) == owner] or sample.kept()
    asked = _conversation(sample, owner, turns, shown, whole) if turns else [
        *_question(sample, whole), *drawn, *(each for reply in shown for each in _reply(sample, reply, whole)),
    ]  # fmt: skip
    stray = [line for mark in sample.marks if sample.answer_of(mark) is None for line in _mark(mark)]
    no_reply = labelled("SCORES", [("of no reply", "warn"), *stray]) if stray else []
    return [*why, *asked, *_besides(sample, owner if turns else None, owner, shown, whole), *no_reply]


def _question(sample: StoredSample, whole: bool) -> list[Section]:
    """Return the question, and its target where one was to be met."""
    has_target = sample.truth is not None or not any(mark.is_graded for mark in sample.marks)
    return [*section("ASKED", sample.question or None, whole), *(section("TRUTH", sample.truth, whole) if has_target else [])]


def _conversation(
    sample: StoredSample, owner: Owner | None, turns: Sequence[AskedTurn], shown: Sequence[StoredReply], whole: bool
) -> list[Section]:
    """Return the turns with the answers to each; of an answer that is looked at, its turn alone."""
    sections: list[Section] = []
    for turn in (turn for turn in turns if owner is None or owner[2] == turn.number - 1):
        replies = [reply for reply in shown if reply.call_index == turn.number - 1]
        sections += [*_turn(turn, whole), *(each for reply in replies for each in _reply(sample, reply, whole))]
    return sections


def _besides(
    sample: StoredSample, turn_of: Owner | None, owner: Owner | None, shown: Sequence[StoredReply], whole: bool
) -> list[Section]:
    """Return the replies that led to those that are shown, or judged them; of one turn alone where `turn_of` is given."""
    rest = [reply for reply in sample.in_order() if not any(reply is each for each in shown) and not is_peer(reply, owner)]
    of_it = [reply for reply in rest if turn_of is None or reply.call_index == turn_of[2]]
    return [each for reply in of_it for each in _also(sample, reply, whole)]


def is_peer(reply: StoredReply, owner: Owner | None) -> bool:
    """Return whether a reply is another model's to the same as the one looked at."""
    return owner is not None and (reply.stage, reply.call_index) == (owner[0], owner[2]) and reply.model != owner[1]


def other_line(sample: StoredSample, reply: StoredReply, letter: str, wide: int) -> Section:
    """Another model's answer on a line: its letter, its name, its score, what was read, how long it took, how it begins."""
    marks = sample.marks_of(reply)
    sign, tone = mark_cell(marks[0]) if marks else SIGNS["unscored"]
    read = marks[0].read if marks and marks[0].read and not judgements(marks[0].read) else ""
    words = safe_line(reply.text, 160) if reply.text else f"no text: {safe_line(reply.why or reply.status, 200)}"
    facts = "  ".join(filter(None, [safe_line(read, 20), "" if reply.latency_ms is None else f"{seconds(reply.latency_ms)} s"]))
    tone = "warn" if tone == "bad" else tone
    return Section("", f"{letter:<2}{safe_line(reply.model, 60):<{wide}}  {sign}  {facts}  {words}", tone, is_line=True)


def _turn(turn: AskedTurn, whole: bool) -> list[Section]:
    """Return the question of a turn, its ground truth, and the place in the document that says so."""
    title = f"{turn.number} of {len(turn.conversation.turns)}"
    sections = [Section("TURN", title, "strong"), *section("ASKED", turn.turn.question, whole)]
    if not turn.turn.answerable:
        sections.append(Section("", "The document does not hold the answer to this question.", "warn"))
    sections += section("TRUTH", turn.turn.ground_truth or None, whole)
    if turn.turn.quote and turn.document is not None:
        page = f", page {turn.turn.page}" if turn.turn.page is not None else ""
        sections.append(Section("SOURCE", f"{safe_line(turn.document.filename, 60)}{page}", "dim"))
        sections += section("", turn.turn.quote, whole)
    return sections


def score_sections(marks: Sequence[Mark]) -> list[Section]:
    """The scores of a reply, and what each judge said."""
    return labelled("SCORE", _marks(marks)) if marks else []


def _reply(sample: StoredSample, reply: StoredReply, whole: bool) -> list[Section]:
    """A reply that is looked at: its scores, who gave it, and its text with what was read out of it marked."""
    marks = sample.marks_of(reply)
    sections = score_sections(marks)
    sections.append(Section("REPLY", _facts(reply), "dim" if reply.status == "ok" else "bad"))
    if reply.text is None:
        return sections
    read = next((mark for mark in marks if mark.read and not judgements(mark.read)), None)
    found = ("", "") if read is None else (safe_line(read.read, 200), read.pattern)
    return [*sections, *reply_section("", reply.text, whole, *found)]


def _also(sample: StoredSample, reply: StoredReply, whole: bool) -> list[Section]:
    """A reply that led to the one looked at, or judged it, on a line, and in full on wish."""
    label = safe_line(reply.stage.upper(), 8)
    about = f" · about {safe_line(reply.about, 80)}" if reply.about else ""
    marks = labelled("", _marks(sample.marks_of(reply)))
    facts = Section(label, _facts(reply) + about, "dim" if reply.status == "ok" else "bad")
    if reply.text is None:
        return [facts, *marks]
    return [facts, *marks, *section("", reply.text if whole else safe_line(reply.text, 300), whole)]


def _facts(reply: StoredReply) -> str:
    """Say whose reply it is, how long it took and how it ended."""
    facts = [safe_line(reply.model, 60), safe_line(reply.stage, 40)]
    facts += [f"call {reply.call_index + 1}"] if reply.call_index else []
    facts += [] if reply.status == "ok" else [safe_line(reply.status or "-", 40)]
    facts += ["on file" if reply.cached else f"{seconds(reply.latency_ms)} s"]
    facts += [safe_line(reply.finish_reason, 40)] if reply.finish_reason else []
    facts += [safe_line(reply.why, 300)] if reply.why else []
    return " · ".join(facts)


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
