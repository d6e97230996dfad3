"""Laws of the head of a report: it says what report.json says, counts only for that very report, and spares its tables."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from golden import GOLDEN

from tui_eval.results.report_head import HEAD, OF_BYTES, REPORT, TABLES, StoredReport
from tui_eval.results.verdicts import failed_gates, verdicts_of
from tui_eval.runs.reader import RunReader

RUNS = sorted(path.name for path in GOLDEN.iterdir() if (path / REPORT).is_file())


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A finished run."""
    return Path(shutil.copytree(GOLDEN / "choice", tmp_path / "run"))


@pytest.mark.parametrize("name", RUNS)
def test_a_stored_report_is_the_report(name: str) -> None:
    """Key by key, as a whole, and in its gates; the head lacks the tables alone."""
    path = GOLDEN / name
    whole = json.loads((path / REPORT).read_text(encoding="utf-8"))
    head = json.loads((path / HEAD).read_text(encoding="utf-8"))
    stored = StoredReport(RunReader(path))

    assert stored and dict(stored) == whole and list(stored) == list(whole)
    assert {key: stored[key] for key in whole} == whole and stored.get("no such key") is None
    assert {**head, TABLES: whole[TABLES]} == {**whole, OF_BYTES: (path / REPORT).stat().st_size}
    assert verdicts_of(stored) == verdicts_of(whole)


def test_the_tables_alone_are_read_from_the_whole(run: Path) -> None:
    """Without report.json's content all else is known: here it is of the same size, and no JSON."""
    size = (run / REPORT).stat().st_size
    (run / REPORT).write_bytes(b"x" * size)
    stored = StoredReport(RunReader(run))

    assert stored["verdict"] == json.loads((run / HEAD).read_text())["verdict"] and TABLES not in dict(stored)


@pytest.mark.parametrize("harm", ["gone", "of another report", "no object", "half written", "of an older report"])
def test_a_head_that_is_not_of_the_report_counts_for_nothing(harm: str, run: Path) -> None:
    """The whole report speaks: of an older version, a broken head, or one that a later re-score left behind."""
    whole = json.loads((run / REPORT).read_text(encoding="utf-8"))
    if harm == "gone":
        (run / HEAD).unlink()
    elif harm == "of another report":
        (run / HEAD).write_text(json.dumps({OF_BYTES: 12, "verdict": "wrong"}))
    elif harm == "of an older report":
        whole["verdict"] = "a newer one"
        (run / REPORT).write_text(json.dumps(whole))
    else:
        (run / HEAD).write_text("[1]" if harm == "no object" else '{"report_bytes": 1')

    assert dict(StoredReport(RunReader(run))) == whole


def test_without_a_report_there_is_nothing(run: Path) -> None:
    """A head alone is no report, and no gate fails by it."""
    (run / REPORT).unlink()

    assert not StoredReport(RunReader(run)) and failed_gates(run) == (0, [])
    (run / HEAD).write_text('{"verdict": "of no report"}')
    assert not StoredReport(RunReader(run))
