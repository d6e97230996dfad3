"""Files of a run's reports, written piece by piece: statistics and tables as JSON and as CSV, each repeat's own, and means."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from tui_eval.configuring.evaluation import Evaluation
from tui_eval.configuring.provenance import simulated_of, stats_rows
from tui_eval.core.calls import Json
from tui_eval.core.gathering import gathered
from tui_eval.core.lazy_sequence import LazySequence
from tui_eval.core.plaintext import readable
from tui_eval.core.reports import FORMS, ChoosyReporter, Reporter
from tui_eval.core.results import SampleResult, Table
from tui_eval.evaluation.kind import RESULTS_JSON, Kind
from tui_eval.reporting.result_lines import ResultsFile
from tui_eval.results.attempts import parts_of
from tui_eval.results.certificate_files import COPIES
from tui_eval.results.tables import content_parts, is_simulated, json_text, rows_csv, table_json, table_rows
from tui_eval.runs.buckets import Buckets
from tui_eval.runs.files import TABLE
from tui_eval.runs.writing import Inside, write_file, write_pieces
from tui_eval.statistics.estimates import mean, median_of

AGGREGATE = "aggregate_"
"""Stands before the names of files with means and medians over the repeats."""


class FileSelection:
    """Selection of the report files that are written: all, but those on demand that nobody asked for and that are not there.

    What is there was made by an older version: it is made anew, so that it is never stale.
    """

    def __init__(self, kind: Kind, out: Inside, names: Collection[str] = ()) -> None:
        """`names`: paths of files on demand that are asked for, from `out` on."""
        self._on_demand, self._out, self._names = kind.sample_files.on_demand, out, frozenset(names)
        self.on_demand: set[str] = set()
        """Files on demand that the run has, whether they are written or not."""

    def selects(self, path: str) -> bool:
        """Return whether the file of this path is written; one on demand is noted."""
        base = path.rpartition("/")[2].removeprefix(AGGREGATE)
        if base not in self._on_demand and base.rpartition(".")[0] not in self._on_demand:
            return True
        self.on_demand.add(path)
        return path in self._names or (self._out / path).path.is_file()

    def stored(self, tables: Mapping[str, Table]) -> dict[str, Table]:
        """Return the tables that report.json holds: those that every run writes."""
        return {name: table for name, table in tables.items() if name not in self._on_demand}


def write_content(out: Inside, name: str, content: Json) -> None:
    """Write a report file, its suffix says in which form: what is lazy in it is made as it is written."""
    write_pieces(out / name, [readable(content)] if isinstance(content, str) else content_parts(name, content))


def write_stats(out: Inside, name: str, rows: list[dict[str, Json]], simulated: Collection[str]) -> None:
    """Write rows of statistics to NAME.json and NAME.csv; `simulated`: the models that are, by which each row is flagged."""

    def flagged(row: dict[str, Json]) -> dict[str, Json]:
        return {**row, "simulated": any(part["model"] in simulated for part in parts_of(row, rows))}

    write_file(out / f"{name}.json", json_text({"simulated": bool(simulated), "buckets": rows}))
    write_file(out / f"{name}.csv", rows_csv([*map(flagged, rows)]))


def name_of_table(name: str, own_files: Collection[str]) -> str:
    """Return the name of a table's files: NAME_table where the kind has a NAME.csv of its own, or the run folder a file."""
    return f"{name}{TABLE}" if f"{name}.csv" in own_files or f"{name}.json" == COPIES else name


def forms_of(reporter: Reporter) -> frozenset[str]:
    """In which forms a reporter's files and tables are written."""
    return reporter.forms if isinstance(reporter, ChoosyReporter) else FORMS


def write_table(
    out: Inside, name: str, table: Table, simulated: Collection[str], selection: FileSelection, forms: Collection[str] = FORMS
) -> None:
    """Write a table of a report to NAME.json and NAME.csv, so far as these are selected. `name`: its path from `out` on."""
    if ".json" in forms and selection.selects(f"{name}.json"):
        write_content(out, f"{name}.json", {"simulated": bool(simulated), **table_json(table)})
    if ".csv" not in forms or not selection.selects(f"{name}.csv"):
        return
    rows = table_rows(table)

    def flagged(place: int) -> Mapping[str, Json]:
        row = rows[place]
        return {**row, "simulated": is_simulated(row, simulated)}

    write_content(out, f"{name}.csv", LazySequence(len(rows), flagged))


