"""The figures of a run as every part of the program tells them: means of sides, and differences of pairs."""

from __future__ import annotations

import asyncio
import csv
import io
import json
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from itertools import repeat
from pathlib import Path
from typing import Any, NamedTuple

from fault_bench import run_here, serving

from tui_eval.cli import command_line
from tui_eval.core.errors import ConfigError
from tui_eval.core.results import Table
from tui_eval.evaluation.sum_cells import six_digits
from tui_eval.results.comparison.comparing import compare_runs
from tui_eval.results.exporting.exported_run import means, opened_run
from tui_eval.tui.report_rows import Report
from tui_eval.workspace.places import shipped
from tui_eval.workspace.toml_files import read_toml


class SideKey(NamedTuple):
    """One model by one metric."""

    stage: str
    model: str
    variant: str
    metric: str


class Mean(NamedTuple):
    """What a side comes to."""

    n: int
    value: float | None
    low: float | None
    high: float | None


class PairKey(NamedTuple):
    """Two models by one metric, by their names: which of them stands first is each table's own affair."""

    stage: str
    metric: str
    a: tuple[str, str]
    b: tuple[str, str]


class Gap(NamedTuple):
    """What a pair comes to."""

    n: int
    value: float | None
    low: float | None
    high: float | None
    p: float | None
    p_holm: float | None


GAP = ("difference", "low", "high", "p", "p_holm")
"""What the columns of a pair are called."""
Means = dict[SideKey, Mean]
Gaps = dict[PairKey, Gap]


def six_places(value: float | None) -> float | None:
    """As report.json has every number of its tables: rounded to six places (`results.tables`)."""
    return None if value is None else round(value, 6)


def rounded_means(found: Means) -> Means:
    """The same as report.json has them."""
    return {key: Mean(one.n, *map(six_places, one[1:])) for key, one in found.items()}


def in_tables(found: Gaps) -> Gaps:
    """The same as a report's pairs have them: p to six digits (`evaluation.sum_cells`)."""
    return {key: one._replace(p=six_digits(one.p), p_holm=six_digits(one.p_holm)) for key, one in found.items()}


def rounded_gaps(found: Gaps) -> Gaps:
    """The same as report.json has them: p to six digits, and all to six places."""
    return {key: Gap(one.n, *map(six_places, one[1:])) for key, one in in_tables(found).items()}


Rows = Iterable[tuple[Mapping[str, Any], Mapping[str, Any]]]
"""Of a table: each row by its columns, and which scores it rests on."""


def side_means(tables: Mapping[str, Rows], variant: str, only: str) -> Means:
    """Of the tables accuracy and scores, and those of scorers. `only`: the metric of rows that name none."""
    found: Means = {}
    for name, estimate in (
        ("accuracy", "accuracy"),
        ("scores", "mean"),
        ("scorer_accuracy", "accuracy"),
        ("scorer_scores", "mean"),
    ):
        for row, rests_on in tables.get(name, ()):
            metric = str(row.get("metric") or rests_on.get("name") or only)
            key = SideKey(str(row.get("stage") or "answer"), str(row["model"]), str(row.get(variant) or ""), metric)
            assert key not in found
            found[key] = Mean(row["n_items"], row[estimate], row["ci_low"], row["ci_high"])
    return found


def pair_gaps(rows: Rows, variant: str) -> Gaps:
    """Of the table pairs."""
    found: Gaps = {}
    for row, _ in rows:
        key, gap = in_order(row, str(row["metric"]), variant)
        assert key not in found
        found[key] = gap
    return found


def in_order(row: Mapping[str, Any], metric: str, variant: str) -> tuple[PairKey, Gap]:
    """A row of a pair; turned round where its second side comes first by name."""
    a, b = ((str(row[f"model_{end}"]), str(row.get(f"{variant}_{end}") or "")) for end in "ab")
    gap = Gap(row["n"], *(row[name] for name in GAP))
    if a > b and gap.value is not None and gap.low is not None and gap.high is not None:
        gap = gap._replace(value=0.0 - gap.value, low=0.0 - gap.high, high=0.0 - gap.low)
    return PairKey(str(row["stage"]), metric, *sorted((a, b))), gap


def rows_of_table(table: Table) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Of a reporter's own table, in full precision."""
    for cells, rests_on in zip(table.rows, table.rests_on, strict=True):
        yield {name: cell.value for name, cell in zip(table.columns, cells, strict=True)}, rests_on or {}


