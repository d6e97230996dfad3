"""The law of one sum: a figure is the same wherever it is told, to the last bit.

In report.json and what is made of it (exports, the app) every number is rounded to six places, and p to six digits first;
there the others are compared after the same rounding. The tables' own files, compare, the leaderboard and exports of runs
without a report have all digits.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from frozen import PLACE, RUNS
from invented_runs import invented, written_run
from one_sum import (
    Gaps,
    Means,
    compared,
    exported_means,
    exported_report,
    gated,
    in_tables,
    merged,
    on_screen,
    pair_gaps,
    rounded_gaps,
    rounded_means,
    rows_of_csv,
    rows_of_table,
    rows_on_file,
    run_example,
    side_means,
)
from rescored import laid_out

from tui_eval.configuring import reopening
from tui_eval.configuring.loading import load
from tui_eval.core.errors import ConfigError
from tui_eval.core.kinds import Metric
from tui_eval.kinds import KINDS
from tui_eval.reporting import rescoring
from tui_eval.results.comparison.comparing import compare_runs
from tui_eval.results.sums.board import Side
from tui_eval.results.sums.metrics import NO_END, is_binary
from tui_eval.workspace.places import Workspace, shipped
from tui_eval.workspace.toml_files import read_toml

EXAMPLES = sorted(path.stem for path in shipped("examples").glob("*.toml"))
QUICK = {"choice", "dataset", "graph"}
"""Of each shape one: what is right or wrong, what shares documents and repeats, what has variants and several metrics."""
Example = Callable[[str], Path]
MEANS, PAIRS = ("accuracy", "scores", "scorer_accuracy", "scorer_scores"), ("pairs", "scorer_pairs")
"""Tables of means and of pairs, of a kind's own metrics and of scorers."""


@pytest.fixture(scope="session")
def example(tmp_path_factory: pytest.TempPathFactory) -> Example:
    """The run of an example, made once, with a threshold for each of its kind's metrics."""
    root, made = tmp_path_factory.mktemp("examples"), dict[str, Path]()

    def run(name: str) -> Path:
        if name not in made:
            kind = load(shipped("examples") / f"{name}.toml", Workspace(root)).evaluation.kind
            made[name] = run_example(root, name, gate={metric.name: held(metric) for metric in kind.metrics})
        return made[name]

    return run


def held(metric: Metric) -> str:
    """A threshold in the middle of the scale."""
    middle = (metric.low + metric.high) / 2 if metric.high < NO_END else 0.5
    return f"{'>=' if metric.better == 'higher' else '<='} {middle:g}"


def metrics_of(path: Path) -> list[Metric]:
    """What the run's kind scores by, as its config says where it is for that to say."""
    return list(reopening.reopen(path, Workspace(path.parent)).evaluation.kind.metrics)


def check_one_sum(path: Path, report: dict[str, Any], metrics: list[Metric], own: tuple[Means, Gaps] | None = None) -> None:
    """All that tells figures of a run tells the same ones. `own`: those of its reporter's tables, else of their files."""
    variant, tables = report["units"]["variant"], report["tables"]
    only = next((metric.name for metric in metrics if is_binary(metric)), "correct")
    pairs = [row for name in PAIRS if name in tables for row in rows_on_file(tables[name])]
    stored = side_means({name: rows_on_file(tables[name]) for name in MEANS if name in tables}, variant, only)
    sides, gaps = own or of_files(path, report, variant, only)
    try:
        beside, between, verdict = compared(path)
        assert verdict == report["verdict"]
    except ConfigError:  # one side alone
        beside, between = exported_means(path), {}
        assert not gaps

    assert {key: one for key, one in sides.items() if one.n} == {key: one for key, one in beside.items() if one.n}
    assert exported_means(path).items() >= beside.items()
    assert rounded_means(sides) == stored
    assert gaps == in_tables(between)
    assert pair_gaps(pairs, variant) == rounded_gaps(between)
    assert sorted(on_screen(report), key=repr) == sorted(stored.values(), key=repr)


def of_files(path: Path, report: dict[str, Any], variant: str, only: str) -> tuple[Means, Gaps]:
    """What the files of a run's tables have."""
    found = {}
    for name in (*MEANS, *PAIRS):
        if table := report["tables"].get(name):
            file = path / f"{name}_table.csv"
            found[name] = list(rows_of_csv(file if file.exists() else path / f"{name}.csv", table["rests_on"]))
    return side_means(found, variant, only), pair_gaps((row for name in PAIRS for row in found.get(name, ())), variant)


