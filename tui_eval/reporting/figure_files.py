"""Files of a run's reports, written piece by piece: statistics and tables as JSON and as CSV, and what a kind has besides."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from tui_eval.core.calls import Json
from tui_eval.core.made import Made
from tui_eval.core.reports import FORMS, ChoosyReporter, Reporter
from tui_eval.core.results import Table
from tui_eval.results.attempts import parts_of
from tui_eval.results.tables import content_parts, is_simulated, json_text, rows_csv, table_json, table_rows
from tui_eval.runs.files import TABLE
from tui_eval.runs.writing import AtomicFile, Inside, write_file

PIECE = 1 << 16
"""Characters that are gathered before they are written."""


def write_content(out: Inside, name: str, content: Json) -> None:
    """Write a report file, its suffix says in which form: what is Made in it is made as it is written."""
    write_pieces(out / name, content_parts(name, content))


def write_pieces(place: Inside, pieces: Iterable[str]) -> None:
    """Write a private file atomically without holding all of it. StorageError when the disk refuses it."""
    file, held, size = AtomicFile(place), list[str](), 0
    try:
        for piece in pieces:
            held.append(piece)
            size += len(piece)
            if size >= PIECE:
                file.write("".join(held))
                held, size = [], 0
        file.write("".join(held))
        file.keep()
    finally:
        file.drop()


def write_stats(out: Inside, name: str, rows: list[dict[str, Json]], simulated: Collection[str]) -> None:
    """Write rows of statistics to NAME.json and NAME.csv; `simulated`: the models that are, by which each row is flagged."""

    def flagged(row: dict[str, Json]) -> dict[str, Json]:
        return {**row, "simulated": any(part["model"] in simulated for part in parts_of(row, rows))}

    write_file(out / f"{name}.json", json_text({"simulated": bool(simulated), "buckets": rows}))
    write_file(out / f"{name}.csv", rows_csv([*map(flagged, rows)]))


def name_of_table(name: str, own_files: Collection[str]) -> str:
    """What the files of a table are called: NAME_table where the kind has a NAME.csv of its own."""
    return f"{name}{TABLE}" if f"{name}.csv" in own_files else name


def forms_of(reporter: Reporter) -> frozenset[str]:
    """In which forms a reporter's files and tables are written."""
    return reporter.forms if isinstance(reporter, ChoosyReporter) else FORMS


def write_table(out: Inside, name: str, table: Table, simulated: Collection[str], forms: Collection[str] = FORMS) -> None:
    """Write a table of a report to NAME.json and NAME.csv, so far as these are wanted."""
    if ".json" in forms:
        write_content(out, f"{name}.json", {"simulated": bool(simulated), **table_json(table)})
    if ".csv" not in forms:
        return
    rows = table_rows(table)

    def flagged(place: int) -> Mapping[str, Json]:
        row = rows[place]
        return {**row, "simulated": is_simulated(row, simulated)}

    write_content(out, f"{name}.csv", Made(len(rows), flagged))