def rows_on_file(table: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Of report.json's table."""
    for cells, rests_on in zip(table["rows"], table["rests_on"], strict=True):
        yield {name: cell["value"] for name, cell in zip(table["columns"], cells, strict=True)}, rests_on or {}


def rows_of_csv(path: Path, rests_on: Iterable[Any] = repeat(None)) -> Iterator[tuple[Mapping[str, Any], Mapping[str, Any]]]:
    """Of the table's file for spreadsheets, in full precision."""
    with path.open(encoding="utf-8", newline="") as file:
        for row, rests in zip(csv.DictReader(file), rests_on, strict=False):
            yield {name: _value(text) for name, text in row.items()}, rests or {}


def _value(text: str) -> Any:
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            pass
    return text.removeprefix("'") or None


def compared(path: Path) -> tuple[Means, Gaps, str]:
    """What `tui-eval compare RUN --json` prints, with its verdict; what it writes and what the app holds is the same."""
    out = path.parent / f"{path.name}-compared"
    found = json.loads(said(["--workspace", str(path.parent), "compare", str(path), "--json", "--out", str(out)]))
    assert json.loads((out / "compare.json").read_text()) == found
    comparison = compare_runs([path])
    variant = found["units"]["variant"] if comparison.runs[0].board.variants else ""
    sides = {
        SideKey(row["stage"], row["model"], row.get(variant, ""), row["measure"]): Mean(
            row["n"], row["score"], row["score_low"], row["score_high"]
        )
        for row in found["sides"]
    }
    in_memory = [Mean(one.score.n, one.score.value, one.score.low, one.score.high) for one in comparison.standings]
    assert in_memory == list(sides.values())
    gaps: Gaps = {}
    for row, pair in zip(found["pairs"], comparison.pairs, strict=True):
        key, gap = in_order(row, row.get("measure", "correct"), variant)
        assert (row["n"], row["difference"], row["low"]) == (pair.found.n, pair.found.value, pair.found.low)
        gaps |= {key: gap} if gap.n else {}
    assert found["verdict"] == comparison.verdict
    return sides, gaps, found["verdict"]


def exported_means(path: Path) -> Means:
    """What an export tells of a run without a report."""
    with opened_run(path) as run:
        rows, variant = means(run), run.units.variant
    return {
        SideKey(row["stage"], row["model"], row.get(variant, ""), row["metric"]): Mean(
            row["n_items"], row["mean"], row["low"], row["high"]
        )
        for row in rows
    }


def exported_report(path: Path) -> dict[str, Any]:
    """The run's report as `tui-eval export --format json` tells it, its tables as report.json has them."""
    out = path.parent / f"{path.name}.json"
    said(["--workspace", str(path.parent), "export", str(path), "--out", str(out)])
    (found,) = json.loads(out.read_text())["runs"]
    for table in found["tables"].values():
        table["rows"] = [list(row.values()) for row in table["rows"]]
    return dict(found)


def on_screen(report: Mapping[str, Any]) -> list[Mean]:
    """What the app's summary shows, metric by metric."""
    rows = Report(report)
    return [
        Mean(one.accuracy.n, one.accuracy.value, one.accuracy.low, one.accuracy.high)
        for measure in rows.measures
        for one in measure.standings
    ]


def merged(path: Path) -> tuple[Means, Gaps]:
    """The leaderboard of this run alone."""
    out = path.parent / f"{path.name}-board"
    said(["--workspace", str(path.parent), "leaderboard", str(path), "--out", str(out)])
    accuracy, pairs = (list(rows_of_csv(out / f"{name}.csv")) for name in ("accuracy", "pairs"))
    return side_means({"accuracy": accuracy}, "", "correct"), pair_gaps(pairs, "")


def said(words: list[str]) -> str:
    """Standard output of a command line that succeeds, whether or not a run's gates hold."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = command_line.main(words)
    if code == 2:
        raise ConfigError(err.getvalue())
    assert code == 0 or "gates that do not hold" in err.getvalue(), err.getvalue()
    return out.getvalue()


def run_example(root: Path, name: str, out: str = "", **tables: Any) -> Path:
    """The run folder of an example that is shipped, asked of a simulator that never waits. `tables`: added to its config."""
    folder, path = root / "examples", root / "runs" / (out or name)
    if not folder.exists():
        shutil.copytree(shipped("examples"), folder)

    async def run() -> None:
        async with serving(latency_scale=0) as served:
            content = dict(read_toml(folder / f"{name}.toml").content)
            for model in content["models"]:
                model.update({"base_url": served.url} if model["wire"] == "simulator" else {})
            added = {key: {**content.get(key, {}), **more} if isinstance(more, dict) else more for key, more in tables.items()}
            await run_here({**content, **added}, folder, out=path)

    asyncio.run(run())
    return path


def gated(report: Mapping[str, Any], metrics: Iterable[str]) -> Means:
    """What a run's gates hold against their thresholds; a variant only where there are several."""
    held = [gate for gate in report.get("gates", ()) if gate["name"] in metrics]
    several = len({gate["variant"] for gate in held}) > 1
    return {
        SideKey(gate["stage"], gate["model"], gate["variant"] if several else "", gate["metric"]): Mean(
            gate["n"], gate["value"], gate["low"], gate["high"]
        )
        for gate in held
    }
