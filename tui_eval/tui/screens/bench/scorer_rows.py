"""Rows of the scorer bench: scorers side by side, replies on which they differ, and the sentences about one of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tui_eval.core.plaintext import count_of
from tui_eval.reporting.bench_ratings import place_of
from tui_eval.reporting.bench_report import (
    NO_RATINGS,
    accepts_cell,
    alike_sentences,
    calls_cell,
    cost_cell,
    differs_cell,
    error_cell,
    heading,
    left_out_sentence,
    model_cells,
)
from tui_eval.reporting.scorer_bench import BenchAnswer, ScorerLine
from tui_eval.results.sums.in_words import percent
from tui_eval.results.sums.scorers.scorer_bench import BenchReply
from tui_eval.results.sums.scorers.scorer_sentences import error_words
from tui_eval.results.tables import aligned
from tui_eval.runs.scorer_ratings import ScorerRating
from tui_eval.tui.sanitize import LONGEST_TEXT, safe, safe_line
from tui_eval.tui.screens.bench.bench_reading import RatedBench
from tui_eval.tui.widgets.cells import Cell, Column, Tone, blank
from tui_eval.tui.widgets.text import Paragraph
from tui_eval.tui.words import count

FRESH_KEY = "f rates fresh ones."
RATE_FIRST = "Nobody has rated yet: r shows you question, target and reply, one after the other, and hides who answered."


@dataclass(frozen=True, slots=True)
class ScorerBenchRow:
    """Row of a scorer."""

    rated_bench: RatedBench
    line: ScorerLine


def _name(row: ScorerBenchRow) -> Cell:
    of_run, best = row.line.of_run, row.rated_bench.best == row.line.name
    return f"{safe_line(row.line.name, 60)}{' (run)' if of_run else ''}{' ★' if best else ''}", "strong" if of_run else ""


def _error(row: ScorerBenchRow) -> Cell:
    error = row.rated_bench.error(row.line.name) if row.line.judges else None
    if error is None:
        return "-", "dim"
    cell = error_cell(error)
    return (f"✗ {cell.removesuffix(' wrong')}", "bad") if error.is_wrong else cell


def _differs(row: ScorerBenchRow) -> str:
    return differs_cell(row.rated_bench.bench, row.line).partition(" of ")[0]


SCORERS: Sequence[Column[ScorerBenchRow]] = (
    Column("scorer", 16, _name, share=1, middle=True),
    Column("accepts", 9, lambda row: accepts_cell(row.line), right=True),
    Column("n", 6, lambda row: count(row.line.n), right=True, above=99),
    Column("unparsed", 8, lambda row: count(row.line.unparsed), right=True, above=99),
    Column("no value", 8, lambda row: count(row.line.missing), right=True, above=119),
    Column("shuffled", 8, lambda row: (percent(row.line.shuffled), "warn" if row.line.is_lenient else ""), right=True),
    Column("", 7, lambda row: ("lenient" if row.line.is_lenient else "", "warn"), above=99),
    Column("differs", 7, _differs, right=True),
    Column("calls", 9, lambda row: calls_cell(row.line), right=True, above=119),
    Column("$/1,000", 8, lambda row: cost_cell(row.line), right=True),
    Column("error [95 %]", 23, _error, right=True),
    Column("", 1, blank, share=1, above=139),
)
"""The columns of the scorers."""


@dataclass(frozen=True, slots=True)
class DisputedRow:
    """Row of a reply on which scorers differ."""

    reply: BenchReply
    answer: BenchAnswer
    rating: ScorerRating | None
    """That of the person at the keys."""


VERDICTS: Mapping[bool | None, tuple[str, Tone]] = {
    True: ("✓ accepts", "good"),
    False: ("✗ rejects", "bad"),
    None: ("– no value", "dim"),
}


def rating_words(rating: ScorerRating | None) -> tuple[str, Tone]:
    """Return the person's rating of a reply, in words."""
    if rating is None:
        return "not rated", "dim"
    return ("? unsure", "dim") if rating.right is None else ("✓ right", "good") if rating.right else ("✗ wrong", "bad")


def _you_say(rating: ScorerRating | None) -> Paragraph:
    words, tone = rating_words(rating)
    return f"You: {words}", tone


def _names(row: DisputedRow, accepts: bool) -> str:
    return safe_line(", ".join(name for name, verdict in row.reply.verdicts.items() if verdict is accepts), 200)


DISPUTED: Sequence[Column[DisputedRow]] = (
    Column("you say", 9, lambda row: rating_words(row.rating)),
    Column("accepted by", 16, lambda row: (_names(row, True), "good"), share=2),
    Column("rejected by", 16, lambda row: (_names(row, False), "bad"), share=2),
    Column("target", 12, lambda row: safe_line(" / ".join(row.answer.targets) or "no answer", 200), share=1, above=99),
    Column("reply", 16, lambda row: safe_line(row.answer.text, 300), share=3),
)
"""The columns of the replies on which scorers differ."""


