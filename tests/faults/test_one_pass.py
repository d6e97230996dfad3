"""The end of a run and its taking up again: the log is read once, and what is being written is told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from answered_log import answer_samples, prepared
from fault_bench import LOG, resume_here, run_here, serving
from made import panel_config
from makers import load_panel, strict_json

import tui_eval.configuring.log_pass
import tui_eval.runs.reader
from tui_eval.cli.narration import Narrator, block_lines
from tui_eval.configuring.log_pass import LogPass
from tui_eval.core.errors import FolderError
from tui_eval.core.kinds import Flow
from tui_eval.core.samples import Sample
from tui_eval.engine.previous_sessions import earlier_lives
from tui_eval.engine.progress import Progress
from tui_eval.evaluation.kind import Kind
from tui_eval.reporting.derive import derive
from tui_eval.runs.entry import entry_of
from tui_eval.runs.folder import PROGRESS, RunFolder

QUESTIONS = 12


@pytest.fixture
def scanned(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Where each line of a log began that was come to from the one before it."""
    found: list[int] = []
    plain = tui_eval.runs.reader.lines

    def lines(path: Path, start: int = 0) -> Iterator[tuple[int, bytes]]:
        for offset, line in plain(path, start):
            if path.name == LOG:
                found.append(offset)
            yield offset, line

    monkeypatch.setattr(tui_eval.runs.reader, "lines", lines)
    monkeypatch.setattr(tui_eval.configuring.log_pass, "lines", lines)
    return found


def reports(path: Path) -> dict[str, bytes]:
    """What is derived from a log."""
    names = ("results.jsonl", "results.json", "report.json", "stats.csv", "accuracy.csv")
    return {name: (path / name).read_bytes() for name in names if (path / name).exists()}


