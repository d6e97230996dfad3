"""A comparison as text for a terminal of 80 columns, and as files that no spreadsheet and no Markdown reader acts on."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from tui_eval.core.errors import ConfigError
from tui_eval.core.kinds import Metric
from tui_eval.core.plaintext import counted, markdown_table, markdown_text, one_line
from tui_eval.results.comparison import wording
from tui_eval.results.comparison.comparing import Comparison
from tui_eval.results.comparison.listing import Listing, listing_of, nearest
from tui_eval.results.comparison.pairs import Pair, Standing
from tui_eval.results.comparison.rows import FlipRows, Row, as_json, notes_of, pair_rows, standing_row
from tui_eval.results.sums.in_words import rank
from tui_eval.results.sums.metrics import is_binary, upwards
from tui_eval.results.tables import csv_line, json_parts, rows_csv
from tui_eval.runs.folder import CONFIG
from tui_eval.runs.writing import AtomicFile, write_file
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.trust import check_written_inside

PAIRS, FLIPS, RANKS, WHOLE, READ_ME = "compare.csv", "flips.csv", "ranks.csv", "compare.json", "compare.md"
NAMES = (READ_ME, PAIRS, FLIPS, RANKS, WHOLE)
WIDTH = 80
NAME_WIDTH = 12
"""Of names where there are several stages."""
SHOWN = 20
"""Pairs of a metric that are printed where there are too many for a person."""
Scored = TypeVar("Scored", Pair, Standing)


def new_folder(workspace: Workspace) -> Path:
    """Where a comparison is written when nobody says where: a folder of its own."""
    check_written_inside(workspace, workspace.root / "comparisons")
    return workspace.root / "comparisons" / workspace.new_run_id("")


def write(comparison: Comparison, folder: Path, flips_of: Sequence[str] = ()) -> Path:
    """Write compare.md, compare.csv, flips.csv, ranks.csv and compare.json; the folder.

    `flips_of`: pairs, each as "A,B", whose flips are listed in any case. ConfigError for what is no pair, and where the
    folder holds something else; StorageError where the disk refuses it.
    """
    if (folder / CONFIG).exists() or (folder.is_dir() and any(folder.iterdir()) and not (folder / WHOLE).is_file()):
        raise ConfigError(f"--out {folder}: holds something else; a comparison needs a folder of its own")
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"--out {folder}: is a file; name a folder")
    listing = listing_of(comparison, flips_of)
    write_file(folder / READ_ME, markdown(comparison, listing))
    write_file(folder / PAIRS, rows_csv(list(pair_rows(comparison, listing))))
    write_file(folder / RANKS, rows_csv([standing_row(standing) for standing in comparison.standings]))
    _write_flips(comparison, listing, folder)
    return folder


def _write_flips(comparison: Comparison, listing: Listing, folder: Path) -> None:
    """flips.csv and compare.json at once and row by row: neither is ever whole in memory."""
    rows, flips, whole = FlipRows(comparison.named), AtomicFile(folder / FLIPS), AtomicFile(folder / WHOLE)

    def listed(pair: Pair) -> Iterator[Row]:
        for row in rows.of(pair):
            flips.write(csv_line(row[name] for name in rows.columns))
            yield row

    try:
        flips.write(csv_line(rows.columns))
        for part in json_parts(as_json(comparison, listing, listed)):
            whole.write(part)
        whole.write("\n")
        flips.keep()
        whole.keep()
    finally:
        flips.drop()
        whole.drop()


# as text


def text(comparison: Comparison, flips_of: Sequence[str] = ()) -> str:
    """What tui-eval compare prints, on 80 columns where names are not longer.

    The pairs first, then what they mean, then the sides. Of more pairs than a person reads: the sides, then the pairs of
    `flips_of`, in words, and the nearest of those told apart.
    """
    listing, standings = listing_of(comparison, flips_of), comparison.standings
    if listing.few:
        pairs = [*_by_metric(comparison, comparison.pairs, _pairs), "", *_in_words(comparison, range(listing.pairs))]
        parts = [*pairs, "", *_by_metric(comparison, standings, _sides)]
    else:
        parts = [*_by_metric(comparison, _best_first(comparison), _sides), "", *_nearest(comparison, listing)]
    return "\n".join([*_heading(comparison, listing), "", *parts, "", *_wrapped(wording.rests(comparison.metrics))])


def _best_first(comparison: Comparison) -> list[Standing]:
    def place(standing: Standing) -> tuple[int, bool, float]:
        value = standing.score.value
        return comparison.stages.index(standing.side.stage), value is None, -upwards(standing.metric, value or 0.0)

    return sorted(comparison.standings, key=place)


def _in_words(comparison: Comparison, places: Iterable[int]) -> Iterator[str]:
    """What may be concluded of these pairs, on how many questions they differ, and what is left out."""
    for pair in map(comparison.pairs.__getitem__, places):
        stage = f"{one_line(pair.a.side.stage, 20)}: " if len(comparison.stages) > 1 else ""
        stage += f"{one_line(pair.metric.name, 30)}: " if comparison.named else ""
        left, needed = wording.left_out(pair), wording.needed(pair)
        yield from _wrapped(
            f"{stage}{pair.a.label} - {pair.b.label}: {wording.verdict(pair)}" + (f"; {needed}" if needed else ""), "  "
        )
        yield from _wrapped(
            f"  {wording.differ(pair)}: {wording.flips(pair)}" + (f"; left out: {left}" if left else ""), "    "
        )


def _nearest(comparison: Comparison, listing: Listing) -> Iterator[str]:
    """Of many pairs those asked for, then of each metric those that are only just told apart."""
    apart = [comparison.pairs[place] for place in nearest(comparison.pairs)]
    yield from _in_words(comparison, listing.asked)
    yield from [""] * bool(listing.asked)
    yield f"{len(apart):,} of {listing.pairs:,} pairs are told apart. The smallest differences among them:"
    yield ""
    yield from _by_metric(comparison, apart, _pairs, SHOWN)
    yield ""
    yield f"Every pair is in {PAIRS}."


def _heading(comparison: Comparison, listing: Listing) -> Iterator[str]:
    sides, pairs = len(comparison.standings), len(comparison.pairs)
    yield f"{sides} sides, {counted(pairs, 'pair')} on common questions"
    for number, run in enumerate(comparison.runs, 1):
        about = ", ".join(filter(None, (run.kind or "unknown kind", run.state, wording.run_simulated(run))))
        yield f"  @{number} {run.run_id} ({about})"
    for note in notes_of(comparison, listing):
        yield from _wrapped(f"  note: {note}", "    ")


def _by_metric(
    comparison: Comparison,
    rows: Sequence[Scored],
    table: Callable[[Comparison, Metric, list[Scored]], list[str]],
    most: int | None = None,
) -> Iterator[str]:
    """A table of the first rows of each metric, under its name where it must be said."""
    for place, metric in enumerate(comparison.metrics):
        found = [row for row in rows if row.metric == metric]
        if found and comparison.named:
            yield from ([""] if place else [])
            yield wording.metric_words(metric)
        yield from table(comparison, metric, found[:most]) if found else ()


def _pairs(comparison: Comparison, metric: Metric, pairs: Sequence[Pair]) -> list[str]:
    rows = [
        [
            pair.a.side.stage,
            pair.a.label,
            pair.b.label,
            f"{pair.n:,}",
            wording.difference(pair),
            wording.p_value(pair.p_holm),
            wording.p_value(pair.p),
        ]
        for pair in pairs
    ]
    difference = "A-B points [95 %]" if is_binary(metric) else "A-B [95 %]"
    return _columns(comparison, ("stage", "A", "B", "n", difference, "Holm p", "p"), rows, names=3)


def _sides(comparison: Comparison, metric: Metric, standings: Sequence[Standing]) -> list[str]:
    rows = [
        [
            standing.side.stage,
            standing.label,
            wording.estimate(standing.score, metric).replace(" %", ""),
            f"{standing.score.n:,}",
            rank(standing.rank),
            f"{standing.missing:,}",
            wording.usd(wording.cost_each(standing)).removeprefix("$"),
            wording.seconds(wording.latency(standing, "p50")),
            wording.seconds(wording.latency(standing, "p90")),
        ]
        for standing in standings
    ]
    score = "score % [95 %]" if is_binary(metric) else "mean [95 %]"
    titles = ("stage", "side", score, "n", "rank", "missing", "USD/call", "p50 s", "p90 s")
    return _columns(comparison, titles, rows, names=2)


def _columns(comparison: Comparison, titles: Sequence[str], rows: Sequence[Sequence[str]], names: int) -> list[str]:
    """Columns as wide as what stands in them, figures to the right; the stage only where there are several."""
    skipped = int(len(comparison.stages) == 1)
    most = NAME_WIDTH + 2 * skipped
    cells = [
        list(titles),
        *([_short(one_line(cell), most) if i < names else cell for i, cell in enumerate(row)] for row in rows),
    ]
    widths = [max(len(row[i]) for row in cells) for i in range(len(titles))]
    fitted = [
        [c.ljust(w) if i < names else c.rjust(w) for i, (c, w) in enumerate(zip(row, widths, strict=True))] for row in cells
    ]
    fitted.insert(1, ["-" * width for width in widths])
    return ["  ".join(row[skipped:]).rstrip() for row in fitted]


def _short(name: str, most: int) -> str:
    """Cut in the middle: names differ at their ends."""
    return name if len(name) <= most else f"{name[: most - 6]}…{name[-5:]}"


def _wrapped(line: str, indent: str = "") -> list[str]:
    return textwrap.wrap(line, WIDTH, subsequent_indent=indent, drop_whitespace=True, break_on_hyphens=False)


# as Markdown


def markdown(comparison: Comparison, listing: Listing) -> str:
    """compare.md: for a person."""
    notes = "\n".join(f"- {markdown_text(note)}" for note in notes_of(comparison, listing))
    runs = "\n".join(
        f"{number}. {markdown_text(run.run_id)} ({markdown_text(run.kind)}, {markdown_text(run.state)}"
        f"{f', **{wording.run_simulated(run)}**' if run.simulated else ''})"
        for number, run in enumerate(comparison.runs, 1)
    )
    parts = [
        "# Comparison",
        "Runs:",
        runs,
        notes,
        "## Pairs",
        _markdown_pairs(comparison),
        "## Sides",
        _markdown_sides(comparison),
    ]
    return "\n\n".join(part for part in [*parts, wording.rests(comparison.metrics), _methods(comparison)] if part) + "\n"


def _markdown_pairs(comparison: Comparison) -> str:
    measure = ["metric"] if comparison.named else []
    columns = ("A", "B", "n", "A-B [95 %]", "Holm p", "p", "A better", "B better", "in words", "left out")
    rows = [
        [
            *(
                markdown_text(name)
                for name in (pair.a.side.stage, *_metric(comparison, pair.metric), pair.a.label, pair.b.label)
            ),
            f"{pair.n:,}",
            wording.difference(pair),
            *(wording.p_value(p).replace("<", "\\<") for p in (pair.p_holm, pair.p)),
            f"{pair.a_better:,}",
            f"{pair.b_better:,}",
            *(markdown_text(said) for said in (wording.verdict(pair), wording.left_out(pair) or "-")),
        ]
        for pair in comparison.pairs
    ]
    return markdown_table(("stage", *measure, *columns), rows, (*[False] * (3 + len(measure)), *[True] * 6))


def _metric(comparison: Comparison, metric: Metric) -> list[str]:
    """What is measured, where it must be said."""
    return [wording.metric_words(metric)] if comparison.named else []


def _markdown_sides(comparison: Comparison) -> str:
    measure = ["metric"] if comparison.named else []
    columns = (
        "side",
        "score [95 %]",
        "n",
        "rank",
        "without a score",
        "answers without a score",
        "USD per call",
        "USD",
        "p50 s",
        "p90 s",
        "n of latencies",
    )
    rows = [
        [
            *(markdown_text(name) for name in (standing.side.stage, *_metric(comparison, standing.metric), standing.label)),
            wording.estimate(standing.score, standing.metric),
            f"{standing.score.n:,}",
            rank(standing.rank),
            f"{standing.missing:,}",
            f"{standing.side.unscored:,} of {standing.side.answers:,}",
            markdown_text(wording.usd(wording.cost_each(standing))),
            markdown_text(wording.cost_words(standing)),
            wording.seconds(wording.latency(standing, "p50")),
            wording.seconds(wording.latency(standing, "p90")),
            f"{wording.latency_n(standing):,}",
        ]
        for standing in comparison.standings
    ]
    return markdown_table(("stage", *measure, *columns), rows, (*[False] * (2 + len(measure)), *[True] * 10))


def _methods(comparison: Comparison) -> str:
    found = dict.fromkeys(pair.method for pair in comparison.pairs)
    return f"How: {'; '.join(found)}. The questions on which a pair differs are in {FLIPS}."
