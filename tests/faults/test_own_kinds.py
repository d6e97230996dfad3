"""Kinds that only the registry knows, run against the simulator: every call once, taken up again, re-scored, compared."""

from __future__ import annotations

import json
import tomllib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from fault_bench import Served, Table, derived_files, resume_here, run_here, serving, strict_lines
from invariants import check
from samples import ALL_TABLES, OWN, registered, written
from soaking import quick_first_rows

from tui_eval.configuring import preparing, reopening
from tui_eval.configuring.loading import Loaded, load
from tui_eval.core.errors import ConfigError
from tui_eval.reporting import rescoring
from tui_eval.results.comparison.comparing import ComparedPair, compare_runs
from tui_eval.runs.folder import LOG
from tui_eval.workspace.places import Workspace

NAMES = [(kind, name) for kind in OWN for name in ALL_TABLES[kind]]
IDS = [name for _, name in NAMES]


@pytest.fixture(autouse=True)
def own_kinds() -> Iterator[None]:
    """The tests' kinds stand in the registry."""
    with registered():
        yield


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    """A simulator that answers at once, and counts."""
    async with serving(latency_scale=0) as found:
        yield found


def config(kind: str, name: str, folder: Path, url: str, repeat: int = 1) -> Table:
    """A sample's config with its models at an address."""
    found = tomllib.loads(written(kind, name, folder, repeat).read_text())
    for model in found["models"]:
        model["base_url"] = url
    return found


def scores(path: Path) -> list[Table]:
    """Every score of a run."""
    return [score for line in strict_lines(path / "results.jsonl") for score in line["scores"]]


@pytest.mark.parametrize(("kind", "name"), NAMES, ids=IDS)
async def test_it_runs_and_every_planned_call_is_asked_once(kind: str, name: str, served: Served, tmp_path: Path) -> None:
    """The plan is what the server is asked; what was re-asked stays within what the plan says may follow."""
    life = await run_here(config(kind, name, tmp_path, served.url, repeat=2), tmp_path)

    check(life.path, await served.stats())
    asked = (await served.stats())["requests"]
    plan = life.loaded.plan
    assert plan["total_calls"] <= asked <= plan["total_calls"] + plan["up_to_more"]
    found = scores(life.path)
    metrics = {metric.name: metric for metric in OWN[kind].metrics}
    read = [score for score in found if score["value"] is not None]
    assert len(read) > 0.8 * len(found)
    assert all(metrics[score["name"]].holds(score["value"]) for score in read)
    assert len({score["value"] for score in read}) > 1