@pytest.mark.parametrize("cut", [0, 7, QUESTIONS])
async def test_a_resume_reads_every_line_of_the_log_once(scanned: list[int], tmp_path: Path, cut: int) -> None:
    """From before the folder is held to its reports, whether much, little or nothing is left to ask."""
    async with serving(latency_scale=0) as served:
        first = await run_here(panel_config(served.url, QUESTIONS), tmp_path)
        lines = (first.path / LOG).read_bytes().splitlines(keepends=True)
        assert len(scanned) == len(lines), "the run itself"
        (first.path / LOG).write_bytes(b"".join(lines[: len(lines) * cut // QUESTIONS]))
        scanned.clear()
        earlier = earlier_lives(first.path)
        again = await resume_here(first.path, earlier=earlier)
    assert again.ended.exit_code == first.ended.exit_code
    assert len(set(scanned)) == len(scanned) == len((first.path / LOG).read_bytes().splitlines())


async def test_what_was_read_once_comes_to_the_same(tmp_path: Path) -> None:
    """Reports of a resume that goes on where it read before are those that a re-score makes of the whole log."""
    async with serving(latency_scale=0) as served:
        first = await run_here(panel_config(served.url, QUESTIONS), tmp_path)
        lines = (first.path / LOG).read_bytes().splitlines(keepends=True)
        (first.path / LOG).write_bytes(b"".join(lines[: len(lines) // 2]))
        again = await resume_here(first.path, earlier=earlier_lives(first.path))
    found = reports(again.path)
    derive(again.path, again.loaded.evaluation)
    assert reports(again.path) == found


def test_it_goes_on_where_it_ended(tmp_path: Path) -> None:
    """However a log is cut into pieces, they come to what the whole comes to."""
    loaded = load_panel(tmp_path, run="max_calls = 100", questions=f"questions = {json.dumps([f'q{n}?' for n in range(20)])}")
    out = prepared(loaded, tmp_path / "run")
    parts = LogPass(out, 1)
    with parts.recorded:
        for first in range(0, 20, 3):
            answer_samples(out, loaded, range(first, min(first + 3, 20)))
            parts = parts if parts.upto else LogPass(out, 1)
            parts.read_on()
        parts.end()
    whole = LogPass(out, 1)
    with whole.recorded:
        whole.read_on(to_the_end=True)
        whole.end()
    for each in (parts, whole):
        assert each.upto == (out / LOG).stat().st_size
    stages, models = loaded.evaluation.kind.stage_names, list(loaded.evaluation.models)
    assert parts.buckets.rows(stages, models) == whole.buckets.rows(stages, models)
    assert (parts.ledger, parts.served, parts.spans, parts.answered) == (
        whole.ledger, whole.served, whole.spans, whole.answered
    )  # fmt: skip


async def test_what_is_settled_is_driven_without_waiting(tmp_path: Path) -> None:
    """Counts of a resume are those of the run, whatever was replayed; each flow is driven once to ask, once to report."""
    begun: list[str] = []

    def counted(kind: Kind) -> Kind:
        def flow(task: Any, sample: Sample) -> Flow:
            begun.append(sample.id)
            return kind.flow(task, sample)

        return replace(kind, flow=flow)

    async with serving(latency_scale=0) as served:
        first = await run_here(panel_config(served.url, QUESTIONS), tmp_path)
        again = await resume_here(first.path, change=counted)
        asked = len(served.simulator.stats()) and served.simulator.stats()["requests"]
        assert (await resume_here(first.path)).ended.exit_code == 3
        assert served.simulator.stats()["requests"] == asked
    done = [life.ended.progress.total for life in (first, again)]
    assert replace(done[0], cost_usd=0, simulated_usd=0) == replace(done[1], cost_usd=0, simulated_usd=0)
    assert [done[0].cost_usd, done[0].simulated_usd] == pytest.approx([done[1].cost_usd, done[1].simulated_usd])
    assert again.ended.progress.replayed == done[1].done
    assert all(begun.count(name) <= 3 for name in set(begun))
    assert again.ended.progress.items_done == QUESTIONS


def test_how_far_the_reports_are_rises_to_the_end(tmp_path: Path) -> None:
    """Never back, never above all."""
    loaded = load_panel(tmp_path, run="max_calls = 900", questions=f"questions = {json.dumps([f'q{n}?' for n in range(300)])}")
    out = prepared(loaded, tmp_path / "run")
    answer_samples(out, loaded, range(300))
    told: list[float] = []
    derive(out, loaded.evaluation, told=told.append)
    assert told == sorted(told) and told[0] >= 0 and 0.5 < told[-1] <= 1 and len(told) > 5


def test_a_resume_that_meets_the_reports_says_so(tmp_path: Path) -> None:
    """It is no run to be stopped: all it was to ask is asked."""
    loaded = load_panel(tmp_path)
    out = prepared(loaded, tmp_path / "run")
    folder = RunFolder(out)
    try:
        for state, share, words in (
            ("reporting", 0.34, "writing its reports (pid"),
            ("reporting", "many", "wait for it"),
            ("running", 0.34, "stop it with"),
        ):
            (out / PROGRESS).write_text(json.dumps({"state": state, "reported": share}))
            with pytest.raises(FolderError, match="a live process") as caught:
                RunFolder(out)
            assert words in str(caught.value)
            assert ("34 % so far" in str(caught.value)) == (state == "reporting" and share == 0.34)
            assert entry_of(out).reported == (0.34 if (state, share) == ("reporting", 0.34) else None)
    finally:
        folder.close()
    assert entry_of(out).reported is None


def reporting(share: float) -> Progress:
    """A run that is writing its reports."""
    return Progress("run", planned=10, max_calls=10, started=0.0, state="reporting", reported=share)


def test_reports_are_narrated(tmp_path: Path) -> None:
    """On a pipe a line per quarter, on a terminal in place of the state; in progress.json while it lasts."""
    stream = StringIO()
    narrator = Narrator(stream)
    for share in (0.02, 0.26, 0.3, 0.34, 0.8):
        narrator.tick(reporting(share))
    narrator.close()
    assert stream.getvalue().splitlines() == ["writing reports 26 %", "writing reports 80 %"]
    assert "writing reports 34 %" in block_lines(reporting(0.34), 1.0, 10)[0]
    assert strict_json(reporting(0.34).snapshot(1.0))["reported"] == 0.34
    assert "reported" not in strict_json(replace(reporting(0.34), state="done").snapshot(1.0))