@pytest.mark.parametrize("name", [pytest.param(n, marks=[] if n in QUICK else pytest.mark.soak) for n in EXAMPLES])
def test_an_example_tells_each_figure_once(name: str, example: Example) -> None:
    """In its report, as files, beside each other, exported, on the screen, at its gates and on a leaderboard."""
    path = example(name)
    report = json.loads((path / "report.json").read_text())
    check_one_sum(path, report, metrics_of(path))

    at_gates = {key: one for key, one in gated(report, [metric.name for metric in metrics_of(path)]).items() if one.n}
    assert exported_means(path).items() >= at_gates.items() and at_gates

    exported = exported_report(path)
    assert {name: table["rows"] for name, table in exported["tables"].items()} == {
        name: table["rows"] for name, table in report["tables"].items()
    }
    if KINDS[report["kind"]].leaderboard is not None:
        variant, only = report["units"]["variant"], metrics_of(path)[0].name
        assert merged(path) == of_files(path, report, variant, only)


@pytest.mark.parametrize("headline", [False, True])
@pytest.mark.parametrize(
    "name", ["choice", *(pytest.param(n, marks=pytest.mark.soak) for n in ("quickstart", "pipeline", "chat"))]
)
def test_scorers_beside_a_kinds_own_metrics_tell_each_figure_once(name: str, headline: bool, tmp_path: Path) -> None:
    """Whether the kind's own headline is tested, or one of them."""
    scorers = ["contains", "f1", {"use": "exact", "headline": headline}]
    path = run_example(tmp_path, name, scorers=scorers)
    report = json.loads((path / "report.json").read_text())

    check_one_sum(path, report, metrics_of(path))
    assert {"scorer_accuracy", "scorer_scores"} <= report["tables"].keys()
    tested = {row["metric"] for row, _ in rows_on_file(report["tables"]["scorer_pairs"]) if row["p_holm"] is not None}
    assert tested <= ({"exact"} if headline else set())


@pytest.mark.parametrize("seed", range(20))
def test_an_invented_run_tells_each_figure_once(seed: int, tmp_path: Path) -> None:
    """Random repeats, turns, versions of the prompt, documents in common, pictures, equal items, marks and gaps."""
    found = invented(seed)
    report, tables = written_run(tmp_path / "run", found), found.report().tables()
    variant, only = report["units"]["variant"], next((metric.name for metric in found.metrics if is_binary(metric)), "")
    means = side_means({name: rows_of_table(tables[name]) for name in ("accuracy", "scores") if name in tables}, variant, only)
    gaps = pair_gaps(rows_of_table(tables["pairs"]) if "pairs" in tables else (), variant)

    assert means and gaps
    check_one_sum(tmp_path / "run", report, found.metrics, (means, gaps))


STORED = [f"{path.parent.name}/{path.name}" for path in sorted(RUNS.glob("*/*")) if path.name.endswith(("_done", "_repeats"))]
FIRST = {"2/panel_done", "2/choice_done", "4/graph_repeats"}


@pytest.mark.parametrize("name", [pytest.param(n, marks=[] if n in FIRST else pytest.mark.soak) for n in STORED])
def test_an_older_run_that_is_rescored_tells_each_figure_once(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its lines then state what they are about; before, it is compared as far as it goes."""
    path = laid_out(RUNS / name, tmp_path)
    monkeypatch.setenv(PLACE, "http://127.0.0.1:9/v1")
    if not metrics_of(path):
        return
    before = exported_means(path)
    rescoring.rescore(path, Workspace(tmp_path))
    check_one_sum(path, json.loads((path / "report.json").read_text()), metrics_of(path))

    assert {key[:2] for key in before} == {key[:2] for key in exported_means(path)}


@pytest.mark.soak
@pytest.mark.parametrize("name", ["choice", "graph"])
def test_a_gate_against_a_run_holds_what_comparing_the_two_finds(name: str, tmp_path: Path) -> None:
    """Difference and interval of each model and metric, on the items that both runs have."""
    kind = KINDS[read_toml(shipped("examples") / f"{name}.toml").content["kind"]]
    first = run_example(tmp_path, name)
    second = run_example(tmp_path, name, "again", run={"seed": 7}, gate={"against": str(first)})
    gates = json.loads((second / "report.json").read_text())["gates"]
    pairs = {pair.b.side.key: pair for pair in compare_runs([first, second]).pairs}
    held_against = [gate for gate in gates if gate["name"] == "against"]

    assert len(held_against) >= 2 and {gate["metric"] for gate in held_against} <= {metric.name for metric in kind.metrics}
    for gate in held_against:
        found = pairs[Side(gate["stage"], gate["model"], gate["metric"], gate["variant"])].found
        ends = [None if end is None else 0.0 - end for end in (found.value, found.high, found.low)]
        assert (gate["n"], gate["value"], gate["low"], gate["high"]) == (found.n, *ends)
    assert any(gate["n"] for gate in held_against)
