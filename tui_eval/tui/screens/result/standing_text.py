"""A line of the summary in full: its figures, how it compares with every other model, and what must be known of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tui_eval.core.plaintext import folded
from tui_eval.results.report_pairs import Against, differences
from tui_eval.results.sums.in_words import p_value, points
from tui_eval.results.sums.metrics import is_binary, upwards
from tui_eval.tui.report_rows import Report, full_cell_text, text
from tui_eval.tui.screens.result.basis import figure_lines
from tui_eval.tui.screens.result.standing_columns import LatencyLine, Line, StandingLine
from tui_eval.tui.widgets.cells import Tone
from tui_eval.tui.widgets.text import Paragraph
from tui_eval.tui.words import count, seconds, usd

PAIRS = "pairs"
BESIDE_NAME = 45
"""Columns of a difference beside the name of whom it is from."""


def place_of(report: Report, line: Line) -> LatencyLine:
    """Return the table that a line stands in, and its row there."""
    return line if isinstance(line, LatencyLine) else LatencyLine(report.tables[line.standing.table], line.standing.row)


def line_in_full(report: Report, line: Line, width: int) -> list[Paragraph]:
    """Return what is known of a line, in paragraphs for `width` columns."""
    place = place_of(report, line)
    figures = [("Every figure", "strong"), *figure_lines(*place, width)]
    own = place.table.rest(place.row) or {}
    if isinstance(line, LatencyLine):
        return figures
    pairs = differences(report.tables.get(PAIRS), own, report.units.variant, line.measure.metric)
    notes = _notes_on(report, str(own.get("model") or line.standing.name))
    blocks: list[list[Paragraph]] = [[*_head(line)], [*_against_lines(line, pairs, width)], [*notes], figures]
    return [paragraph for block in filter(None, blocks) for paragraph in (*block, ("", ""))]


def _head(line: StandingLine) -> Iterator[Paragraph]:
    standing, is_share = line.standing, line.scale.is_share
    yield text(standing.name), "strong"
    yield f"{line.measure.name} {full_cell_text('accuracy' if is_share else 'mean', standing.accuracy, not is_share)}", ""
    if standing.ranks:
        yield f"rank {standing.ranks}" + (": the tests leave these ranks possible" if "-" in standing.ranks else ""), ""
    reasons = f"; {text(standing.missing)}" if standing.missing != "-" else ""
    yield f"{count(standing.n_missing)} without a value{reasons}", "warn" if standing.n_missing else ""
    if standing.n_latency:
        yield f"{seconds(standing.latency_ms)} s, the median of {count(standing.n_latency)} good replies", ""
    if standing.cost_usd is not None or standing.cost_unknown:
        yield f"{usd(standing.cost_usd, standing.cost_unknown)}, all of its calls", ""


def _against_lines(line: StandingLine, pairs: Sequence[Against], width: int) -> Iterator[Paragraph]:
    metric, names = line.measure.metric, folded([text(pair.other) for pair in pairs], max(width - BESIDE_NAME, 8))
    is_share, wide = is_binary(metric), max(map(len, names.values()), default=0)
    if pairs:
        yield f"Difference from each other one{', in points' if is_share else ''}", "strong"
        yield f"{'':{wide}}   mean  95 % interval    p Holm  significant", "dim"
    for pair in pairs:
        ends = f"[{points(pair.low, is_share)}, {points(pair.high, is_share)}]"
        p, apart = (p_value(pair.p), pair.told_apart) if pair.told_apart in ("yes", "no") else ("-", "not tested")
        tone: Tone = "" if apart != "yes" else "good" if upwards(metric, pair.difference) > 0 else "bad"
        yield f"{names[text(pair.other)]:{wide}} {points(pair.difference, is_share):>6}  {ends:<15} {p:>7}  {apart}", tone


def _notes_on(report: Report, model: str) -> Iterator[Paragraph]:
    """Yield the gates on a model, and the notes that name it."""
    for gate in report.gates:
        if gate.model == model:
            yield text(f"{gate.outcome} {gate.title}: {gate.found}, wanted {gate.wanted}", 300), "" if gate.passed else "bad"
    named = re.compile(rf"(?<![\w/-]){re.escape(model)}(?![\w/-])")
    notes = (line for table in report.headline for line in table.note.split("\n"))
    for note in dict.fromkeys((*(words for words, _ in report.sentences()), *notes)):
        if named.search(note):
            yield text(note, 1_000), ""
