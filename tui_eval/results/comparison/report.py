"""A comparison as text for a terminal of 80 columns, and as files that no spreadsheet and no Markdown reader acts on."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

from tui_eval.core.errors import ConfigError
from tui_eval.core.plaintext import markdown_table, markdown_text, one_line
from tui_eval.results.comparison import wording
from tui_eval.results.comparison.comparing import Comparison
from tui_eval.results.comparison.rows import FLIP_COLUMNS, as_json, flip_row, pair_row, standing_row
from tui_eval.results.tables import json_text, rows_csv
from tui_eval.runs.folder import CONFIG, write_file
from tui_eval.workspace.places import Workspace

PAIRS, FLIPS, RANKS, WHOLE, READ_ME = "compare.csv", "flips.csv", "ranks.csv", "compare.json", "compare.md"
NAMES = (READ_ME, PAIRS, FLIPS, RANKS, WHOLE)
WIDTH = 80
NAME_WIDTH = 12
"""Of names where there are several stages."""


def new_folder(workspace: Workspace) -> Path:
    """Where a comparison is written when nobody says where: a folder of its own."""
    return workspace.root / "comparisons" / workspace.new_run_id("")


def write(comparison: Comparison, folder: Path) -> Path:
    """Write compare.md, compare.csv, flips.csv, ranks.csv and compare.json; the folder.

    ConfigError where the folder holds something else, StorageError where the disk refuses it.
    """
    if (folder / CONFIG).exists() or (folder.is_dir() and any(folder.iterdir()) and not (folder / WHOLE).is_file()):
        raise ConfigError(f"--out {folder}: holds something else; a comparison needs a folder of its own")
    if folder.exists() and not folder.is_dir():
        raise ConfigError(f"--out {folder}: is a file; name a folder")
    for name, content in files(comparison).items():
        write_file(folder / name, content)
    return folder


def files(comparison: Comparison) -> dict[str, str]:
    """The text of every file by its name."""
    flips = [comparison.flips(pair) for pair in comparison.pairs]
    flat = [flip_row(pair, flip) for pair, inside in zip(comparison.pairs, flips, strict=True) for flip in inside]
    return {
        READ_ME: markdown(comparison),
        PAIRS: rows_csv([pair_row(pair) for pair in comparison.pairs]),
        FLIPS: rows_csv(flat, FLIP_COLUMNS),
        RANKS: rows_csv([standing_row(standing) for standing in comparison.standings]),
        WHOLE: json_text(as_json(comparison, flips)),
    }


# as text


def text(comparison: Comparison) -> str:
    """What --compare prints: the pairs first, then what they mean, then the sides; 80 columns where names are not longer."""
    parts = [*_heading(comparison), "", *_pairs(comparison), ""]
    for pair in comparison.pairs:
        stage = f"{one_line(pair.a.side.stage, 20)}: " if len(comparison.stages) > 1 else ""
        left, needed = wording.left_out(pair), wording.needed(pair)
        parts += _wrapped(
            f"{stage}{pair.a.label} - {pair.b.label}: {wording.verdict(pair)}" + (f"; {needed}" if needed else ""), "  "
        )
        parts += _wrapped(f"  flips: {wording.flips(pair)}" + (f"; left out: {left}" if left else ""), "    ")
    return "\n".join([*parts, "", *_sides(comparison), "", *_wrapped(wording.REST)])


def _heading(comparison: Comparison) -> Iterator[str]:
    sides, pairs = len(comparison.standings), len(comparison.pairs)
    yield f"{sides} sides, {pairs} pair{'' if pairs == 1 else 's'} on common questions"
    for number, run in enumerate(comparison.runs, 1):
        about = ", ".join(filter(None, (run.kind or "unknown kind", run.state, wording.run_simulated(run))))
        yield f"  @{number} {run.run_id} ({about})"
    for note in comparison.notes:
        yield from _wrapped(f"  note: {note}", "    ")


def _pairs(comparison: Comparison) -> list[str]:
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
        for pair in comparison.pairs
    ]
    return _columns(comparison, ("stage", "A", "B", "n", "A-B points [95 %]", "Holm p", "p"), rows, names=3)


def _sides(comparison: Comparison) -> list[str]:
    rows = [
        [
            standing.side.stage,
            standing.label,
            wording.estimate(standing.score).replace(" %", ""),
            f"{standing.score.n:,}",
            wording.rank(standing.rank),
            f"{standing.missing:,}",
            wording.usd(wording.cost_each(standing)).removeprefix("$"),
            wording.seconds(wording.latency(standing, "p50")),
            wording.seconds(wording.latency(standing, "p90")),
        ]
        for standing in comparison.standings
    ]
    titles = ("stage", "side", "score % [95 %]", "n", "rank", "missing", "USD/call", "p50 s", "p90 s")
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


def markdown(comparison: Comparison) -> str:
    """compare.md: for a person."""
    notes = "\n".join(f"- {markdown_text(note)}" for note in comparison.notes)
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
    return "\n\n".join(part for part in [*parts, wording.REST, _methods(comparison)] if part) + "\n"


def _markdown_pairs(comparison: Comparison) -> str:
    columns = ("stage", "A", "B", "n", "A-B [95 %]", "Holm p", "p", "A better", "B better", "in words", "left out")
    rows = [
        [
            *(markdown_text(name) for name in (pair.a.side.stage, pair.a.label, pair.b.label)),
            f"{pair.n:,}",
            wording.difference(pair),
            *(wording.p_value(p).replace("<", "\\<") for p in (pair.p_holm, pair.p)),
            f"{pair.a_better:,}",
            f"{pair.b_better:,}",
            *(markdown_text(said) for said in (wording.verdict(pair), wording.left_out(pair) or "-")),
        ]
        for pair in comparison.pairs
    ]
    return markdown_table(columns, rows, (False, False, False, *[True] * 6))


def _markdown_sides(comparison: Comparison) -> str:
    columns = (
        "stage",
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
            *(markdown_text(name) for name in (standing.side.stage, standing.label)),
            wording.estimate(standing.score),
            f"{standing.score.n:,}",
            wording.rank(standing.rank),
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
    return markdown_table(columns, rows, (False, False, *[True] * 10))


def _methods(comparison: Comparison) -> str:
    found = dict.fromkeys(pair.method for pair in comparison.pairs)
    return f"How: {'; '.join(found)}. The questions on which a pair differs are in {FLIPS}."