STATS_KEYS = ("scope", "stage", "model", "model_id")


class Repeat:
    """One repeat's own files, or those of all, and what the aggregates take from them."""

    def __init__(self, evaluation: Evaluation, out: Inside, folder: str, selection: FileSelection) -> None:
        """`folder`: its path from `out` on, with a slash at its end; empty for the run itself."""
        self.folder = folder
        self.reporter: Reporter = evaluation.reporter()
        name = f"{folder}{RESULTS_JSON}"
        self.results = ResultsFile(out / name, evaluation) if selection.selects(name) else None

    def add(self, row: SampleResult, item: Callable[[], Json]) -> None:
        """Take in a sample; `item`: what it is in results.json."""
        self.reporter.add(row)
        if self.results is not None and not row.sample.checks_judge:
            self.results.add(item())

    def end(self, simulated: bool) -> None:
        """Put its results.json, where it has one, in its place. `simulated`: whether any reply of the run was."""
        if self.results is not None:
            self.results.end(simulated)
            self.results = None

    def drop(self) -> None:
        """Leave nothing half written behind."""
        if self.results is not None:
            self.results.drop()


def write_repeats(
    out: Inside,
    evaluation: Evaluation,
    repeats: list[Repeat],
    per_repeat: list[Buckets],
    own_files: Collection[str],
    selection: FileSelection,
) -> None:
    """Each repeat's own reports, and mean and median of every figure over the repeats.

    `own_files`: names of what the kind writes of the whole run, so that a table is called the same here as there.
    """
    if not repeats:
        return
    simulated = frozenset().union(*(simulated_of(evaluation, buckets) for buckets in per_repeat))
    stats = [stats_rows(evaluation, buckets, simulated) for buckets in per_repeat]
    tables = [dict(repeat.reporter.tables()) for repeat in repeats]
    forms = forms_of(repeats[0].reporter)
    for repeat, rows, repeat_tables in zip(repeats, stats, tables, strict=True):
        write_stats(out, f"{repeat.folder}stats", rows, simulated)
        for name, table in repeat_tables.items():
            write_table(out, f"{repeat.folder}{name_of_table(name, own_files)}", table, simulated, selection, forms)
    write_stats(out, f"{AGGREGATE}stats", aggregate(stats, STATS_KEYS), simulated)
    for name, table in tables[0].items():
        if not table.keys:
            continue
        figures: list[list[dict[str, Json]]] = [table_json(own[name])["rows"] for own in tables if name in own]
        rows = aggregate(figures, table.keys)
        if ".json" in forms and selection.selects(f"{AGGREGATE}{name}.json"):
            write_file(out / f"{AGGREGATE}{name}.json", json_text({"simulated": bool(simulated), "rows": rows}))
        if ".csv" in forms and selection.selects(f"{AGGREGATE}{name}.csv"):
            flagged = [{**row, "simulated": is_simulated(row, simulated)} for row in rows]
            write_file(out / f"{AGGREGATE}{name}.csv", rows_csv(flagged))


def aggregate(repeats: Sequence[Sequence[Mapping[str, Json]]], keys: Sequence[str]) -> list[dict[str, Json]]:
    """Rows of the same keys over the repeats to one row: of each figure its mean, median and the n that had it."""
    aggregated = []
    every = (row for rows in repeats for row in rows)
    for rows in gathered((tuple(row.get(name) for name in keys), row) for row in every).values():
        entry: dict[str, Json] = {name: value for name, value in rows[0].items() if name in keys}
        entry["n_repeats"] = len(rows)
        for name in rows[0]:
            if name not in keys and _numbers(rows, name) is not None:
                _aggregate_figure(entry, name, _numbers(rows, name) or [])
        aggregated.append(entry)
    return aggregated


def _aggregate_figure(entry: dict[str, Json], name: str, values: list[float]) -> None:
    middle, average = median_of(values), mean(values)
    entry[f"{name}_mean"] = None if average is None else round(average, 6)
    entry[f"{name}_median"] = None if middle is None else round(middle, 6)
    entry[f"{name}_n"] = len(values)


def _numbers(rows: Sequence[Mapping[str, Json]], name: str) -> list[float] | None:
    """The figure's known values, or None when it is no figure."""
    values = [row.get(name) for row in rows]
    if any(isinstance(value, str | dict | bool) for value in values):
        return None
    return [float(value) for value in values if value is not None]