@pytest.mark.parametrize(("kind", "name"), quick_first_rows(NAMES, 2), ids=IDS)
async def test_a_run_that_was_stopped_goes_on_where_it_was(kind: str, name: str, served: Served, tmp_path: Path) -> None:
    """Stopped by its cap half-way and taken up again: nothing is asked twice, and the reports are those of a whole run."""
    table = config(kind, name, tmp_path, served.url)
    (tmp_path / "whole").mkdir()
    whole = await run_here(table, tmp_path, out=tmp_path / "whole" / "run")
    most = len(whole.records)
    path = tmp_path / "half"
    half = await run_here({**table, "run": {**table["run"], "max_concurrency": 1}}, tmp_path, out=path, on_tick=None)
    kept = (path / LOG).read_text().splitlines(keepends=True)[: most // 2]
    (path / LOG).write_text("".join(kept))
    intents = path / "intents.jsonl"
    if intents.exists():
        intents.write_text("".join(intents.read_text().splitlines(keepends=True)[: most // 2]))
    before = (await served.stats())["requests"]

    again = await resume_here(path)

    assert (await served.stats())["requests"] - before == most - most // 2
    assert len(half.records) == len(again.records) == most
    assert [line["scores"] for line in strict_lines(path / "results.jsonl")] == [
        line["scores"] for line in strict_lines(whole.path / "results.jsonl")
    ]


@pytest.mark.parametrize(("kind", "name"), NAMES, ids=IDS)
async def test_reports_are_made_again_byte_for_byte(kind: str, name: str, served: Served, tmp_path: Path) -> None:
    """A re-score asks nobody and changes nothing; every table has its rows, and says what its numbers rest on."""
    life = await run_here(config(kind, name, tmp_path, served.url), tmp_path)
    before, asked = derived_files(life.path), (await served.stats())["requests"]

    rescoring.rescore(life.path, Workspace(tmp_path))

    assert derived_files(life.path) == before and (await served.stats())["requests"] == asked
    tables: Any = life.report["tables"]
    assert tables and all(table["rows"] and len(table["rests_on"]) == len(table["rows"]) for table in tables.values())
    assert life.report["headline"]


@pytest.mark.parametrize(("kind", "name"), quick_first_rows(NAMES, 2), ids=IDS)
async def test_two_runs_are_compared(kind: str, name: str, served: Served, tmp_path: Path) -> None:
    """Runs of a kind that comparison never heard of: the same questions are paired, by each of its measures."""
    table = config(kind, name, tmp_path, served.url)
    runs = [(await run_here(table, tmp_path, out=tmp_path / n)).path for n in ("first", "second")]

    found = compare_runs(runs)

    assert {standing.side.key.metric for standing in found.standings} == {metric.name for metric in OWN[kind].metrics}
    assert all(pair.a.side.metric == pair.b.side.metric for pair in found.pairs)
    assert len(found.pairs) == len(found.standings) / 2


@pytest.mark.parametrize(("kind", "name"), NAMES, ids=IDS)
async def test_its_report_and_its_comparison_say_the_same(kind: str, name: str, served: Served, tmp_path: Path) -> None:
    """Pairs and means have one home: the tables of a run are what comparing its models finds, without a line of the kind's."""
    life = await run_here(config(kind, name, tmp_path, served.url), tmp_path)
    tables: Any = life.report["tables"]
    rows = {name: [dict(zip(t["columns"], row, strict=True)) for row in t["rows"]] for name, t in tables.items()}
    if "pairs" not in rows:
        with pytest.raises(ConfigError, match="one model in each stage"):
            compare_runs([life.path])
        return
    compared = compare_runs([life.path])

    assert len(rows["pairs"]) == len(compared.pairs)
    for row, pair in zip(rows["pairs"], in_order_of(rows["pairs"], compared.pairs), strict=True):
        said = [row[key]["value"] for key in ("n", "a_higher", "b_higher", "difference", "low", "high", "p_holm")]
        higher = (pair.a_better, pair.b_better)[:: 1 if pair.metric.better == "higher" else -1]
        one = pair.found
        found = (one.n, *higher, one.value, one.low, one.high, pair.p_holm)
        assert said[:6] == pytest.approx(found[:6], abs=2e-6)
    for row in rows.get("scores", []):
        score = next(
            s.score for s in compared.standings if (s.side.key.model, s.side.key.metric) == named(row, "model", "metric")
        )
        assert [row[key]["value"] for key in ("mean", "ci_low", "ci_high", "n_items")] == pytest.approx(
            [score.value, score.low, score.high, score.n], abs=2e-6
        )


def named(row: Table, *columns: str) -> tuple[Any, ...]:
    """What stands in some columns of a row."""
    return tuple(row[column]["value"] for column in columns)


def in_order_of(rows: list[Table], pairs: list[ComparedPair]) -> list[ComparedPair]:
    """The pairs of a comparison as a table has them."""
    known = {(p.a.side.key.stage, p.metric.name, p.a.side.key.model, p.b.side.key.model): p for p in pairs}
    return [known[named(row, "stage", "metric", "model_a", "model_b")] for row in rows]


@pytest.mark.parametrize(("kind", "name"), NAMES, ids=IDS)
def test_a_resolved_config_resolves_to_the_same(kind: str, name: str, tmp_path: Path) -> None:
    """What a run folder holds says everything: loaded from there, it is the same task."""
    loaded = load(written(kind, name, tmp_path), Workspace(tmp_path))
    preparing.prepare(loaded, tmp_path / "run", lambda text: text, [])

    again: Loaded = reopening.reopen(tmp_path / "run", Workspace(tmp_path), sends=False)

    assert again.evaluation.task == loaded.evaluation.task
    assert json.dumps(again.plan) == json.dumps(loaded.plan)
