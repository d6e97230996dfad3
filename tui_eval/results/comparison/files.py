"""The files of a comparison, which no spreadsheet and no Markdown reader acts on, and what is printed of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from tui_eval.core.errors import ConfigError
from tui_eval.results.comparison import text as said
from tui_eval.results.comparison.comparing import ComparedPair, Comparison
from tui_eval.results.comparison.tables import (
    FlipListing,
    FlipRows,
    Row,
    as_json,
    listing_of,
    nearest,
    notes_of,
    pair_rows,
    standing_row,
)
from tui_eval.results.tables import csv_line, json_parts, rows_csv
from tui_eval.runs.folder import CONFIG
from tui_eval.runs.writing import AtomicFile, write_file
from tui_eval.workspace.places import Workspace
from tui_eval.workspace.trust import check_written_inside

PAIRS, FLIPS, RANKS, WHOLE, READ_ME = "compare.csv", "flips.csv", "ranks.csv", "compare.json", "compare.md"
NAMES = (READ_ME, PAIRS, FLIPS, RANKS, WHOLE)


def new_folder(workspace: Workspace) -> Path:
    """Return a folder of its own for a comparison whose place nobody names."""
    check_written_inside(workspace, workspace.root / "comparisons")
    return workspace.root / "comparisons" / workspace.new_run_id("")


def text(comparison: Comparison, flips_of: Sequence[str] = ()) -> str:
    """Return the output of tui-eval compare; `flips_of`: pairs, each as "A,B", told in words however many there are."""
    listing = listing_of(comparison, flips_of)
    notes = notes_of(comparison, listing)
    return said.text(comparison, notes, listing.few, listing.asked, nearest(comparison.pairs))


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
    write_file(folder / READ_ME, said.markdown(comparison, notes_of(comparison, listing)))
    write_file(folder / PAIRS, rows_csv(list(pair_rows(comparison, listing))))
    write_file(folder / RANKS, rows_csv([standing_row(standing) for standing in comparison.standings]))
    _write_flips(comparison, listing, folder)
    return folder


def _write_flips(comparison: Comparison, listing: FlipListing, folder: Path) -> None:
    """flips.csv and compare.json at once and row by row: neither is ever whole in memory."""
    rows = FlipRows(comparison.named)
    with AtomicFile(folder / WHOLE) as whole, AtomicFile(folder / FLIPS) as flips:

        def listed(pair: ComparedPair) -> Iterator[Row]:
            for row in rows.of(pair):
                flips.write(csv_line(row[name] for name in rows.columns))
                yield row

        flips.write(csv_line(rows.columns))
        for part in json_parts(as_json(comparison, listing, listed)):
            whole.write(part)
        whole.write("\n")