def scorer_text(rated_bench: RatedBench, name: str) -> list[Paragraph]:
    """The sentences about one scorer. Safe text."""
    bench, line, error = rated_bench.bench, rated_bench.bench.line(name), rated_bench.error(name)
    lines: list[Paragraph] = []
    twin = bench.alike.get(name)
    if twin is not None:
        lines.append((f"{name} says the same as {twin} of every reply.", "dim"))
    if error is not None and line.judges:
        first, *more = error_words(error)
        lines.append((safe(f"{first}."), "bad" if error.is_wrong else "strong"))
        lines += [(safe(f"{sentence}."), "warn") for sentence in more]
        if rated_bench.best == name and rated_bench.choice:
            lines.append((f"{safe(rated_bench.choice)}. {FRESH_KEY if not rated_bench.rated.after else ''}".rstrip(), "accent"))
    elif not line.judges:
        lines.append((f"{name} is a score without a threshold: it accepts and rejects nothing, so it has no error.", ""))
    elif not rated_bench.rated.by_place:
        lines.append((RATE_FIRST, "warn"))
    if line.is_lenient:
        share = percent(line.shuffled)
        lines.append(
            (f"Lenient: it accepts {share} of {count(line.n_shuffled)} replies with the target of another sample.", "warn")
        )
    lines += [(safe(sentence), "") for sentence in _counts(line)]
    if line.settings:
        lines.append((f"Enter takes it into a config: {safe_line(line.settings, 300)}", "dim"))
    else:
        lines.append((f"It cannot be taken: {line.why_not}.", "dim"))
    if error is not None and line.judges and len(error.by_model) > 1:
        columns = ("model", "error [95 %]", "false accepts", "false rejects", "ratings")
        rows = [[safe_line(part.model, 40), *model_cells(part)] for part in error.by_model]
        lines += [("", ""), *((row, "") for row in aligned(columns, rows, (False, True, True, True, True)).splitlines())]
    return lines


def _counts(line: ScorerLine) -> Iterator[str]:
    if line.unparsed:
        yield f"{count_of(line.unparsed, 'reply', 'replies')} held nothing that it could compare, and count as rejected."
    if line.missing:
        yield f"{count_of(line.missing, 'reply', 'replies')} got no value."
    if line.usd_per_reply is None:
        yield "Nobody knows what scoring a reply by it costs: no call of this run says so."
    elif line.usd_per_reply:
        unknown = f"; {count_of(line.unknown_costs, 'call')} of unknown cost not counted" if line.unknown_costs else ""
        yield f"Scoring 1,000 replies by it costs {cost_cell(line)}, by the calls of this run{unknown}."


def whole_text(rated_bench: RatedBench) -> list[Paragraph]:
    """All that is said of the bench: what was counted, each scorer, what is left out. Safe text."""
    bench, rated = rated_bench.bench, rated_bench.rated
    lines: list[Paragraph] = [(heading(bench) + ".", "strong")]
    lines += [(note, "warn") for note in rated.notes()] if rated.n else [(NO_RATINGS, "warn")]
    lines += [(sentence, "") for sentence in alike_sentences(bench)]
    for line in bench.lines:
        lines += [("", ""), (safe_line(line.name, 60), "accent"), *scorer_text(rated_bench, line.name)]
    if bench.left_out:
        lines += [("", ""), (safe(left_out_sentence(bench)), "")]
    return lines


def reply_text(rated_bench: RatedBench, row: DisputedRow) -> list[Paragraph]:
    """One reply with what every scorer says of it. Safe text."""
    place = place_of(row.reply)
    lines = [*answer_paragraphs(row.answer), ("", ""), ("What the scorers say", "accent"), *_verdicts(rated_bench, row.reply)]
    model = f"Model: {safe_line(place.model, 80)}, {safe_line(place.item_id, 200)}"
    return [*lines, ("", ""), _you_say(row.rating), (model, "dim")]


def _verdicts(rated_bench: RatedBench, reply: BenchReply) -> list[Paragraph]:
    """List the scorers that accept a reply, that reject it, and that give it no value."""
    bench, verdicts = rated_bench.bench, reply.verdicts
    names: dict[bool | None, list[str]] = {verdict: [] for verdict in VERDICTS}
    for line in bench.lines:
        name, label = bench.alike.get(line.name, line.name), safe_line(line.name, 60) + (" (run)" if line.of_run else "")
        if name in verdicts:
            names[verdicts[name]].append(label)
        elif line.judges and not line.missing:  # one that says the same of all replies is not among those that differ
            names[line.accepted > 0].append(f"{label} (as every reply)")
    return [(f"{VERDICTS[verdict][0]}: {', '.join(each)}", VERDICTS[verdict][1]) for verdict, each in names.items() if each]


def answer_paragraphs(answer: BenchAnswer) -> list[Paragraph]:
    """Question, target and reply, as a person rates them. Safe text."""
    targets = "\nor: ".join(answer.targets) or "no answer"
    parts = (("Question", answer.question), ("Target", targets), ("Reply", answer.text or "(empty)"))
    lines: list[Paragraph] = []
    for title, text in parts:
        lines += [(title, "accent"), (safe(text[:LONGEST_TEXT]), ""), ("", "")]
    return lines[:-1]
