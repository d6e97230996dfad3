"""The golden run folders: their reports are what the code makes of their logs today, and they tell nothing of a machine."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tui_eval.reporting import rescoring
from tui_eval.runs.entry import entry_of
from tui_eval.runs.folder import LOCK, LOG, MANIFEST
from tui_eval.runs.reader import RunReader
from tui_eval.workspace.places import Workspace

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
NAMES = sorted(path.name for path in GOLDEN.iterdir())
MOST_BYTES = 1_850_000
OF_A_MACHINE = re.compile(
    rb"/(?:home|root|Users|work|tmp|var|opt|mnt)(?:/|\b)|[A-Z]:\\\\|aiohttp/"
    rb"|\b(?:sk|gsk|pk|hf)[-_][A-Za-z0-9_-]{12,}|Bearer |AIza"
)
"""Folders that a program is in where it is at home, and keys by their looks."""


def contents(folder: Path) -> dict[str, bytes]:
    """Every file's bytes, but for the lock, which is made anew by whoever writes there."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != LOCK)
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.parametrize("name", NAMES)
def test_scoring_it_again_brings_back_the_very_bytes(name: str, tmp_path: Path) -> None:
    """What is derived follows from the log and the code alone. Where a report is another on purpose: scripts/golden."""
    path = tmp_path / "runs" / RunReader(GOLDEN / name).table(MANIFEST)["run_id"]
    shutil.copytree(GOLDEN / name, path)
    before = contents(path)
    for derived in [file for file in before if Path(file).suffix in (".csv", ".md") and "/" not in file] + ["report.json"]:
        (path / derived).write_bytes(b"")  # what a run writes on demand alone is made anew where it is
    rescoring.rescore(path, Workspace(tmp_path))
    after = contents(path)
    assert after.keys() == before.keys(), "run scripts/golden, and look at what changed"
    assert [file for file in before if after[file] != before[file]] == [], "run scripts/golden, and look at what changed"


@pytest.mark.parametrize("name", NAMES)
def test_nothing_in_it_is_of_a_machine(name: str) -> None:
    """No byte of a golden folder names a machine's folders, holds a key, or says who has the lock."""
    found = {file: OF_A_MACHINE.search(content) for file, content in contents(GOLDEN / name).items()}
    assert {file: match.group() for file, match in found.items() if match} == {}
    assert not (GOLDEN / name / LOCK).exists()


@pytest.mark.parametrize("name", NAMES)
def test_all_its_records_can_be_read(name: str) -> None:
    """Every line of the log is an attempt, every attempt was made after the run began, and all of it is simulated."""
    reader, entry = RunReader(GOLDEN / name), entry_of(GOLDEN / name)
    attempts = list(reader.records())
    assert not reader.damaged()
    assert len(attempts) == (GOLDEN / name / LOG).read_bytes().count(b"\n") >= 4
    assert all(attempt["simulated"] for attempt in attempts) and entry.simulated
    assert entry.started_at == "2026-01-02T03:04:05Z"
    assert all("2026-01-02T03:04:05" <= attempt["ended_at"][:19] < "2026-01-02T03:05" for attempt in attempts)
    assert entry.state == ("stopped" if name == "stopped" else "done") and not entry.live


def test_the_stopped_run_failed_in_many_ways() -> None:
    """The run with troubles has what screens of failures must show: causes of every sort, retries, calls never sent."""
    attempts = list(RunReader(GOLDEN / "stopped").records())
    kinds = {attempt["error_kind"] for attempt in attempts}
    assert {"rate_limit", "transient", "permanent", "protocol", "refused", "not_sent"} <= kinds
    assert {attempt["status"] for attempt in attempts} == {"ok", "error", "timeout"}
    assert any(attempt["attempt"] > 0 and attempt["status"] == "ok" for attempt in attempts)


def test_they_are_small() -> None:
    """All golden folders together stay small enough to lie beside the code."""
    assert sum(len(content) for name in NAMES for content in contents(GOLDEN / name).values()) < MOST_BYTES
