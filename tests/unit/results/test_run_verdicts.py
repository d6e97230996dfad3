"""Verdicts of a list of runs: read when asked for, the first ones first, and again only where a report is another."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from tui_eval.results.report_pairs import differences
from tui_eval.results.report_verdict import UNREAD, UNREPORTED, WITHOUT, verdict_in
from tui_eval.results.run_verdicts import RunVerdicts
from tui_eval.tui.report_rows import Report

GOLDEN = Path(__file__).resolve().parent.parent.parent / "golden"


@pytest.fixture
def runs(tmp_path: Path) -> dict[str, Path]:
    """Run folders by their names."""
    return {name: Path(shutil.copytree(GOLDEN / name, tmp_path / name)) for name in ("choice", "panel", "graph")}


def test_verdicts_are_read_in_the_order_in_which_they_are_asked_for(runs: dict[str, Path]) -> None:
    """Nothing before it is asked for; a slice of no time reads none more than it must."""
    verdicts = RunVerdicts()
    assert not verdicts.behind() and all(verdicts.of(path) is UNREAD for path in runs.values())
    verdicts.ask([runs["graph"], runs["choice"], runs["panel"]])
    assert verdicts.behind() and verdicts.advance(1e-9) and verdicts.of(runs["panel"]) is UNREAD
    while verdicts.advance(1.0):
        pass
    assert not verdicts.behind()
    for path in runs.values():
        assert verdicts.of(path) == verdict_in(json.loads((path / "report.json").read_text()))
    assert verdicts.of(runs["choice"]).outcome == "no leader of 3" and verdicts.of(runs["graph"]).outcome == "one model"


def test_a_report_is_read_anew_only_where_it_is_another(runs: dict[str, Path]) -> None:
    """One that was written again, one that is gone, one that cannot be read."""
    path, verdicts = runs["choice"], RunVerdicts()
    verdicts.ask([path])
    verdicts.advance(1.0)
    before = verdicts.version
    verdicts.ask([path])
    assert not verdicts.advance(1.0) and verdicts.version == before
    verdicts.ask([path], anew=False)
    assert not verdicts.behind()
    report = json.loads((path / "report.json").read_text())
    (path / "report.json").write_text(json.dumps(report | {"verdict": "Another one."} | {"verdict_in_short": {}}))
    verdicts.ask([path])
    verdicts.advance(1.0)
    assert verdicts.of(path).line == "Another one." and verdicts.version == before + 1
    (path / "report.json").write_text("{")
    verdicts.ask([path])
    verdicts.advance(1.0)
    assert verdicts.of(path) == WITHOUT
    os.remove(path / "report.json")
    verdicts.ask([path])
    verdicts.advance(1.0)
    assert verdicts.of(path) == UNREPORTED


@pytest.mark.parametrize("kind", ["choice", "chat", "panel", "pipeline", "graph"])
def test_a_pair_is_told_from_both_sides_alike(kind: str) -> None:
    """The difference, its interval and its test: for each line of a measure, by its own stage, metric and variant."""
    report = Report(json.loads((GOLDEN / kind / "report.json").read_text()))
    table, n_found = report.tables["pairs"], 0
    for measure in report.measures:
        for standing in measure.standings:
            own = report.tables[standing.table].rest(standing.row) or {}
            for pair in differences(table, own, report.units.variant, measure.metric):
                n_found += 1
                assert pair.low is None or pair.high is None or pair.low <= pair.difference <= pair.high
                same = own | ({"model": pair.other} if pair.other != own.get("variant") else {})
                back = differences(table, same, report.units.variant, measure.metric)
                assert kind == "graph" or any(
                    (other.difference, other.p, other.told_apart) == (0.0 - pair.difference, pair.p, pair.told_apart)
                    for other in back
                )
    tested = [row for row in table.rows if row[table.columns.index("difference")].value is not None]
    assert n_found == 2 * len(tested) or kind == "pipeline"
